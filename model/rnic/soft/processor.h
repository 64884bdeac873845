/* SPDX-License-Identifier: Apache-2.0
 * processor - the single CPU of a machine, shared by everything that runs on it.
 * A work has a cost and an effect, which happens when the cost has been paid. Interrupt work
 * (packets, the RNIC's tasklets) preempts process work at once; preempted work resumes later. Under
 * a high interrupt load the process still gets its share (softirq.h). First come, first served
 * within a level.
 *   NESTED     immediate consequences of interrupt work: answers, an opened window
 *   INTERRUPT  received packets, READ responses, timers
 *   CALL       the system call that the process is in
 *   PROCESS    the process itself
 * Hosts of one machine are separate nodes that share the processor, and must be run by the same
 * thread. Work is ordered by the events in which it is added, so the order is the engine's; the
 * event that ends a work belongs to the node of that work.
 * Owner: the machine. Clock: the engine's. Errors: none. */
#ifndef STORMGLASS_RNIC_SOFT_PROCESSOR_H
#define STORMGLASS_RNIC_SOFT_PROCESSOR_H

#include "engine/engine.h"
#include "rnic/soft/softirq.h"

enum processor_level {
    PROCESSOR_NESTED,
    PROCESSOR_INTERRUPT,
    PROCESSOR_CALL,
    PROCESSOR_PROCESS,
    PROCESSOR_LEVELS
};

/* CPU time of the kernel itself: when work arrives at an idle processor, and at each tick, added to
 * the work that it interrupts; and the sharing between interrupt work and the process. */
struct processor_costs {
    time_ps idle, tick, tick_interval; /* tick 0: no ticks */
    struct softirq_costs softirq;
};

/* Embedded in a work, which is queued or runs at most once at a time. */
struct work {
    struct work *next;
    struct node *node;
    time_ps (*begin)(struct work *work, time_ps now); /* returns the cost of the next piece */
    bool (*end)(struct work *work, time_ps now);      /* its effect; true: another piece follows
                                                       * at once */
    time_ps left;                                     /* remaining time of a preempted piece */
    uint8_t level;                                    /* enum processor_level */
    bool queued, begun;
    bool tasklet; /* interrupt work that does not wait for ksoftirqd */
};

struct work_queue {
    struct work *first, *last;
    uint32_t count;
};

struct processor {
    struct work_queue queues[PROCESSOR_LEVELS];
    struct work *running;    /* NULL: idle, or between two pieces of work */
    time_ps since;           /* when the running piece began or resumed */
    uint64_t serial;         /* of the event that ends the piece; earlier ones are void */
    enum processor_level at; /* level of the present effect */
    bool inside;             /* an effect is running */
    struct processor_costs costs;
    time_ps next_tick;
    struct softirq softirq;
    uint32_t tasklets;              /* number of tasklets in the waiting interrupt work */
    time_ps debt;                   /* cost of work already done, still to be paid */
    struct work payment;            /* the work that pays the debt */
    time_ps busy[PROCESSOR_LEVELS]; /* total of completed pieces */
    uint8_t event;                  /* kind of the event that ends a piece */
};

/* `event`: the kind of event to pass to processor_on_event. `home`: the node whose events pay
 * debts. */
void processor_init(struct processor *processor, struct node *home, uint8_t event,
                    const struct processor_costs *costs);

/* No-op when the work is already queued or running. */
void processor_add(struct processor *processor, struct work *work, enum processor_level level);

/* Removes the work, queued or running; its piece has no effect. */
void processor_remove(struct processor *processor, struct work *work);

/* Adds to the cost of the present effect, or charges work done at once: paid before the waiting
 * work of that level. */
void processor_charge(struct processor *processor, time_ps cost);

/* The level for work that the present effect causes. */
enum processor_level processor_within(const struct processor *processor);

void processor_on_event(struct processor *processor, const struct event *event);

void processor_audit(const struct processor *processor);

#endif
