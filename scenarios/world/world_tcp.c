/* SPDX-License-Identifier: Apache-2.0
 * world_tcp - TCP at the NICs of hosts, and the sinks of workloads over it. */
#include "scenarios/world/world_play_private.h"

#include "base/memory.h"
#include "scenarios/fabric/nics.h"
#include "tcp/tcp.h"

#include <stdlib.h>

static struct tcp *tcp_at(const struct world *world, uint32_t node, uint16_t nic)
{
    struct rnic *rnic = world_host(world, node)->rnics[nic];
    return rnic->tcp != NULL
               ? rnic->tcp
               : host_add_tcp(world_host(world, node), nic, world->scenario->nodes[node].host->tcp);
}

static void make_tcp_pair(struct world *world, const struct scenario_pair *pair,
                          const struct nic_pair *nics)
{
    const struct scenario_node *to = &world->scenario->nodes[pair->to];
    struct tcp_sink **sink = &world->tcp_sinks[to->endpoint + nics->to];
    tcp_at(world, pair->from, nics->from);
    struct tcp *tcp = tcp_at(world, pair->to, nics->to);
    if (*sink == NULL)
        *sink =
            tcp_sink_create(&world_host(world, pair->to)->env, &tcp_stream_ops, tcp_device(tcp));
}

/* A TCP at each NIC of both ends of workloads whose transport is on TCP. */
void world_make_nvme_tcp(const struct world *world)
{
    const struct scenario *scenario = world->scenario;
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        const struct scenario_workload *workload = &scenario->workloads[i];
        const bool used = workload->by_tcp && !workload->ops->needs_tcp;
        for (uint32_t p = 0; used && p < workload->pair_count; p++) {
            const uint32_t ends[2] = {workload->pairs[p].from, workload->pairs[p].to};
            for (int end = 0; end < 2; end++)
                for (uint16_t n = 0; n < world_host(world, ends[end])->rnic_count; n++)
                    tcp_at(world, ends[end], n);
        }
    }
}

/* A TCP at each NIC that a tcp-stream uses, and a sink at each that it sends to. */
void world_make_tcp(struct world *world)
{
    struct nic_pair nics[NICS_MAX];
    world->tcp_sinks = memory_zeroed(world->scenario->endpoint_count, sizeof(struct tcp_sink *));
    for (uint32_t i = 0; i < world->scenario->workload_count; i++) {
        const struct scenario_workload *workload = &world->scenario->workloads[i];
        for (uint32_t p = 0; workload->ops->needs_tcp && p < workload->pair_count; p++) {
            const uint32_t used = nics_used(world->scenario, workload, &workload->pairs[p], nics);
            for (uint32_t n = 0; n < used; n++)
                make_tcp_pair(world, &workload->pairs[p], &nics[n]);
        }
    }
}

struct stream_device *world_stream_way(const struct workload_site *site, uint32_t conn,
                                       uint32_t *ip)
{
    const struct world *world = site->way_self;
    const struct scenario_workload *workload = &world->scenario->workloads[site->workload];
    const struct scenario_pair *pair = &workload->pairs[site->instance];
    const struct nic_pair nics = nics_of(world->scenario, workload, pair, site->copy + conn);
    *ip = rnic_ip(world->scenario->nodes[pair->to].endpoint + nics.to);
    return tcp_device(world_host(world, pair->from)->rnics[nics.from]->tcp);
}

struct stream_device *world_stream_at(const struct workload_site *site,
                                      const struct verbs_device *device)
{
    const struct world *world = site->way_self;
    const struct scenario_workload *workload = &world->scenario->workloads[site->workload];
    const uint32_t node = workload->pairs[site->instance].from;
    struct host *host = world_host(world, node);
    for (uint16_t i = 0; i < host->rnic_count; i++)
        if (host_device(host, i) == device)
            return tcp_device(host->rnics[i]->tcp);
    CHECK(false);
    return NULL;
}

void world_free_tcp(struct world *world)
{
    for (uint32_t i = 0; world->tcp_sinks != NULL && i < world->scenario->endpoint_count; i++)
        if (world->tcp_sinks[i] != NULL)
            tcp_sink_destroy(world->tcp_sinks[i]);
    free(world->tcp_sinks);
}
