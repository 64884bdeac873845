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

/* The port pauses all priorities together. */
static inline bool explain_pauses_all(const struct explain_fabric *fabric, uint32_t port)
{
    return fabric->pauses_all != NULL && fabric->pauses_all[port];
}

/* The key's holds are those of priority 0 of the same port once more. */
static inline bool explain_is_repeated(const struct explain_fabric *fabric, uint32_t key)
{
    return key % EXPLAIN_PRIORITIES > 0 && explain_pauses_all(fabric, key / EXPLAIN_PRIORITIES);
}

/* Orders by key, then by time. */
static inline int explain_order(uint32_t a_key, time_ps a_from, uint32_t b_key, time_ps b_from)
{
    if (a_key != b_key)
        return a_key < b_key ? -1 : 1;
    return a_from < b_from ? -1 : a_from > b_from;
}

#endif
