/* SPDX-License-Identifier: Apache-2.0
 * graph - strongly connected components and short cycles of a directed graph.
 * The graph is a function that returns the successors of a vertex one by one, so it need not be
 * stored. No recursion; memory is a few words per vertex.
 * Source: Tarjan, SIAM J. Computing 1(2), 1972. Owner: graph_components_free. */
#ifndef STORMGLASS_BASE_GRAPH_H
#define STORMGLASS_BASE_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#define GRAPH_NONE UINT32_MAX

struct graph {
    uint32_t count; /* vertices are 0 .. count - 1 */
    void *self;
    /* Returns the next successor of the vertex, or GRAPH_NONE when there are no more. *cursor
     * starts at 0 and afterwards belongs to the function. */
    uint32_t (*next)(void *self, uint32_t vertex, uint32_t *cursor);
};

struct graph_components {
    uint32_t *members; /* grouped by component, ascending within each */
    uint32_t *first;   /* by component: index of its first member; one entry more than components */
    uint32_t *of;      /* by vertex: its component; GRAPH_NONE: in no cycle */
    uint32_t count;
};

/* Finds the strongly connected components that contain a cycle: several vertices, or one that is
 * its own successor. Components are in the order in which a search from the lowest vertex closes
 * them, so each precedes the components that lead to it. */
void graph_components_find(struct graph_components *components, const struct graph *graph);
void graph_components_free(struct graph_components *components);

/* Finds a shortest cycle among the vertices whose of[] is `which` and stores it in order. Starting
 * points from `starts` are tried until a cycle is found and at least `work` successors have been
 * visited. Returns the number of vertices, 0 when there is no cycle. `circle` has room for all
 * vertices of the component. */
uint32_t graph_circle(const struct graph *graph, const uint32_t *of, uint32_t which,
                      const uint32_t *starts, uint32_t start_count, uint64_t work,
                      uint32_t *circle);

#endif
