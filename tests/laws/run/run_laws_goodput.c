/* SPDX-License-Identifier: Apache-2.0
 * run_laws_goodput - what is delivered in the measured part of a run.
 *   - no more than the links that it arrives by carry in that time: a packet of the path MTU with
 *     its headers, preamble and gap is the most payload for its wire
 *   - no more than links carry in the whole run
 *   - all that completed, where the measured part begins before it and ends after it; over iWARP a
 *     SEND or WRITE completes before its data arrive, so only READs
 *   - of NVMe: at least the I/Os that lie within, at most those that reach into it */
#include "tests/laws/run/run_laws_private.h"

#include "nvme/wire/spec.h"
#include "rnic/host/rnic.h"

#include <string.h>

typedef unsigned __int128 wide;

/* ------------------------------------------------------------------ links */

/* A TCP segment fills a packet of the link's MTU, whatever the path MTU of RDMA is. */
static int64_t largest_segment(const struct run_laws *laws)
{
    bool tcp = false;
    int64_t most = 0;
    for (uint32_t i = 0; i < laws->scenario->workload_count; i++)
        tcp |= laws->scenario->workloads[i].by_tcp;
    for (uint32_t i = 0; tcp && i < laws->scenario->host_count; i++)
        for (uint16_t p = 0; p < laws->scenario->nodes[i].port_count; p++)
            if (laws->scenario->nodes[i].ports[p].params->mtu > most)
                most = laws->scenario->nodes[i].ports[p].params->mtu;
    return most;
}

static uint32_t largest_payload(const struct run_laws *laws)
{
    int64_t most = largest_segment(laws);
    for (uint32_t i = 0; i < laws->scenario->host_count; i++)
        if (laws->scenario->nodes[i].host->rnic->path_mtu > most)
            most = laws->scenario->nodes[i].host->rnic->path_mtu;
    return (uint32_t)most;
}

/* Of the shortest frame with payload, and what surrounds it on the wire. */
static uint32_t overhead(const struct port *port)
{
    const uint32_t headers[] = {[PORT_ETHERNET] = WIRE_ROCE_BYTES,
                                [PORT_INFINIBAND] = WIRE_IB_BYTES,
                                [PORT_FIBRE_CHANNEL] = WIRE_FC_BYTES};
    return headers[port->params.kind] + port_gap_bytes(&port->params);
}

/* Payload that can arrive at an RNIC in that time: a packet that was on its way counts whole, and
 * what its receive buffer held. */
static uint64_t can_arrive_at(const struct run_laws *laws, const struct rnic *rnic, time_ps span)
{
    const uint32_t payload = largest_payload(laws);
    const wide wire = (wide)rnic->port.rate.bps * (uint64_t)span / (8 * (wide)PS_PER_S);
    const uint64_t held = laws->terms.slow_hosts ? (uint64_t)rnic->rx.size : 0;
    return (uint64_t)(wire * payload / (payload + overhead(&rnic->port))) + held + 2 * payload;
}

/* At all of a host's. */
static uint64_t can_arrive(const struct run_laws *laws, uint32_t node, time_ps span)
{
    const struct host *host = laws->world->hosts[node];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < host->rnic_count; i++)
        sum += can_arrive_at(laws, host->rnics[i], span);
    return sum;
}

static void check_links(struct run_laws *laws, uint32_t number, time_ps span)
{
    const struct scenario_workload *workload = &laws->scenario->workloads[number];
    uint64_t sums[RUN_LAWS_NODES] = {0};
    for (uint32_t i = 0; i < world_instances(laws->world, number); i++) {
        const struct scenario_pair *pair = &workload->pairs[i / workload->copies];
        const struct workload_delivered delivered = world_delivered(laws->world, number, i);
        sums[pair->from] += delivered.read;
        sums[pair->to] += delivered.written;
    }
    for (uint32_t node = 0; node < laws->scenario->host_count; node++)
        if (sums[node] > can_arrive(laws, node, span))
            run_laws_break(
                laws, "%s: %llu B were delivered to %s in %lld ps, its link carries %llu",
                workload->name, (unsigned long long)sums[node], laws->scenario->nodes[node].name,
                (long long)span, (unsigned long long)can_arrive(laws, node, span));
}

/* Bytes that links of the hosts at one end carry in all the time there was. */
static wide carried(const struct run_laws *laws, const struct scenario_workload *workload,
                    bool at_to)
{
    bool seen[RUN_LAWS_NODES] = {false};
    wide sum = 0;
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        const uint32_t node = at_to ? workload->pairs[i].to : workload->pairs[i].from;
        if (seen[node])
            continue;
        seen[node] = true;
        for (uint16_t p = 0; p < laws->scenario->nodes[node].port_count; p++) {
            const struct port *port = world_port(laws->world, node, p);
            sum += (wide)port->rate.bps * (uint64_t)laws->world->engine.now / (8 * (wide)PS_PER_S);
        }
    }
    return sum;
}

static void check_carried(struct run_laws *laws, uint32_t number)
{
    const struct workload_stats *stats = &laws->world->stats[number];
    for (int end = 0; end < 2; end++) {
        const wide most = carried(laws, &laws->scenario->workloads[number], end > 0);
        if (stats->bytes_read > most || stats->bytes_written > most)
            run_laws_break(laws, "%s: %llu B read and %llu B written; its links carry %llu B",
                           stats->name, (unsigned long long)stats->bytes_read,
                           (unsigned long long)stats->bytes_written, (unsigned long long)most);
    }
}

/* ------------------------------------------------------------------ operations */

static struct workload_delivered sum_of(const struct run_laws *laws, uint32_t number)
{
    struct workload_delivered sum = {0};
    for (uint32_t i = 0; i < world_instances(laws->world, number); i++) {
        const struct workload_delivered delivered = world_delivered(laws->world, number, i);
        sum.read += delivered.read;
        sum.written += delivered.written;
    }
    return sum;
}

static void check_completed(struct run_laws *laws, uint32_t number)
{
    const struct workload_stats *stats = &laws->world->stats[number];
    const struct workload_delivered sum = sum_of(laws, number);
    const bool all = stats->issued == stats->completed;
    const bool within = stats->issued > 0 && stats->window_from <= stats->first_issue &&
                        stats->last_completion <= stats->window_to;
    if (all && (sum.read > stats->bytes_read || sum.written > stats->bytes_written))
        run_laws_break(laws, "%s: more is delivered than completed", stats->name);
    const bool early = laws->scenario->workloads[number].own_verbs;
    if (all && within &&
        (sum.read < stats->bytes_read || (!early && sum.written < stats->bytes_written)))
        run_laws_break(laws,
                       "%s: %llu B read and %llu B written lie in the measured part, of which "
                       "%llu B and %llu B are delivered",
                       stats->name, (unsigned long long)stats->bytes_read,
                       (unsigned long long)stats->bytes_written, (unsigned long long)sum.read,
                       (unsigned long long)sum.written);
}

/* The measured part of its instances, where nobody ends them sooner. */
static bool window_of(const struct run_laws *laws, uint32_t number, time_ps *from, time_ps *to)
{
    const struct scenario_workload *workload = &laws->scenario->workloads[number];
    const struct opt *row = opt_find(workload->ops->opts, "warm-up");
    int64_t warm_up = 0;
    if (row != NULL)
        memcpy(&warm_up, (const char *)workload->params + row->offset, sizeof warm_up);
    *from = workload->start + warm_up;
    *to = time_earlier(workload->stop, laws->scenario->duration);
    return workload->job == NULL;
}

bool run_laws_moves(const struct probe_host_io *io)
{
    return io->opcode != NVME_WRITE_ZEROES && io->opcode != NVME_DATASET;
}

void run_laws_goodput_io(struct run_laws *laws, const struct probe_host_io *io)
{
    time_ps from, to;
    const bool done = io->status == NVME_STATUS_OK || io->status == NVME_STATUS_COMPARE_FAILED;
    if (!done || io->bytes == 0 || !run_laws_moves(io) || io->workload >= RUN_LAWS_WORKLOADS ||
        !window_of(laws, io->workload, &from, &to))
        return;
    struct run_laws_goodput *sums = &laws->goodput[io->workload][io->opcode == NVME_READ];
    if (io->posted_at >= from && io->completed_at <= to)
        sums->within += io->bytes;
    if (io->completed_at >= from && io->posted_at < to)
        sums->reaching += io->bytes;
}

static void check_direction(struct run_laws *laws, uint32_t number, bool read, uint64_t delivered)
{
    const struct run_laws_goodput *sums = &laws->goodput[number][read];
    const struct workload_stats *stats = &laws->world->stats[number];
    const bool all = stats->issued == stats->completed;
    if (delivered < sums->within || (all && delivered > sums->reaching))
        run_laws_break(laws,
                       "%s: %llu B %s within the measured part, %llu B reach into it, and %llu B "
                       "are delivered",
                       stats->name, (unsigned long long)sums->within, read ? "read" : "written",
                       (unsigned long long)sums->reaching, (unsigned long long)delivered);
}

/* ------------------------------------------------------------------ all of it */

void run_laws_goodput_judge(struct run_laws *laws)
{
    for (uint32_t i = 0; i < laws->world->workload_count; i++) {
        const struct workload_stats *stats = &laws->world->stats[i];
        /* Over iWARP a SEND or WRITE may complete long before its data arrive. */
        const bool late = laws->scenario->workloads[i].own_verbs && stats->bytes_written > 0;
        const time_ps end =
            stats->window_to > 0 && !late ? stats->window_to : laws->world->engine.now;
        time_ps from, to;
        if (!laws->terms.software && stats->begun > 0)
            check_links(laws, i, end > stats->window_from ? end - stats->window_from : 0);
        check_carried(laws, i);
        check_completed(laws, i);
        const struct workload_delivered sum = sum_of(laws, i);
        if (i >= RUN_LAWS_WORKLOADS || !laws->scenario->workloads[i].ops->needs_nvme_target ||
            stats->losses > 0 || !window_of(laws, i, &from, &to))
            continue; /* what came by a connection that was lost may be another command's */
        check_direction(laws, i, true, sum.read);
        check_direction(laws, i, false, sum.written);
    }
}
