/* SPDX-License-Identifier: Apache-2.0
 * check_equal_paths - traffic uses all available equal-cost paths.
 * A static route replaces all equal-cost paths (RFC 2992), so the links that it omits carry
 * nothing. A hash over addresses alone sends all queue pairs between two hosts along one path; the
 * UDP source port of IBTA annex A17 exists to avoid that. */
#include "scenarios/check/check_rule.h"
#include "scenarios/check/flow_walk.h"

#include "base/note_text.h"
#include "base/plural.h"
#include "net/switch/switch.h"
#include "scenarios/data/fault.h"
#include "scenarios/fabric/nics.h"
#include "scenarios/fabric/routing.h"
#include "scenarios/workload/workload.h"

enum {
    EQUAL = 1, /* port on a shortest path */
    USED = 2,
    FEW = 2, /* pairs of hosts per path; with fewer, some paths stay unused */
};

struct checking {
    const struct scenario *scenario;
    struct route_table *natural; /* routes without the static ones */
    uint8_t **marks;             /* by node and port */
};

static void check_hop(void *self, const struct flow_hop *hop)
{
    struct checking *checking = self;
    const uint16_t *ports;
    const uint32_t count = route_all(&checking->natural[hop->node], hop->traffic->endpoint, &ports);
    for (uint32_t i = 0; i < count; i++)
        checking->marks[hop->node][ports[i]] |= EQUAL;
    for (uint32_t i = 0; i < hop->count; i++)
        checking->marks[hop->node][hop->ports[i]] |= USED;
}

/* Returns the static route of the switch; NULL: none. */
static const struct scenario_route *route_at(const struct scenario *scenario, uint32_t node)
{
    for (uint32_t i = scenario->route_count; i-- > 0;)
        for (uint32_t k = 0; k < scenario->routes[i].at_count; k++)
            if (scenario->routes[i].at[k].node == node)
                return &scenario->routes[i];
    return NULL;
}

static void check_left_out(const struct checking *checking, uint32_t node,
                           struct check_report *report)
{
    const struct scenario_node *about = &checking->scenario->nodes[node];
    const struct scenario_route *route = route_at(checking->scenario, node);
    for (uint16_t p = 0; route != NULL && p < about->port_count; p++) {
        if (checking->marks[node][p] != EQUAL)
            continue;
        const struct check_thing thing = {
            .node = about, .port = SCENARIO_ALL_PORTS, .written = route->place};
        check_alike(report, DIAG_WARNING, &thing,
                    "static routes (fabric.routes) do not use all equal paths: the link to %s "
                    "carries no traffic",
                    checking->scenario->nodes[about->ports[p].peer_node].name);
        check_remedy(report, "remove fabric.routes, or name all equal ports in `via`");
    }
}

static void check_routes(const struct scenario *scenario, struct check_report *report)
{
    struct arena scratch = {0};
    struct scenario plain = *scenario;
    plain.route_count = 0;
    struct checking checking = {
        .scenario = scenario,
        .natural = routing_compute(&plain, NULL),
        .marks = arena_array(&scratch, scenario->node_count, sizeof(uint8_t *)),
    };
    for (uint32_t i = 0; i < scenario->node_count; i++)
        checking.marks[i] = arena_take(&scratch, scenario->nodes[i].port_count);
    flow_walk(scenario, check_hop, &checking);
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++)
        check_left_out(&checking, i, report);
    routing_free(&plain, checking.natural);
    arena_free(&scratch);
}

/* ------------------------------------------------------------------ failures */

static void check_convergence(const struct scenario *scenario, struct check_report *report)
{
    const time_ps after = scenario->routing.detection + scenario->routing.convergence;
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        const struct scenario_fault *fault = &scenario->faults[i];
        const time_ps end = time_earlier(fault->end, scenario->duration);
        if (after < end - fault->at || fault->at >= end ||
            (fault->ops->breaks(fault->params) & FAULT_LOSES_CARRIER) == 0)
            continue;
        check_add(report, DIAG_WARNING, fault->place,
                  "%s: with fabric.routing.local-repair false and convergence %s, switches send to "
                  "the failed place until it is repaired",
                  fault_name(scenario, i).text, note_time(scenario->routing.convergence).text);
        check_remedy(report, "set fabric.routing.local-repair: true, or a shorter convergence");
        check_set_path(report, "fabric.routing.local-repair=true");
    }
}

/* ------------------------------------------------------------------ hash functions */

/* Pairs of hosts whose traffic enters the fabric at a switch: `pairs` have several equal-cost
 * paths, and `several` of them have several queue pairs. */
struct hashing {
    uint32_t pairs, several, links;
};

static void count_side(const struct scenario *scenario, const struct route_table *tables,
                       uint32_t from, uint32_t to, bool several, struct hashing *hashing)
{
    const struct scenario_node *host = &scenario->nodes[from];
    const struct scenario_port *port = &host->ports[0];
    const uint16_t *ports;
    if (host->port_count == 0 || port->link == SCENARIO_NO_LINK ||
        scenario->nodes[port->peer_node].kind != SCENARIO_SWITCH)
        return;
    const uint32_t links =
        route_all(&tables[port->peer_node], scenario->nodes[to].endpoint, &ports);
    if (links < 2)
        return;
    struct hashing *own = &hashing[port->peer_node];
    own->pairs++;
    own->several += several;
    own->links = links > own->links ? links : own->links;
}

static bool has_several(const struct scenario_workload *workload)
{
    static const char *const rows[] = {"queues", "qps"};
    for (size_t i = 0; workload->job == NULL && i < sizeof rows / sizeof rows[0]; i++)
        if (opt_value(workload->ops->opts, rows[i], workload->params, 1) > 1)
            return true;
    return workload->copies > 1;
}

static void check_hashes(const struct scenario *scenario, struct check_report *report)
{
    struct arena scratch = {0};
    struct hashing *hashing = arena_array(&scratch, scenario->node_count, sizeof *hashing);
    struct route_table *tables = routing_compute(scenario, NULL);
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        for (uint32_t i = 0; i < scenario->workloads[w].pair_count; i++) {
            const struct scenario_pair *pair = &scenario->workloads[w].pairs[i];
            const bool several = has_several(&scenario->workloads[w]);
            count_side(scenario, tables, pair->from, pair->to, several, hashing);
            count_side(scenario, tables, pair->to, pair->from, several, hashing);
        }
    routing_free(scenario, tables);
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        const struct hashing *own = &hashing[i];
        if (node->switch_params->ecmp_hash != SWITCH_HASH_ADDRESSES || own->several == 0 ||
            own->pairs >= FEW * own->links)
            continue;
        const struct check_thing thing = check_of_switch(node, "ecmp-hash");
        check_alike(report, DIAG_WARNING, &thing,
                    "with ecmp-hash addresses, all queue pairs between two hosts use one path: "
                    "there are %u %s of hosts, but %u equal %s",
                    own->pairs, plural(own->pairs, "pair", "pairs"), own->links,
                    plural(own->links, "link", "links"));
        check_remedy(report, "set ecmp-hash: 5-tuple");
        check_set(report, &thing, "5-tuple");
    }
    arena_free(&scratch);
}

static bool hashes_addresses(const struct scenario *scenario)
{
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++)
        if (scenario->nodes[i].switch_params->ecmp_hash == SWITCH_HASH_ADDRESSES)
            return true;
    return false;
}

static void run_equal_paths_check(const struct scenario *scenario, struct check_report *report)
{
    if (scenario->route_count > 0)
        check_routes(scenario, report);
    if (!scenario->routing.local_repair)
        check_convergence(scenario, report);
    if (hashes_addresses(scenario))
        check_hashes(scenario, report);
}

const struct check_rule check_equal_paths = {
    .name = "equal-paths",
    .about = "Traffic can use all equal-cost paths despite static routes, hashes and failures.",
    .ethernet = true,
    .run = run_equal_paths_check,
};
