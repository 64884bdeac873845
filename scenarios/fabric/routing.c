/* SPDX-License-Identifier: Apache-2.0
 * routing - computes routes on the scenario as a graph. */
#include "scenarios/fabric/routing.h"

#include "base/check.h"
#include "base/memory.h"
#include "scenarios/fabric/subnet.h"

#include <stdlib.h>
#include <string.h>

bool routing_is_host_link(const struct scenario *scenario, uint32_t link)
{
    const uint32_t *node = scenario->links[link].node;
    return scenario->nodes[node[0]].kind == SCENARIO_HOST ||
           scenario->nodes[node[1]].kind == SCENARIO_HOST;
}

bool routing_is_announced(const struct scenario *scenario, uint32_t link)
{
    const uint32_t *node = scenario->links[link].node;
    return !routing_is_host_link(scenario, link) || scenario->nodes[node[0]].is_aggregate ||
           scenario->nodes[node[1]].is_aggregate;
}

/* Links available to computed routes. Links to hosts are always included: a switch announces its
 * hosts' subnet whether the hosts answer or not. */
static uint32_t links_up(const struct scenario *scenario, const uint8_t *down,
                         struct route_link *links)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < scenario->link_count; i++) {
        const struct scenario_link *link = &scenario->links[i];
        if (down == NULL || !down[i] || !routing_is_announced(scenario, i))
            links[count++] =
                (struct route_link){link->node[0], link->node[1], link->port[0], link->port[1]};
    }
    return count;
}

static struct route_table *shortest_routes(const struct scenario *scenario, const uint8_t *down)
{
    uint32_t endpoints = 0, filled = 0;
    for (uint32_t i = 0; i < scenario->host_count; i++)
        endpoints += scenario->nodes[i].port_count;
    struct route_link *links = memory_zeroed(scenario->link_count, sizeof *links);
    uint8_t *forwards = memory_zeroed(scenario->node_count, 1);
    uint32_t *at_node = memory_zeroed(endpoints, sizeof *at_node);
    uint16_t *at_port = memory_zeroed(endpoints, sizeof *at_port);
    uint32_t *lead = memory_zeroed(endpoints, sizeof *lead);
    bool shared = false;
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        forwards[i] = node->kind == SCENARIO_SWITCH;
        for (uint16_t p = 0; node->kind == SCENARIO_HOST && p < node->port_count; p++) {
            const bool one = node->is_aggregate;
            shared |= one;
            lead[filled] = one ? node->endpoint : filled;
            at_node[filled] = i;
            at_port[filled++] = p;
        }
    }
    CHECK(filled == endpoints);
    const struct route_graph graph = {scenario->node_count,
                                      links,
                                      links_up(scenario, down, links),
                                      forwards,
                                      at_node,
                                      at_port,
                                      endpoints,
                                      shared ? lead : NULL};
    struct route_table *tables = memory_zeroed(scenario->node_count, sizeof *tables);
    route_compute(&graph, tables);
    free(links);
    free(forwards);
    free(at_node);
    free(at_port);
    free(lead);
    return tables;
}

/* ------------------------------------------------------------------ static routes and dead
 * ports */

static bool port_works(const struct scenario_node *node, uint16_t port, const uint8_t *dead)
{
    const uint32_t link = node->ports[port].link;
    return link != SCENARIO_NO_LINK && (dead == NULL || !dead[link]);
}

/* Keeps the working ones of these ports; returns their number. */
static uint16_t working_ports(const struct scenario_node *node, const uint16_t *ports,
                              uint32_t count, const uint8_t *dead, uint16_t *kept)
{
    uint16_t used = 0;
    for (uint32_t i = 0; i < count; i++)
        if (port_works(node, ports[i], dead))
            kept[used++] = ports[i];
    return used;
}

/* Removes ports that end at another NIC of the destination host: a NIC does not accept packets for
 * its neighbor unless both are one aggregate. Returns the number of remaining ports. */
static uint16_t drop_other_nics(const struct scenario_node *node, const uint16_t *ports,
                                uint16_t count, uint32_t host, uint16_t nic, bool one,
                                uint16_t *kept)
{
    uint16_t used = 0;
    for (uint16_t i = 0; i < count; i++) {
        const struct scenario_port *port = &node->ports[ports[i]];
        if (port->peer_node != host || port->peer_port == nic || one)
            kept[used++] = ports[i];
    }
    return used;
}

/* A static route with only dead ports is ignored. */
static void apply_route(const struct scenario *scenario, const struct scenario_route *route,
                        const uint32_t *first_endpoint, const uint8_t *dead,
                        struct route_table *tables)
{
    for (uint32_t i = 0; i < route->at_count; i++) {
        const uint32_t at = route->at[i].node;
        const struct scenario_node *node = &scenario->nodes[at];
        uint16_t *ports = memory_zeroed(route->egress[i].count, sizeof *ports);
        const uint16_t count =
            working_ports(node, route->egress[i].ports, route->egress[i].count, dead, ports);
        uint16_t *kept = memory_zeroed(route->egress[i].count, sizeof *kept);
        for (uint32_t to = 0; count > 0 && to < route->to_count; to++) {
            const uint32_t host = route->to[to].node;
            const bool one = scenario->nodes[host].is_aggregate;
            for (uint16_t p = 0; p < scenario->nodes[host].port_count; p++) {
                const uint16_t some = drop_other_nics(node, ports, count, host, p, one, kept);
                if (some > 0)
                    route_set(&tables[at], first_endpoint[host] + p, kept, some);
            }
        }
        free(kept);
        free(ports);
    }
}

static void apply_written(const struct scenario *scenario, const struct routing_view *view,
                          const uint8_t *dead, struct route_table *tables)
{
    uint32_t *first = memory_zeroed(scenario->host_count, sizeof *first);
    for (uint32_t i = 0; i + 1 < scenario->host_count; i++)
        first[i + 1] = first[i] + scenario->nodes[i].port_count;
    for (uint32_t i = 0; i < scenario->route_count; i++)
        apply_route(scenario, &scenario->routes[i], first, dead, tables);
    for (uint32_t i = 0; view->misrouted != NULL && i < scenario->fault_count; i++)
        if (view->misrouted[i])
            apply_route(scenario, scenario->faults[i].route, first, dead, tables);
    free(first);
}

static bool has_dead_port(const struct scenario_node *node, const uint8_t *dead)
{
    for (uint16_t p = 0; p < node->port_count; p++)
        if (node->ports[p].link != SCENARIO_NO_LINK && dead[node->ports[p].link])
            return true;
    return false;
}

/* Removes a switch's dead ports from all its routes. Consecutive endpoints often have the same
 * ports, so the last result is reused. */
static void repair(const struct scenario_node *node, const uint8_t *dead, struct route_table *table)
{
    uint16_t *kept = memory_zeroed(node->port_count, sizeof *kept);
    uint16_t before = ROUTE_NONE, after = ROUTE_NONE;
    for (uint32_t i = 0; i < table->endpoint_count; i++) {
        if (table->egress[i] != before) {
            const uint16_t *ports;
            const uint32_t count = route_all(table, i, &ports);
            before = table->egress[i];
            const uint16_t left = working_ports(node, ports, count, dead, kept);
            if (left != count)
                route_set(table, i, kept, left);
            after = table->egress[i];
        }
        table->egress[i] = after;
    }
    free(kept);
}

struct route_table *routing_compute_view(const struct scenario *scenario,
                                         const struct routing_view *view)
{
    const uint8_t *dead = scenario->routing.local_repair ? view->detected : view->converged;
    struct route_table *tables = shortest_routes(scenario, view->converged);
    if (scenario->routing.algorithm == SCENARIO_ROUTING_UP_DOWN)
        subnet_direct(scenario, view->converged, tables);
    apply_written(scenario, view, dead, tables);
    for (uint32_t i = 0; dead != NULL && i < scenario->node_count; i++)
        if (scenario->nodes[i].kind == SCENARIO_SWITCH && has_dead_port(&scenario->nodes[i], dead))
            repair(&scenario->nodes[i], dead, &tables[i]);
    if (scenario_has_kind(scenario, SCENARIO_INFINIBAND))
        subnet_choose_ports(scenario, tables);
    return tables;
}

struct route_table *routing_compute(const struct scenario *scenario, const uint8_t *link_down)
{
    const struct routing_view view = {link_down, link_down, NULL};
    return routing_compute_view(scenario, &view);
}

void routing_free(const struct scenario *scenario, struct route_table *tables)
{
    for (uint32_t i = 0; i < scenario->node_count; i++)
        route_table_fini(&tables[i]);
    free(tables);
}
