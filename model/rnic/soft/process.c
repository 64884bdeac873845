/* SPDX-License-Identifier: Apache-2.0
 * process - the steps of the event loop.
 *   asleep --> WAKE --> round: TIMER*, turns, EVENT, COMPLETION* ... --> LOOP --> next round
 *                                                                          '---> asleep */
#include "rnic/soft/process.h"

#include "base/memory.h"

#include <stdlib.h>

enum { BATCH = 16, POLLS = 2, EVENTS = 16 };
enum step { STEP_WAKE, STEP_LOOP, STEP_TIMER, STEP_EVENT, STEP_COMPLETION };

/* ------------------------------------------------------------------ lists */

static void list_add(struct process_list *list, struct process_link *link,
                     struct process_queue *queue)
{
    if (link->queue != NULL)
        return;
    link->next = NULL;
    link->queue = queue;
    if (list->first == NULL)
        list->first = link;
    else
        list->last->next = link;
    list->last = link;
    list->count++;
}

static struct process_queue *list_take(struct process_list *list)
{
    struct process_link *link = list->first;
    struct process_queue *queue = link->queue;
    list->first = link->next;
    list->count--;
    link->queue = NULL;
    return queue;
}

/* Takes the next queue of this round. */
static struct process_queue *list_next(struct process_list *list)
{
    CHECK(list->round > 0);
    list->round--;
    return list_take(list);
}

static void list_drop(struct process_list *list, const struct process_link *link)
{
    const uint32_t count = list->count, round = list->round;
    for (uint32_t i = 0; i < count; i++) { /* all of them, so that the others keep their order */
        struct process_link *at = list->first;
        struct process_queue *queue = list_take(list);
        if (at != link)
            list_add(list, at, queue);
        else if (i < round)
            list->round--;
    }
    CHECK(link->queue == NULL);
}

static const void *device_of(const struct process *process, const struct process_queue *queue)
{
    return process->device_of == NULL ? NULL : process->device_of(queue);
}

/* The oldest event of the device. */
static struct process_link *first_of(const struct process *process, const void *device,
                                     struct process_link **before)
{
    *before = NULL;
    for (struct process_link *link = process->events.first; link != NULL;
         *before = link, link = link->next)
        if (device_of(process, link->queue) == device)
            return link;
    return NULL;
}

static struct process_queue *take_first_of(struct process *process, const void *device)
{
    struct process_list *list = &process->events;
    struct process_link *before, *link = first_of(process, device, &before);
    CHECK(link != NULL);
    if (before == NULL)
        return list_take(list);
    struct process_queue *queue = link->queue;
    before->next = link->next;
    if (list->last == link)
        list->last = before;
    list->count--;
    link->queue = NULL;
    return queue;
}

/* ------------------------------------------------------------------ steps */

static bool idle(const struct process *process)
{
    return process->timer_count == 0 && process->again.count == 0 && process->events.count == 0;
}

static bool has_turn(const struct process *process, const void *device)
{
    for (uint32_t i = 0; i < process->device_count; i++)
        if (process->devices[i] == device)
            return true;
    return false;
}

static void begin_round(struct process *process)
{
    process->timer_round = process->timer_count;
    process->again.round = process->again.count;
    process->device_count = 0;
    process->left = EVENTS;
    for (const struct process_link *link = process->events.first;
         link != NULL && process->device_count < PROCESS_DEVICES; link = link->next)
        if (!has_turn(process, device_of(process, link->queue)))
            process->devices[process->device_count++] = device_of(process, link->queue);
}

/* Whether the next device may have another event, or else one after it has any. */
static bool has_event(struct process *process)
{
    struct process_link *before;
    for (; process->device_count > 0; process->device_count--, process->left = EVENTS) {
        const void *device = process->devices[process->device_count - 1];
        if (process->left > 0 && first_of(process, device, &before) != NULL)
            return true;
    }
    return false;
}

/* Takes the waiting completions, up to a batch; what is left after the last poll waits for the next
 * turn. */
static void poll_queue(struct process *process)
{
    struct process_queue *queue = process->polled;
    if (process->polls == POLLS) {
        list_add(&process->again, &queue->again, queue);
        process->polled = NULL;
        return;
    }
    process->polls++;
    process->batch = queue->count < BATCH ? queue->count : BATCH;
    if (process->batch == 0)
        process->polled = NULL;
}

static void begin_polling(struct process *process, struct process_queue *queue)
{
    process->polled = queue;
    process->polls = 0;
    poll_queue(process);
}

static enum step next_step(struct process *process)
{
    if (process->asleep)
        return STEP_WAKE;
    if (process->polled != NULL && process->batch == 0)
        poll_queue(process); /* the callbacks of the previous completion have returned */
    while (process->polled == NULL && process->timer_round == 0 && process->again.round > 0)
        begin_polling(process, list_next(&process->again));
    if (process->polled != NULL)
        return STEP_COMPLETION;
    if (process->timer_round > 0)
        return STEP_TIMER;
    return has_event(process) ? STEP_EVENT : STEP_LOOP;
}

static struct process *of_work(struct work *work)
{
    return (struct process *)(void *)work; /* the work is the first member */
}

static time_ps begin_step(struct work *work, time_ps now)
{
    struct process *process = of_work(work);
    const struct soft_params *costs = process->costs;
    (void)now;
    process->step = (uint8_t)next_step(process);
    switch ((enum step)process->step) {
    case STEP_WAKE:
        return costs->wake;
    case STEP_LOOP:
        return costs->loop;
    case STEP_TIMER:
        return costs->timer;
    case STEP_EVENT:
        return costs->event;
    case STEP_COMPLETION:
        return costs->completion;
    }
    CHECK(false);
    return 0;
}

static void fire(struct process *process, time_ps now)
{
    struct timer *timer = process->timers[process->timer_first];
    process->timer_first = (process->timer_first + 1) % process->timer_room;
    process->timer_count--;
    process->timer_round--;
    timer->pending--;
    if (timer->due > now)
        return; /* canceled or moved in the meantime */
    timer->due = TIME_NEVER;
    timer->fire(timer->self, now);
}

static void take_completion(struct process *process)
{
    struct process_queue *queue = process->polled;
    CHECK(queue->count > 0 && process->batch > 0);
    queue->count--;
    process->batch--;
    queue->deliver(queue);
}

static void take_event(struct process *process)
{
    if (!has_event(process)) /* its queue was destroyed in the meantime */
        return;
    struct process_queue *queue =
        take_first_of(process, process->devices[process->device_count - 1]);
    process->left--;
    queue->reported = false;
    begin_polling(process, queue);
}

static bool end_step(struct work *work, time_ps now)
{
    struct process *process = of_work(work);
    switch ((enum step)process->step) {
    case STEP_WAKE:
        process->asleep = false;
        begin_round(process);
        break;
    case STEP_LOOP:
        process->asleep = idle(process);
        begin_round(process);
        break;
    case STEP_TIMER:
        fire(process, now);
        break;
    case STEP_EVENT:
        take_event(process);
        break;
    case STEP_COMPLETION:
        if (process->polled != NULL) /* otherwise its queue was destroyed in the meantime */
            take_completion(process);
        break;
    }
    return !process->asleep;
}

/* ------------------------------------------------------------------ wake-ups */

static void wake(struct process *process)
{
    if (process->asleep)
        processor_add(process->processor, &process->work, PROCESSOR_PROCESS);
}

void process_notify(struct process *process, struct process_queue *queue)
{
    queue->count++;
    if (queue->reported)
        return;
    queue->reported = true;
    list_add(&process->events, &queue->event, queue);
    wake(process);
}

void process_timer(struct process *process, struct timer *timer)
{
    timer->pending++; /* the queue refers to it */
    if (process->timer_count == process->timer_room) {
        const uint32_t room = process->timer_room == 0 ? 16 : process->timer_room * 2;
        struct timer **timers = memory_zeroed(room, sizeof *timers);
        for (uint32_t i = 0; i < process->timer_count; i++)
            timers[i] = process->timers[(process->timer_first + i) % process->timer_room];
        free(process->timers);
        process->timers = timers;
        process->timer_room = room;
        process->timer_first = 0;
    }
    process->timers[(process->timer_first + process->timer_count++) % process->timer_room] = timer;
    wake(process);
}

void process_forget(struct process *process, struct process_queue *queue)
{
    if (process->polled == queue)
        process->polled = NULL;
    if (queue->event.queue != NULL)
        list_drop(&process->events, &queue->event);
    if (queue->again.queue != NULL)
        list_drop(&process->again, &queue->again);
}

void process_init(struct process *process, struct processor *processor, struct node *node,
                  const struct soft_params *costs)
{
    *process = (struct process){
        .work = {.node = node, .begin = begin_step, .end = end_step},
        .processor = processor,
        .costs = costs,
        .asleep = true,
    };
}

void process_fini(struct process *process)
{
    free(process->timers);
    process->timers = NULL;
    process->timer_count = process->timer_room = 0;
}
