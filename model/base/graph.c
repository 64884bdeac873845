/* SPDX-License-Identifier: Apache-2.0
 * graph - depth-first search for components, breadth-first search for cycles. */
#include "base/graph.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ components */

struct search {
    const struct graph *graph;
    struct graph_components *found;
    uint32_t *index, *low; /* index: order of discovery, 0: not visited yet */
    uint32_t *cursor;
    uint32_t *path;  /* vertices on the depth-first path */
    uint32_t *stack; /* vertices whose component is not closed yet */
    bool *open;      /* the vertex is on `stack` */
    bool *loop;      /* the vertex is its own successor */
    uint32_t path_count, stack_count, met, member_count;
};

static void enter_vertex(struct search *search, uint32_t vertex)
{
    search->index[vertex] = search->low[vertex] = ++search->met;
    search->open[vertex] = true;
    search->stack[search->stack_count++] = vertex;
    search->path[search->path_count++] = vertex;
}

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void close_component(struct search *search, uint32_t vertex)
{
    struct graph_components *found = search->found;
    uint32_t *members = found->members + search->member_count, count = 0;
    for (uint32_t member = GRAPH_NONE; member != vertex;) {
        member = search->stack[--search->stack_count];
        search->open[member] = false;
        members[count++] = member;
    }
    if (count == 1 && !search->loop[vertex])
        return;
    qsort(members, count, sizeof *members, ascending); /* a total order: vertices differ */
    for (uint32_t i = 0; i < count; i++)
        found->of[members[i]] = found->count;
    search->member_count += count;
    found->first[++found->count] = search->member_count;
}

static void leave_vertex(struct search *search, uint32_t vertex)
{
    search->path_count--;
    if (search->low[vertex] == search->index[vertex])
        close_component(search, vertex);
    if (search->path_count == 0)
        return;
    const uint32_t before = search->path[search->path_count - 1];
    if (search->low[vertex] < search->low[before])
        search->low[before] = search->low[vertex];
}

static void search_from(struct search *search, uint32_t start)
{
    enter_vertex(search, start);
    while (search->path_count > 0) {
        const uint32_t vertex = search->path[search->path_count - 1];
        const uint32_t next =
            search->graph->next(search->graph->self, vertex, &search->cursor[vertex]);
        if (next == GRAPH_NONE) {
            leave_vertex(search, vertex);
            continue;
        }
        search->loop[vertex] |= next == vertex;
        if (search->index[next] == 0)
            enter_vertex(search, next);
        else if (search->open[next] && search->index[next] < search->low[vertex])
            search->low[vertex] = search->index[next];
    }
}

void graph_components_find(struct graph_components *components, const struct graph *graph)
{
    const uint32_t count = graph->count;
    *components = (struct graph_components){
        .members = memory_zeroed(count, sizeof(uint32_t)),
        .first = memory_zeroed(count + 1u, sizeof(uint32_t)),
        .of = memory_zeroed(count, sizeof(uint32_t)),
    };
    struct search search = {
        .graph = graph,
        .found = components,
        .index = memory_zeroed(count, sizeof(uint32_t)),
        .low = memory_zeroed(count, sizeof(uint32_t)),
        .cursor = memory_zeroed(count, sizeof(uint32_t)),
        .path = memory_zeroed(count, sizeof(uint32_t)),
        .stack = memory_zeroed(count, sizeof(uint32_t)),
        .open = memory_zeroed(count, sizeof(bool)),
        .loop = memory_zeroed(count, sizeof(bool)),
    };
    memset(components->of, 0xff, count * sizeof *components->of);
    for (uint32_t i = 0; i < count; i++)
        if (search.index[i] == 0)
            search_from(&search, i);
    free(search.index);
    free(search.low);
    free(search.cursor);
    free(search.path);
    free(search.stack);
    free(search.open);
    free(search.loop);
}

void graph_components_free(struct graph_components *components)
{
    free(components->members);
    free(components->first);
    free(components->of);
    *components = (struct graph_components){0};
}

/* ------------------------------------------------------------------ cycles */

struct tour {
    const struct graph *graph;
    const uint32_t *of;
    uint32_t which;
    uint32_t *before; /* predecessor in the search */
    uint32_t *round;  /* number of the last search that visited the vertex */
    uint32_t *queue;
    uint32_t *circle;
    uint32_t count; /* vertices of the best cycle; 0: none yet */
    uint32_t rounds;
    uint64_t work;
};

static void keep_best(struct tour *tour, uint32_t start, uint32_t last)
{
    uint32_t count = 1;
    for (uint32_t at = last; at != start; at = tour->before[at])
        count++;
    if (tour->count != 0 && count >= tour->count)
        return;
    tour->count = count;
    for (uint32_t at = last; count > 0; at = tour->before[at])
        tour->circle[--count] = at;
}

static void tour_from(struct tour *tour, uint32_t start)
{
    uint32_t head = 0, tail = 0;
    tour->round[start] = ++tour->rounds;
    tour->queue[tail++] = start;
    while (head < tail) {
        const uint32_t at = tour->queue[head++];
        uint32_t cursor = 0, next;
        while ((next = tour->graph->next(tour->graph->self, at, &cursor)) != GRAPH_NONE) {
            tour->work++;
            if (next == start) {
                keep_best(tour, start, at);
                return;
            }
            if (tour->of[next] != tour->which || tour->round[next] == tour->rounds)
                continue;
            tour->round[next] = tour->rounds;
            tour->before[next] = at;
            tour->queue[tail++] = next;
        }
    }
}

uint32_t graph_circle(const struct graph *graph, const uint32_t *of, uint32_t which,
                      const uint32_t *starts, uint32_t start_count, uint64_t work, uint32_t *circle)
{
    struct tour tour = {
        .graph = graph,
        .of = of,
        .which = which,
        .before = memory_zeroed(graph->count, sizeof(uint32_t)),
        .round = memory_zeroed(graph->count, sizeof(uint32_t)),
        .queue = memory_zeroed(graph->count, sizeof(uint32_t)),
        .circle = circle,
    };
    for (uint32_t i = 0; i < start_count && (tour.count == 0 || tour.work < work); i++)
        tour_from(&tour, starts[i]);
    free(tour.before);
    free(tour.round);
    free(tour.queue);
    return tour.count;
}
