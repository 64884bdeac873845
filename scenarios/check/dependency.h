/* SPDX-License-Identifier: Apache-2.0
 * dependency - which buffer waits for which, by the routes of the traffic.
 * A vertex is the ingress buffer at the far end of a link between two switches, in one priority,
 * where a full buffer stops the near end: the class is lossless at the far end and PFC is on in it
 * at both.  One buffer depends on another when some traffic comes in by the first and leaves into
 * the second, in that priority: while the second is full, the first cannot drain.
 * Traffic that fills buffers (data) is told from acknowledgements and requests.
 * Source:  Dally and Seitz, IEEE ToC C-36(5), 1987 (channel dependency); Hu et al., HotNets 2016.
 * Owner: dependency_fini.  Memory: a bit for each pair of ports of a switch, in each priority that
 * has traffic. */
#ifndef STORMGLASS_SCENARIOS_CHECK_DEPENDENCY_H
#define STORMGLASS_SCENARIOS_CHECK_DEPENDENCY_H

#include "base/graph.h"
#include "net/route/route.h"
#include "scenarios/load/scenario.h"

enum dependency_load { DEPENDENCY_DATA, DEPENDENCY_CONTROL, DEPENDENCY_LOADS };

/* What some host sends to another; many pairs of hosts are one such. */
struct dependency_traffic {
    uint32_t entry;    /* switch (node) by which it comes into the fabric */
    uint32_t endpoint; /* that it goes to */
    uint8_t dscp;
    uint8_t load;                /* enum dependency_load */
    uint32_t workload, from, to; /* one of the pairs, in the direction that it travels */
};

struct dependency {
    const struct scenario *scenario;
    const struct route_table *tables; /* by node */
    /* Vertices: the ports of switches that lead to switches, node by node. */
    uint32_t *first;   /* by node, and one more */
    uint32_t *of_port; /* by first_port[node] + port; GRAPH_NONE */
    uint32_t *first_port;
    uint32_t *peer;      /* by vertex: the one at the other end of the link */
    uint32_t *node;      /* by vertex */
    uint16_t *port;      /* by vertex */
    uint32_t *row;       /* by vertex: its first word in rows; there is one word for 64 vertices of
                            its node */
    uint32_t *first_out; /* by node: likewise in `out` */
    uint32_t vertex_count, word_count;
    uint64_t
        *rows[DEPENDENCY_LOADS][PRIORITIES]; /* by ingress vertex: egress vertices of its node */
    /* of one walk */
    uint64_t *out;    /* where the traffic leaves each switch */
    uint32_t *met;    /* by node: the round in which it was met */
    uint32_t *met_by; /* by vertex: likewise */
    uint32_t *queue;  /* vertices */
    uint32_t round;
    uint64_t cost;
};

void dependency_init(struct dependency *dependency, const struct scenario *scenario);
void dependency_fini(struct dependency *dependency);

/* Forgets all traffic; routes are these from now on.  They outlive their use. */
void dependency_route(struct dependency *dependency, const struct route_table *tables);

/* Adds what `count` of traffic to the same endpoint, of the same DSCP and load depends on. */
void dependency_add(struct dependency *dependency, const struct dependency_traffic *traffic,
                    uint32_t count);

/* True when traffic of the last dependency_add comes in by the link of vertex `in`, and leaves from
 * there into the buffer of vertex `next`. */
bool dependency_joins(const struct dependency *dependency, uint32_t in, uint32_t next);

/* Only the walk of dependency_add: for dependency_joins. */
void dependency_walk(struct dependency *dependency, const struct dependency_traffic *traffic,
                     uint32_t count);

/* The priority that a DSCP has at a vertex. */
uint8_t dependency_priority(const struct dependency *dependency, uint32_t vertex, uint8_t dscp);

/* True when some link between switches pauses all priorities at once: then buffers of different
 * priorities depend on each other. */
bool dependency_is_global(const struct dependency *dependency);

/* The graph of some priorities taken as one; with `control` acknowledgements and requests count
 * too.  `view` is its state and lasts as long as it. */
struct dependency_view {
    struct dependency *dependency;
    uint8_t priorities; /* mask */
    bool control;
};
struct graph dependency_graph(struct dependency_view *view);

#endif
