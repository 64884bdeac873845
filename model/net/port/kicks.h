/* SPDX-License-Identifier: Apache-2.0
 * kicks - when a switch's ports look for their next frames.
 * A port that has something left when it begins a frame looks again when the wire is free.  That
 * concerns nobody but the switch until the next frame arrives somewhere, so it is no event: the
 * switch keeps the moments here, in order, and does what is due before each of its events, and at
 * the end of a window (node_put_off).
 * Mostly the next to come is the last of all, so the order is kept by insertion.
 * Owner: the switch. */
#ifndef STORMGLASS_NET_PORT_KICKS_H
#define STORMGLASS_NET_PORT_KICKS_H

#include "base/units.h"

#include <stdbool.h>

struct port;

/* Of a switch's ports, which lie in the order of their numbers. */
struct kick {
    time_ps at;
    struct port *port;
};

struct kicks {
    struct kick *first, *end; /* by time, then port; at `end` lies one that never comes */
    struct kick *limit;       /* of `end` */
    struct kick *items;       /* NULL: there is no room yet */
};

void kicks_init(struct kicks *kicks);
void kicks_fini(struct kicks *kicks);

/* There is no room behind the last. */
static inline bool kicks_are_full(const struct kicks *kicks)
{
    return kicks->end == kicks->limit;
}

NOINLINE void kicks_make_room(struct kicks *kicks);

/* Before, they are not full. */
static inline void kicks_add(struct kicks *kicks, time_ps at, struct port *port)
{
    struct kick *hole = kicks->end++;
    hole[1].at = TIME_NEVER;
    for (; hole != kicks->first; hole--)
        if (hole[-1].at < at || (hole[-1].at == at && hole[-1].port < port))
            break;
        else
            *hole = hole[-1];
    *hole = (struct kick){at, port};
}

/* Of the first; TIME_NEVER: there is none. */
static inline time_ps kicks_due(const struct kicks *kicks)
{
    return kicks->first->at;
}

#endif
