/* SPDX-License-Identifier: Apache-2.0
 * dependency - buffer dependency graph of the traffic's routes.
 * A vertex is the ingress buffer at the far end of a link between two switches, in one priority,
 * where a full buffer stops the near end: the class is lossless at the far end and PFC is enabled
 * for it at both ends. A buffer depends on another one of the same priority when some traffic
 * enters through the first and leaves into the second: while the second is full, the first cannot
 * drain.
 * Traffic that fills buffers (data) is kept apart from acknowledgments and requests.
 * Source:  Dally and Seitz, IEEE ToC C-36(5), 1987 (channel dependency); Hu et al., HotNets 2016.
 * Owner: dependency_fini. Memory: one bit for each pair of ports of a switch, in each priority that
 * has traffic. */
#ifndef STORMGLASS_SCENARIOS_CHECK_DEPENDENCY_H
#define STORMGLASS_SCENARIOS_CHECK_DEPENDENCY_H

#include "base/graph.h"
#include "net/route/route.h"
#include "scenarios/data/scenario.h"

enum dependency_load { DEPENDENCY_DATA, DEPENDENCY_CONTROL, DEPENDENCY_LOADS };

/* Traffic from one host to another. One struct stands for many pairs of hosts. */
struct dependency_traffic {
    uint32_t entry;    /* switch (node) at which the traffic enters the fabric */
    uint32_t endpoint; /* destination endpoint */
    uint8_t dscp;
    uint8_t load;                /* enum dependency_load */
    uint32_t workload, from, to; /* one of the pairs, in the direction of the traffic */
};

struct dependency {
    const struct scenario *scenario;
    const struct route_table *tables; /* by node */
    /* Vertices: the ports of switches that lead to switches, node by node. */
    uint32_t *first;   /* by node, plus one entry */
    uint32_t *of_port; /* by first_port[node] + port: vertex; GRAPH_NONE: none */
    uint32_t *first_port;
    uint32_t *peer;      /* by vertex: vertex at the other end of the link */
    uint32_t *node;      /* by vertex */
    uint16_t *port;      /* by vertex */
    uint32_t *row;       /* by vertex: index of its first word in `rows`; one word per 64
                          * vertices of its node */
    uint32_t *first_out; /* by node: index of its first word in `out` */
    uint32_t vertex_count, word_count;
    uint64_t
        *rows[DEPENDENCY_LOADS][PRIORITIES]; /* by ingress vertex: bits of the egress vertices of
                                              * its node */
    /* state of one walk */
    uint64_t *out;    /* egress vertices of the traffic at each switch */
    uint32_t *met;    /* by node: round in which the walk visited it */
    uint32_t *met_by; /* by vertex: round in which the walk visited it */
    uint32_t *queue;  /* vertices to visit */
    uint32_t round;
    uint64_t cost;
};

void dependency_init(struct dependency *dependency, const struct scenario *scenario);
void dependency_fini(struct dependency *dependency);

/* Removes all traffic and uses these routes from now on. The tables must outlive their use. */
void dependency_route(struct dependency *dependency, const struct route_table *tables);

/* Adds the dependencies of `count` entries of traffic with the same endpoint, DSCP and load. */
void dependency_add(struct dependency *dependency, const struct dependency_traffic *traffic,
                    uint32_t count);

/* True if traffic of the last dependency_add or dependency_walk enters by the link of vertex `in`
 * and leaves from there into the buffer of vertex `next`. */
bool dependency_joins(const struct dependency *dependency, uint32_t in, uint32_t next);

/* Does the walk of dependency_add without recording dependencies; for dependency_joins. */
void dependency_walk(struct dependency *dependency, const struct dependency_traffic *traffic,
                     uint32_t count);

/* Priority of a DSCP at a vertex. */
uint8_t dependency_priority(const struct dependency *dependency, uint32_t vertex, uint8_t dscp);

/* True if a link between switches uses global PAUSE, which stops all priorities: then buffers of
 * different priorities depend on each other. */
bool dependency_is_global(const struct dependency *dependency);

/* The graph of a set of priorities taken together; with `control`, acknowledgments and requests
 * count too. `view` is the state of the graph and must live as long. */
struct dependency_view {
    struct dependency *dependency;
    uint8_t priorities; /* mask of priorities */
    bool control;
};
struct graph dependency_graph(struct dependency_view *view);

#endif
