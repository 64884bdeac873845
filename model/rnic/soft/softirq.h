/* SPDX-License-Identifier: Apache-2.0
 * softirq - whether a processor's next moment is the packets' or the process's.
 * Packets interrupt the process and are worked on at once, in passes of a few rounds; a round is
 * all that waited when it began.  What is left after a pass is handed to a thread, ksoftirqd, which
 * shares the processor fairly with the process: while it waits for its share, packets wait, unless
 * a tasklet is among what waits.  Of two that want the processor each keeps account of the time
 * that it had (virtual runtime); who was asleep comes back at most a slice behind the other.
 *   who runs                changes when
 *   process                 the thread is woken more than `grain` behind it; a tick finds that it
 *                           ran for a slice, or is a slice ahead; but not within a call
 *   thread                  nothing is left for it; the process is woken more than `grain` behind;
 *                           a tick, likewise
 * Source: Linux 6.1 kernel/softirq.c (__do_softirq: 10 rounds, 2 ms, need_resched;
 * ksoftirqd_running: packets wait for the thread, SOFTIRQ_NOW_MASK: tasklets do not), kernel/sched/
 * fair.c (place_entity, wakeup_preempt_entity, check_preempt_tick); a kernel that gives way where
 * it returns to the process (CONFIG_PREEMPT_VOLUNTARY, Debian's).
 * Not modelled: more threads than these two; a second CPU.
 * Clock: times are handed in, and do not go back.  Errors: none. */
#ifndef STORMGLASS_RNIC_SOFT_SOFTIRQ_H
#define STORMGLASS_RNIC_SOFT_SOFTIRQ_H

#include "base/units.h"

#include <stdbool.h>
#include <stdint.h>

struct softirq_costs {
    time_ps limit; /* of a pass; 0: packets always go before the process */
    time_ps slice; /* of the processor at a time, while two want it */
    time_ps grain; /* as far behind takes who wakes the processor at once */
    time_ps tick;  /* the kernel looks at its clock; 0: always */
};

struct softirq {
    struct softirq_costs costs;
    time_ps lead;   /* the process's virtual runtime beyond the thread's */
    time_ps since;  /* who has the processor got it */
    time_ps looked; /* the last look at the clock */
    time_ps began;  /* the pass */
    uint32_t left;  /* works of the round */
    uint8_t rounds; /* of the pass, begun */
    bool passing;   /* a pass is on */
    bool above;     /* it interrupted the process, which pays for it */
    bool handed;    /* to the thread: it wants the processor */
    bool thread;    /* it has it */
    bool woken;     /* the process is to have the processor after the round */
    bool resched;   /* the thread is to have it when the process's call returns */
};

/* What the process wants: nothing, the processor, or to end a call first. */
enum softirq_process { SOFTIRQ_ASLEEP, SOFTIRQ_PROCESS, SOFTIRQ_CALL };

/* The level of who runs next.  `packets`: works that wait for a round; `tasklet`: one of them is
 * a tasklet. */
bool softirq_packets_next(struct softirq *softirq, uint32_t packets, bool tasklet,
                          enum softirq_process process, time_ps now);

/* Whether a packet that comes while the process runs interrupts it. */
bool softirq_interrupts(struct softirq *softirq, bool tasklet, time_ps now);

/* A work of the round is done, or has had its share of it. */
void softirq_worked(struct softirq *softirq);

/* So much time went by; `process`: it was the process's work. */
void softirq_spent(struct softirq *softirq, time_ps spent, bool process);

/* The process, which slept, wants the processor. */
void softirq_process_woken(struct softirq *softirq);

#endif
