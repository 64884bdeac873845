/* SPDX-License-Identifier: Apache-2.0
 * processor - queues, preemption, debts. */
#include "rnic/soft/processor.h"

static void append(struct work_queue *queue, struct work *work)
{
    work->next = NULL;
    if (queue->first == NULL)
        queue->first = work;
    else
        queue->last->next = work;
    queue->last = work;
    queue->count++;
}

static void prepend(struct work_queue *queue, struct work *work)
{
    work->next = queue->first;
    if (queue->first == NULL)
        queue->last = work;
    queue->first = work;
    queue->count++;
}

static struct work *take_first(struct work_queue *queue)
{
    struct work *work = queue->first;
    queue->first = work->next;
    queue->count--;
    return work;
}

static void take_out(struct work_queue *queue, const struct work *work)
{
    struct work *before = NULL;
    for (struct work *at = queue->first; at != work; at = at->next) {
        CHECK(at != NULL);
        before = at;
    }
    if (before == NULL)
        queue->first = work->next;
    else
        before->next = work->next;
    if (queue->last == work)
        queue->last = before;
    queue->count--;
}

static time_ps now_of(const struct processor *processor)
{
    return node_now(processor->payment.node);
}

/* ------------------------------------------------------------------ running */

static bool process_runs(const struct processor *processor)
{
    return processor->running != NULL && processor->running->level > PROCESSOR_INTERRUPT;
}

static enum softirq_process process_need(const struct processor *processor)
{
    if (processor->queues[PROCESSOR_CALL].first != NULL)
        return SOFTIRQ_CALL;
    return processor->queues[PROCESSOR_PROCESS].first != NULL ? SOFTIRQ_PROCESS : SOFTIRQ_ASLEEP;
}

static bool process_waits(const struct processor *processor)
{
    return process_need(processor) != SOFTIRQ_ASLEEP;
}

/* The first work of the highest level that has any. */
static struct work *next_work(struct processor *processor, time_ps now)
{
    struct work_queue *queues = processor->queues;
    if (queues[PROCESSOR_NESTED].first != NULL)
        return take_first(&queues[PROCESSOR_NESTED]);
    const bool packets =
        softirq_packets_next(&processor->softirq, queues[PROCESSOR_INTERRUPT].count,
                             processor->tasklets > 0, process_need(processor), now);
    for (int level = packets ? PROCESSOR_INTERRUPT : PROCESSOR_CALL; level < PROCESSOR_LEVELS;
         level++)
        if (processor->queues[level].first != NULL)
            return take_first(&processor->queues[level]);
    return NULL;
}

enum processor_level processor_within(const struct processor *processor)
{
    if (!processor->inside)
        return PROCESSOR_INTERRUPT;
    return processor->at <= PROCESSOR_INTERRUPT ? PROCESSOR_NESTED : PROCESSOR_CALL;
}

/* Schedules the payment of costs charged by the effect. */
static void settle_debt(struct processor *processor)
{
    struct work *payment = &processor->payment;
    if (processor->debt == 0 || payment->queued)
        return;
    payment->queued = true;
    payment->begun = false;
    payment->level = (uint8_t)processor_within(processor);
    prepend(&processor->queues[payment->level], payment);
}

/* Cost of the ticks during the piece of work; ticks during idle time cost nothing. */
static time_ps tick_cost(struct processor *processor, time_ps now, time_ps cost)
{
    const time_ps interval = processor->costs.tick_interval;
    if (processor->costs.tick == 0)
        return 0;
    if (processor->next_tick <= now)
        processor->next_tick = (now / interval + 1) * interval;
    if (processor->next_tick > now + cost)
        return 0;
    const time_ps count = (now + cost - processor->next_tick) / interval + 1;
    processor->next_tick += count * interval;
    return count * processor->costs.tick;
}

static void begin_work(struct processor *processor, struct work *work, time_ps now)
{
    processor->at = work->level;
    processor->inside = true;
    work->left = work->begin(work, now);
    work->begun = true;
    CHECK(work->left >= 0);
    work->left += tick_cost(processor, now, work->left);
    prepend(&processor->queues[work->level], work);
    settle_debt(processor);
    processor->inside = false;
}

static void run_next(struct processor *processor, time_ps now)
{
    struct work *work = next_work(processor, now);
    while (work != NULL && !work->begun) { /* beginning may add work that goes first */
        begin_work(processor, work, now);
        work = next_work(processor, now);
    }
    processor->running = work;
    if (work == NULL)
        return;
    processor->since = now;
    node_post(work->node, work->node->id, now + work->left, processor->event, 0,
              ++processor->serial);
}

static bool interrupts(struct processor *processor, enum processor_level level, time_ps now)
{
    return level <= PROCESSOR_INTERRUPT && processor->running->level > PROCESSOR_INTERRUPT &&
           softirq_interrupts(&processor->softirq, processor->tasklets > 0, now);
}

static void spend(struct processor *processor, const struct work *work, time_ps spent)
{
    processor->busy[work->level] += spent;
    softirq_spent(&processor->softirq, spent, work->level > PROCESSOR_INTERRUPT);
}

static void requeue_running(struct processor *processor, time_ps now)
{
    struct work *work = processor->running;
    work->left -= now - processor->since;
    spend(processor, work, now - processor->since);
    prepend(&processor->queues[work->level], work);
    processor->running = NULL;
}

void processor_add(struct processor *processor, struct work *work, enum processor_level level)
{
    if (work->queued)
        return;
    const time_ps now = now_of(processor);
    processor_charge(processor, 0); /* cost of leaving the idle state */
    if (level == PROCESSOR_PROCESS && !process_waits(processor) && !process_runs(processor))
        softirq_process_woken(&processor->softirq);
    work->queued = true;
    work->begun = false;
    work->level = (uint8_t)level;
    append(&processor->queues[level], work);
    processor->tasklets += work->tasklet;
    if (processor->inside)
        return;
    if (processor->running != NULL && interrupts(processor, level, now))
        requeue_running(processor, now);
    if (processor->running == NULL)
        run_next(processor, now);
}

/* Ends the work, or queues it again behind the others; the round has one work less. */
static void end_work(struct processor *processor, const struct work *work, uint8_t level)
{
    if (!work->queued)
        processor->tasklets -= work->tasklet;
    if (level == PROCESSOR_INTERRUPT)
        softirq_worked(&processor->softirq);
}

void processor_on_event(struct processor *processor, const struct event *event)
{
    if (event->argument != processor->serial)
        return;
    struct work *work = processor->running;
    CHECK(work != NULL && event->at - processor->since == work->left);
    spend(processor, work, work->left);
    work->begun = work->queued = false;
    processor->running = NULL;
    const uint8_t level = work->level;
    processor->at = level;
    processor->inside = true;
    if (work->end(work, event->at) && !work->queued) {
        work->queued = true;
        prepend(&processor->queues[work->level], work);
    } else {
        end_work(processor, work, level);
    }
    settle_debt(processor);
    processor->inside = false;
    run_next(processor, event->at);
}

void processor_remove(struct processor *processor, struct work *work)
{
    if (!work->queued)
        return;
    if (processor->running == work) { /* the rest of its time is discarded */
        processor->busy[work->level] += now_of(processor) - processor->since;
        processor->running = NULL;
        processor->serial++;
        if (!processor->inside)
            run_next(processor, now_of(processor));
    } else {
        take_out(&processor->queues[work->level], work);
    }
    processor->tasklets -= work->tasklet;
    work->queued = work->begun = false;
}

/* ------------------------------------------------------------------ debts */

static time_ps pay(struct work *work, time_ps now)
{
    struct processor *processor =
        (struct processor *)(void *)((char *)work - offsetof(struct processor, payment));
    const time_ps debt = processor->debt;
    (void)now;
    processor->debt = 0;
    return debt;
}

/* More may have been charged in the meantime. */
static bool paid(struct work *work, time_ps now)
{
    (void)now;
    return ((struct processor *)(void *)((char *)work - offsetof(struct processor, payment)))
               ->debt > 0;
}

void processor_charge(struct processor *processor, time_ps cost)
{
    CHECK(cost >= 0);
    if (processor->running == NULL && !processor->inside)
        cost += processor->costs.idle;
    if (cost == 0)
        return;
    processor->debt += cost;
    if (processor->inside)
        return;
    settle_debt(processor);
    if (processor->running == NULL)
        run_next(processor, now_of(processor));
}

/* ------------------------------------------------------------------ creation and audit */

void processor_init(struct processor *processor, struct node *home, uint8_t event,
                    const struct processor_costs *costs)
{
    *processor = (struct processor){
        .event = event,
        .costs = *costs,
        .softirq = {.costs = costs->softirq},
        .payment = {.node = home, .begin = pay, .end = paid},
    };
}

/* The busy times of the levels do not overlap. */
static void audit_time(const struct processor *processor)
{
    time_ps busy = 0;
    for (int level = 0; level < PROCESSOR_LEVELS; level++) {
        CHECK(processor->busy[level] >= 0);
        busy += processor->busy[level];
    }
    CHECK(busy <= now_of(processor));
    CHECK(process_waits(processor) || processor->running != NULL || processor->debt == 0);
}

static void audit_running(const struct processor *processor)
{
    const struct work *work = processor->running;
    CHECK(work->queued && work->begun && work->left >= 0);
    CHECK(processor->since <= now_of(processor));
    CHECK(now_of(processor) <= processor->since + work->left);
}

void processor_audit(const struct processor *processor)
{
    bool waits = false;
    uint32_t tasklets = processor->running != NULL && processor->running->tasklet;
    for (int level = 0; level < PROCESSOR_LEVELS; level++) {
        uint32_t count = 0;
        for (const struct work *work = processor->queues[level].first; work != NULL;
             work = work->next) {
            CHECK(work->queued && work->level == level && work != processor->running);
            CHECK((work->next == NULL) == (processor->queues[level].last == work));
            tasklets += work->tasklet;
            waits = true;
            count++;
        }
        CHECK(count == processor->queues[level].count);
    }
    CHECK(tasklets == processor->tasklets);
    CHECK(processor->running != NULL || !waits);
    CHECK(!processor->inside && processor->debt >= 0);
    CHECK(processor->debt == 0 || processor->payment.queued);
    audit_time(processor);
    if (processor->running != NULL)
        audit_running(processor);
}
