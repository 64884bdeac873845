/* SPDX-License-Identifier: Apache-2.0
 * deadlock - finds queues that block each other permanently through pauses or credits.
 * A deadlock is a set S of non-empty switch queues, each paused by an ingress group of the switch
 * it sends to, where no such group could send its XON even if everything outside S drained. The
 * largest S is a greatest fixed point: start with all queues paused by a switch, and repeatedly
 * remove those whose group would resume if only the bytes waiting in S were left in it. A queue
 * paused by a host is never in S: a slow receiver or a pause storm ends eventually, and then
 * everything behind it moves again.
 *   - A group sends its XON when one of its frames leaves (buffer.h). It therefore also stays
 *     paused when all of its bytes wait in S and no more can arrive, whatever its threshold is.
 *   - A check counts only pauses that no XON in flight can end.
 * On links with credits a group is the receive buffer of a lane. It would not return the
 * credits that a largest frame needs (a lane with fewer is stopped), because frames that wait in S
 * fill it; credits that were lost count as available, because a link reset or the next update
 * restores them.
 * A deadlock is permanent unless something removes frames from a queue from outside: a watchdog, a
 * failing link, a lost PFC frame, the lifetime of a frame. Occasional checks are therefore
 * sufficient. They only read.
 * Source: circular wait, Coffman, Elphick and Shoshani, ACM Computing Surveys 3(2), 1971; cyclic
 * buffer dependency, Hu et al., Deadlocks in Datacenter Networks, HotNets 2016. Owner:
 * deadlock_fini. Units: bytes, picoseconds. Clock: now is passed in. */
#ifndef STORMGLASS_NET_DEADLOCK_DEADLOCK_H
#define STORMGLASS_NET_DEADLOCK_DEADLOCK_H

#include "net/switch/switch.h"

struct deadlock_waits; /* private, see deadlock_waits_private.h */

enum deadlock_role {
    DEADLOCK_CYCLE,  /* on a shortest cycle: each queue waits for the next, the last for the
                      * first */
    DEADLOCK_KNOT,   /* in the same self-sustaining knot, but not on that cycle */
    DEADLOCK_BEHIND, /* waits for the knot but does not block it; may be a host's port */
};

struct deadlock_queue {
    uint32_t node;
    uint16_t port; /* egress port */
    uint8_t priority;
    uint8_t role;  /* enum deadlock_role */
    int64_t bytes; /* queued bytes; 0 for a host's port */
    time_ps since; /* begin of the uninterrupted pause */
};

struct deadlock {
    uint8_t priority;
    time_ps since;                 /* when the last queue of the cycle stopped */
    time_ps found;                 /* time of the check that found it */
    time_ps seen;                  /* time of the last check that saw it */
    time_ps gone;                  /* time of the first check that no longer saw it; TIME_NEVER:
                                    * still present */
    struct deadlock_queue *queues; /* as last seen; the cycle first, in order */
    uint32_t queue_count, room;
    uint32_t cycle, knot, behind; /* number of queues per role */
    int64_t bytes;                /* queued bytes in cycle and knot */
};

struct deadlock_watch {
    struct deadlock *found; /* in the order in which they were found */
    uint32_t count, room;
    time_ps next;         /* time of the next check */
    time_ps looked;       /* time of the last check */
    uint64_t looked_work; /* events executed by the time of the last check */
    uint64_t looks;
    struct deadlock_waits *waits;
};

/* All nodes are in the engine; the switches outlive the watch. */
void deadlock_init(struct deadlock_watch *watch, struct swtch *const *switches, uint32_t count);
void deadlock_fini(struct deadlock_watch *watch);

/* Checks now; all events up to and including `now` have been executed. */
void deadlock_look(struct deadlock_watch *watch, time_ps now);

/* Called at watch->next: checks if enough events have been executed, and sets the next time. Checks
 * take about one hundredth of the run time of `events` (executed so far), and depend only on
 * virtual time and that number. */
void deadlock_tick(struct deadlock_watch *watch, time_ps now, uint64_t events);

#endif
