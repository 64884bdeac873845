/* SPDX-License-Identifier: Apache-2.0
 * confirm_places - whether a confirmed cause is at the hosts of a victim or on a path between them.
 * The paths are all equal-cost paths of the configured fabric, without its failures. */
#include "replay/experiment/confirm_private.h"
#include "replay/run/fabric.h"
#include "scenarios/deviation/deviation.h"

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

struct search {
    const struct confirm_places *places;
    const struct trial_change *repair;
    bool found;
};

static bool is_port_repaired(const struct search *search, uint32_t port)
{
    const struct explain_fabric *fabric = &search->places->fabric;
    const uint32_t node = fabric->node_of[port];
    return is_repaired(search->places, search->repair, node,
                       (uint16_t)(port - fabric->first_port[node]));
}

/* Either end of the link. */
static void look_at_link(void *self, uint32_t port)
{
    struct search *search = self;
    search->found = search->found || is_port_repaired(search, port) ||
                    is_port_repaired(search, search->places->fabric.peer[port]);
}

static bool is_pair_repaired(struct confirm_places *places, const struct trial_change *repair,
                             const struct scenario_workload *workload,
                             const struct scenario_pair *pair)
{
    struct search search = {places, repair,
                            is_repaired(places, repair, pair->from, SCENARIO_ALL_PORTS) ||
                                is_repaired(places, repair, pair->to, SCENARIO_ALL_PORTS)};
    if (!search.found)
        paths_of_pair(&places->paths, workload, pair, look_at_link, &search);
    return search.found;
}

static void find_routes(struct confirm_places *places)
{
    if (places->routes != NULL)
        return;
    fabric_init(&places->fabric, places->scenario);
    places->routes = routing_compute(places->scenario, NULL);
    paths_init(&places->paths, places->scenario, places->routes, &places->fabric);
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
    if (places->routes == NULL)
        return;
    paths_fini(&places->paths);
    routing_free(places->scenario, places->routes);
    fabric_fini(&places->fabric);
}
