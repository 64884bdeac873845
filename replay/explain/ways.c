/* SPDX-License-Identifier: Apache-2.0
 * ways - a walk over the switches' routes. */
#include "replay/explain/ways.h"

#include "base/memory.h"

#include <stdlib.h>

void ways_init(struct ways *ways, const struct world *world, const struct explain_fabric *fabric)
{
    *ways = (struct ways){
        .world = world,
        .fabric = fabric,
        .seen_in = memory_zeroed(fabric->node_count, sizeof *ways->seen_in),
        .stack = memory_zeroed(fabric->node_count, sizeof *ways->stack),
    };
}

void ways_fini(struct ways *ways)
{
    free(ways->seen_in);
    free(ways->stack);
}

static void see(struct ways *ways, uint32_t node, uint32_t *depth)
{
    if (ways->fabric->is_host[node] || ways->seen_in[node] == ways->walk)
        return;
    ways->seen_in[node] = ways->walk;
    ways->stack[(*depth)++] = node;
}

void ways_visit(struct ways *ways, uint32_t from, uint32_t to, ways_fn *visit, void *self)
{
    const struct explain_fabric *fabric = ways->fabric;
    const uint32_t host = ways->world->scenario->nodes[to].index;
    const uint32_t endpoint = ways->world->endpoint_of[host];
    const uint32_t first = fabric->first_port[from];
    uint32_t depth = 0;
    ways->walk++;
    visit(self, first);
    see(ways, fabric->node_of[fabric->peer[first]], &depth);
    while (depth > 0) {
        const uint32_t node = ways->stack[--depth];
        const uint16_t *out;
        const uint32_t count = route_all(&world_switch(ways->world, node)->routes, endpoint, &out);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t port = fabric->first_port[node] + out[i];
            visit(self, port);
            see(ways, fabric->node_of[fabric->peer[port]], &depth);
        }
    }
}

uint8_t ways_priority(const struct ways *ways, const struct scenario_workload *workload,
                      const struct scenario_pair *pair)
{
    const struct rnic *rnic = world_host(ways->world, pair->from)->rnics[0];
    const struct verbs_class *class = &workload->class;
    if (class->priority_set)
        return class->priority;
    return rnic->priority_of_dscp[class->tos_set ? class->tos >> 2 : rnic->params.dscp];
}
