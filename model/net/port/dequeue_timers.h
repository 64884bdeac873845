/* SPDX-License-Identifier: Apache-2.0
 * dequeue_timers - when a switch's ports look for their next frames.
 * A port that has something left when it begins a frame looks again when the wire is free.  That
 * concerns nobody but the switch until the next frame arrives somewhere, so it is no event: the
 * switch keeps the moments here, in order, and does what is due before each of its events, and at
 * the end of a window (node_put_off).
 * Mostly the next to come is the last of all, so the order is kept by insertion.
 * Owner: the switch. */
#ifndef STORMGLASS_NET_PORT_DEQUEUE_TIMERS_H
#define STORMGLASS_NET_PORT_DEQUEUE_TIMERS_H

#include "base/units.h"

#include <stdbool.h>

struct port;

/* Of a switch's ports, which lie in the order of their numbers. */
struct dequeue_timer {
    time_ps at;
    struct port *port;
};

struct dequeue_timers {
    struct dequeue_timer *first, *end; /* by time, then port; at `end` lies one that never comes */
    struct dequeue_timer *limit;       /* of `end` */
    struct dequeue_timer *items;       /* NULL: there is no room yet */
};

void dequeue_timers_init(struct dequeue_timers *timers);
void dequeue_timers_fini(struct dequeue_timers *timers);

/* There is no room behind the last. */
static inline bool dequeue_timers_are_full(const struct dequeue_timers *timers)
{
    return timers->end == timers->limit;
}

NOINLINE void dequeue_timers_make_room(struct dequeue_timers *timers);

/* Before, they are not full. */
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

/* Of the first; TIME_NEVER: there is none. */
static inline time_ps dequeue_timers_due(const struct dequeue_timers *timers)
{
    return timers->first->at;
}

#endif
