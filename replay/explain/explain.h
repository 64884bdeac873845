/* SPDX-License-Identifier: Apache-2.0
 * explain - whose fault the pauses were.
 * Told of every pause that a node asks for (a hold) and of every transmitter that obeys one (a
 * block).  A hold at a switch has reasons: the egress queues that its memory is full of.  Where
 * such an egress is itself blocked by its peer, the reason is further down, at the peer's own hold;
 * where it is not, the egress is a point of congestion, and the root.  A hold that the peer never
 * obeys stops nobody and has no root.  A host that holds is a root:
 * its receive buffer is full (slow receiver) or it is not (pause storm).  The time for which a hold
 * stopped its transmitter, which is what the port counts, is divided among the roots that the hold
 * had, moment by moment:
 *   - among its reasons by their weight, each for as long as it takes to send what waited there;
 *   - an egress that may send but could not a moment ago works off what the block left behind.  Of
 *     the time T that its queue takes to send, the part that it was blocked during the last T is
 *     the blocker's, the rest its own.
 * Memory: intervals are folded into the totals whenever EXPLAIN_INTERVALS of them have come
 * together, so it does not grow with the run; a walk that takes more than EXPLAIN_STEPS gives the
 * rest to nobody (unknown_ps).
 * Not exact: what happened before the present fold is not looked at.
 * Clock: times are handed in; calls come in the order of time. */
#ifndef STORMGLASS_REPLAY_EXPLAIN_EXPLAIN_H
#define STORMGLASS_REPLAY_EXPLAIN_EXPLAIN_H

#include "base/units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXPLAIN_INTERVALS = 1 << 16, EXPLAIN_HOPS_MAX = 32, EXPLAIN_PRIORITIES = 8 };
enum { EXPLAIN_STEPS = 1 << 14, EXPLAIN_REASONS = 4 };
enum { EXPLAIN_KINDS_MAX = 16 }; /* verdicts of verdict.def, at most */

#define EXPLAIN_NONE UINT32_MAX

/* The fabric, all ports of all nodes in one row: those of node n are first_port[n] .. first_port[n
 * + 1] - 1. */
struct explain_fabric {
    uint32_t node_count;
    const char *const *names;
    const char *const *port_names; /* by port: "Ethernet4"; NULL, or all: p1 */
    const bool *is_host;
    const uint32_t *first_port; /* node_count + 1 */
    const uint32_t *peer;       /* by port: the port at the other end */
    const uint32_t *node_of;    /* by port */
    const int64_t *rate_bps;    /* by port */
};

struct explain_root {
    uint32_t port; /* a host's own port, or the congested egress of a switch */
    uint8_t priority;
    unsigned kind; /* enum explain_kind of verdict.h */
    time_ps held_ps;   /* port time stopped because of it, anywhere */
    time_ps direct_ps; /* of that, by the root's own node */
    time_ps by_kind[EXPLAIN_KINDS_MAX];
    bool idle;  /* it stopped nobody; only until explain_finish */
    bool fault; /* a host's pauses, and not a negligible part of all: it comes first */
};

/* What the evidence says, after explain_finish.  The first root is the cause; hosts elsewhere that
 * pause with a twentieth of the time or more are causes beside it.  Unsure: another root has a
 * comparable share, too much of the time belongs to nobody known, or pauses go in a circle.
 * Roots at the two ends of one link count as one: a slow host is fed by a congested egress. */
struct explain_verdict {
    bool sure;
    uint32_t causes;  /* the first so many roots */
    uint32_t rival;   /* the root that may be the cause instead, or EXPLAIN_NONE */
    time_ps all_ps;   /* all holds that stopped anybody */
    time_ps first_ps; /* of it, the first root's */
    time_ps rival_ps;
    time_ps unknown_ps; /* whose cause was not found */
};

/* A transmitter that had to stop because of a root. */
struct explain_path {
    uint32_t root; /* index in roots */
    uint32_t hops; /* from the root; 1 is its own neighbour */
    uint32_t port;
    time_ps held_ps;
};

/* A queue that a hold is due to. */
struct explain_reason {
    uint32_t port;
    uint32_t weight; /* against the other reasons' */
    uint32_t queued; /* bytes; UINT32_MAX: that or more */
    uint8_t priority;
};

struct explain_hold {
    uint32_t key;         /* port * EXPLAIN_PRIORITIES + priority */
    uint8_t reason_count; /* 0: a host */
    bool full;            /* the buffer was above its threshold */
    uint32_t coming;      /* bytes that may come after the beginning: headroom */
    time_ps from, until;
    struct explain_reason reasons[EXPLAIN_REASONS];
};

struct explain_block {
    uint32_t key;
    time_ps from, until;
    time_ps before; /* the key's blocked time before `from` in this fold */
};

struct explain_piece;

struct explain {
    const struct explain_fabric *fabric;
    struct explain_hold *open_holds;   /* by key; until is 0 where none is open */
    struct explain_block *open_blocks; /* likewise */
    struct explain_hold *holds;        /* closed, of this fold */
    struct explain_block *blocks;
    uint32_t hold_count, block_count, hold_room, block_room;
    uint32_t *first_hold, *first_block; /* by key, and behind the last: where its own begin */
    uint32_t *root_of;                  /* by key */
    struct explain_root *roots;
    uint32_t root_count, root_room;
    struct explain_path *paths; /* open addressing until explain_finish, then a sorted row */
    uint32_t path_count, path_room;
    struct explain_piece *pieces; /* the walk's stack */
    uint32_t piece_room;
    time_ps unknown_ps;
    bool *idle; /* by key: explain_never_sent */
    time_ps idle_ps;
    struct explain_verdict verdict;
    time_ps blocked_ps; /* time that transmitters obeyed pauses */
    time_ps asked_ps;   /* how long the holds lasted that stopped a transmitter */
};

void explain_init(struct explain *explain, const struct explain_fabric *fabric);
void explain_fini(struct explain *explain);

/* One edge at `port` of a hold.  A refresh is one that begins: its reasons may be others. */
struct explain_edge {
    time_ps at;
    uint32_t port;
    uint8_t priority;
    bool begins, full;
    uint8_t reason_count;
    uint32_t coming;
    struct explain_reason reasons[EXPLAIN_REASONS];
};

void explain_on_hold(struct explain *explain, const struct explain_edge *edge);
void explain_on_block(struct explain *explain, time_ps at, uint32_t port, uint8_t priority,
                      bool begins);

/* The transmitter had nothing to send in that priority, all the time: the host that stopped it
 * stopped nobody, and is no root. */
void explain_never_sent(struct explain *explain, uint32_t port, uint8_t priority);

/* Ends what is open, sorts, and judges: roots by their share, but those that are faults first;
 * paths by root, hops and share. */
void explain_finish(struct explain *explain, time_ps now);

#endif
