/* SPDX-License-Identifier: Apache-2.0
 * ways - a walk over the switches' routes. */
#include "replay/explain/ways.h"

#include "base/memory.h"

#include <stdlib.h>

void ways_init(struct ways *ways, const struct scenario *scenario, const struct route_table *routes,
               const struct explain_fabric *fabric)
{
    *ways = (struct ways){
        .scenario = scenario,
        .routes = routes,
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
    const uint32_t endpoint = fabric->first_port[to]; /* hosts are the first nodes */
    const uint32_t first = fabric->first_port[from];
    uint32_t depth = 0;
    ways->walk++;
    visit(self, first);
    see(ways, fabric->node_of[fabric->peer[first]], &depth);
    while (depth > 0) {
        const uint32_t node = ways->stack[--depth];
        const uint16_t *out;
        const uint32_t count = route_all(&ways->routes[node], endpoint, &out);
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
    const struct scenario_node *from = &ways->scenario->nodes[pair->from];
    return workload->class.priority_set
               ? workload->class.priority
               : from->priority_of_dscp[scenario_dscp(ways->scenario, workload, pair)];
}
