/* SPDX-License-Identifier: Apache-2.0
 * subnet - directions of links, and one port for each destination. */
#include "scenarios/fabric/subnet.h"

#include "base/memory.h"

#include <stdlib.h>

/* The subnet manager sets the routes of InfiniBand switches only. */
static bool is_managed(const struct scenario_node *node)
{
    return node->kind == SCENARIO_SWITCH && node->link == SCENARIO_INFINIBAND;
}

/* ------------------------------------------------------------------ one port each */

/* OpenSM's min-hop: the port with the fewest destinations so far. */
static void choose_least_used(const struct scenario_node *node, struct route_table *table)
{
    uint32_t *load = memory_zeroed(node->port_count, sizeof *load);
    for (uint32_t i = 0; i < table->endpoint_count; i++) {
        const uint16_t *ports;
        const uint32_t count = route_all(table, i, &ports);
        if (count == 0)
            continue;
        uint16_t best = ports[0];
        for (uint32_t k = 1; k < count; k++)
            if (load[ports[k]] < load[best])
                best = ports[k];
        load[best]++;
        if (count > 1)
            route_set(table, i, &best, 1);
    }
    free(load);
}

static uint32_t ports_up(const struct scenario *scenario, const struct scenario_node *node)
{
    uint32_t count = 0;
    for (uint16_t p = 0; p < node->port_count; p++)
        count += node->ports[p].link != SCENARIO_NO_LINK &&
                 scenario->nodes[node->ports[p].peer_node].tier > node->tier;
    return count;
}

/* The number of ways up from the hosts to a switch of the tier: the product of the ports up of the
 * tiers below. */
static uint64_t ways_below(const struct scenario *scenario, uint8_t tier)
{
    uint64_t ways = 1;
    for (uint8_t below = 1; below < tier; below++) {
        uint32_t most = 1;
        for (uint32_t i = scenario->host_count; i < scenario->node_count; i++) {
            const struct scenario_node *node = &scenario->nodes[i];
            const bool counts = is_managed(node) && node->tier == below;
            const uint32_t up = counts ? ports_up(scenario, node) : 0;
            most = up > most ? up : most;
        }
        ways *= most;
    }
    return ways;
}

static void choose_by_destination(const struct scenario *scenario, const struct scenario_node *node,
                                  struct route_table *table)
{
    const uint64_t ways = ways_below(scenario, node->tier);
    for (uint32_t i = 0; i < table->endpoint_count; i++) {
        const uint16_t *ports;
        const uint32_t count = route_all(table, i, &ports);
        if (count < 2)
            continue;
        const uint16_t port = ports[i / ways % count];
        route_set(table, i, &port, 1);
    }
}

void subnet_choose_ports(const struct scenario *scenario, struct route_table *tables)
{
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++)
        if (!is_managed(&scenario->nodes[i]))
            continue;
        else if (scenario->routing.algorithm == SCENARIO_ROUTING_FAT_TREE)
            choose_by_destination(scenario, &scenario->nodes[i], &tables[i]);
        else
            choose_least_used(&scenario->nodes[i], &tables[i]);
}

/* ------------------------------------------------------------------ up and down */

/* Working memory; all by node. */
struct directing {
    const struct scenario *scenario;
    const uint8_t *down;
    uint32_t *rank;  /* hops to the nearest root */
    uint32_t *order; /* switches, those nearest to the roots first */
    uint32_t *queue;
    uint32_t *below; /* hops down to the destination; UINT32_MAX: it is not below */
    uint32_t *hops;  /* of the chosen path */
    uint32_t switches;
};

/* The switch at the other end of a port's link; UINT32_MAX: none, or the link is down. */
static uint32_t switch_at(const struct directing *of, uint32_t node, uint16_t port)
{
    const struct scenario_port *end = &of->scenario->nodes[node].ports[port];
    if (end->link == SCENARIO_NO_LINK || (of->down != NULL && of->down[end->link]) ||
        of->scenario->nodes[end->peer_node].kind != SCENARIO_SWITCH)
        return UINT32_MAX;
    return end->peer_node;
}

static bool is_above(const struct directing *of, uint32_t node, uint32_t other)
{
    return of->rank[node] != of->rank[other] ? of->rank[node] < of->rank[other] : node < other;
}

/* Breadth-first from what the queue holds; `up`: only along links up. */
static void spread(const struct directing *of, uint32_t tail, bool up, uint32_t *distance)
{
    for (uint32_t head = 0; head < tail; head++) {
        const uint32_t node = of->queue[head];
        for (uint16_t p = 0; p < of->scenario->nodes[node].port_count; p++) {
            const uint32_t peer = switch_at(of, node, p);
            if (peer == UINT32_MAX || distance[peer] != UINT32_MAX ||
                (up && !is_above(of, peer, node)))
                continue;
            distance[peer] = distance[node] + 1;
            of->queue[tail++] = peer;
        }
    }
}

/* The roots are the switches of the highest tier; where all are of one tier, the first switch. */
static void find_ranks(struct directing *of)
{
    const struct scenario *scenario = of->scenario;
    const uint32_t first = scenario->host_count;
    uint8_t highest = 0, lowest = UINT8_MAX;
    for (uint32_t i = first; i < scenario->node_count; i++) {
        const uint8_t tier = scenario->nodes[i].tier;
        if (!is_managed(&scenario->nodes[i]))
            continue;
        highest = tier > highest ? tier : highest;
        lowest = tier < lowest ? tier : lowest;
    }
    uint32_t tail = 0;
    for (uint32_t i = first; i < scenario->node_count; i++) {
        const bool managed = is_managed(&scenario->nodes[i]);
        const bool root =
            managed && (lowest == highest ? tail == 0 : scenario->nodes[i].tier == highest);
        of->rank[i] = root ? 0 : UINT32_MAX;
        if (root)
            of->queue[tail++] = i;
    }
    spread(of, tail, false, of->rank);
}

/* Sorts the switches: each after all that are above it. */
static void sort_switches(struct directing *of)
{
    of->switches = 0;
    for (uint32_t i = of->scenario->host_count; i < of->scenario->node_count; i++) {
        if (!is_managed(&of->scenario->nodes[i]))
            continue;
        uint32_t hole = of->switches++;
        for (; hole > 0 && is_above(of, i, of->order[hole - 1]); hole--)
            of->order[hole] = of->order[hole - 1];
        of->order[hole] = i;
    }
}

/* Hops from a switch by way of its neighbor; UINT32_MAX: not allowed, or no way. */
static uint32_t hops_by(const struct directing *of, uint32_t node, uint32_t peer)
{
    if (of->below[node] != UINT32_MAX)
        return is_above(of, node, peer) && of->below[peer] != UINT32_MAX ? of->below[peer] + 1
                                                                         : UINT32_MAX;
    return is_above(of, peer, node) && of->hops[peer] != UINT32_MAX ? of->hops[peer] + 1
                                                                    : UINT32_MAX;
}

/* Collects the ports of the shortest allowed paths; returns their number. */
static uint16_t ports_towards(const struct directing *of, uint32_t node, uint16_t *ports)
{
    uint16_t count = 0;
    of->hops[node] = UINT32_MAX;
    for (uint16_t p = 0; p < of->scenario->nodes[node].port_count; p++) {
        const uint32_t peer = switch_at(of, node, p);
        const uint32_t hops = peer == UINT32_MAX ? UINT32_MAX : hops_by(of, node, peer);
        if (hops == UINT32_MAX || hops > of->hops[node])
            continue;
        count = hops < of->hops[node] ? 0 : count;
        of->hops[node] = hops;
        ports[count++] = p;
    }
    return count;
}

/* Routes of all switches to the endpoints at one. */
static void direct_to(const struct directing *of, uint32_t target, const uint32_t *endpoints,
                      uint32_t count, struct route_table *tables)
{
    uint16_t *ports = memory_zeroed(UINT16_MAX, sizeof *ports);
    for (uint32_t i = 0; i < of->scenario->node_count; i++)
        of->below[i] = UINT32_MAX;
    of->below[target] = 0;
    of->queue[0] = target;
    spread(of, 1, true, of->below);
    for (uint32_t i = 0; i < of->switches; i++) {
        const uint32_t node = of->order[i];
        const uint16_t found = node == target ? 0 : ports_towards(of, node, ports);
        for (uint32_t k = 0; node != target && k < count; k++)
            route_set(&tables[node], endpoints[k], ports, found);
        if (node == target)
            of->hops[node] = 0;
    }
    free(ports);
}

/* Collects the endpoints whose links end at the switch; returns their number. */
static uint32_t endpoints_at(const struct scenario *scenario, uint32_t at, uint32_t *endpoints)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < scenario->host_count; i++)
        for (uint16_t p = 0; p < scenario->nodes[i].port_count; p++)
            if (scenario->nodes[i].ports[p].link != SCENARIO_NO_LINK &&
                scenario->nodes[i].ports[p].peer_node == at)
                endpoints[count++] = scenario->nodes[i].endpoint + p;
    return count;
}

void subnet_direct(const struct scenario *scenario, const uint8_t *down, struct route_table *tables)
{
    const uint32_t nodes = scenario->node_count;
    uint32_t *memory = memory_zeroed(5u * nodes, sizeof *memory);
    uint32_t *endpoints = memory_zeroed(scenario->endpoint_count, sizeof *endpoints);
    struct directing of = {
        .scenario = scenario,
        .down = down,
        .rank = memory,
        .order = memory + nodes,
        .queue = memory + 2 * (size_t)nodes,
        .below = memory + 3 * (size_t)nodes,
        .hops = memory + 4 * (size_t)nodes,
    };
    find_ranks(&of);
    sort_switches(&of);
    for (uint32_t i = scenario->host_count; i < nodes; i++) {
        const uint32_t count =
            is_managed(&scenario->nodes[i]) ? endpoints_at(scenario, i, endpoints) : 0;
        if (count > 0)
            direct_to(&of, i, endpoints, count, tables);
    }
    free(endpoints);
    free(memory);
}
