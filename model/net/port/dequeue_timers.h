/* SPDX-License-Identifier: Apache-2.0
 * dequeue_timers - when a switch's ports send their next frames.
 * A port with more to send when it begins a frame has to continue when the wire is free. Until the
 * next frame arrives somewhere this affects only the switch, so it is no event: the switch keeps
 * the times here, in order, and does what is due before each of its events and at the end of a
 * window (node_put_off). Usually a new timer is the last in order, so insertion keeps the list
 * sorted cheaply.
 * Owner: the switch. */
#ifndef STORMGLASS_NET_PORT_DEQUEUE_TIMERS_H
#define STORMGLASS_NET_PORT_DEQUEUE_TIMERS_H

#include "base/units.h"

#include <stdbool.h>

struct port;

/* A timer of a switch's port; the ports are in memory in the order of their numbers. */
struct dequeue_timer {
    time_ps at;
    struct port *port;
};

struct dequeue_timers {
    struct dequeue_timer *first, *end; /* ordered by time, then port; `end` is a sentinel that
                                        * never expires */
    struct dequeue_timer *limit;       /* upper bound of `end` */
    struct dequeue_timer *items;       /* NULL: nothing allocated yet */
};

void dequeue_timers_init(struct dequeue_timers *timers);
void dequeue_timers_fini(struct dequeue_timers *timers);

/* No space after the last timer. */
static inline bool dequeue_timers_are_full(const struct dequeue_timers *timers)
{
    return timers->end == timers->limit;
}

NOINLINE void dequeue_timers_make_room(struct dequeue_timers *timers);

/* Precondition: not full. */
static inline void dequeue_timers_add(struct dequeue_timers *timers, time_ps at, struct port *port)
{
    struct dequeue_timer *hole = timers->end++;
    hole[1].at = TIME_NEVER;
    for (; hole != timers->first; hole--)
        if (hole[-1].at < at || (hole[-1].at == at && hole[-1].port < port))
            break;
        else
            *hole = hole[-1];
    *hole = (struct dequeue_timer){at, port};
}

/* Time of the first timer; TIME_NEVER: none. */
static inline time_ps dequeue_timers_due(const struct dequeue_timers *timers)
{
    return timers->first->at;
}

#endif
