/* SPDX-License-Identifier: Apache-2.0
 * paths - a walk over the switches' routes. */
#include "replay/explain/paths.h"

#include "base/memory.h"

#include <stdlib.h>

void paths_init(struct paths *paths, const struct scenario *scenario,
                const struct route_table *routes, const struct explain_fabric *fabric)
{
    *paths = (struct paths){
        .scenario = scenario,
        .routes = routes,
        .fabric = fabric,
        .seen_in = memory_zeroed(fabric->node_count, sizeof *paths->seen_in),
        .stack = memory_zeroed(fabric->node_count, sizeof *paths->stack),
    };
}

void paths_fini(struct paths *paths)
{
    free(paths->seen_in);
    free(paths->stack);
}

static void see(struct paths *paths, uint32_t node, uint32_t *depth)
{
    if (paths->fabric->is_host[node] || paths->seen_in[node] == paths->walk)
        return;
    paths->seen_in[node] = paths->walk;
    paths->stack[(*depth)++] = node;
}

void paths_visit(struct paths *paths, uint32_t from, uint32_t to, paths_fn *visit, void *self)
{
    const struct explain_fabric *fabric = paths->fabric;
    const uint32_t endpoint = fabric->first_port[to]; /* hosts are the first nodes */
    const uint32_t first = fabric->first_port[from];
    uint32_t depth = 0;
    paths->walk++;
    visit(self, first);
    see(paths, fabric->node_of[fabric->peer[first]], &depth);
    while (depth > 0) {
        const uint32_t node = paths->stack[--depth];
        const uint16_t *out;
        const uint32_t count = route_all(&paths->routes[node], endpoint, &out);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t port = fabric->first_port[node] + out[i];
            visit(self, port);
            see(paths, fabric->node_of[fabric->peer[port]], &depth);
        }
    }
}

uint8_t paths_priority(const struct paths *paths, const struct scenario_workload *workload,
                       const struct scenario_pair *pair)
{
    const struct scenario_node *from = &paths->scenario->nodes[pair->from];
    return workload->class.priority_set
               ? workload->class.priority
               : from->priority_of_dscp[scenario_dscp(paths->scenario, workload, pair)];
}
