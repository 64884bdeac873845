/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/check/flow_walk.h"

#include "base/memory.h"
#include "scenarios/fabric/routing.h"

#include <stdlib.h>

struct walk {
    const struct scenario *scenario;
    struct route_table *tables;
    uint32_t *met; /* by node: round of the last visit */
    uint32_t *stack;
    uint32_t round, depth;
};

static void visit_node(struct walk *walk, uint32_t node)
{
    if (walk->scenario->nodes[node].kind != SCENARIO_SWITCH || walk->met[node] == walk->round)
        return;
    walk->met[node] = walk->round;
    walk->stack[walk->depth++] = node;
}

/* Walks a group of entries that differ only in where they enter the fabric. */
static void walk_group(struct walk *walk, const struct dependency_traffic *entries, uint32_t count,
                       flow_hop_fn *call, void *self)
{
    walk->round++;
    for (uint32_t i = 0; i < count; i++)
        visit_node(walk, entries[i].entry);
    while (walk->depth > 0) {
        struct flow_hop hop = {
            .node = walk->stack[--walk->depth],
            .tables = walk->tables,
            .traffic = entries,
        };
        hop.count = route_all(&walk->tables[hop.node], entries->endpoint, &hop.ports);
        call(self, &hop);
        for (uint32_t i = 0; i < hop.count; i++)
            visit_node(walk, walk->scenario->nodes[hop.node].ports[hop.ports[i]].peer_node);
    }
}

void flow_walk(const struct scenario *scenario, flow_hop_fn *call, void *self)
{
    struct traffic traffic;
    struct walk walk = {
        .scenario = scenario,
        .tables = routing_compute(scenario, NULL),
        .met = memory_zeroed(scenario->node_count, sizeof(uint32_t)),
        .stack = memory_zeroed(scenario->node_count, sizeof(uint32_t)),
    };
    traffic_gather(&traffic, scenario, walk.tables);
    for (uint32_t i = 0, count; i < traffic.count; i += count) {
        count = traffic_group(&traffic, i);
        walk_group(&walk, &traffic.entries[i], count, call, self);
    }
    traffic_free(&traffic);
    routing_free(scenario, walk.tables);
    free(walk.met);
    free(walk.stack);
}
