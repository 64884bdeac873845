/* SPDX-License-Identifier: Apache-2.0
 * event - one thing to happen, as 32 bytes of data. */
#ifndef STORMGLASS_ENGINE_EVENT_H
#define STORMGLASS_ENGINE_EVENT_H

#include "base/units.h"

#include <assert.h>
#include <stdbool.h>

#define ORDER_SEQUENCE_BITS 44 /* 2^44 events a node, 2^20 nodes */

struct event {
    time_ps at;
    uint64_t order; /* rank of the source node << ORDER_SEQUENCE_BITS | its sequence number */
    uint32_t node;  /* that executes it */
    uint16_t port;  /* of that node */
    uint8_t kind;   /* the node type's own */
    uint64_t argument;
};

static_assert(sizeof(struct event) == 32, "an event is half a cache line");

/* Field by field: of an event that was made just now the fields are in registers, while an
 * assignment would store them and load them again as two vectors, for which the processor waits. */
static inline void event_copy(struct event *to, const struct event *from)
{
    to->at = from->at;
    to->order = from->order;
    to->node = from->node;
    to->port = from->port;
    to->kind = from->kind;
    to->argument = from->argument;
}

/* The total order; no two events compare equal. */
static inline bool event_before(const struct event *a, const struct event *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

#endif
