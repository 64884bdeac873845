/* SPDX-License-Identifier: Apache-2.0
 * MTU on every path.  Frames take any of the shortest paths, so for each pair of a workload all
 * ports on all of them are looked at, in both directions: data flow one way or the other, and
 * answers always come back. */
#include "scenarios/check_private.h"

#include "rnic/rnic.h"
#include "scenarios/fio.h"
#include "scenarios/workload.h"

#include <string.h>

enum {
    WORK_MAX = 20000000, /* nodes and links looked at for one workload */
    CAPSULE_BYTES = 64,  /* travels before in-capsule data */
    FAR = UINT16_MAX
};

struct search {
    const struct scenario *scenario;
    struct check_report *report;
    uint16_t *distance; /* of each node to the destination, over switches */
    uint32_t *queue;
    uint32_t *reached; /* the round in which a node was last reached */
    uint32_t round;
    uint8_t *told; /* a bit for each port that this workload has been told of */
    uint32_t *first_port;
};

static bool forwards(const struct search *search, uint32_t node)
{
    return search->scenario->nodes[node].kind == SCENARIO_SWITCH;
}

/* Distances to `to`, breadth first; hosts are ends, not ways. */
static void measure(struct search *search, uint32_t to)
{
    const struct scenario *scenario = search->scenario;
    for (uint32_t i = 0; i < scenario->node_count; i++)
        search->distance[i] = FAR;
    uint32_t head = 0, tail = 0;
    search->distance[to] = 0;
    search->queue[tail++] = to;
    while (head < tail) {
        const uint32_t at = search->queue[head++];
        const struct scenario_node *node = &scenario->nodes[at];
        if (at != to && !forwards(search, at))
            continue;
        for (uint16_t p = 0; p < node->port_count; p++) {
            const uint32_t peer = node->ports[p].peer_node;
            if (node->ports[p].link == SCENARIO_NO_LINK || search->distance[peer] != FAR)
                continue;
            search->distance[peer] = (uint16_t)(search->distance[at] + 1);
            search->queue[tail++] = peer;
        }
    }
}

/* The largest operation of a workload, by the row of its kind that says so. */
static int64_t largest_operation(const struct scenario_workload *workload)
{
    if (workload->job != NULL && workload->job->nvme.fio.planned)
        return wl_plan_largest(&workload->job->nvme.fio.plan);
    static const char *const names[] = {"block-size", "message-size", NULL};
    for (int i = 0; names[i] != NULL; i++) {
        const struct opt *row = opt_find(workload->ops->opts, names[i]);
        if (row != NULL)
            return *opt_field(row, (void *)(uintptr_t)workload->params);
    }
    return INT64_MAX / 2;
}

/* MTU (Ethernet payload) that the largest packet of a pair needs: headers, RETH, ICRC. */
static int64_t mtu_needed(const struct scenario *scenario, const struct scenario_workload *workload,
                          uint32_t from)
{
    const int64_t path_mtu = scenario->nodes[from].host->rnic->path_mtu;
    const int64_t operation = largest_operation(workload) + CAPSULE_BYTES;
    const int64_t payload = operation < path_mtu ? operation : path_mtu;
    return payload + WIRE_ROCE_BYTES + WIRE_RETH_BYTES - WIRE_ETHERNET_BYTES;
}

static void look_at_port(struct search *search, const struct scenario_workload *workload,
                         const struct scenario_pair *pair, uint32_t node, uint16_t port)
{
    const struct scenario_node *owner = &search->scenario->nodes[node];
    const int64_t mtu = owner->ports[port].params->mtu;
    const int64_t needed = mtu_needed(search->scenario, workload, pair->from);
    const uint32_t bit = search->first_port[node] + port;
    if (mtu >= needed || (search->told[bit / 8] >> (bit % 8) & 1))
        return;
    search->told[bit / 8] = (uint8_t)(search->told[bit / 8] | 1u << (bit % 8));
    check_add(search->report, DIAG_ERROR, workload->place,
              "'%s': packets between %s and %s need MTU %lld, but %s:p%u has %lld and drops them",
              workload->name, search->scenario->nodes[pair->from].name,
              search->scenario->nodes[pair->to].name, (long long)needed, owner->name, port,
              (long long)mtu);
}

/* Every port on every shortest path: from each node reached, on to those that are one nearer. */
static void walk(struct search *search, const struct scenario_workload *workload,
                 const struct scenario_pair *pair)
{
    const struct scenario *scenario = search->scenario;
    uint32_t head = 0, tail = 0;
    search->round++;
    search->queue[tail++] = pair->from;
    while (head < tail) {
        const uint32_t at = search->queue[head++];
        const struct scenario_node *node = &scenario->nodes[at];
        for (uint16_t p = 0; p < node->port_count; p++) {
            const struct scenario_port *port = &node->ports[p];
            if (port->link == SCENARIO_NO_LINK ||
                search->distance[port->peer_node] + 1 != search->distance[at])
                continue;
            look_at_port(search, workload, pair, at, p);
            look_at_port(search, workload, pair, port->peer_node, port->peer_port);
            if (search->reached[port->peer_node] == search->round)
                continue;
            search->reached[port->peer_node] = search->round;
            search->queue[tail++] = port->peer_node;
        }
    }
}

static void check_pair(struct search *search, const struct scenario_workload *workload,
                       const struct scenario_pair *pair, uint32_t *measured)
{
    if (*measured != pair->to)
        measure(search, pair->to);
    *measured = pair->to;
    if (search->distance[pair->from] == FAR)
        check_add(search->report, DIAG_ERROR, workload->place,
                  "'%s': there is no path from %s to %s", workload->name,
                  search->scenario->nodes[pair->from].name, search->scenario->nodes[pair->to].name);
    else
        walk(search, workload, pair);
}

static void check_workload(struct search *search, const struct scenario_workload *workload,
                           size_t port_bytes)
{
    uint32_t measured = UINT32_MAX;
    /* A fabric in which each pair costs much has so many alike that the first ones say it all. */
    const uint32_t most =
        1 + WORK_MAX / (search->scenario->node_count + 2 * search->scenario->link_count + 1);
    const uint32_t pairs = workload->pair_count < most ? workload->pair_count : most;
    memset(search->told, 0, port_bytes);
    for (uint32_t i = 0; i < pairs; i++)
        check_pair(search, workload, &workload->pairs[i], &measured);
    if (pairs < workload->pair_count)
        check_add(search->report, DIAG_NOTE, workload->place,
                  "'%s': the paths of %u of its %u pairs were looked at", workload->name, pairs,
                  workload->pair_count);
}

void check_paths(const struct scenario *scenario, struct check_report *report)
{
    struct search search = {.scenario = scenario, .report = report};
    struct arena scratch = {0};
    uint32_t ports = 0;
    search.distance = arena_array(&scratch, scenario->node_count, sizeof *search.distance);
    search.queue = arena_array(&scratch, scenario->node_count, sizeof *search.queue);
    search.reached = arena_array(&scratch, scenario->node_count, sizeof *search.reached);
    search.first_port = arena_array(&scratch, scenario->node_count, sizeof *search.first_port);
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        search.first_port[i] = ports;
        ports += scenario->nodes[i].port_count;
    }
    search.told = arena_take(&scratch, ports / 8 + 1);
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        check_workload(&search, &scenario->workloads[i], ports / 8 + 1);
    arena_free(&scratch);
}
