/* SPDX-License-Identifier: Apache-2.0
 * routing - the scenario as a graph. */
#include "scenarios/routing.h"

#include <stdlib.h>

static void *room(size_t count, size_t bytes)
{
    void *memory = calloc(count + 1, bytes);
    CHECK(memory != NULL);
    return memory;
}

static uint32_t links_up(const struct scenario *scenario, const uint8_t *link_down,
                         struct route_link *links)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < scenario->link_count; i++) {
        const struct scenario_link *link = &scenario->links[i];
        if (link_down == NULL || !link_down[i])
            links[count++] =
                (struct route_link){link->node[0], link->node[1], link->port[0], link->port[1]};
    }
    return count;
}

struct route_table *routing_compute(const struct scenario *scenario, const uint8_t *link_down)
{
    uint32_t endpoints = 0, filled = 0;
    for (uint32_t i = 0; i < scenario->host_count; i++)
        endpoints += scenario->nodes[i].port_count;
    struct route_link *links = room(scenario->link_count, sizeof *links);
    uint8_t *forwards = room(scenario->node_count, 1);
    uint32_t *at_node = room(endpoints, sizeof *at_node);
    uint16_t *at_port = room(endpoints, sizeof *at_port);
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        forwards[i] = node->kind == SCENARIO_SWITCH;
        for (uint16_t p = 0; node->kind == SCENARIO_HOST && p < node->port_count; p++) {
            at_node[filled] = i;
            at_port[filled++] = p;
        }
    }
    const struct route_graph graph = {scenario->node_count,
                                      links,
                                      links_up(scenario, link_down, links),
                                      forwards,
                                      at_node,
                                      at_port,
                                      endpoints};
    struct route_table *tables = room(scenario->node_count, sizeof *tables);
    route_compute(&graph, tables);
    free(links);
    free(forwards);
    free(at_node);
    free(at_port);
    return tables;
}

void routing_free(const struct scenario *scenario, struct route_table *tables)
{
    for (uint32_t i = 0; i < scenario->node_count; i++)
        route_table_fini(&tables[i]);
    free(tables);
}
