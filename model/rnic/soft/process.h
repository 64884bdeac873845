/* SPDX-License-Identifier: Apache-2.0
 * process - the event loop in which protocols run on a machine.
 * Sleeps until a completion queue or a timer wakes it, then runs rounds: timers and queues whose
 * turn it is, then the devices that had reported events when the round began, the last of them
 * first, as in libev. Up to 16 events per device are handled, including later ones; for each, the
 * queue is armed again and polled twice for up to 16 completions; a queue with more completions
 * gets a turn in the next round, so that others come first. The bridge works the same way
 * (bridge/loop/loop.c, bridge/verbs/verbs_real_post.c).
 * Owner: the machine. Clock: the processor's. */
#ifndef STORMGLASS_RNIC_SOFT_PROCESS_H
#define STORMGLASS_RNIC_SOFT_PROCESS_H

#include "base/env.h"
#include "rnic/soft/processor.h"
#include "rnic/soft/soft_params.h"

enum { PROCESS_DEVICES = 8 }; /* maximum devices with events per round; others wait for the next */

struct process_queue;

/* A queue's entry in a list of the process. */
struct process_link {
    struct process_link *next;
    struct process_queue *queue; /* NULL: not in the list */
};

struct process_list {
    struct process_link *first, *last;
    uint32_t count;
    uint32_t round; /* number of entries, from the first on, whose turn is in this round */
};

/* The process's view of a completion queue; embedded in its owner, zero except `deliver`. */
struct process_queue {
    void (*deliver)(struct process_queue *queue); /* passes on the oldest completion */
    struct process_link event, again;
    uint32_t count; /* waiting completions */
    bool reported;  /* its event was reported, and it has not been armed again */
};

struct process {
    struct work work; /* first member: a work is cast to its process */
    struct processor *processor;
    const struct soft_params *costs;
    /* The device whose descriptor reports the queue's events; NULL: all queues share one. */
    const void *(*device_of)(const struct process_queue *queue);
    struct process_list events, again;
    struct timer **timers; /* expired timers, oldest first, a ring */
    uint32_t timer_first, timer_count, timer_room, timer_round;
    const void *devices[PROCESS_DEVICES]; /* devices still to be handled in this round, the next
                                           * one last */
    uint32_t device_count, left;          /* left: events that the next device may still have */
    struct process_queue *polled;         /* NULL: none */
    uint32_t polls, batch;                /* polls so far; completions left in the present batch */
    uint8_t step;
    bool asleep;
};

/* The costs outlive the process; its work belongs to the node. */
void process_init(struct process *process, struct processor *processor, struct node *node,
                  const struct soft_params *costs);
void process_fini(struct process *process);

/* The queue has got one more completion. */
void process_notify(struct process *process, struct process_queue *queue);

/* The queue is destroyed; the owner handles its completions. */
void process_forget(struct process *process, struct process_queue *queue);

/* The timer has expired; it fires when the process gets to it, if it is still set. */
void process_timer(struct process *process, struct timer *timer);

#endif
