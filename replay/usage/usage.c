/* SPDX-License-Identifier: Apache-2.0
 * usage - when the world is sampled, and what a sample counts. */
#include "replay/usage/usage_private.h"

#include "base/memory.h"
#include "nvme/host/host.h"
#include "rnic/pipeline/cq.h"
#include "rnic/pipeline/pipeline.h"
#include "rnic/qp/responder.h"
#include "rnic/soft/soft.h"

#include <stdlib.h>
#include <string.h>

time_ps usage_blocked_ps(const struct port *port, int priority, time_ps now)
{
    const struct port_pauses *pauses = &port->pauses[priority];
    const bool open = pauses->blocked_since != TIME_NEVER;
    return pauses->blocked_ps + (open ? now - pauses->blocked_since : 0);
}

/* ------------------------------------------------------------------ layout */

struct placing {
    struct usage_station *stations;
    uint32_t seen[USAGE_STATIONS]; /* counts of this pass */
};

/* The least-used entry among stations of that name, or a new one. */
static uint32_t place_of(struct placing *placing, const char *name, bool may_add)
{
    uint32_t best = USAGE_STATIONS, alike = 0, i = 0;
    for (; i < USAGE_STATIONS && placing->stations[i].name != NULL; i++) {
        if (placing->stations[i].name != name && strcmp(placing->stations[i].name, name) != 0)
            continue;
        alike++;
        if (best == USAGE_STATIONS || placing->seen[i] < placing->seen[best])
            best = i;
    }
    if (may_add && i < USAGE_STATIONS && alike < USAGE_ALIKE)
        best = i;
    if (best < USAGE_STATIONS)
        placing->seen[best]++;
    return best;
}

static void name_station(void *self, const struct nvme_station *station)
{
    struct placing *placing = self;
    const uint32_t at = place_of(placing, station->name, true);
    if (at == USAGE_STATIONS)
        return;
    placing->stations[at].name = station->name;
    placing->stations[at].servers += station->count;
}

static void name_stations(struct usage *usage, uint32_t node)
{
    const struct world *world = usage->world;
    struct placing placing = {.stations =
                                  &usage->stations[usage->target_of[node] * USAGE_STATIONS]};
    nvme_target_stations(world->targets[world->scenario->nodes[node].index], name_station,
                         &placing);
}

static void lay_out(struct usage *usage)
{
    const struct world *world = usage->world;
    const struct scenario *scenario = world->scenario;
    uint32_t ports = 0, rnics = 0, targets = 0;
    for (uint32_t node = 0; node < scenario->node_count; node++) {
        usage->first_port[node] = ports;
        usage->rnic_of[node] = rnics;
        usage->target_of[node] = targets;
        ports += scenario->nodes[node].port_count;
        rnics += scenario->nodes[node].kind == SCENARIO_HOST ? scenario->nodes[node].port_count : 0;
        targets += usage_is_target(world, node);
    }
    usage->first_rnic = ports * USAGE_PORT_VALUES;
    usage->first_target = usage->first_rnic + rnics * USAGE_RNIC_VALUES;
    usage->first_workload = usage->first_target + targets * USAGE_TARGET_VALUES;
    usage->value_count = usage->first_workload + world->workload_count * USAGE_WORK_VALUES;
    usage->stations = memory_zeroed((size_t)targets * USAGE_STATIONS, sizeof *usage->stations);
    for (uint32_t node = 0; node < scenario->node_count; node++)
        if (usage_is_target(world, node))
            name_stations(usage, node);
}

void usage_init(struct usage *usage, const struct world *world, time_ps from, time_ps until)
{
    const uint32_t nodes = world->scenario->node_count;
    *usage = (struct usage){
        .world = world,
        .from = from,
        .until = until,
        .interval = (until - from) / USAGE_MOMENTS,
        .begun = from == 0,
        .first_port = memory_zeroed(nodes, sizeof *usage->first_port),
        .rnic_of = memory_zeroed(nodes, sizeof *usage->rnic_of),
        .target_of = memory_zeroed(nodes, sizeof *usage->target_of),
    };
    lay_out(usage);
    usage->next = usage->interval > 0 ? usage->begun ? usage->interval : from : TIME_NEVER;
    usage->now.values = memory_zeroed(usage->value_count, sizeof(int64_t));
    for (int i = 0; i < 2; i++)
        usage->bases[i].values = memory_zeroed(usage->value_count, sizeof(int64_t));
}

void usage_fini(struct usage *usage)
{
    free(usage->now.values);
    free(usage->bases[0].values);
    free(usage->bases[1].values);
    free(usage->stations);
    free(usage->first_port);
    free(usage->rnic_of);
    free(usage->target_of);
    *usage = (struct usage){.next = TIME_NEVER};
}

/* ------------------------------------------------------------------ one sample */

static void read_port(const struct port *port, int64_t *values, time_ps now)
{
    const uint64_t gap = port_gap_bytes(&port->params);
    uint64_t bytes = 0;
    time_ps blocked = 0;
    for (int i = 0; i < PRIORITIES; i++) {
        const time_ps this = usage_blocked_ps(port, i, now);
        blocked = this > blocked ? this : blocked;
        bytes += port->prios[i].tx_bytes + port->prios[i].tx_frames * gap;
    }
    values[USAGE_PORT_BYTES] = (int64_t)bytes;
    values[USAGE_PORT_BLOCKED] = blocked;
}

/* Longer than an ACK takes on any path that is not paused; assumed. */
static const time_ps silence = 500 * PS_PER_US;

static bool wants_to_send(const struct qp *qp)
{
    return qp->sq_cur != qp->sq_visible || (qp->flags & (QP_TX_ACTIVE | QP_RESPOND)) != 0;
}

static bool is_held(const struct qp *qp, time_ps now)
{
    if (!wants_to_send(qp))
        return false;
    if ((qp->flags & QP_FLIGHT) != 0)
        return (qp->flags & QP_FULL) != 0 || qp->pacer.flight->paced_until > now;
    return (qp->flags & QP_LIMITED) != 0 && qp->paced_until > now;
}

/* Whether the queue pair has outstanding work; with a pipeline, the work may not have reached its
 * send queue yet. */
static bool is_active(const struct rnic *rnic, const struct qp *qp)
{
    return wants_to_send(qp) || qp_outstanding(qp) ||
           (rnic->pipeline != NULL && qp->sq_head != qp->sq_tail);
}

static bool is_fenced(const struct qp *qp)
{
    const struct qp_wqe *wqe = qp_wqe(qp, qp->sq_cur);
    return qp->sq_cur != qp->sq_visible && (wqe->send_flags & QP_WQE_DRAINS) != 0 &&
           qp_waits_for_all(qp, wqe);
}

static void look_at_qp(const struct rnic *rnic, const struct qp *qp, int64_t *values, time_ps now)
{
    if (qp->qpn == 0 || !is_active(rnic, qp))
        return;
    values[USAGE_QP_ACTIVE]++;
    if (rnic->pipeline != NULL && responder_owes(qp) && pipeline_gathers(rnic, qp, now))
        values[USAGE_QP_GATHERS]++;
    if ((qp->flags & QP_RNR_WAIT) != 0 && qp->rnr_until > now)
        values[USAGE_QP_RNR]++;
    else if ((qp->flags & QP_AGAIN) != 0 || qp->retry_left < qp->retry_count)
        values[USAGE_QP_RESENT]++;
    else if (is_held(qp, now))
        values[USAGE_QP_HELD]++;
    else if (rnic->soft != NULL && wants_to_send(qp) && !soft_window_open(rnic, qp))
        values[USAGE_QP_WINDOW]++;
    else if ((qp->flags & QP_BLOCKED) != 0 && qp->reads_out > 0 && qp->reads_out >= qp->read_limit)
        values[USAGE_QP_READS]++;
    else if ((qp->flags & QP_BLOCKED) != 0 && is_fenced(qp))
        values[USAGE_QP_FENCED]++;
    else if (!wants_to_send(qp) && qp->timeout > 0 &&
             now - (qp->timeout_due - qp->timeout) > silence)
        values[USAGE_QP_SILENT]++;
}

/* Work is booked when it is accepted, so the part after `now` is subtracted. */
static time_ps worked(time_ps busy, time_ps free_at, time_ps now)
{
    return free_at > now ? busy - (free_at - now) : busy;
}

static void read_rnic(const struct rnic *rnic, int64_t *values, time_ps now)
{
    values[USAGE_RNIC_SENT] = (int64_t)port_frames_sent(&rnic->port);
    values[USAGE_RNIC_RESENT] = (int64_t)rnic->counters.retransmitted_packets;
    values[USAGE_RNIC_DRAIN] = rx_buffer_busy(&rnic->rx, now);
    const struct pipeline *pipe = rnic->side == 0 ? rnic->pipeline : NULL;
    if (pipe != NULL) {
        values[USAGE_RNIC_MESSAGES] = worked(pipe->engine_busy, pipe->engine_free, now);
        values[USAGE_RNIC_TX] = worked(pipe->tx_busy, pipe->tx_free, now);
        values[USAGE_RNIC_RX] = worked(pipe->rx_busy, pipe->rx_free, now);
        values[USAGE_RNIC_PCIE_DOWN] = worked(pipe->pcie.down.busy, pipe->pcie.down.free_at, now);
        values[USAGE_RNIC_PCIE_UP] = worked(pipe->pcie.up.busy, pipe->pcie.up.free_at, now);
    }
    values[USAGE_RNIC_CPU] = 0;
    for (int i = 0; i < PROCESSOR_LEVELS && rnic->soft != NULL; i++)
        values[USAGE_RNIC_CPU] += rnic->soft->machine->processor.busy[i];
    values[USAGE_RNIC_OVER] = (int64_t)rnic->counters.rx_buffer_drops;
    for (int i = 0; i < PRIORITIES; i++)
        values[USAGE_RNIC_OVER] += (int64_t)rnic->port.pauses[i].tx_xoff;
}

static void look_at_rnic(const struct rnic *rnic, int64_t *values, time_ps now)
{
    for (uint32_t i = 0; i < rnic->qps.used; i++)
        look_at_qp(rnic, &rnic->qp_slots[i], values, now);
    if (rnic->cqs != NULL) {
        values[USAGE_CQ_WORKING] += cq_working(rnic);
        values[USAGE_CQ_ALL] += cq_used(rnic, now - silence);
    }
    for (uint32_t i = 0; rnic->pipeline != NULL && rnic->side == 0 && i < rnic->pipeline->qp_room;
         i++)
        values[USAGE_QP_RESTS] += rnic->pipeline->qps[i].resting;
}

static void read_tcp(const struct tcp *tcp, int64_t *values)
{
    struct tcp_look look;
    if (tcp == NULL)
        return;
    tcp_look(tcp, &look);
    values[USAGE_TCP_SENT] = (int64_t)tcp_counters(tcp)->out_segs;
    values[USAGE_TCP_RESENT] = (int64_t)tcp_counters(tcp)->retrans_segs;
    for (int i = 0; i < TCP_LOOK_CORES; i++) {
        values[USAGE_TCP_CORES + i] = look.cores[i];
        values[USAGE_TCP_BUSY + i] = look.busy[i];
    }
}

static void look_at_tcp(const struct tcp *tcp, int64_t *values)
{
    struct tcp_look look;
    if (tcp == NULL)
        return;
    tcp_look(tcp, &look);
    values[USAGE_TCP_ACTIVE] += look.active;
    values[USAGE_TCP_CORE] += look.core;
    values[USAGE_TCP_WINDOW] += look.window;
    values[USAGE_TCP_CONGESTION] += look.congestion;
    values[USAGE_TCP_LOSS] += look.loss;
    values[USAGE_TCP_DELAYED] += look.delayed;
    values[USAGE_TCP_BEHIND] += look.behind;
}

struct looking {
    struct placing placing;
    int64_t *values;
    time_ps now;
};

static void look_at_command(void *self, const struct nvme_target_command *command)
{
    int64_t *values = ((struct looking *)self)->values;
    switch (command->stage) {
    case NVME_TARGET_ON_CORE:
    case NVME_TARGET_AFTER_MEDIA:
        values[USAGE_TARGET_ON_CORE]++;
        break;
    case NVME_TARGET_IN_MEDIA:
        values[USAGE_TARGET_IN_MEDIA]++;
        break;
    case NVME_TARGET_FETCHES:
        values[USAGE_TARGET_FETCHES]++;
        break;
    case NVME_TARGET_UNBUFFERED:
        values[USAGE_TARGET_UNBUFFERED]++;
        break;
    case NVME_TARGET_WITHOUT_WRS:
        values[USAGE_TARGET_WITHOUT_WRS]++;
        break;
    case NVME_TARGET_LIMITED:
        values[USAGE_TARGET_LIMITED]++;
        break;
    default:
        break;
    }
}

static void look_at_station(void *self, const struct nvme_station *station)
{
    struct looking *looking = self;
    const uint32_t at = place_of(&looking->placing, station->name, false);
    if (at == USAGE_STATIONS)
        return;
    int64_t *busy = &looking->values[USAGE_TARGET_STATION + at];
    if (looking->placing.seen[at] == 1)
        *busy = 0;
    for (uint32_t i = 0; i < station->count; i++)
        *busy += nvme_server_occupied(&station->servers[i], looking->now);
}

static void look_at_target(const struct usage *usage, uint32_t node, time_ps now)
{
    const struct world *world = usage->world;
    const struct nvme_target *target = world->targets[world->scenario->nodes[node].index];
    const uint32_t number = usage->target_of[node];
    struct looking looking = {
        .placing = {.stations = &usage->stations[number * USAGE_STATIONS]},
        .values = &usage->now.values[usage->first_target + number * USAGE_TARGET_VALUES],
        .now = now,
    };
    const int64_t waited = looking.values[USAGE_TARGET_UNBUFFERED];
    const int64_t without = looking.values[USAGE_TARGET_WITHOUT_WRS];
    const int64_t limited = looking.values[USAGE_TARGET_LIMITED];
    nvme_target_look(target, look_at_command, &looking);
    looking.values[USAGE_TARGET_SHORT] += looking.values[USAGE_TARGET_UNBUFFERED] > waited;
    looking.values[USAGE_TARGET_FEW_WRS] += looking.values[USAGE_TARGET_WITHOUT_WRS] > without;
    looking.values[USAGE_TARGET_BOUND] += looking.values[USAGE_TARGET_LIMITED] > limited;
    nvme_target_stations(target, look_at_station, &looking);
    looking.values[USAGE_TARGET_STALLED] +=
        nvme_target_is_stalled(target) || nvme_target_is_dead(target);
}

static void look_at_io(void *self, const struct nvme_host_command *command)
{
    int64_t *values = self;
    values[USAGE_WORK_WAITS] += command->stage == NVME_HOST_WAITS;
    values[USAGE_WORK_ON_CPU] +=
        command->stage == NVME_HOST_SUBMITS || command->stage == NVME_HOST_COMPLETES;
}

static void look_at_controller(const struct usage *usage, const struct nvme_host *host,
                               uint32_t target, int64_t *values, time_ps now)
{
    const struct world *world = usage->world;
    nvme_host_look(host, look_at_io, values);
    values[USAGE_WORK_INSTANCES]++;
    values[USAGE_WORK_AWAY] += !nvme_host_live(host) && nvme_host_stats(host)->losses > 0;
    values[USAGE_WORK_CPU] += nvme_host_occupied(host, now);
    values[USAGE_WORK_QUEUES] += nvme_host_cores(host);
    if (usage_is_target(world, target))
        usage->now.values[usage->first_target + usage->target_of[target] * USAGE_TARGET_VALUES +
                          USAGE_TARGET_ASKED] += (int64_t)nvme_host_outstanding(host);
}

static void look_at_workload(const struct usage *usage, uint32_t index, time_ps now)
{
    const struct world *world = usage->world;
    const struct scenario_workload *about = &world->scenario->workloads[index];
    int64_t *values = &usage->now.values[usage->first_workload + index * USAGE_WORK_VALUES];
    values[USAGE_WORK_OUT] += (int64_t)world_outstanding(world, index);
    uint32_t bound;
    values[USAGE_WORK_LIMITED] += (int64_t)world_limited(world, index, &bound);
    values[USAGE_WORK_BOUND] += bound;
    values[USAGE_WORK_IDLE] += world_idle(world, index);
    values[USAGE_WORK_ALL] += world_instances(world, index);
    values[USAGE_WORK_CPU] = values[USAGE_WORK_QUEUES] = 0;
    for (uint32_t i = 0; i < world_instances(world, index); i++) {
        const struct workload_cpu cpu = world_cpu(world, index, i, now);
        values[USAGE_WORK_CPU] += cpu.busy;
        values[USAGE_WORK_QUEUES] += cpu.cores;
        const struct nvme_host *host;
        for (uint32_t path = 0; (host = world_controller(world, index, i, path)) != NULL; path++)
            look_at_controller(usage, host, about->pairs[i / about->copies].to, values, now);
    }
}

/* Cumulative counters only need to be read at both ends of the steady part. */
static void read_counters(struct usage *usage, time_ps now)
{
    const struct world *world = usage->world;
    int64_t *values = usage->now.values;
    for (uint32_t node = 0; node < world->scenario->node_count; node++) {
        const struct scenario_node *about = &world->scenario->nodes[node];
        for (uint16_t i = 0; i < about->port_count; i++) {
            const uint32_t port = usage->first_port[node] + i;
            read_port(world_port(world, node, i), &values[port * USAGE_PORT_VALUES], now);
            if (about->kind != SCENARIO_HOST)
                continue;
            const struct rnic *rnic = world_host(world, node)->rnics[i];
            int64_t *of_rnic = &values[usage_first_of_rnic(usage, node, i)];
            read_rnic(rnic, of_rnic, now);
            read_tcp(rnic->tcp, of_rnic);
        }
    }
}

static void look(struct usage *usage, time_ps now)
{
    const struct world *world = usage->world;
    for (uint32_t node = 0; node < world->scenario->host_count; node++) {
        for (uint16_t i = 0; i < world->scenario->nodes[node].port_count; i++) {
            const struct rnic *rnic = world_host(world, node)->rnics[i];
            int64_t *values = &usage->now.values[usage_first_of_rnic(usage, node, i)];
            look_at_rnic(rnic, values, now);
            look_at_tcp(rnic->tcp, values);
        }
        if (usage_is_target(world, node))
            look_at_target(usage, node, now);
    }
    for (uint32_t i = 0; i < world->workload_count; i++)
        look_at_workload(usage, i, now);
    usage->now.at = now;
    usage->now.looks++;
}

/* ------------------------------------------------------------------ the steady part */

static bool is_power_of_four(uint32_t n)
{
    return (n & (n - 1)) == 0 && __builtin_ctz(n) % 2 == 0;
}

static void keep_moment(struct usage *usage)
{
    read_counters(usage, usage->now.at);
    const struct usage_moment oldest = usage->bases[0];
    usage->bases[0] = usage->bases[1];
    usage->bases[1] = oldest;
    memcpy(oldest.values, usage->now.values, usage->value_count * sizeof(int64_t));
    usage->bases[1].at = usage->now.at;
    usage->bases[1].looks = usage->now.looks;
}

/* Work before this point is not included. */
static void begin_steady(struct usage *usage)
{
    look(usage, usage->from);
    usage->now.looks = 0;
    keep_moment(usage);
    keep_moment(usage);
    usage->begun = true;
    usage->next = usage->from + usage->interval;
}

void usage_take(struct usage *usage)
{
    if (!usage->begun) {
        begin_steady(usage);
        return;
    }
    look(usage, usage->next);
    usage->next += usage->interval;
    if (usage->now.looks == USAGE_MOMENTS) {
        read_counters(usage, usage->now.at);
        usage->next = TIME_NEVER;
    } else if (is_power_of_four(usage->now.looks)) {
        keep_moment(usage);
    }
}

void usage_end(struct usage *usage, time_ps now, time_ps last)
{
    if (usage->now.looks == USAGE_MOMENTS || !usage->begun)
        return;
    look(usage, now);
    read_counters(usage, now);
    if (last > usage->bases[0].at && last < usage->now.at)
        usage->now.at = last;
}
