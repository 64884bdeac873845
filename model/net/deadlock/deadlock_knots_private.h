/* SPDX-License-Identifier: Apache-2.0
 * deadlock_knots_private - the self-sustaining parts of S, and a cycle in each.
 * A knot is a strongly connected component of the wait-for graph that would not resume even if all
 * other queues of S drained. Every S has at least one: a component that waits for no other.
 * Included only by deadlock*.c. */
#ifndef STORMGLASS_NET_DEADLOCK_DEADLOCK_KNOTS_PRIVATE_H
#define STORMGLASS_NET_DEADLOCK_DEADLOCK_KNOTS_PRIVATE_H

#include "net/deadlock/deadlock_waits_private.h"

struct deadlock_knot {
    uint32_t first, count; /* range in deadlock_knots.members, the cycle first and in order */
    uint32_t cycle;        /* length of the cycle */
};

struct deadlock_knots {
    struct deadlock_knot *knots;
    uint32_t count, room;
    uint32_t *members; /* indices in waits->waits */
    uint32_t *knot_of; /* by index in waits->waits; DEADLOCK_NONE: not in a knot */
};

/* Call after deadlock_waits_find returned true. */
void deadlock_knots_find(struct deadlock_knots *knots, struct deadlock_waits *waits);
void deadlock_knots_free(struct deadlock_knots *knots);

#endif
