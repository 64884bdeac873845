/* SPDX-License-Identifier: Apache-2.0
 * route - breadth-first search from every switch that has endpoints.
 * For a destination switch t the search yields the distance of each switch; the ports to neighbors
 * one hop nearer to t form its group for t. All endpoints behind t share that group; t itself has
 * one group per endpoint. */
#include "net/route/route.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct edge {
    uint32_t to;
    uint16_t port, far_port;
};

struct adjacency {
    uint32_t *first; /* node_count + 1 */
    struct edge *edges;
};

static void sort_by_port(struct edge *edges, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const struct edge edge = edges[i];
        uint32_t hole = i;
        for (; hole > 0 && edge.port < edges[hole - 1].port; hole--)
            edges[hole] = edges[hole - 1];
        edges[hole] = edge;
    }
}

static struct adjacency build_adjacency(const struct route_graph *graph)
{
    struct adjacency next = {
        .first = memory_zeroed(graph->node_count + 1u, sizeof(uint32_t)),
        .edges = memory_zeroed(2u * graph->link_count, sizeof(struct edge)),
    };
    for (uint32_t i = 0; i < graph->link_count; i++) {
        CHECK((graph->links[i].a_port | graph->links[i].b_port) < ROUTE_GROUP);
        next.first[graph->links[i].a + 1]++;
        next.first[graph->links[i].b + 1]++;
    }
    for (uint32_t i = 0; i < graph->node_count; i++)
        next.first[i + 1] += next.first[i];
    uint32_t *fill = memory_zeroed(graph->node_count, sizeof *fill);
    for (uint32_t i = 0; i < graph->link_count; i++) {
        const struct route_link *link = &graph->links[i];
        next.edges[next.first[link->a] + fill[link->a]++] =
            (struct edge){link->b, link->a_port, link->b_port};
        next.edges[next.first[link->b] + fill[link->b]++] =
            (struct edge){link->a, link->b_port, link->a_port};
    }
    free(fill);
    for (uint32_t i = 0; i < graph->node_count; i++)
        sort_by_port(next.edges + next.first[i], next.first[i + 1] - next.first[i]);
    return next;
}

/* Hops to the nearest target through nodes that forward; UINT32_MAX without a path. */
static void distances(const struct route_graph *graph, const struct adjacency *next,
                      const uint32_t *targets, uint32_t count, uint32_t *distance, uint32_t *queue)
{
    uint32_t tail = 0;
    memset(distance, 0xFF, graph->node_count * sizeof *distance);
    for (uint32_t i = 0; i < count; i++) {
        if (distance[targets[i]] == UINT32_MAX)
            queue[tail++] = targets[i];
        distance[targets[i]] = 0;
    }
    for (uint32_t head = 0; head < tail; head++) {
        const uint32_t node = queue[head];
        for (uint32_t e = next->first[node]; e < next->first[node + 1]; e++) {
            const uint32_t to = next->edges[e].to;
            if (!graph->forwards[to] || distance[to] != UINT32_MAX)
                continue;
            distance[to] = distance[node] + 1;
            queue[tail++] = to;
        }
    }
}

/* The egress value for a set of ports; equal sets share a group. */
static uint16_t egress_by(struct route_table *table, const uint16_t *ports, uint16_t count)
{
    const uint32_t bytes = count * (uint32_t)sizeof *ports;
    if (count == 1)
        return ports[0];
    uint32_t at = 0;
    for (; at < table->used; at += 1u + table->groups[at])
        if (table->groups[at] == count &&
            (count == 0 || memcmp(&table->groups[at + 1], ports, bytes) == 0))
            return (uint16_t)(ROUTE_GROUP + at);
    CHECK(at < ROUTE_GROUP);
    table->used = at + 1 + count;
    table->groups = memory_resized(table->groups, table->used, sizeof *table->groups);
    table->groups[at] = count;
    if (count > 0)
        memcpy(&table->groups[at + 1], ports, bytes);
    return (uint16_t)(ROUTE_GROUP + at);
}

/* Where an endpoint's cable ends. */
struct place {
    uint32_t node;
    uint16_t port; /* port of that node towards the endpoint */
    bool known;    /* it ends at a switch */
};

static struct place attachment(const struct route_graph *graph, const struct adjacency *next,
                               uint32_t endpoint)
{
    const uint32_t host = graph->endpoint_node[endpoint];
    for (uint32_t e = next->first[host]; e < next->first[host + 1]; e++) {
        const struct edge *edge = &next->edges[e];
        if (edge->port == graph->endpoint_port[endpoint])
            return (struct place){edge->to, edge->far_port, graph->forwards[edge->to] != 0};
    }
    return (struct place){0};
}

/* Collects the ports of a node to neighbors one hop nearer; returns their number. */
static uint16_t nearer_ports(const struct route_graph *graph, const struct adjacency *next,
                             uint32_t node, const uint32_t *distance, uint16_t *ports)
{
    uint16_t count = 0;
    for (uint32_t e = next->first[node]; e < next->first[node + 1]; e++) {
        const struct edge *edge = &next->edges[e];
        if (graph->forwards[edge->to] && distance[edge->to] == distance[node] - 1)
            ports[count++] = edge->port;
    }
    return count;
}

static bool is_shared(const struct route_graph *graph, uint32_t endpoint)
{
    const uint32_t *lead = graph->endpoint_lead;
    return lead != NULL && (lead[endpoint] != endpoint || (endpoint + 1 < graph->endpoint_count &&
                                                           lead[endpoint + 1] == endpoint));
}

/* Collects the endpoints with addresses of their own that are attached to a node; returns their
 * number. */
static uint32_t endpoints_at(const struct route_graph *graph, const struct place *places,
                             uint32_t node, uint32_t *endpoints)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < graph->endpoint_count; i++)
        if (places[i].known && places[i].node == node && !is_shared(graph, i))
            endpoints[found++] = i;
    return found;
}

static void route_to(const struct route_graph *graph, const struct adjacency *next,
                     const struct place *places, uint32_t target, struct route_table *tables)
{
    uint32_t *distance = memory_zeroed(graph->node_count, sizeof *distance);
    uint32_t *queue = memory_zeroed(graph->node_count, sizeof *queue);
    uint16_t *ports = memory_zeroed(2u * graph->link_count, sizeof *ports);
    uint32_t *endpoints = memory_zeroed(graph->endpoint_count, sizeof *endpoints);
    const uint32_t count = endpoints_at(graph, places, target, endpoints);
    distances(graph, next, &target, 1, distance, queue);
    for (uint32_t node = 0; node < graph->node_count; node++) {
        if (!graph->forwards[node] || node == target || distance[node] == UINT32_MAX)
            continue;
        const uint16_t egress =
            egress_by(&tables[node], ports, nearer_ports(graph, next, node, distance, ports));
        for (uint32_t i = 0; i < count; i++)
            tables[node].egress[endpoints[i]] = egress;
    }
    free(endpoints);
    free(distance);
    free(queue);
    free(ports);
}

/* ------------------------------------------------------------------ shared addresses */

/* Consecutive endpoints that share an address. */
struct aggregate {
    uint32_t first, count;
};

/* Collects the ports of a switch to which members are attached; returns their number. */
static uint16_t ports_to(const struct place *places, struct aggregate of, uint32_t node,
                         uint16_t *ports)
{
    uint16_t count = 0;
    for (uint32_t i = of.first; i < of.first + of.count; i++)
        if (places[i].known && places[i].node == node)
            ports[count++] = places[i].port;
    return count;
}

static void route_to_aggregate(const struct route_graph *graph, const struct adjacency *next,
                               const struct place *places, struct aggregate to,
                               struct route_table *tables)
{
    uint32_t *distance = memory_zeroed(graph->node_count, sizeof *distance);
    uint32_t *queue = memory_zeroed(graph->node_count, sizeof *queue);
    uint32_t *targets = memory_zeroed(to.count, sizeof *targets);
    uint16_t *ports = memory_zeroed(2u * graph->link_count, sizeof *ports);
    uint32_t count = 0;
    for (uint32_t i = to.first; i < to.first + to.count; i++)
        if (places[i].known)
            targets[count++] = places[i].node;
    distances(graph, next, targets, count, distance, queue);
    for (uint32_t node = 0; node < graph->node_count; node++) {
        if (!graph->forwards[node] || distance[node] == UINT32_MAX)
            continue;
        const uint16_t ways = distance[node] == 0
                                  ? ports_to(places, to, node, ports)
                                  : nearer_ports(graph, next, node, distance, ports);
        const uint16_t egress = egress_by(&tables[node], ports, ways);
        for (uint32_t i = to.first; i < to.first + to.count; i++)
            tables[node].egress[i] = egress;
    }
    free(distance);
    free(queue);
    free(targets);
    free(ports);
}

static void route_to_aggregates(const struct route_graph *graph, const struct adjacency *next,
                                const struct place *places, struct route_table *tables)
{
    struct aggregate to = {0};
    for (; graph->endpoint_lead != NULL && to.first < graph->endpoint_count; to.first += to.count) {
        for (to.count = 1; to.first + to.count < graph->endpoint_count &&
                           graph->endpoint_lead[to.first + to.count] == to.first;)
            to.count++;
        if (to.count > 1)
            route_to_aggregate(graph, next, places, to, tables);
    }
}

/* ------------------------------------------------------------------ all routes */

void route_compute(const struct route_graph *graph, struct route_table *tables)
{
    const struct adjacency next = build_adjacency(graph);
    struct place *places = memory_zeroed(graph->endpoint_count, sizeof *places);
    uint8_t *is_target = memory_zeroed(graph->node_count, 1);
    for (uint32_t node = 0; node < graph->node_count; node++) {
        if (!graph->forwards[node])
            continue;
        tables[node] = (struct route_table){.endpoint_count = graph->endpoint_count};
        tables[node].egress = memory_zeroed(graph->endpoint_count, sizeof(uint16_t));
        for (uint32_t i = 0; i < graph->endpoint_count; i++)
            tables[node].egress[i] = ROUTE_NONE;
        CHECK(egress_by(&tables[node], NULL, 0) == ROUTE_NONE);
    }
    for (uint32_t i = 0; i < graph->endpoint_count; i++) {
        places[i] = attachment(graph, &next, i);
        const struct place *place = &places[i];
        if (!place->known || is_shared(graph, i))
            continue;
        is_target[place->node] = 1;
        tables[place->node].egress[i] = place->port;
    }
    for (uint32_t node = 0; node < graph->node_count; node++)
        if (is_target[node])
            route_to(graph, &next, places, node, tables);
    route_to_aggregates(graph, &next, places, tables);
    free(places);
    free(is_target);
    free(next.first);
    free(next.edges);
}

void route_set(struct route_table *table, uint32_t endpoint, const uint16_t *ports, uint16_t count)
{
    CHECK(endpoint < table->endpoint_count);
    table->egress[endpoint] = egress_by(table, ports, count);
}

void route_table_fini(struct route_table *table)
{
    free(table->egress);
    free(table->groups);
    *table = (struct route_table){0};
}
