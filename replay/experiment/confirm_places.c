/* SPDX-License-Identifier: Apache-2.0
 * confirm_places - whether a confirmed cause is at the hosts of a victim or on a path between them.
 * Paths are those of the fabric as configured, all equal-cost paths together. */
#include "base/memory.h"
#include "replay/experiment/confirm_private.h"
#include "scenarios/deviation/deviation.h"
#include "scenarios/fabric/nics.h"
#include "scenarios/fabric/routing.h"

#include <stdlib.h>

/* The repair changes something at this port; SCENARIO_ALL_PORTS: anywhere at the node. */
static bool is_repaired(const struct confirm_places *places, const struct trial_change *repair,
                        uint32_t node, uint16_t port)
{
    const struct deviations *list =
        repair->written ? &places->base->written : &places->base->deviations;
    if (repair->kind == TRIAL_RESTORE_DRAIN)
        return repair->host == node;
    if (repair->kind == TRIAL_RESTORE_SETTING)
        return deviation_is_at(&list->list[repair->setting], node, port);
    if (repair->kind != TRIAL_REMOVE_FAULT)
        return false;
    const struct scenario_fault *fault = &places->scenario->faults[repair->fault];
    for (uint32_t i = 0; i < fault->spot_count; i++)
        if (fault->spots[i].node == node &&
            (fault->spots[i].port == port || fault->spots[i].port == SCENARIO_ALL_PORTS ||
             port == SCENARIO_ALL_PORTS))
            return true;
    return false;
}

static bool is_link_repaired(const struct confirm_places *places, const struct trial_change *repair,
                             uint32_t node, uint16_t port)
{
    const struct scenario_port *at = &places->scenario->nodes[node].ports[port];
    return is_repaired(places, repair, node, port) ||
           is_repaired(places, repair, at->peer_node, at->peer_port);
}

static void visit(struct confirm_places *places, uint32_t node, uint32_t *depth)
{
    if (places->scenario->nodes[node].kind != SCENARIO_SWITCH ||
        places->visited[node] == places->round)
        return;
    places->visited[node] = places->round;
    places->stack[(*depth)++] = node;
}

static bool is_way_repaired(struct confirm_places *places, const struct trial_change *repair,
                            struct scenario_spot from, struct scenario_spot to)
{
    const struct scenario_node *nodes = places->scenario->nodes;
    const uint32_t endpoint = nodes[to.node].endpoint + to.port;
    uint32_t depth = 0;
    places->round++;
    if (from.port >= nodes[from.node].port_count)
        return false;
    if (is_link_repaired(places, repair, from.node, from.port))
        return true;
    visit(places, nodes[from.node].ports[from.port].peer_node, &depth);
    while (depth > 0) {
        const uint32_t node = places->stack[--depth];
        const uint16_t *out;
        const uint32_t count = route_all(&places->routes[node], endpoint, &out);
        for (uint32_t i = 0; i < count; i++) {
            if (is_link_repaired(places, repair, node, out[i]))
                return true;
            visit(places, nodes[node].ports[out[i]].peer_node, &depth);
        }
    }
    return false;
}

static bool is_pair_repaired(struct confirm_places *places, const struct trial_change *repair,
                             const struct scenario_workload *workload,
                             const struct scenario_pair *pair)
{
    struct nic_pair nics[NICS_MAX];
    if (is_repaired(places, repair, pair->from, SCENARIO_ALL_PORTS) ||
        is_repaired(places, repair, pair->to, SCENARIO_ALL_PORTS))
        return true;
    const uint32_t used = nics_used(places->scenario, workload, pair, nics);
    for (uint32_t n = 0; n < used; n++) {
        const struct scenario_spot from = {pair->from, nics[n].from}, to = {pair->to, nics[n].to};
        if (is_way_repaired(places, repair, from, to) || is_way_repaired(places, repair, to, from))
            return true;
    }
    return false;
}

static void find_routes(struct confirm_places *places)
{
    if (places->routes != NULL)
        return;
    places->routes = routing_compute(places->scenario, NULL);
    places->visited = memory_zeroed(places->scenario->node_count + 1, sizeof *places->visited);
    places->stack = memory_zeroed(places->scenario->node_count + 1, sizeof *places->stack);
}

enum harm_class confirm_class(struct confirm_places *places, const struct trial_change *repair,
                              uint32_t number, uint32_t host)
{
    const struct scenario_workload *workload = &places->scenario->workloads[number];
    find_routes(places);
    for (uint32_t i = 0; i < workload->pair_count; i++)
        if (workload->pairs[i].from == host &&
            is_pair_repaired(places, repair, workload, &workload->pairs[i]))
            return HARM_DIRECT;
    return HARM_SAME_PATH;
}

void confirm_places_free(struct confirm_places *places)
{
    if (places->routes != NULL)
        routing_free(places->scenario, places->routes);
    free(places->visited);
    free(places->stack);
}
