/* SPDX-License-Identifier: Apache-2.0
 * fault_reach - the ports that pairs of hosts use, and the times during which they use them. */
#include "scenarios/check/fault_reach.h"

#include "scenarios/data/fault.h"
#include "scenarios/fabric/nics.h"
#include "scenarios/fabric/routing.h"
#include "scenarios/workload/workload.h"

enum { WORK_MAX = 4000000 }; /* limit of ports visited for all pairs */

/* One search of the paths of all pairs. */
struct walk {
    struct fault_reach *reach;
    struct route_table *tables;
    uint32_t *met; /* by node: round of the last visit */
    uint32_t *stack;
    uint32_t round, work;
};

static void widen(struct fault_span *span, const struct scenario_workload *workload)
{
    span->until =
        span->since == TIME_NEVER ? workload->stop : time_later(span->until, workload->stop);
    span->since = time_earlier(span->since, workload->start);
}

static bool is_switch(const struct scenario *scenario, uint32_t node)
{
    return scenario->nodes[node].kind == SCENARIO_SWITCH;
}

/* ---- preconditions ---- */

static bool inside_fabric(const struct scenario *scenario, const struct scenario_spot *spot)
{
    if (!is_switch(scenario, spot->node))
        return false;
    if (spot->port == SCENARIO_ALL_PORTS)
        return true;
    const struct scenario_port *port = &scenario->nodes[spot->node].ports[spot->port];
    return port->link != SCENARIO_NO_LINK && is_switch(scenario, port->peer_node);
}

static bool needs_paths(const struct scenario *scenario)
{
    for (uint32_t f = 0; f < scenario->fault_count; f++)
        for (uint32_t i = 0; i < scenario->faults[f].spot_count; i++)
            if (inside_fabric(scenario, &scenario->faults[f].spots[i]))
                return true;
    return false;
}

/* A single fault that changes routes is judged by the routes before it. Several such faults change
 * each other's routes. */
static bool routes_stay(const struct scenario *scenario)
{
    uint32_t moving = 0;
    for (uint32_t f = 0; f < scenario->fault_count; f++)
        moving += scenario->faults[f].ops->edge != NULL;
    return moving <= 1;
}

/* ---- paths ---- */

static void visit_node(struct walk *walk, uint32_t node, uint32_t *depth)
{
    if (!is_switch(walk->reach->scenario, node) || walk->met[node] == walk->round)
        return;
    walk->met[node] = walk->round;
    walk->stack[(*depth)++] = node;
}

static void follow_pair(struct walk *walk, const struct scenario_workload *workload,
                        struct scenario_spot from, struct scenario_spot to)
{
    struct fault_reach *reach = walk->reach;
    const struct scenario *scenario = reach->scenario;
    uint32_t depth = 0;
    const uint32_t endpoint = scenario->nodes[to.node].endpoint + to.port;
    if (from.port >= scenario->nodes[from.node].port_count)
        return;
    widen(&reach->ports[reach->first_port[from.node] + from.port], workload);
    if (walk->tables == NULL || walk->work >= WORK_MAX)
        return;
    walk->round++;
    visit_node(walk, scenario->nodes[from.node].ports[from.port].peer_node, &depth);
    while (depth > 0) {
        const uint32_t node = walk->stack[--depth];
        const uint16_t *out;
        const uint32_t count = route_all(&walk->tables[node], endpoint, &out);
        walk->work += count + 1;
        for (uint32_t i = 0; i < count; i++) {
            widen(&reach->ports[reach->first_port[node] + out[i]], workload);
            visit_node(walk, scenario->nodes[node].ports[out[i]].peer_node, &depth);
        }
    }
}

static void follow_all(struct walk *walk)
{
    const struct scenario *scenario = walk->reach->scenario;
    struct nic_pair nics[NICS_MAX];
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; i < workload->pair_count; i++) {
            const struct scenario_pair *pair = &workload->pairs[i];
            const uint32_t used = nics_used(scenario, workload, pair, nics);
            for (uint32_t n = 0; n < used; n++) {
                const struct scenario_spot from = {pair->from, nics[n].from};
                const struct scenario_spot to = {pair->to, nics[n].to};
                follow_pair(walk, workload, from, to);
                follow_pair(walk, workload, to, from);
            }
            if (workload->ops->needs_nvme_target)
                widen(&walk->reach->nvme[pair->to], workload);
        }
    }
}

static void init_walk(struct walk *walk)
{
    struct fault_reach *reach = walk->reach;
    const struct scenario *scenario = reach->scenario;
    walk->met = arena_array(&reach->arena, scenario->node_count, sizeof *walk->met);
    walk->stack = arena_array(&reach->arena, scenario->node_count, sizeof *walk->stack);
    if (needs_paths(scenario) && routes_stay(scenario))
        walk->tables = routing_compute(scenario, NULL);
}

void fault_reach_init(struct fault_reach *reach, const struct scenario *scenario)
{
    *reach = (struct fault_reach){.scenario = scenario};
    uint32_t ports = 0;
    reach->first_port = arena_array(&reach->arena, scenario->node_count, sizeof(uint32_t));
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        reach->first_port[i] = ports;
        ports += scenario->nodes[i].port_count;
    }
    reach->ports = arena_array(&reach->arena, ports, sizeof *reach->ports);
    reach->nvme = arena_array(&reach->arena, scenario->host_count, sizeof *reach->nvme);
    for (uint32_t i = 0; i < ports; i++)
        reach->ports[i].since = TIME_NEVER;
    for (uint32_t i = 0; i < scenario->host_count; i++)
        reach->nvme[i].since = TIME_NEVER;
    struct walk walk = {.reach = reach};
    init_walk(&walk);
    follow_all(&walk);
    reach->certain = walk.tables != NULL && walk.work < WORK_MAX;
    if (walk.tables != NULL)
        routing_free(scenario, walk.tables);
}

void fault_reach_fini(struct fault_reach *reach)
{
    arena_free(&reach->arena);
}

/* ---- result ---- */

static void join_spans(struct fault_span *into, const struct fault_span *from)
{
    if (from->since == TIME_NEVER)
        return;
    into->until = into->since == TIME_NEVER ? from->until : time_later(into->until, from->until);
    into->since = time_earlier(into->since, from->since);
}

/* A port's traffic is what the port sends and what its peer sends. */
static void join_port(const struct fault_reach *reach, uint32_t node, uint16_t number,
                      struct fault_span *span)
{
    const struct scenario_port *port = &reach->scenario->nodes[node].ports[number];
    if (port->link == SCENARIO_NO_LINK)
        return;
    join_spans(span, &reach->ports[reach->first_port[node] + number]);
    join_spans(span, &reach->ports[reach->first_port[port->peer_node] + port->peer_port]);
}

static void join_spot(const struct fault_reach *reach, const struct scenario_spot *spot,
                      struct fault_span *span)
{
    const uint16_t count = reach->scenario->nodes[spot->node].outer_ports;
    if (spot->port != SCENARIO_ALL_PORTS)
        join_port(reach, spot->node, spot->port, span);
    for (uint16_t p = 0; spot->port == SCENARIO_ALL_PORTS && p < count; p++)
        join_port(reach, spot->node, p, span);
}

static enum fault_touch in_time(const struct scenario_fault *fault, const struct fault_span *span)
{
    if (fault->at >= span->until)
        return FAULT_TOUCHES_LATE;
    return fault->end <= span->since ? FAULT_TOUCHES_EARLY : FAULT_TOUCHES;
}

enum fault_touch fault_reach_of(const struct fault_reach *reach, const struct scenario_fault *fault)
{
    const bool spares = fault_spares_rdma(fault);
    struct fault_span span = {.since = TIME_NEVER}, nvme = {.since = TIME_NEVER};
    for (uint32_t i = 0; i < fault->spot_count; i++) {
        const struct scenario_spot *spot = &fault->spots[i];
        if (inside_fabric(reach->scenario, spot) && !reach->certain)
            return FAULT_TOUCHES;
        join_spot(reach, spot, &span);
        if (spares)
            join_spans(&nvme, &reach->nvme[spot->node]);
    }
    if (span.since == TIME_NEVER)
        return FAULT_TOUCHES_NO_PATH;
    if (!spares)
        return in_time(fault, &span);
    return nvme.since == TIME_NEVER ? FAULT_TOUCHES_RDMA : in_time(fault, &nvme);
}
