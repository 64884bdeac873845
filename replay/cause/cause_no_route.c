/* SPDX-License-Identifier: Apache-2.0
 * cause_no_route - a missing or wrong route to a host. */
#include "base/drop.h"
#include "replay/cause/causes.h"

#include "base/memory.h"
#include "rnic/host/rnic.h"
#include "scenarios/fault/fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void look_at_drops(struct cause_search *search, const struct harm_scene *scene)
{
    struct cause_clue clue = cause_clue();
    clue.parts = HARM_LOST_PARTS;
    clue.faults = "misroute switch-down link-down link-flap target-crash";
    clue.anywhere = true;
    clue.everywhere = true;
    clue.far_rows = "routes";
    clue.otherwise = HARM_SWITCH;
    clue.proven = true;
    cause_report_drops(search, scene, 1u << PROBE_DROP_NO_ROUTE, -1, &clue,
                       "no route to their destination");
}

/* ------------------------------------------------------------------ static routes */

/* Hop count of the shortest path from each node to the host. */
static void count_hops(const struct harm_scene *scene, uint32_t host, uint32_t *links,
                       uint32_t *queue)
{
    const struct explain_fabric *fabric = scene->fabric;
    uint32_t count = 0;
    for (uint32_t node = 0; node < fabric->node_count; node++)
        links[node] = HARM_NONE;
    links[host] = 0;
    queue[count++] = host;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t node = queue[i];
        for (uint32_t port = fabric->first_port[node];
             port < fabric->first_port[node + 1] && (node == host || !fabric->is_host[node]);
             port++) {
            const uint32_t next =
                fabric->peer[port] == HARM_NONE ? node : fabric->node_of[fabric->peer[port]];
            if (links[next] != HARM_NONE)
                continue;
            links[next] = links[node] + 1;
            queue[count++] = next;
        }
    }
}

static bool leads_away(const struct harm_scene *scene, uint32_t node, uint32_t endpoint,
                       const uint32_t *links)
{
    const struct explain_fabric *fabric = scene->fabric;
    const uint16_t *out;
    const uint32_t count = route_all(&scene->routes[node], endpoint, &out);
    for (uint32_t i = 0; i < count; i++)
        if (links[fabric->node_of[fabric->peer[fabric->first_port[node] + out[i]]]] >= links[node])
            return true;
    return false;
}

static void look_at_route(struct cause_search *search, const struct harm_scene *scene,
                          const struct deviation *deviation, uint32_t host, const uint32_t *links)
{
    const struct suspect suspect = suspects_named_deviation(scene, deviation);
    const uint32_t endpoint = world_host(scene->world, host)->rnics[0]->endpoint;
    for (size_t i = 0; i < deviation->change_count; i++) {
        const uint32_t node = deviation->changes[i].spot.node;
        struct cause_clue clue = cause_clue();
        if (!leads_away(scene, node, endpoint, links))
            continue;
        clue.place.node = host;
        clue.parts = HARM_LOST_PARTS | HARM_BIT(SLOW) | HARM_BIT(PAUSE);
        clue.strength = PPM * 3 / 4;
        snprintf(clue.seen, sizeof clue.seen, "%s sends traffic for %s to a hop that is not closer",
                 scene->scenario->nodes[node].name, scene->scenario->nodes[host].name);
        cause_accuse(search, &clue, &suspect);
    }
}

static void look_at_routes(struct cause_search *search, const struct harm_scene *scene)
{
    const uint32_t nodes = scene->fabric->node_count;
    uint32_t *links = memory_zeroed(nodes, sizeof *links);
    uint32_t *queue = memory_zeroed(nodes, sizeof *queue);
    for (uint32_t host = 0; scene->scenario->route_count > 0 && host < scene->scenario->host_count;
         host++) {
        if (!scene_is_used(scene, host))
            continue;
        count_hops(scene, host, links, queue);
        for (size_t i = 0; i < scene->deviations.count; i++)
            if (scene->deviations.list[i].changes[0].of == DEVIATION_ROUTE)
                look_at_route(search, scene, &scene->deviations.list[i], host, links);
    }
    free(links);
    free(queue);
}

/* ------------------------------------------------------------------ faults */

/* Share of the run in which the fault's route sends frames to a node that is no nearer to the host.
 * They loop or return, so nothing arrives. */
static int64_t astray_share(const struct harm_scene *scene, const struct scenario_fault *fault,
                            const uint32_t *links)
{
    const struct explain_fabric *fabric = scene->fabric;
    const struct scenario_route *route = fault->route;
    const time_ps until = time_earlier(fault->end, scene->window_end);
    for (uint32_t i = 0; i < route->at_count && fault->at < until; i++)
        for (uint32_t k = 0; k < route->egress[i].count; k++) {
            const uint32_t node = route->at[i].node;
            const uint32_t port = scene_port_of(scene, node, route->egress[i].ports[k]);
            if (links[fabric->node_of[fabric->peer[port]]] >= links[node])
                return (int64_t)((__int128)(until - fault->at) * PPM / scene->window_end);
        }
    return 0;
}

static void look_at_faults(struct cause_search *search, const struct harm_scene *scene)
{
    const uint32_t nodes = scene->fabric->node_count;
    uint32_t *links = memory_zeroed(nodes, sizeof *links);
    uint32_t *queue = memory_zeroed(nodes, sizeof *queue);
    for (uint32_t i = 0; i < scene->scenario->fault_count; i++) {
        const struct scenario_fault *fault = &scene->scenario->faults[i];
        if (strcmp(fault->ops->name, "misroute") != 0 || fault->route == NULL ||
            fault->at >= scene->now)
            continue;
        const struct suspect suspect = suspects_named_fault(scene, i);
        for (uint32_t k = 0; k < fault->route->to_count; k++) {
            struct cause_clue clue = cause_clue();
            clue.place.node = fault->route->to[k].node;
            clue.parts = HARM_LOST_PARTS | HARM_BIT(SLOW) | HARM_BIT(PAUSE);
            clue.strength = PPM * 3 / 4;
            count_hops(scene, clue.place.node, links, queue);
            clue.least = astray_share(scene, fault, links);
            snprintf(clue.seen, sizeof clue.seen, "traffic for %s takes a wrong path",
                     scene->scenario->nodes[clue.place.node].name);
            cause_accuse(search, &clue, &suspect);
        }
    }
    free(links);
    free(queue);
}

static void look(struct cause_search *search, const struct harm_scene *scene)
{
    look_at_drops(search, scene);
    look_at_routes(search, scene);
    look_at_faults(search, scene);
}

const struct cause_kind cause_no_route = {
    .name = "no-route",
    .about = "A switch has no route to a host, or a wrong one.",
    .look = look,
};
