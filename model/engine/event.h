/* SPDX-License-Identifier: Apache-2.0
 * event - one scheduled event, as 32 bytes of data. */
#ifndef STORMGLASS_ENGINE_EVENT_H
#define STORMGLASS_ENGINE_EVENT_H

#include "base/units.h"

#include <assert.h>
#include <stdbool.h>

/* The order key breaks ties between events at the same time: rank of the source node, line of that
 * node, number of the event on the line. Each port of a node is a line, and events that the node
 * posts for itself are another, so that the numbers on one line do not depend on the others. 2^20
 * nodes, 2^13 lines and 2^31 events per line; beyond that only the breaking of ties would
 * change. */
#define ORDER_SEQUENCE_BITS 44 /* bits below the rank */
#define ORDER_LINE_BITS     31 /* bits below the line */
#define ORDER_OWN_LINE      ((1u << (ORDER_SEQUENCE_BITS - ORDER_LINE_BITS)) - 1)

/* Kinds from here on are internal to the node. The digest and the event count exclude them, so that
 * a node may do the same work in a different event. */
enum { EVENT_QUIET = 0x80 };

struct event {
    time_ps at;
    uint64_t order; /* order key, see above */
    union {
        struct {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
            uint32_t node; /* node that executes it */
            uint16_t port; /* port of that node */
            uint8_t kind;  /* meaning defined by the node type */
#else
            uint8_t none, kind;
            uint16_t port;
            uint32_t node;
#endif
        };
        uint64_t target; /* node, port and kind in one word, see event_target */
    };
    uint64_t argument;
};

static_assert(sizeof(struct event) == 32, "an event is half a cache line");

/* Computed once for all events with the same destination. */
static inline uint64_t event_target(uint32_t node, uint16_t port, uint8_t kind)
{
    return node | (uint64_t)port << 32 | (uint64_t)kind << 48;
}

static inline bool event_is_quiet(const struct event *event)
{
    return event->kind >= EVENT_QUIET;
}

/* Copies field by field: the fields of an event just built are in registers, while a struct
 * assignment would store them and reload them as two vectors, which stalls the processor. */
static inline void event_copy(struct event *to, const struct event *from)
{
    to->at = from->at;
    to->order = from->order;
    to->target = from->target;
    to->argument = from->argument;
}

/* The total order of events; no two events compare equal. */
static inline bool event_before(const struct event *a, const struct event *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

#endif
