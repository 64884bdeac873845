/* SPDX-License-Identifier: Apache-2.0
 * Components and circles against brute force (reachability by Warshall) on small random graphs. */
#include "base/graph.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <string.h>

enum { VERTICES_MAX = 9, GRAPHS = 4000 };

struct matrix {
    uint32_t count;
    bool edge[VERTICES_MAX][VERTICES_MAX];
};

static uint32_t next_of(void *self, uint32_t vertex, uint32_t *cursor)
{
    const struct matrix *matrix = self;
    while (*cursor < matrix->count)
        if (matrix->edge[vertex][(*cursor)++])
            return *cursor - 1;
    return GRAPH_NONE;
}

static void draw(struct matrix *matrix, struct rng *rng)
{
    memset(matrix, 0, sizeof *matrix);
    matrix->count = 1 + (uint32_t)rng_below(rng, VERTICES_MAX);
    const uint64_t sparse = 1 + rng_below(rng, 8);
    for (uint32_t a = 0; a < matrix->count; a++)
        for (uint32_t b = 0; b < matrix->count; b++)
            matrix->edge[a][b] = rng_below(rng, sparse) == 0 && rng_below(rng, 2) == 0;
}

/* Steps of the shortest way from each vertex to each, at least one. */
static void measure(const struct matrix *matrix, uint32_t far[VERTICES_MAX][VERTICES_MAX])
{
    for (uint32_t a = 0; a < matrix->count; a++)
        for (uint32_t b = 0; b < matrix->count; b++)
            far[a][b] = matrix->edge[a][b] ? 1 : 1000;
    for (uint32_t c = 0; c < matrix->count; c++)
        for (uint32_t a = 0; a < matrix->count; a++)
            for (uint32_t b = 0; b < matrix->count; b++)
                if (far[a][c] + far[c][b] < far[a][b])
                    far[a][b] = far[a][c] + far[c][b];
}

static void check_circle(const struct graph *graph, const struct graph_components *found,
                         uint32_t which, uint32_t far[VERTICES_MAX][VERTICES_MAX])
{
    const struct matrix *matrix = graph->self;
    const uint32_t *members = found->members + found->first[which];
    const uint32_t count = found->first[which + 1] - found->first[which];
    uint32_t circle[VERTICES_MAX], shortest = 1000;
    const uint32_t length =
        graph_circle(graph, found->of, which, members, count, UINT64_MAX, circle);
    for (uint32_t i = 0; i < count; i++)
        shortest = far[members[i]][members[i]] < shortest ? far[members[i]][members[i]] : shortest;
    assert_int_equal(length, shortest);
    for (uint32_t i = 0; i < length; i++) {
        assert_int_equal(found->of[circle[i]], which);
        assert_true(matrix->edge[circle[i]][circle[(i + 1) % length]]);
    }
}

static void components_are_what_reaches_each_other(void **state)
{
    (void)state;
    struct rng rng = rng_stream(1, "graph", "test");
    for (int i = 0; i < GRAPHS; i++) {
        struct matrix matrix;
        uint32_t far[VERTICES_MAX][VERTICES_MAX];
        draw(&matrix, &rng);
        measure(&matrix, far);
        const struct graph graph = {.count = matrix.count, .self = &matrix, .next = next_of};
        struct graph_components found;
        graph_components_find(&found, &graph);
        for (uint32_t a = 0; a < matrix.count; a++) {
            assert_int_equal(found.of[a] != GRAPH_NONE, far[a][a] < 1000);
            for (uint32_t b = 0; b < matrix.count; b++)
                if (found.of[a] != GRAPH_NONE)
                    assert_int_equal(found.of[a] == found.of[b],
                                     far[a][b] < 1000 && far[b][a] < 1000);
        }
        for (uint32_t k = 0; k < found.count; k++)
            check_circle(&graph, &found, k, far);
        graph_components_free(&found);
    }
}

/* A chain of many vertices would be the end of a search that calls itself. */
static uint32_t next_in_ring(void *self, uint32_t vertex, uint32_t *cursor)
{
    const uint32_t count = *(uint32_t *)self;
    return (*cursor)++ == 0 ? (vertex + 1) % count : GRAPH_NONE;
}

static void long_ring_is_one_component(void **state)
{
    (void)state;
    uint32_t count = 1000000;
    const struct graph graph = {.count = count, .self = &count, .next = next_in_ring};
    struct graph_components found;
    graph_components_find(&found, &graph);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.first[1], count);
    graph_components_free(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_are_what_reaches_each_other),
        cmocka_unit_test(long_ring_is_one_component),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
