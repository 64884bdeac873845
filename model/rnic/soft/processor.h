/* SPDX-License-Identifier: Apache-2.0
 * processor - the one CPU of a machine, shared by all that runs on it.
 * Work has a cost and an effect, which comes when the cost is paid.  Interrupt work (packets, the
 * RNIC's tasklets) goes before process work and takes the processor from it at once; what was
 * interrupted goes on where it was.  Where there is much of it, the process has its share
 * (softirq.h).  Within a level: first come, first served.
 *
 *   NESTED     what interrupt work leads to at once: answers, a window that has opened
 *   INTERRUPT  received packets, READ responses, timers
 *   CALL       the system call that the process is in
 *   PROCESS    the process itself
 *
 * Hosts of one machine are nodes of their own and share this: whoever spreads nodes over threads
 * keeps them together.  The order is that of the events in which work is added, which is the
 * engine's; an event that ends work is one of the node that the work belongs to.
 * Owner: the machine.  Clock: the engine's.  Errors: none. */
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

/* What the kernel takes for itself: when work comes to an idle processor, and at each tick, from
 * the work that it falls into.  And how interrupt work and the process share it. */
struct processor_costs {
    time_ps idle, tick, tick_interval; /* tick 0: none */
    struct softirq_costs softirq;
};

/* Embedded in what is worked on; waits or runs once at a time. */
struct work {
    struct work *next;
    struct node *node;
    time_ps (*begin)(struct work *work, time_ps now); /* what the next piece costs */
    bool (*end)(struct work *work, time_ps now);      /* its effect; true: another piece, at once */
    time_ps left;                                     /* of a piece that was interrupted */
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
    time_ps since;           /* the running work's piece began, or went on */
    uint64_t serial;         /* of the event that ends the piece; those before are void */
    enum processor_level at; /* of the effect that is happening */
    bool inside;             /* within an effect */
    struct processor_costs costs;
    time_ps next_tick;
    struct softirq softirq;
    uint32_t tasklets;              /* of the interrupt work that waits */
    time_ps debt;                   /* of work done already that is still to be paid */
    struct work payment;            /* pays it */
    time_ps busy[PROCESSOR_LEVELS]; /* so far, of pieces that are over */
    uint8_t event;                  /* kind of the event that ends a piece */
};

/* `event`: the kind that a node hands to processor_on_event.  `home`: whose events pay debts. */
void processor_init(struct processor *processor, struct node *home, uint8_t event,
                    const struct processor_costs *costs);

/* Nothing happens if the work waits or runs already. */
void processor_add(struct processor *processor, struct work *work, enum processor_level level);

/* Takes it off, whether it waits or runs; its piece has no effect. */
void processor_remove(struct processor *processor, struct work *work);

/* The present effect costs more, or work that is done at once has a cost: paid before what waits at
 * the level. */
void processor_charge(struct processor *processor, time_ps cost);

/* Where work belongs that the present effect leads to. */
enum processor_level processor_within(const struct processor *processor);

void processor_on_event(struct processor *processor, const struct event *event);

void processor_audit(const struct processor *processor);

#endif
