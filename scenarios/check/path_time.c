/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/check/path_time.h"

#include "scenarios/fabric/nics.h"
#include "scenarios/fabric/routing.h"
#include "scenarios/workload/workload.h"

enum { SWITCHES_MOST = 64 }; /* a static route may be a loop */

struct path_walk {
    const struct scenario *scenario;
    struct route_table *tables;
};

static void add_link(struct path_time *path, const struct scenario_port *port)
{
    const int64_t rate = port->params->rate;
    const uint64_t frame = (uint64_t)port->params->mtu + WIRE_ETHERNET_BYTES + WIRE_GAP_BYTES;
    path->round_trip +=
        2 * port_propagation(port->params) + units_transfer_ps(frame, (uint64_t)rate);
    path->mtu = path->mtu == 0 || port->params->mtu < path->mtu ? port->params->mtu : path->mtu;
    path->rate = path->rate == 0 || rate < path->rate ? rate : path->rate;
}

/* The port with the longest cable among those of equal cost. */
static uint16_t longest_cable(const struct scenario_node *node, const uint16_t *ports,
                              uint32_t count)
{
    uint16_t most = ports[0];
    for (uint32_t i = 1; i < count; i++)
        if (port_propagation(node->ports[ports[i]].params) >
            port_propagation(node->ports[most].params))
            most = ports[i];
    return most;
}

static bool walk_path(const struct path_walk *walk, const struct scenario_pair *pair,
                      struct nic_pair nics, struct path_time *path)
{
    const struct scenario_node *nodes = walk->scenario->nodes;
    const uint32_t endpoint = nodes[pair->to].endpoint + nics.to;
    *path = (struct path_time){.peer = pair->to};
    if (nics.from >= nodes[pair->from].port_count || nics.to >= nodes[pair->to].port_count)
        return false;
    const struct scenario_port *port = &nodes[pair->from].ports[nics.from];
    while (port->link != SCENARIO_NO_LINK && path->switches <= SWITCHES_MOST) {
        const struct scenario_node *next = &nodes[port->peer_node];
        const uint16_t *ports;
        add_link(path, port);
        if (next->kind != SCENARIO_SWITCH)
            return port->peer_node == pair->to;
        path->switches++;
        const uint32_t count = route_all(&walk->tables[port->peer_node], endpoint, &ports);
        if (count == 0)
            return false;
        port = &next->ports[longest_cable(next, ports, count)];
    }
    return false;
}

struct path_walk *path_walk_new(const struct scenario *scenario, struct arena *arena)
{
    struct path_walk *walk = arena_take(arena, sizeof *walk);
    *walk = (struct path_walk){scenario, routing_compute(scenario, NULL)};
    return walk;
}

void path_walk_free(struct path_walk *walk)
{
    routing_free(walk->scenario, walk->tables);
}

bool path_walk_of(const struct path_walk *walk, const struct scenario_workload *workload,
                  const struct scenario_pair *pair, struct path_time *found)
{
    struct nic_pair nics[NICS_MAX];
    const uint32_t count = nics_used(walk->scenario, workload, pair, nics);
    bool any = false;
    *found = (struct path_time){0};
    for (uint32_t i = 0; i < count; i++) {
        struct path_time path;
        if (!walk_path(walk, pair, nics[i], &path))
            continue;
        if (!any || path.round_trip > found->round_trip)
            *found = path;
        any = true;
    }
    return any;
}

static void keep_longer(struct path_time *longer, const struct path_time *path, uint32_t peer)
{
    const bool is_nvme = longer->is_nvme;
    if (longer->peer != UINT32_MAX && path->round_trip <= longer->round_trip)
        return;
    *longer = *path;
    longer->peer = peer;
    longer->is_nvme = is_nvme;
}

struct path_time *path_times(const struct path_walk *walk, struct arena *arena)
{
    const struct scenario *scenario = walk->scenario;
    struct path_time *times = arena_array(arena, scenario->host_count, sizeof *times);
    for (uint32_t i = 0; i < scenario->host_count; i++)
        times[i].peer = UINT32_MAX;
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; !workload->by_tcp && i < workload->pair_count; i++) {
            const struct scenario_pair *pair = &workload->pairs[i];
            struct path_time path;
            if (!path_walk_of(walk, workload, pair, &path))
                continue;
            keep_longer(&times[pair->from], &path, pair->to);
            keep_longer(&times[pair->to], &path, pair->from);
            times[pair->from].is_nvme |= workload->ops->needs_nvme_target;
        }
    }
    return times;
}
