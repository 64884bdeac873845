/* SPDX-License-Identifier: Apache-2.0
 * softirq - decides whether packets or the process get the processor next.
 * Packets interrupt the process and are processed at once, in passes of a few rounds; a round is
 * everything that waited at its begin. What is left after a pass is handed to a thread, ksoftirqd,
 * which shares the processor fairly with the process: while it waits for its share, packets wait
 * too, unless one of them is for a tasklet. Thread and process each have a virtual runtime; one
 * that wakes up is at most a slice behind the other.
 *   running                 changes when
 *   process                 the thread wakes up more than `grain` behind it; at a tick, when it has
 *                           run for a slice or is a slice ahead; but not within a system call
 *   thread                  nothing is left for it; the process wakes up more than `grain` behind
 *                           it; at a tick, likewise
 * Source: Linux 6.1 kernel/softirq.c (__do_softirq: 10 rounds, 2 ms, need_resched;
 * ksoftirqd_running: packets wait for the thread, SOFTIRQ_NOW_MASK: tasklets do not),
 * kernel/sched/fair.c (place_entity, wakeup_preempt_entity, check_preempt_tick); a kernel that
 * yields on its return to the process (CONFIG_PREEMPT_VOLUNTARY, Debian's). Not modeled: threads
 * other than these two; a second CPU. Clock: times are passed in and never run backwards. Errors:
 * none. */
#ifndef STORMGLASS_RNIC_SOFT_SOFTIRQ_H
#define STORMGLASS_RNIC_SOFT_SOFTIRQ_H

#include "base/units.h"

#include <stdbool.h>
#include <stdint.h>

struct softirq_costs {
    time_ps limit; /* ps, length of a pass; 0: packets always precede the process */
    time_ps slice; /* ps of processor time in turn, while both need it */
    time_ps grain; /* ps behind at which a waking thread or process gets the processor at once */
    time_ps tick;  /* ps between the kernel's reads of its clock; 0: always */
};

struct softirq {
    struct softirq_costs costs;
    time_ps lead;   /* virtual runtime of the process minus that of the thread, ps */
    time_ps since;  /* when the present owner got the processor */
    time_ps looked; /* last read of the clock */
    time_ps began;  /* begin of the pass */
    uint32_t left;  /* works left in the round */
    uint8_t rounds; /* rounds begun in the pass */
    bool passing;   /* a pass is in progress */
    bool above;     /* the pass interrupted the process, which is charged for it */
    bool handed;    /* packets were handed to the thread, which needs the processor */
    bool thread;    /* the thread owns the processor */
    bool woken;     /* the process gets the processor after the round */
    bool resched;   /* the thread gets the processor when the process's system call returns */
};

/* State of the process: asleep, needs the processor, or must finish a system call first. */
enum softirq_process { SOFTIRQ_ASLEEP, SOFTIRQ_PROCESS, SOFTIRQ_CALL };

/* Whether packets go next. `packets`: works waiting for a round; `tasklet`: one of them is a
 * tasklet. */
bool softirq_packets_next(struct softirq *softirq, uint32_t packets, bool tasklet,
                          enum softirq_process process, time_ps now);

/* Whether a packet that arrives while the process runs interrupts it. */
bool softirq_interrupts(struct softirq *softirq, bool tasklet, time_ps now);

/* A work of the round is done, or has used its share of it. */
void softirq_worked(struct softirq *softirq);

/* `spent` time has elapsed; `process`: used by the process. */
void softirq_spent(struct softirq *softirq, time_ps spent, bool process);

/* The process wakes up and needs the processor. */
void softirq_process_woken(struct softirq *softirq);

#endif
