/* SPDX-License-Identifier: Apache-2.0
 * explain - whose fault the pauses were.
 * Told of every pause that a node asks for (a hold) and of every transmitter that obeys one (a
 * block).  A hold at a switch has a reason: the egress that its frames wait for.  Where that egress
 * is itself blocked by its peer, the reason is further down, at the peer's own hold; where it is
 * not, the egress is a point of congestion, and the root.  A host that holds is a root: its receive
 * buffer is full (slow receiver) or it is not (pause storm).  The time of every hold is divided
 * among the roots that it had, moment by moment.
 * Memory: intervals are folded into the totals
 * whenever EXPLAIN_INTERVALS of them have come together, so it does not grow with the run.
 * Not exact: a hold names the egress of the one frame that crossed the threshold.  Where that
 * egress is free while another egress of the switch is blocked, the blocked one is taken for the
 * reason.
 * Clock: times are handed in; calls come in the order of time. */
#ifndef STORMGLASS_REPLAY_EXPLAIN_H
#define STORMGLASS_REPLAY_EXPLAIN_H

#include "base/units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXPLAIN_INTERVALS = 1 << 16, EXPLAIN_HOPS_MAX = 12, EXPLAIN_PRIORITIES = 8 };

#define EXPLAIN_NONE UINT32_MAX

/* The fabric, all ports of all nodes in one row: those of node n are first_port[n] .. first_port[n
 * + 1] - 1. */
struct explain_fabric {
    uint32_t node_count;
    const char *const *names;
    const bool *is_host;
    const uint32_t *first_port; /* node_count + 1 */
    const uint32_t *peer;       /* by port: the port at the other end */
    const uint32_t *node_of;    /* by port */
    const int64_t *rate_bps;    /* by port */
};

enum explain_kind { EXPLAIN_SLOW_RECEIVER, EXPLAIN_STORM, EXPLAIN_CONGESTION, EXPLAIN_CIRCLE };

struct explain_root {
    uint32_t port; /* a host's own port, or the congested egress of a switch */
    uint8_t priority;
    enum explain_kind kind;
    time_ps held_ps;   /* port time held because of it, anywhere */
    time_ps direct_ps; /* of that, by the root's own node */
    time_ps by_kind[4];
};

/* A transmitter that had to stop because of a root. */
struct explain_path {
    uint32_t root; /* index in roots */
    uint32_t hops; /* from the root; 1 is its own neighbour */
    uint32_t port;
    time_ps held_ps;
};

struct explain_hold {
    uint32_t key;    /* port * EXPLAIN_PRIORITIES + priority */
    uint32_t egress; /* port, or EXPLAIN_NONE: a host */
    time_ps from, until;
    bool full; /* the buffer was above its threshold */
};

struct explain_block {
    uint32_t key;
    time_ps from, until;
};

struct explain {
    const struct explain_fabric *fabric;
    struct explain_hold *open_holds;   /* by key; until is 0 where none is open */
    struct explain_block *open_blocks; /* likewise */
    struct explain_hold *holds;        /* closed, of this fold */
    struct explain_block *blocks;
    uint32_t hold_count, block_count, hold_room, block_room;
    uint32_t *root_of; /* by key */
    struct explain_root *roots;
    uint32_t root_count, root_room;
    struct explain_path *paths; /* open addressing until explain_finish, then a sorted row */
    uint32_t path_count, path_room;
};

void explain_init(struct explain *explain, const struct explain_fabric *fabric);
void explain_fini(struct explain *explain);

/* One edge at `port` of a hold; `egress` EXPLAIN_NONE for a host.  A refresh is no edge. */
struct explain_edge {
    time_ps at;
    uint32_t port;
    uint8_t priority;
    bool begins;
    uint32_t egress;
    bool full;
};

void explain_on_hold(struct explain *explain, const struct explain_edge *edge);
void explain_on_block(struct explain *explain, time_ps at, uint32_t port, uint8_t priority,
                      bool begins);

/* Ends what is open, and sorts: roots by their share, paths by root, hops and share. */
void explain_finish(struct explain *explain, time_ps now);

/* Circles of holds and blocks that are open now: each waits for the next.  Call before
 * explain_finish. */
uint32_t explain_circles(const struct explain *explain);

/* Blocks that are open now. */
uint32_t explain_open_blocks(const struct explain *explain);

#endif
