/* SPDX-License-Identifier: Apache-2.0
 * deadlock_waits_private - the largest set of queues that wait for each other for ever, and who for
 * whom.
 * Included only by deadlock*.c; what it computes is said in deadlock.h. */
#ifndef STORMGLASS_NET_DEADLOCK_DEADLOCK_WAITS_PRIVATE_H
#define STORMGLASS_NET_DEADLOCK_DEADLOCK_WAITS_PRIVATE_H

#include "net/deadlock/deadlock.h"

#define DEADLOCK_NONE UINT32_MAX /* GRAPH_NONE too */

/* Cells of one queue that came in by one port. */
struct deadlock_hold {
    uint16_t in_port;
    int64_t cells;
};

/* A queue that a switch has paused. */
struct deadlock_wait {
    const struct swtch *at, *peer;
    const struct port *port; /* egress of `at` */
    uint16_t peer_port;
    uint8_t priority;
    /* Masks of the peer's ingress groups at that port: any of those that pause the queue keeps it
     * waiting, with PFC the one of its priority; and to these no more frames can come. */
    uint8_t causes, quiet;
    bool stuck;                      /* in S */
    uint32_t first_hold, hold_count; /* ascending by in_port */
};

struct deadlock_range {
    uint32_t from, until;
};

struct deadlock_waits {
    struct swtch *const *switches;
    uint32_t switch_count, node_count;
    struct deadlock_wait *waits; /* switch by switch, port by port */
    uint32_t count, room;
    struct deadlock_hold *holds;
    uint32_t hold_count, hold_room;
    struct deadlock_range *of_node; /* by node: its waits; empty for most */
    uint32_t *first_group;          /* by node: of `left` */
    int64_t *left;                  /* by group (port and priority): cells that wait in S */
    int64_t *pool;                  /* by node: of the shared memory, what these cells have */
    uint32_t *choices;              /* by node and priority: queues still taken for stuck */
    int64_t *by_port;               /* scratch, for the ports of one switch */
    uint64_t cost;                  /* of the look: ports, frames and pairs looked at */
};

void deadlock_waits_init(struct deadlock_waits *waits, struct swtch *const *switches,
                         uint32_t count);
void deadlock_waits_fini(struct deadlock_waits *waits);

/* Finds S; true: it is not empty.  What is in `waits` holds until the next call. */
bool deadlock_waits_find(struct deadlock_waits *waits, time_ps now);

/* Cells in queue `wait` that came in by a port. */
int64_t deadlock_waits_held(const struct deadlock_waits *waits, const struct deadlock_wait *wait,
                            uint16_t in_port);

/* The first queue of S from place `from` on that `wait` waits for: it holds cells of a group that
 * has paused `wait`; or DEADLOCK_NONE. */
uint32_t deadlock_waits_next(struct deadlock_waits *waits, const struct deadlock_wait *wait,
                             uint32_t from);

/* True when the group of a priority among those that pause `wait` would go on to with `left` of its
 * cells left. */
bool deadlock_waits_hold(const struct deadlock_waits *waits, const struct deadlock_wait *wait,
                         uint8_t cause, int64_t left);

/* True when any of them would, with what of their cells waits in S. */
bool deadlock_waits_is_held(const struct deadlock_waits *waits, const struct deadlock_wait *wait);

static inline bool deadlock_is_switch(const struct engine *engine, uint32_t node)
{
    return engine->nodes[node]->ops == &switch_node_ops;
}

#endif
