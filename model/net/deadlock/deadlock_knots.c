/* SPDX-License-Identifier: Apache-2.0
 * deadlock_knots - components, their self-sustaining parts, and cycles. */
#include "net/deadlock/deadlock_knots_private.h"

#include "base/graph.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { CYCLE_WORK_MAX = 1 << 20 }; /* steps of the search for a shorter cycle once one is found */

/* The queues of S that block a queue of S. */
static uint32_t next_of(void *self, uint32_t wait, uint32_t *cursor)
{
    struct deadlock_waits *waits = self;
    if (!waits->waits[wait].stuck)
        return GRAPH_NONE;
    const uint32_t next = deadlock_waits_next(waits, &waits->waits[wait], *cursor);
    *cursor = next + 1;
    return next;
}

/* The next queue of the same knot that blocks `wait`. */
static uint32_t next_in(struct deadlock_waits *waits, const uint32_t *knot_of, uint32_t wait,
                        uint32_t from)
{
    uint32_t next = deadlock_waits_next(waits, &waits->waits[wait], from);
    while (next != DEADLOCK_NONE && knot_of[next] != knot_of[wait])
        next = deadlock_waits_next(waits, &waits->waits[wait], next + 1);
    return next;
}

/* True when the bytes in queues of the same knot alone keep `wait` blocked. */
static bool is_held_in(struct deadlock_waits *waits, const uint32_t *knot_of, uint32_t wait)
{
    const struct deadlock_wait *own = &waits->waits[wait];
    int64_t left[PRIORITIES] = {0};
    for (uint32_t next = next_in(waits, knot_of, wait, 0); next != DEADLOCK_NONE;
         next = next_in(waits, knot_of, wait, next + 1))
        left[waits->waits[next].priority] +=
            deadlock_waits_held(waits, &waits->waits[next], own->peer_port);
    for (uint8_t cause = 0; cause < PRIORITIES; cause++)
        if (deadlock_waits_hold(waits, own, cause, left[cause]))
            return true;
    return false;
}

/* Removes from a knot the queues that would move if only the knot were blocked, and compacts the
 * rest. */
static uint32_t keep_held(struct deadlock_waits *waits, uint32_t *knot_of, uint32_t *members,
                          uint32_t count)
{
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t wait = members[i];
            if (knot_of[wait] == DEADLOCK_NONE || is_held_in(waits, knot_of, wait))
                continue;
            knot_of[wait] = DEADLOCK_NONE;
            again = true;
        }
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (knot_of[members[i]] != DEADLOCK_NONE)
            members[kept++] = members[i];
    return kept;
}

/* Moves a shortest cycle to the front of the members; returns its length. */
static uint32_t find_cycle(const struct graph *graph, uint32_t *knot_of, uint32_t *members,
                           uint32_t count)
{
    uint32_t *row = memory_zeroed(graph->count, sizeof *row);
    bool *placed = memory_zeroed(graph->count, sizeof *placed);
    const uint32_t cycle =
        graph_circle(graph, knot_of, knot_of[members[0]], members, count, CYCLE_WORK_MAX, row);
    CHECK(cycle > 0); /* each member waits for another, and their number is finite */
    uint32_t others = cycle;
    for (uint32_t i = 0; i < cycle; i++)
        placed[row[i]] = true;
    for (uint32_t i = 0; i < count; i++)
        if (!placed[members[i]])
            row[others++] = members[i];
    CHECK(others == count);
    memcpy(members, row, count * sizeof *members);
    free(row);
    free(placed);
    return cycle;
}

static void add_knot(struct deadlock_knots *knots, const struct graph *graph, uint32_t first,
                     uint32_t count)
{
    struct deadlock_waits *waits = graph->self;
    const uint32_t number = knots->count;
    uint32_t *members = knots->members + first;
    for (uint32_t i = 0; i < count; i++)
        knots->knot_of[members[i]] = number;
    const uint32_t kept = keep_held(waits, knots->knot_of, members, count);
    if (kept == 0)
        return;
    knots->knots = memory_grown(knots->knots, knots->count, &knots->room, sizeof *knots->knots);
    knots->knots[knots->count++] =
        (struct deadlock_knot){first, kept, find_cycle(graph, knots->knot_of, members, kept)};
}

void deadlock_knots_find(struct deadlock_knots *knots, struct deadlock_waits *waits)
{
    const struct graph graph = {.count = waits->count, .self = waits, .next = next_of};
    struct graph_components components;
    graph_components_find(&components, &graph);
    *knots = (struct deadlock_knots){.members = components.members, .knot_of = components.of};
    memset(knots->knot_of, 0xff, waits->count * sizeof *knots->knot_of);
    for (uint32_t i = 0; i < components.count; i++)
        add_knot(knots, &graph, components.first[i], components.first[i + 1] - components.first[i]);
    free(components.first);
    CHECK(knots->count > 0);
}

void deadlock_knots_free(struct deadlock_knots *knots)
{
    free(knots->knots);
    free(knots->members);
    free(knots->knot_of);
}
