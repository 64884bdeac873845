/* SPDX-License-Identifier: Apache-2.0
 * deadlock - finds queues that pauses keep waiting for each other for ever.
 * A deadlock is a set S of switch queues, none of them empty, each paused by the ingress group of
 * the switch that it sends to, where no such group could give its XON although everything that
 * waits outside of S left.  The largest S is a greatest fixed point: begin with all queues that a
 * switch has paused, and take out, again and again, those whose group would resume when only the
 * bytes that wait in S were left of it.  A queue that a host has paused is not in S: a slow
 * receiver or a storm ends some day, and then all that it stopped moves again.
 *   - A group gives its XON when one of its frames leaves (buffer.h).  Therefore it stays paused
 *     too when all of its bytes wait in S and no more can come, whatever its threshold has become.
 *   - A look counts only pauses that no XON on its way can undo.
 * What is found is true for ever, but for what takes frames out of a queue from outside: a
 * watchdog, a link that fails, a PFC frame that is lost.  So it is enough to look now and then.
 * Looks read and change nothing.
 * Source:  circular wait, Coffman, Elphick and Shoshani, ACM Computing Surveys 3(2), 1971; cyclic
 *          buffer dependency, Hu et al., Deadlocks in Datacenter Networks, HotNets 2016.
 * Owner: deadlock_fini.  Units: bytes, picoseconds.  Clock: now is passed in. */
#ifndef STORMGLASS_NET_DEADLOCK_DEADLOCK_H
#define STORMGLASS_NET_DEADLOCK_DEADLOCK_H

#include "net/switch/switch.h"

struct deadlock_waits; /* the private half, see deadlock_waits_private.h */

enum deadlock_role {
    DEADLOCK_CYCLE,  /* of a shortest circle: each waits for the next, the last for the first */
    DEADLOCK_KNOT,   /* of the same knot, which holds itself, beside that circle */
    DEADLOCK_BEHIND, /* waits for the knot and is not waited for; a host's port too */
};

struct deadlock_queue {
    uint32_t node;
    uint16_t port; /* egress */
    uint8_t priority;
    uint8_t role;  /* enum deadlock_role */
    int64_t bytes; /* that wait; of a host's port 0 */
    time_ps since; /* paused without a break */
};

struct deadlock {
    uint8_t priority;
    time_ps since;                 /* the last queue of the circle stopped */
    time_ps found;                 /* by a look at this time */
    time_ps seen;                  /* by the last look that saw it */
    time_ps gone;                  /* by the first look that no longer saw it; TIME_NEVER */
    struct deadlock_queue *queues; /* as last seen; the circle first, in its order */
    uint32_t queue_count, room;
    uint32_t cycle, knot, behind; /* how many of each role */
    int64_t bytes;                /* that wait in the queues of circle and knot */
};

struct deadlock_watch {
    struct deadlock *found; /* in the order in which they were found */
    uint32_t count, room;
    time_ps next;         /* the next look is due */
    time_ps looked;       /* the last one was */
    uint64_t looked_work; /* and how many events had been executed then */
    uint64_t looks;
    struct deadlock_waits *waits;
};

/* All nodes are in the engine; the switches outlive the watch. */
void deadlock_init(struct deadlock_watch *watch, struct swtch *const *switches, uint32_t count);
void deadlock_fini(struct deadlock_watch *watch);

/* Looks now, when all events up to and including `now` have been executed. */
void deadlock_look(struct deadlock_watch *watch, time_ps now);

/* To be called at watch->next: looks if it is worth it, and says when to come again.  Looks take
 * about one hundredth of the time that `events` (executed so far) took, and depend on nothing but
 * virtual time and that number. */
void deadlock_tick(struct deadlock_watch *watch, time_ps now, uint64_t events);

#endif
