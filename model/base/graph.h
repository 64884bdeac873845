/* SPDX-License-Identifier: Apache-2.0
 * graph - strongly connected components and short circles of a directed graph.
 * The graph is a function that gives the successors of a vertex one by one, so it need not be
 * stored.  Without recursion; memory is a few words for each vertex.
 * Source:  Tarjan, SIAM J. Computing 1(2), 1972.  Owner: graph_components_free. */
#ifndef STORMGLASS_BASE_GRAPH_H
#define STORMGLASS_BASE_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#define GRAPH_NONE UINT32_MAX

struct graph {
    uint32_t count; /* vertices are 0 .. count - 1 */
    void *self;
    /* A successor of the vertex, or GRAPH_NONE when there is none left.  *cursor is 0 at first and
     * the function's own afterwards. */
    uint32_t (*next)(void *self, uint32_t vertex, uint32_t *cursor);
};

struct graph_components {
    uint32_t *members; /* component by component; within one ascending */
    uint32_t *first;   /* by component, and one more: where its members begin */
    uint32_t *of;      /* by vertex: its component, GRAPH_NONE: of none */
    uint32_t count;
};

/* Those that a circle goes through: of several vertices, or of one that is its own successor.  In
 * the order of a search from the lowest vertex on; one comes before those that lead to it. */
void graph_components_find(struct graph_components *components, const struct graph *graph);
void graph_components_free(struct graph_components *components);

/* A circle of fewest vertices through vertices whose of[] is `which`, in its order; `starts` are
 * tried until `work` successors have been looked at and one is found.  How many vertices; 0: there
 * is none.  `circle` has room for all of them. */
uint32_t graph_circle(const struct graph *graph, const uint32_t *of, uint32_t which,
                      const uint32_t *starts, uint32_t start_count, uint64_t work,
                      uint32_t *circle);

#endif
