/* SPDX-License-Identifier: Apache-2.0
 * process - the event loop that protocols run in on a machine.
 * Sleeps until a completion queue or a timer wakes it, then goes round: timers and queues that have
 * their turn, then the devices that had reported events when the round began, the last of them
 * first, as libev does.  Of a device up to 16 events are taken, also those that come meanwhile; for
 * each the queue is armed anew and polled twice for up to 16 completions; a queue that still had
 * some has a turn in the next round, so that others have theirs before.  This is what the bridge
 * does (bridge/verbs/loop.c, bridge/verbs/verbs_real_post.c).
 * Owner: the machine.  Clock: the processor's. */
#ifndef STORMGLASS_RNIC_SOFT_PROCESS_H
#define STORMGLASS_RNIC_SOFT_PROCESS_H

#include "base/env.h"
#include "rnic/soft/processor.h"
#include "rnic/soft/soft_params.h"

enum { PROCESS_DEVICES = 8 }; /* with events in a round; others wait for the next */

struct process_queue;

/* A queue's place on a list of the process. */
struct process_link {
    struct process_link *next;
    struct process_queue *queue; /* NULL: it is not on the list */
};

struct process_list {
    struct process_link *first, *last;
    uint32_t count;
    uint32_t round; /* the first so many have their turn in this round */
};

/* A completion queue as the process sees it; embedded in its owner, zero but for `deliver`. */
struct process_queue {
    void (*deliver)(struct process_queue *queue); /* hands over the oldest completion */
    struct process_link event, again;
    uint32_t count; /* completions that wait */
    bool reported;  /* its event has come, and it is not armed anew yet */
};

struct process {
    struct work work; /* first: the work's process is found by it */
    struct processor *processor;
    const struct soft_params *costs;
    /* Whose events come by one descriptor; NULL: all queues' do. */
    const void *(*device_of)(const struct process_queue *queue);
    struct process_list events, again;
    struct timer **timers; /* due, oldest first, a ring */
    uint32_t timer_first, timer_count, timer_room, timer_round;
    const void *devices[PROCESS_DEVICES]; /* that are to have their turn, the next one last */
    uint32_t device_count, left;          /* of the next one: events that it may have */
    struct process_queue *polled;         /* NULL: none */
    uint32_t polls, batch;                /* polls so far; completions left of the last */
    uint8_t step;
    bool asleep;
};

/* The costs outlive the process; its work belongs to the node. */
void process_init(struct process *process, struct processor *processor, struct node *node,
                  const struct soft_params *costs);
void process_fini(struct process *process);

/* The queue has one completion more. */
void process_notify(struct process *process, struct process_queue *queue);

/* The queue is no more; its completions are the owner's business. */
void process_forget(struct process *process, struct process_queue *queue);

/* The timer is due; it fires when the process comes to it, if it still is. */
void process_timer(struct process *process, struct timer *timer);

#endif
