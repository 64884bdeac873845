/* SPDX-License-Identifier: Apache-2.0
 * explain_walk - from a hold to its roots.
 * The inner half of explain.c, and helpers shared by both. */
#ifndef STORMGLASS_REPLAY_EXPLAIN_EXPLAIN_WALK_H
#define STORMGLASS_REPLAY_EXPLAIN_EXPLAIN_WALK_H

#include "replay/explain/explain.h"

/* Divides the hold's time among its roots and paths; the intervals of this fold must be sorted. */
void explain_walk(struct explain *explain, const struct explain_hold *hold);

static inline uint32_t explain_key(uint32_t port, uint8_t priority)
{
    return port * EXPLAIN_PRIORITIES + priority;
}

/* Orders by key, then by time. */
static inline int explain_order(uint32_t a_key, time_ps a_from, uint32_t b_key, time_ps b_from)
{
    if (a_key != b_key)
        return a_key < b_key ? -1 : 1;
    return a_from < b_from ? -1 : a_from > b_from;
}

#endif
