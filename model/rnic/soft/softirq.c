/* SPDX-License-Identifier: Apache-2.0
 * softirq - passes, their rounds, and the sharing with the process. */
#include "rnic/soft/softirq.h"

enum { ROUNDS_MAX = 10 };      /* Linux kernel/softirq.c MAX_SOFTIRQ_RESTART */
enum { SLICE_LEAST_PART = 4 }; /* sched_min_granularity 0.75 ms of a slice of 3 ms */

/* ------------------------------------------------------------------ the clock */

static int64_t ticks_between(const struct softirq *softirq, time_ps from, time_ps to)
{
    return to / softirq->costs.tick - from / softirq->costs.tick;
}

static bool ticked(struct softirq *softirq, time_ps now)
{
    const time_ps looked = softirq->looked;
    softirq->looked = now;
    return softirq->costs.tick == 0 || ticks_between(softirq, looked, now) > 0;
}

/* The limit is counted in ticks: a pass ends with the first tick at or after it. */
static bool pass_is_over(const struct softirq *softirq, time_ps now)
{
    const struct softirq_costs *costs = &softirq->costs;
    if (softirq->rounds >= ROUNDS_MAX || softirq->woken)
        return true;
    if (costs->tick == 0)
        return now - softirq->began >= costs->limit;
    return ticks_between(softirq, softirq->began, now) >=
           (costs->limit + costs->tick - 1) / costs->tick;
}

/* ------------------------------------------------------------------ owner of the processor */

static void give_processor(struct softirq *softirq, bool thread, time_ps now)
{
    if (softirq->thread != thread)
        softirq->since = now;
    softirq->thread = thread;
    softirq->woken = softirq->resched = false;
}

/* The present owner has had the processor long enough. */
static bool is_due(const struct softirq *softirq, time_ps now)
{
    const time_ps slice = softirq->costs.slice, had = now - softirq->since;
    const time_ps ahead = softirq->thread ? -softirq->lead : softirq->lead;
    return had >= slice || (ahead > slice && had >= slice / SLICE_LEAST_PART);
}

/* Checked at a tick; the process first finishes its system call. */
static void look_at_tick(struct softirq *softirq, bool in_call, time_ps now)
{
    if (!is_due(softirq, now))
        return;
    if (in_call)
        softirq->resched = true;
    else
        give_processor(softirq, !softirq->thread, now);
}

static void hand_to_thread(struct softirq *softirq, enum softirq_process process, time_ps now)
{
    const bool woken = softirq->woken;
    softirq->passing = false;
    if (softirq->handed)
        return;
    softirq->handed = true;
    if (softirq->lead > softirq->costs.slice)
        softirq->lead = softirq->costs.slice;
    softirq->looked = softirq->since = now;
    const bool thread = softirq->lead > (woken ? 0 : softirq->costs.grain);
    give_processor(softirq, thread && process != SOFTIRQ_CALL, now);
    softirq->resched = thread && process == SOFTIRQ_CALL;
}

static void begin_round(struct softirq *softirq, uint32_t packets)
{
    softirq->left = packets;
    softirq->rounds++;
}

static void begin_pass(struct softirq *softirq, bool process, time_ps now)
{
    softirq->above = process;
    softirq->passing = true;
    softirq->began = now;
    softirq->rounds = 0;
}

/* ------------------------------------------------------------------ decisions */

/* No packets are waiting: the thread, if it owns the processor, goes to sleep. */
static void end_packets(struct softirq *softirq, enum softirq_process process, time_ps now)
{
    softirq->passing = false;
    softirq->left = 0;
    if (softirq->thread || process == SOFTIRQ_ASLEEP) {
        softirq->handed = false;
        give_processor(softirq, false, now);
    }
}

/* Only packets need the processor. */
static void run_packets_alone(struct softirq *softirq, uint32_t packets, time_ps now)
{
    if (softirq->left > 0)
        return;
    if (softirq->passing && pass_is_over(softirq, now))
        hand_to_thread(softirq, SOFTIRQ_ASLEEP, now);
    if (softirq->handed)
        give_processor(softirq, true, now);
    else if (!softirq->passing)
        begin_pass(softirq, false, now);
    begin_round(softirq, packets);
}

/* Packets were handed to the thread: decides between thread and process. */
static void share_processor(struct softirq *softirq, bool tasklet, enum softirq_process process,
                            time_ps now)
{
    const bool in_call = !softirq->thread && process == SOFTIRQ_CALL;
    if (softirq->resched && !in_call) {
        give_processor(softirq, true, now);
    } else if (softirq->thread && softirq->woken) {
        give_processor(softirq, false, now);
    } else if (ticked(softirq, now)) {
        look_at_tick(softirq, in_call, now);
        if (!softirq->thread && tasklet)
            begin_pass(softirq, true, now);
    }
}

/* No packets are waiting, but work of a tick during the pass is left, which the thread does. */
static void end_pass(struct softirq *softirq, bool tasklet, enum softirq_process process,
                     time_ps now)
{
    if (softirq->passing && softirq->costs.tick > 0 && pass_is_over(softirq, now))
        hand_to_thread(softirq, process, now);
    else if (softirq->handed && !softirq->passing && !softirq->thread)
        share_processor(softirq, tasklet, process, now);
}

bool softirq_packets_next(struct softirq *softirq, uint32_t packets, bool tasklet,
                          enum softirq_process process, time_ps now)
{
    if (softirq->costs.limit == 0)
        return packets > 0;
    if (packets == 0) {
        if (process != SOFTIRQ_ASLEEP)
            end_pass(softirq, tasklet, process, now);
        end_packets(softirq, process, now);
        return false;
    }
    if (process == SOFTIRQ_ASLEEP) {
        run_packets_alone(softirq, packets, now);
        return true;
    }
    if (!softirq->handed && !softirq->passing)
        begin_pass(softirq, true, now);
    if (softirq->left > 0 && (softirq->passing || softirq->thread))
        return true; /* within a round */
    if (softirq->passing && softirq->rounds > 0 && pass_is_over(softirq, now))
        hand_to_thread(softirq, process, now);
    if (softirq->handed && !softirq->passing)
        share_processor(softirq, tasklet, process, now);
    if (!softirq->passing && !softirq->thread)
        return false;
    begin_round(softirq, packets);
    return true;
}

bool softirq_interrupts(struct softirq *softirq, bool tasklet, time_ps now)
{
    if (softirq->costs.limit == 0 || !softirq->handed)
        return true;
    if (tasklet && !softirq->passing)
        begin_pass(softirq, true, now);
    return tasklet;
}

void softirq_worked(struct softirq *softirq)
{
    if (softirq->left > 0)
        softirq->left--;
}

void softirq_spent(struct softirq *softirq, time_ps spent, bool process)
{
    if (softirq->thread)
        softirq->lead -= spent;
    else if (process || (softirq->passing && softirq->above))
        softirq->lead += spent;
}

void softirq_process_woken(struct softirq *softirq)
{
    if (softirq->lead < -softirq->costs.slice)
        softirq->lead = -softirq->costs.slice;
    softirq->woken = softirq->thread ? -softirq->lead > softirq->costs.grain : softirq->passing;
}
