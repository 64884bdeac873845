/* SPDX-License-Identifier: Apache-2.0
 * deadlock_knots_private - the parts of S that hold themselves, and a circle in each.
 * A knot is a strongly connected component of who waits for whom that would not resume although
 * all other queues of S left.  Every S has one: a component that waits for no other.
 * Included only by deadlock*.c. */
#ifndef STORMGLASS_NET_DEADLOCK_DEADLOCK_KNOTS_PRIVATE_H
#define STORMGLASS_NET_DEADLOCK_DEADLOCK_KNOTS_PRIVATE_H

#include "net/deadlock/deadlock_waits_private.h"

struct deadlock_knot {
    uint32_t first, count; /* in deadlock_knots.members, the circle first and in its order */
    uint32_t cycle;        /* how many are the circle */
};

struct deadlock_knots {
    struct deadlock_knot *knots;
    uint32_t count, room;
    uint32_t *members; /* places in waits->waits */
    uint32_t *knot_of; /* by place in waits->waits; DEADLOCK_NONE: of none */
};

/* After deadlock_waits_find, which found some. */
void deadlock_knots_find(struct deadlock_knots *knots, struct deadlock_waits *waits);
void deadlock_knots_free(struct deadlock_knots *knots);

#endif
