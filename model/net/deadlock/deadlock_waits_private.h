/* SPDX-License-Identifier: Apache-2.0
 * deadlock_waits_private - the largest set of queues that block each other permanently, and the
 * wait-for graph.
 * Included only by deadlock*.c; deadlock.h defines the set S. */
#ifndef STORMGLASS_NET_DEADLOCK_DEADLOCK_WAITS_PRIVATE_H
#define STORMGLASS_NET_DEADLOCK_DEADLOCK_WAITS_PRIVATE_H

#include "net/deadlock/deadlock.h"

#define DEADLOCK_NONE UINT32_MAX /* equal to GRAPH_NONE */

/* Cells of one queue that entered by one port; of a port with credits, credits. */
struct deadlock_hold {
    uint16_t in_port;
    int64_t cells;
};

/* A queue paused by a switch, or that waits for credits of one. */
struct deadlock_wait {
    const struct swtch *at, *peer;
    const struct port *port; /* egress port of `at` */
    uint16_t peer_port;
    uint8_t priority;
    /* Masks of the peer's ingress groups at that port. causes: each group that blocks the queue,
     * with PFC only the group of its priority; quiet: those to which no more frames can come. */
    uint8_t causes, quiet;
    bool stuck;                      /* still in S */
    uint32_t first_hold, hold_count; /* range of holds, ascending by in_port */
};

struct deadlock_range {
    uint32_t from, until;
};

struct deadlock_waits {
    struct swtch *const *switches;
    uint32_t switch_count, node_count;
    struct deadlock_wait *waits; /* ordered by switch and port */
    uint32_t count, room;
    struct deadlock_hold *holds;
    uint32_t hold_count, hold_room;
    struct deadlock_range *of_node; /* by node: range of its waits; mostly empty */
    uint32_t *first_group;          /* by node: first index in `left` */
    int64_t *left;     /* by group (port and priority): cells, or credits, that wait in S */
    int64_t *pool;     /* by node: cells of the shared memory that they occupy */
    uint32_t *choices; /* by node and priority: queues still considered blocked */
    int64_t *by_port;  /* scratch: cells by port of one switch */
    uint64_t cost;     /* of the check: ports, frames and pairs visited */
};

void deadlock_waits_init(struct deadlock_waits *waits, struct swtch *const *switches,
                         uint32_t count);
void deadlock_waits_fini(struct deadlock_waits *waits);

/* Finds S; returns true when it is not empty. `waits` stays valid until the next call. */
bool deadlock_waits_find(struct deadlock_waits *waits, time_ps now);

/* Cells, or credits, in queue `wait` that entered by a port. */
int64_t deadlock_waits_held(const struct deadlock_waits *waits, const struct deadlock_wait *wait,
                            uint16_t in_port);

/* The first queue of S from index `from` on that blocks `wait`, because it has cells of a group
 * that has paused `wait`; or DEADLOCK_NONE. */
uint32_t deadlock_waits_next(struct deadlock_waits *waits, const struct deadlock_wait *wait,
                             uint32_t from);

/* True when group `cause`, one of those that pause `wait`, would stay paused with `left` of its
 * cells. */
bool deadlock_waits_hold(const struct deadlock_waits *waits, const struct deadlock_wait *wait,
                         uint8_t cause, int64_t left);

/* True when any group that pauses `wait` would stay paused with only its cells in S. */
bool deadlock_waits_is_held(const struct deadlock_waits *waits, const struct deadlock_wait *wait);

static inline bool deadlock_is_switch(const struct engine *engine, uint32_t node)
{
    return engine->nodes[node]->ops == &switch_node_ops;
}

#endif
