/* SPDX-License-Identifier: Apache-2.0
 * dependency - follows the traffic along its routes and records the buffer dependencies as bits.
 * The egress ports at a switch depend only on the destination. So the walk visits each link once,
 * and every ingress link of a switch gets the same egress ports. */
#include "scenarios/check/dependency.h"

#include "base/memory.h"
#include "net/switch/switch.h"
#include "scenarios/fabric/pauses.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 64 };

static bool is_inner(const struct scenario *scenario, uint32_t node, uint16_t port)
{
    const struct scenario_port *end = &scenario->nodes[node].ports[port];
    return scenario->nodes[node].kind == SCENARIO_SWITCH && end->link != SCENARIO_NO_LINK &&
           scenario->nodes[end->peer_node].kind == SCENARIO_SWITCH;
}

static uint32_t words_of(const struct dependency *dependency, uint32_t node)
{
    return (dependency->first[node + 1] - dependency->first[node] + WORD_BITS - 1) / WORD_BITS;
}

static void number_ports(struct dependency *dependency)
{
    const struct scenario *scenario = dependency->scenario;
    uint32_t ports = 0;
    for (uint32_t n = 0; n < scenario->node_count; n++)
        ports += scenario->nodes[n].port_count;
    dependency->first = memory_zeroed(scenario->node_count + 1u, sizeof(uint32_t));
    dependency->first_port = memory_zeroed(scenario->node_count, sizeof(uint32_t));
    dependency->of_port = memory_zeroed(ports, sizeof(uint32_t));
    dependency->node = memory_zeroed(ports, sizeof(uint32_t));
    dependency->port = memory_zeroed(ports, sizeof(uint16_t));
    ports = 0;
    for (uint32_t n = 0; n < scenario->node_count; n++) {
        dependency->first_port[n] = ports;
        for (uint16_t p = 0; p < scenario->nodes[n].port_count; p++) {
            const bool inner = is_inner(scenario, n, p);
            dependency->of_port[ports++] = inner ? dependency->vertex_count : GRAPH_NONE;
            dependency->node[dependency->vertex_count] = n;
            dependency->port[dependency->vertex_count] = p;
            dependency->vertex_count += inner;
        }
        dependency->first[n + 1] = dependency->vertex_count;
    }
}

static uint32_t vertex_of(const struct dependency *dependency, uint32_t node, uint16_t port)
{
    return dependency->of_port[dependency->first_port[node] + port];
}

void dependency_init(struct dependency *dependency, const struct scenario *scenario)
{
    *dependency = (struct dependency){.scenario = scenario};
    number_ports(dependency);
    const uint32_t count = dependency->vertex_count;
    uint32_t words = 0;
    dependency->peer = memory_zeroed(count, sizeof(uint32_t));
    dependency->row = memory_zeroed(count, sizeof(uint32_t));
    dependency->met_by = memory_zeroed(count, sizeof(uint32_t));
    dependency->queue = memory_zeroed(count, sizeof(uint32_t));
    dependency->first_out = memory_zeroed(scenario->node_count, sizeof(uint32_t));
    dependency->met = memory_zeroed(scenario->node_count, sizeof(uint32_t));
    for (uint32_t n = 0; n < scenario->node_count; n++) {
        dependency->first_out[n] = words;
        words += words_of(dependency, n);
    }
    for (uint32_t v = 0; v < count; v++) {
        const uint32_t node = dependency->node[v];
        const struct scenario_port *end = &scenario->nodes[node].ports[dependency->port[v]];
        dependency->peer[v] = vertex_of(dependency, end->peer_node, end->peer_port);
        dependency->row[v] = dependency->word_count;
        dependency->word_count += words_of(dependency, node);
    }
    dependency->out = memory_zeroed(words, sizeof(uint64_t));
}

static void forget_rows(struct dependency *dependency)
{
    for (int load = 0; load < DEPENDENCY_LOADS; load++)
        for (int p = 0; p < PRIORITIES; p++) {
            free(dependency->rows[load][p]);
            dependency->rows[load][p] = NULL;
        }
}

void dependency_fini(struct dependency *dependency)
{
    forget_rows(dependency);
    free(dependency->first);
    free(dependency->of_port);
    free(dependency->first_port);
    free(dependency->peer);
    free(dependency->node);
    free(dependency->port);
    free(dependency->row);
    free(dependency->first_out);
    free(dependency->out);
    free(dependency->met);
    free(dependency->met_by);
    free(dependency->queue);
}

void dependency_route(struct dependency *dependency, const struct route_table *tables)
{
    forget_rows(dependency);
    dependency->tables = tables;
}

uint8_t dependency_priority(const struct dependency *dependency, uint32_t vertex, uint8_t dscp)
{
    return dependency->scenario->nodes[dependency->node[vertex]].priority_of_dscp[dscp];
}

/* ------------------------------------------------------------------ walks */

/* Visits a switch: on the first visit, records the egress ports and queues the next switches. */
static void visit_switch(struct dependency *dependency, uint32_t node, uint32_t endpoint,
                         uint32_t *tail)
{
    if (dependency->met[node] == dependency->round)
        return;
    dependency->met[node] = dependency->round;
    uint64_t *out = dependency->out + dependency->first_out[node];
    memset(out, 0, words_of(dependency, node) * sizeof *out);
    const uint16_t *ports;
    const uint32_t count = route_all(&dependency->tables[node], endpoint, &ports);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t egress = vertex_of(dependency, node, ports[i]);
        if (egress == GRAPH_NONE)
            continue;
        const uint32_t bit = egress - dependency->first[node], into = dependency->peer[egress];
        out[bit / WORD_BITS] |= UINT64_C(1) << (bit % WORD_BITS);
        if (dependency->met_by[into] == dependency->round)
            continue;
        dependency->met_by[into] = dependency->round;
        dependency->queue[(*tail)++] = into;
    }
    dependency->cost += count;
}

/* Fills the queue with the links that the traffic uses and returns their number. */
static uint32_t walk_links(struct dependency *dependency, const struct dependency_traffic *traffic,
                           uint32_t count)
{
    uint32_t tail = 0;
    dependency->round++;
    for (uint32_t i = 0; i < count; i++)
        visit_switch(dependency, traffic[i].entry, traffic->endpoint, &tail);
    for (uint32_t head = 0; head < tail; head++)
        visit_switch(dependency, dependency->node[dependency->queue[head]], traffic->endpoint,
                     &tail);
    return tail;
}

void dependency_walk(struct dependency *dependency, const struct dependency_traffic *traffic,
                     uint32_t count)
{
    walk_links(dependency, traffic, count);
}

static uint64_t *row_of(struct dependency *dependency, int load, uint8_t priority, uint32_t vertex)
{
    uint64_t **rows = &dependency->rows[load][priority];
    if (*rows == NULL)
        *rows = memory_zeroed(dependency->word_count, sizeof **rows);
    return *rows + dependency->row[vertex];
}

void dependency_add(struct dependency *dependency, const struct dependency_traffic *traffic,
                    uint32_t count)
{
    const uint32_t links = walk_links(dependency, traffic, count);
    for (uint32_t i = 0; i < links; i++) {
        const uint32_t in = dependency->queue[i], node = dependency->node[in];
        const uint8_t priority = dependency_priority(dependency, in, traffic->dscp);
        const uint64_t *out = dependency->out + dependency->first_out[node];
        uint64_t *row = row_of(dependency, traffic->load, priority, in);
        for (uint32_t w = 0; w < words_of(dependency, node); w++)
            row[w] |= out[w];
    }
}

bool dependency_joins(const struct dependency *dependency, uint32_t in, uint32_t next)
{
    const uint32_t node = dependency->node[in], egress = dependency->peer[next];
    if (dependency->met_by[in] != dependency->round || dependency->node[egress] != node)
        return false;
    const uint32_t bit = egress - dependency->first[node];
    return (dependency->out[dependency->first_out[node] + bit / WORD_BITS] >> (bit % WORD_BITS) &
            1) != 0;
}

/* ------------------------------------------------------------------ the graph */

static const struct port_params *params_of(const struct dependency *dependency, uint32_t vertex)
{
    const struct scenario_node *node = &dependency->scenario->nodes[dependency->node[vertex]];
    return node->ports[dependency->port[vertex]].params;
}

static uint8_t enabled_at(const struct dependency *dependency, uint32_t vertex)
{
    const struct scenario *scenario = dependency->scenario;
    return pauses_enabled(scenario, &scenario->nodes[dependency->node[vertex]],
                          dependency->port[vertex]);
}

static uint8_t lossless_at(const struct dependency *dependency, uint32_t vertex)
{
    const struct scenario_node *node = &dependency->scenario->nodes[dependency->node[vertex]];
    return (uint8_t)node->switch_params->pfc_priorities;
}

bool dependency_is_global(const struct dependency *dependency)
{
    for (uint32_t i = 0; i < dependency->vertex_count; i++)
        if (params_of(dependency, i)->flow_control == PORT_FLOW_GLOBAL)
            return true;
    return false;
}

/* True if the buffer pauses its sender when it fills up. */
static bool pauses(const struct dependency_view *view, uint32_t vertex)
{
    const struct dependency *dependency = view->dependency;
    const struct port_params *here = params_of(dependency, vertex);
    const struct port_params *there = params_of(dependency, dependency->peer[vertex]);
    const unsigned obeyed = enabled_at(dependency, dependency->peer[vertex]);
    const unsigned asserted =
        view->priorities & lossless_at(dependency, vertex) & enabled_at(dependency, vertex);
    if (here->flow_control != there->flow_control || here->flow_control == PORT_FLOW_NONE)
        return false;
    if (here->flow_control == PORT_FLOW_GLOBAL)
        return asserted != 0 && obeyed != 0;
    return (asserted & obeyed) != 0;
}

/* One word of the vertex's row of bits. Priorities that the switch may drop contribute nothing. */
static uint64_t word_at(const struct dependency_view *view, uint32_t vertex, uint32_t word)
{
    const struct dependency *dependency = view->dependency;
    const unsigned priorities = view->priorities & lossless_at(dependency, vertex);
    const uint32_t place = dependency->row[vertex] + word;
    uint64_t bits = 0;
    for (unsigned p = 0; p < PRIORITIES; p++)
        for (int load = 0; load <= (int)view->control; load++)
            if ((priorities >> p & 1) != 0 && dependency->rows[load][p] != NULL)
                bits |= dependency->rows[load][p][place];
    return bits;
}

/* `cursor` is the next vertex of the node to try. */
static uint32_t next_of(void *self, uint32_t vertex, uint32_t *cursor)
{
    const struct dependency_view *view = self;
    struct dependency *dependency = view->dependency;
    const uint32_t node = dependency->node[vertex];
    const uint32_t bits = dependency->first[node + 1] - dependency->first[node];
    if (*cursor == 0 && !pauses(view, vertex))
        return GRAPH_NONE;
    while (*cursor < bits) {
        const uint64_t left = word_at(view, vertex, *cursor / WORD_BITS) >> (*cursor % WORD_BITS);
        if (left == 0) {
            *cursor = (*cursor / WORD_BITS + 1) * WORD_BITS;
            continue;
        }
        *cursor += (uint32_t)__builtin_ctzll(left) + 1;
        const uint32_t next = dependency->peer[dependency->first[node] + *cursor - 1];
        if (pauses(view, next))
            return next;
    }
    return GRAPH_NONE;
}

struct graph dependency_graph(struct dependency_view *view)
{
    return (struct graph){.count = view->dependency->vertex_count, .self = view, .next = next_of};
}
