/* SPDX-License-Identifier: Apache-2.0
 * check_paths - every path carries the MTU that its traffic needs.
 * Frames may take any shortest path. So for each pair of a workload, the rule checks all ports on
 * all shortest paths in both directions: data flow in one or both directions, and answers always
 * come back. Shortest paths are the same in both directions. With static routes, the rule follows
 * the resulting tables there and back. */
#include "scenarios/check/check_rule.h"
#include "scenarios/check/offered.h"

#include "base/plural.h"
#include "rnic/host/rnic.h"
#include "scenarios/fabric/nics.h"
#include "scenarios/fabric/routing.h"
#include "scenarios/workload/workload.h"

#include <string.h>

enum {
    WORK_MAX = 20000000, /* limit of nodes and links visited per workload */
    CAPSULE_BYTES = 64,  /* size of the command that precedes in-capsule data */
    FAR = UINT16_MAX
};

struct search {
    const struct scenario *scenario;
    struct check_report *report;
    uint16_t *distance; /* by node: hops to the destination, through switches only */
    uint32_t *queue;
    uint32_t *reached; /* by node: round of the last visit */
    uint32_t round;
    uint8_t *reported; /* by port: bit; the port was reported for this workload */
    uint32_t *first_port;
    struct route_table *tables; /* NULL: no static routes */
    uint16_t *degree;           /* with tables, by node on the flow: number of nodes that lead to
                                 * it */
    uint32_t *order;
    bool loop_reported; /* for this workload */
};

/* Traffic from one host to another, on behalf of `pair`. */
struct flow {
    const struct scenario_workload *workload;
    const struct scenario_pair *pair;
    uint32_t from, to;
    uint16_t from_nic, to_nic;
};

static bool forwards(const struct search *search, uint32_t node)
{
    return search->scenario->nodes[node].kind == SCENARIO_SWITCH;
}

/* Computes distances to a NIC of `to` breadth first. Hosts never forward. */
static void measure_distances(struct search *search, uint32_t to, uint16_t nic)
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
            if (node->ports[p].link == SCENARIO_NO_LINK || search->distance[peer] != FAR ||
                (at == to && p != nic))
                continue;
            search->distance[peer] = (uint16_t)(search->distance[at] + 1);
            search->queue[tail++] = peer;
        }
    }
}

/* Both ends fill the smaller of their MTUs. */
static int64_t mtu_of_tcp(const struct scenario *scenario, const struct scenario_pair *pair)
{
    const int64_t from = scenario->nodes[pair->from].ports[0].params->mtu;
    const int64_t to = scenario->nodes[pair->to].ports[0].params->mtu;
    return from < to ? from : to;
}

/* MTU that the largest packet of a pair needs. On Ethernet: headers, RETH, ICRC, and telemetry if
 * one of the hosts collects it. */
static int64_t mtu_needed(const struct scenario *scenario, const struct scenario_workload *workload,
                          const struct scenario_pair *pair)
{
    const enum scenario_kind kind = scenario->nodes[pair->from].link;
    const struct scenario_host *from = scenario->nodes[pair->from].host;
    if (kind == SCENARIO_FIBRE_CHANNEL)
        return 0; /* ports send frames of the size that they have */
    if (workload->by_tcp)
        return mtu_of_tcp(scenario, pair);
    const bool telemetry =
        from->cc->wants_telemetry || scenario->nodes[pair->to].host->cc->wants_telemetry;
    const struct rnic_params *to = scenario->nodes[pair->to].host->rnic;
    const int64_t asked = rnic_asked_mtu(from->rnic, to), taken = rnic_taken_mtu(to, asked);
    const int64_t path_mtu = asked > taken ? asked : taken;
    const int64_t operation = offered_operation(workload, INT64_MAX / 2) + CAPSULE_BYTES;
    const int64_t payload = operation < path_mtu ? operation : path_mtu;
    if (kind == SCENARIO_INFINIBAND)
        return payload;
    return payload + rnic_mtu_headers(from->rnic) + WIRE_RETH_BYTES +
           (telemetry ? TELEMETRY_BYTES : 0);
}

/* Largest MTU needed at any port. */
static int64_t most_needed(const struct scenario *scenario)
{
    int64_t most = 0;
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; i < workload->pair_count; i++) {
            const int64_t needed = mtu_needed(scenario, workload, &workload->pairs[i]);
            most = needed > most ? needed : most;
        }
    }
    return most;
}

static void look_at_port(struct search *search, const struct scenario_workload *workload,
                         const struct scenario_pair *pair, uint32_t node, uint16_t port)
{
    const struct scenario_node *owner = &search->scenario->nodes[node];
    const int64_t mtu = owner->ports[port].params->mtu;
    const int64_t needed = mtu_needed(search->scenario, workload, pair);
    const uint32_t bit = search->first_port[node] + port;
    if (mtu >= needed || (search->reported[bit / 8] >> (bit % 8) & 1))
        return;
    search->reported[bit / 8] = (uint8_t)(search->reported[bit / 8] | 1u << (bit % 8));
    const struct check_thing thing = check_of_port(owner, port, "mtu");
    check_alike(search->report, DIAG_ERROR, &thing,
                "MTU %lld drops packets of '%s', which need MTU %lld", (long long)mtu,
                workload->name, (long long)needed);
    check_shows(search->report, "drops.mtu > 0");
    check_remedy(search->report, "raise the link's mtu to %lld B or more, or lower %s",
                 (long long)needed, workload->by_tcp ? "the hosts' mtu" : "rnic.path-mtu");
    char value[QUANTITY_TEXT_BYTES];
    snprintf(value, sizeof value, "%lldB", (long long)most_needed(search->scenario));
    check_set_port(search->report, &thing, value);
}

/* True if the port is on the flow. */
static bool is_next(const struct search *search, uint32_t at, uint16_t port,
                    const struct flow *flow)
{
    const struct scenario_port *own = &search->scenario->nodes[at].ports[port];
    const uint16_t *ports;
    if (own->link == SCENARIO_NO_LINK || (at == flow->from && port != flow->from_nic) ||
        (own->peer_node == flow->to && own->peer_port != flow->to_nic) ||
        (own->peer_node != flow->to && !forwards(search, own->peer_node)))
        return false;
    if (search->tables == NULL && at == flow->from) /* another NIC of the host may be nearer */
        return search->distance[own->peer_node] != FAR;
    if (search->tables == NULL)
        return search->distance[own->peer_node] + 1 == search->distance[at];
    if (!forwards(search, at))
        return at != flow->to;
    const uint32_t endpoint = search->scenario->nodes[flow->to].endpoint + flow->to_nic;
    const uint32_t count = route_all(&search->tables[at], endpoint, &ports);
    for (uint32_t i = 0; i < count; i++)
        if (ports[i] == port)
            return true;
    return false;
}

/* Visits every port on every path, node by node. Returns the number of visited nodes, which are in
 * the queue. */
static uint32_t walk_paths(struct search *search, const struct flow *flow)
{
    const struct scenario *scenario = search->scenario;
    uint32_t head = 0, tail = 0;
    search->round++;
    search->queue[tail++] = flow->from;
    while (head < tail) {
        const uint32_t at = search->queue[head++];
        const struct scenario_node *node = &scenario->nodes[at];
        for (uint16_t p = 0; p < node->port_count; p++) {
            const struct scenario_port *port = &node->ports[p];
            if (!is_next(search, at, p, flow))
                continue;
            look_at_port(search, flow->workload, flow->pair, at, p);
            look_at_port(search, flow->workload, flow->pair, port->peer_node, port->peer_port);
            if (search->reached[port->peer_node] == search->round)
                continue;
            search->reached[port->peer_node] = search->round;
            if (port->peer_node != flow->from) /* a loopback ends at its own host */
                search->queue[tail++] = port->peer_node;
        }
    }
    return tail;
}

/* ------------------------------------------------------------------ static routes */

/* Removes nodes that no remaining node leads to, repeatedly. The nodes that are left are on cycles
 * or behind them. */
static uint32_t take_off(struct search *search, uint32_t count, const struct flow *flow)
{
    const struct scenario_node *nodes = search->scenario->nodes;
    uint32_t head = 0, tail = 0;
    for (uint32_t i = 0; i < count; i++)
        search->degree[search->queue[i]] = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint16_t p = 0; p < nodes[search->queue[i]].port_count; p++)
            if (is_next(search, search->queue[i], p, flow))
                search->degree[nodes[search->queue[i]].ports[p].peer_node]++;
    for (uint32_t i = 0; i < count; i++)
        if (search->degree[search->queue[i]] == 0)
            search->order[tail++] = search->queue[i];
    while (head < tail) {
        const uint32_t at = search->order[head++];
        for (uint16_t p = 0; p < nodes[at].port_count; p++) {
            const uint32_t peer = nodes[at].ports[p].peer_node;
            if (is_next(search, at, p, flow) && --search->degree[peer] == 0)
                search->order[tail++] = peer;
        }
    }
    return count - tail;
}

/* A remaining node that leads to this one. */
static uint32_t find_predecessor(const struct search *search, uint32_t at, const struct flow *flow)
{
    const struct scenario_node *node = &search->scenario->nodes[at];
    for (uint16_t p = 0; p < node->port_count; p++) {
        const struct scenario_port *port = &node->ports[p];
        if (port->link != SCENARIO_NO_LINK && search->reached[port->peer_node] == search->round &&
            search->degree[port->peer_node] > 0 &&
            is_next(search, port->peer_node, port->peer_port, flow))
            return port->peer_node;
    }
    return at;
}

static void tell_loop(struct search *search, const struct flow *flow, uint32_t count)
{
    const struct scenario_node *nodes = search->scenario->nodes;
    uint32_t at = 0;
    if (search->loop_reported)
        return;
    search->loop_reported = true;
    while (search->degree[search->queue[at]] == 0)
        at++;
    at = search->queue[at];
    for (uint32_t i = 0; i < count; i++) /* after so many steps back, the node is on a cycle */
        at = find_predecessor(search, at, flow);
    check_add(search->report, DIAG_ERROR, flow->workload->place,
              "'%s': configured routes from %s to %s loop through %s and %s", flow->workload->name,
              nodes[flow->from].name, nodes[flow->to].name,
              nodes[find_predecessor(search, at, flow)].name, nodes[at].name);
    check_shows(search->report, "drops.ttl > 0");
}

static void no_path(struct search *search, const struct flow *flow)
{
    const struct scenario_node *from = &search->scenario->nodes[flow->from];
    const struct scenario_node *to = &search->scenario->nodes[flow->to];
    if (from->outer_ports > 1 || to->outer_ports > 1)
        check_add(search->report, DIAG_ERROR, flow->workload->place,
                  "'%s': there is no path from %s to %s", flow->workload->name,
                  scenario_port_name(from, flow->from_nic).text,
                  scenario_port_name(to, flow->to_nic).text);
    else
        check_add(search->report, DIAG_ERROR, flow->workload->place,
                  "'%s': there is no path from %s to %s", flow->workload->name, from->name,
                  to->name);
    check_shows(search->report, "drops.no_route > 0");
}

static void follow_tables(struct search *search, const struct flow *flow)
{
    const uint32_t count = walk_paths(search, flow);
    if (take_off(search, count, flow) > 0)
        tell_loop(search, flow, count);
    else if (search->reached[flow->to] != search->round)
        no_path(search, flow);
}

/* ------------------------------------------------------------------ workloads */

static void check_nics(struct search *search, const struct scenario_workload *workload,
                       const struct scenario_pair *pair, struct nic_pair nics, uint32_t *measured)
{
    const struct flow there = {workload, pair, pair->from, pair->to, nics.from, nics.to};
    const struct flow back = {workload, pair, pair->to, pair->from, nics.to, nics.from};
    const uint32_t endpoint = search->scenario->nodes[pair->to].endpoint + nics.to;
    if (search->tables != NULL) {
        follow_tables(search, &there);
        follow_tables(search, &back);
        return;
    }
    if (*measured != endpoint)
        measure_distances(search, pair->to, nics.to);
    *measured = endpoint;
    if (search->distance[pair->from] == FAR || !nics_reach(search->scenario, pair, nics))
        no_path(search, &there);
    else
        (void)walk_paths(search, &there);
}

static void check_pair(struct search *search, const struct scenario_workload *workload,
                       const struct scenario_pair *pair, uint32_t *measured)
{
    struct nic_pair nics[NICS_MAX];
    const uint32_t used = nics_used(search->scenario, workload, pair, nics);
    for (uint32_t n = 0; n < used; n++)
        check_nics(search, workload, pair, nics[n], measured);
}

static void check_workload(struct search *search, const struct scenario_workload *workload,
                           size_t port_bytes)
{
    uint32_t measured = UINT32_MAX;
    /* A fabric with this much work per pair has many similar pairs, so the first ones are
     * representative. */
    const uint32_t most =
        1 + WORK_MAX / (search->scenario->node_count + 2 * search->scenario->link_count + 1);
    const uint32_t pairs = workload->pair_count < most ? workload->pair_count : most;
    memset(search->reported, 0, port_bytes);
    search->loop_reported = false;
    for (uint32_t i = 0; i < pairs; i++)
        check_pair(search, workload, &workload->pairs[i], &measured);
    if (pairs < workload->pair_count)
        check_add(search->report, DIAG_NOTE, workload->place,
                  "'%s': paths checked for %u of its %u %s", workload->name, pairs,
                  workload->pair_count, plural(workload->pair_count, "pair", "pairs"));
}

static void take_tables(struct search *search, struct arena *scratch)
{
    const struct scenario *scenario = search->scenario;
    search->tables = routing_compute(scenario, NULL);
    search->degree = arena_array(scratch, scenario->node_count, sizeof *search->degree);
    search->order = arena_array(scratch, scenario->node_count, sizeof *search->order);
}

static void run_paths_check(const struct scenario *scenario, struct check_report *report)
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
    search.reported = arena_take(&scratch, ports / 8 + 1);
    if (scenario->route_count > 0)
        take_tables(&search, &scratch);
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        check_workload(&search, &scenario->workloads[i], ports / 8 + 1);
    if (search.tables != NULL)
        routing_free(scenario, search.tables);
    arena_free(&scratch);
}

const struct check_rule check_paths = {
    .name = "paths",
    .about = "Every pair of hosts has a path without loops and with a sufficient MTU.",
    .run = run_paths_check,
};
