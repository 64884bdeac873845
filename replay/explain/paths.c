/* SPDX-License-Identifier: Apache-2.0
 * paths - walks the switches' routes. */
#include "replay/explain/paths.h"

#include "base/memory.h"
#include "scenarios/fabric/nics.h"

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

static void walk(struct paths *paths, struct scenario_spot from, struct scenario_spot to,
                 paths_fn *visit, void *self)
{
    const struct explain_fabric *fabric = paths->fabric;
    const uint32_t endpoint = fabric->first_port[to.node] + to.port; /* hosts are the first nodes */
    const uint32_t first = fabric->first_port[from.node] + from.port;
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

void paths_visit(struct paths *paths, uint32_t from, uint32_t to, paths_fn *visit, void *self)
{
    const struct scenario_node *nodes = paths->scenario->nodes;
    const struct scenario_pair pair = {.from = from, .to = to};
    for (uint16_t nic = 0; nic < nodes[from].port_count; nic++) {
        const struct nic_pair nics = {nic, nic < nodes[to].port_count ? nic : 0};
        if (nic == 0 || (nic < paths->scenario->nics && nics_reach(paths->scenario, &pair, nics)))
            walk(paths, (struct scenario_spot){from, nics.from},
                 (struct scenario_spot){to, nics.to}, visit, self);
    }
}

void paths_of_pair(struct paths *paths, const struct scenario_workload *workload,
                   const struct scenario_pair *pair, paths_fn *visit, void *self)
{
    struct nic_pair nics[NICS_MAX];
    const uint32_t used = nics_used(paths->scenario, workload, pair, nics);
    for (uint32_t n = 0; n < used; n++) {
        const struct scenario_spot from = {pair->from, nics[n].from}, to = {pair->to, nics[n].to};
        walk(paths, from, to, visit, self);
        walk(paths, to, from, visit, self);
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
