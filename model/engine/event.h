/* SPDX-License-Identifier: Apache-2.0
 * event - one thing to happen, as 32 bytes of data. */
#ifndef STORMGLASS_ENGINE_EVENT_H
#define STORMGLASS_ENGINE_EVENT_H

#include "base/units.h"

#include <assert.h>
#include <stdbool.h>

/* An event's place among those of its moment: the rank of the node that it comes from, the line of
 * that node, and how many came by the line before.  A node's ports are lines, and what it posts for
 * itself is one: no line's numbers depend on what the others do.  2^20 nodes, 2^13 lines, and 2^31
 * events of each, beyond which ties only would be broken otherwise. */
#define ORDER_SEQUENCE_BITS 44 /* below the rank */
#define ORDER_LINE_BITS     31 /* below the line */
#define ORDER_OWN_LINE      ((1u << (ORDER_SEQUENCE_BITS - ORDER_LINE_BITS)) - 1)

/* Kinds from here on are the node's own affair: its digest and the count of events leave them out,
 * so that a node may as well do in another event what such an event would do. */
enum { EVENT_QUIET = 0x80 };

struct event {
    time_ps at;
    uint64_t order; /* as above */
    union {
        struct {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
            uint32_t node; /* that executes it */
            uint16_t port; /* of that node */
            uint8_t kind;  /* the node type's own */
#else
            uint8_t none, kind;
            uint16_t port;
            uint32_t node;
#endif
        };
        uint64_t target; /* the three of them, see event_target */
    };
    uint64_t argument;
};

static_assert(sizeof(struct event) == 32, "an event is half a cache line");

/* Worked out once for all that goes to one place. */
static inline uint64_t event_target(uint32_t node, uint16_t port, uint8_t kind)
{
    return node | (uint64_t)port << 32 | (uint64_t)kind << 48;
}

static inline bool event_is_quiet(const struct event *event)
{
    return event->kind >= EVENT_QUIET;
}

/* Field by field: of an event that was made just now the fields are in registers, while an
 * assignment would store them and load them again as two vectors, for which the processor waits. */
static inline void event_copy(struct event *to, const struct event *from)
{
    to->at = from->at;
    to->order = from->order;
    to->target = from->target;
    to->argument = from->argument;
}

/* The total order; no two events compare equal. */
static inline bool event_before(const struct event *a, const struct event *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

#endif
