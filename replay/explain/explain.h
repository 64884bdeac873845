/* SPDX-License-Identifier: Apache-2.0
 * explain - attributes pause time to its root causes.
 * Input: every pause that a node requests (a hold) and every transmitter that obeys one (a block).
 * A hold at a switch has reasons: the egress queues that fill its buffer. If such an egress is
 * itself blocked by its peer, the reason is further downstream, at the peer's hold; otherwise the
 * egress is a point of congestion and a root. A host that requests pauses is a root: its receive
 * buffer is full (slow receiver) or not (pause storm). A hold that the peer never obeys stops no
 * transmitter and has no root.
 * The time for which a hold stopped its transmitter, which is what the port counts, is divided
 * among its roots at each instant:
 *   - among its reasons by weight, each for as long as it takes to send what was queued there;
 *   - an egress that was recently unblocked still drains the backlog of the block. If its queue
 *     takes time T to send, the fraction of the last T that it was blocked is attributed to the
 *     blocker, the rest to itself.
 * A pause of all priorities (IEEE 802.3x) is reported as one hold and one block of each, and counts
 * once, by those of priority 0.
 * Memory: whenever EXPLAIN_INTERVALS intervals have accumulated, they are folded into the totals,
 * so memory does not grow with the run. A walk of more than EXPLAIN_STEPS attributes the rest to no
 * root (unknown_ps).
 * Approximation: a walk does not look back beyond the current fold.
 * Clock: times are arguments; calls must be in order of time. */
#ifndef STORMGLASS_REPLAY_EXPLAIN_EXPLAIN_H
#define STORMGLASS_REPLAY_EXPLAIN_EXPLAIN_H

#include "base/units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXPLAIN_INTERVALS = 1 << 16, EXPLAIN_HOPS_MAX = 32, EXPLAIN_PRIORITIES = 8 };
enum { EXPLAIN_STEPS = 1 << 14, EXPLAIN_REASONS = 4 };
enum { EXPLAIN_KINDS_MAX = 16 }; /* upper limit of the number of verdicts in verdict.def */

#define EXPLAIN_NONE UINT32_MAX

/* The fabric, with the ports of all nodes in one array: those of node n are first_port[n] to
 * first_port[n + 1] - 1. */
struct explain_fabric {
    uint32_t node_count;
    const char *const *names;
    const char *const *port_names; /* by port: "Ethernet4"; NULL, as entry or array: p1 */
    const bool *is_host;
    const uint32_t *first_port; /* node_count + 1 entries */
    const uint32_t *peer;       /* by port: the port at the other end */
    const uint32_t *node_of;    /* by port */
    const int64_t *rate_bps;    /* by port */
    const bool *pauses_all; /* by port: its pauses stop all priorities together; NULL: of none */
};

struct explain_root {
    uint32_t port;     /* a host's own port, or the congested egress of a switch */
    uint8_t priority;  /* of a host that pauses all priorities together: one that has traffic */
    unsigned kind;     /* enum explain_kind of verdict.h */
    time_ps held_ps;   /* ps; port time stopped because of this root, anywhere */
    time_ps direct_ps; /* ps; of that, stopped by the root's own node */
    time_ps by_kind[EXPLAIN_KINDS_MAX];
    bool idle;  /* stopped no transmitter; only until explain_finish */
    bool fault; /* a host that causes a significant share of the pauses; sorted first */
};

/* Conclusion after explain_finish. The first root is the cause; other hosts that pause for at least
 * a twentieth of the time are additional causes. The verdict is not sure if another root has a
 * comparable share, too much of the time is unattributed, or pauses form a cyclic dependency. Roots
 * at the two ends of one link count as one: a slow host is fed by a congested egress. */
struct explain_verdict {
    bool sure;
    uint32_t causes;  /* number of leading roots that are causes */
    uint32_t rival;   /* root that may be the cause instead, or EXPLAIN_NONE */
    time_ps all_ps;   /* ps; all holds that stopped a transmitter */
    time_ps first_ps; /* ps; of that, attributed to the first root */
    time_ps rival_ps;
    time_ps unknown_ps; /* ps; of that, unattributed */
};

/* A transmitter that was stopped because of a root. */
struct explain_path {
    uint32_t root; /* index in roots */
    uint32_t hops; /* from the root; 1: its direct neighbor */
    uint32_t port;
    time_ps held_ps;
};

/* An egress queue that contributes to a hold. */
struct explain_reason {
    uint32_t port;
    uint32_t weight; /* relative to the other reasons */
    uint32_t queued; /* bytes; UINT32_MAX: that or more */
    uint8_t priority;
};

struct explain_hold {
    uint32_t key;         /* port * EXPLAIN_PRIORITIES + priority */
    uint8_t reason_count; /* 0: a host */
    bool full;            /* the buffer was above its threshold */
    uint32_t coming;      /* bytes that may still arrive: headroom */
    time_ps from, until;
    struct explain_reason reasons[EXPLAIN_REASONS];
};

struct explain_block {
    uint32_t key;
    time_ps from, until;
    time_ps before; /* ps; blocked time of the key before `from`, in this fold */
};

struct explain_piece;

struct explain {
    const struct explain_fabric *fabric;
    struct explain_hold *open_holds;   /* by key; until is 0 if none is open */
    struct explain_block *open_blocks; /* by key; until is 0 if none is open */
    struct explain_hold *holds;        /* closed holds of this fold */
    struct explain_block *blocks;
    uint32_t hold_count, block_count, hold_room, block_room;
    uint32_t *first_hold, *first_block; /* start of each key's intervals, plus one end entry */
    uint32_t *root_of;                  /* by key */
    struct explain_root *roots;
    uint32_t root_count, root_room;
    struct explain_path *paths; /* open addressing until explain_finish, then a sorted array */
    uint32_t path_count, path_room;
    struct explain_piece *pieces; /* stack of the walk */
    uint32_t piece_room;
    time_ps unknown_ps;
    bool *idle; /* by key: see explain_never_sent */
    time_ps idle_ps;
    struct explain_verdict verdict;
    time_ps blocked_ps; /* ps; time in which transmitters obeyed pauses */
    time_ps asked_ps;   /* ps; duration of holds that stopped a transmitter */
};

void explain_init(struct explain *explain, const struct explain_fabric *fabric);
void explain_fini(struct explain *explain);

/* Start or end of a hold at `port`. A refresh counts as a start, because its reasons may differ. */
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

/* The transmitter never had anything to send in that priority, so the host that paused it stopped
 * nothing and is not a root. */
void explain_never_sent(struct explain *explain, uint32_t port, uint8_t priority);

/* Ends open intervals, sorts, and determines the verdict. Roots are sorted by share with faulty
 * hosts first; paths by root, hops and share. */
void explain_finish(struct explain *explain, time_ps now);

#endif
