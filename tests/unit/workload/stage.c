/* SPDX-License-Identifier: Apache-2.0
 * stage - a clock and timers for tests of protocol code. */
#include "tests/unit/workload/stage.h"

#include "base/probe.h"

#include <string.h>

static time_ps stage_now(void *world)
{
    return ((struct stage *)world)->now;
}

static void add(struct stage *stage, struct stage_timer timer)
{
    CHECK(stage->count < STAGE_TIMERS_MAX);
    CHECK(timer.due >= stage->now);
    timer.order = stage->order++;
    stage->timers[stage->count++] = timer;
}

static void stage_timer_set(void *world, struct timer *timer, time_ps due)
{
    struct stage *stage = world;
    for (int i = 0; i < stage->count; i++)
        if (stage->timers[i].timer == timer)
            stage->timers[i--] = stage->timers[--stage->count];
    timer->due = due;
    if (due != TIME_NEVER)
        add(stage, (struct stage_timer){.due = due, .timer = timer});
}

static const struct env_ops stage_ops = {.now = stage_now, .timer_set = stage_timer_set};

void stage_init(struct stage *stage, uint64_t seed)
{
    memset(stage, 0, sizeof *stage);
    stage->env = (struct env){
        .ops = &stage_ops, .world = stage, .probe = &probe_none, .seed = seed, .owner = "host0"};
}

void stage_at(struct stage *stage, time_ps at, void (*call)(void *self, void *what), void *self,
              void *what)
{
    add(stage, (struct stage_timer){.due = at, .call = call, .self = self, .what = what});
}

static int first_due(const struct stage *stage)
{
    int best = -1;
    for (int i = 0; i < stage->count; i++) {
        const struct stage_timer *a = &stage->timers[i], *b = &stage->timers[best < 0 ? 0 : best];
        if (best < 0 || a->due < b->due || (a->due == b->due && a->order < b->order))
            best = i;
    }
    return best;
}

void stage_run(struct stage *stage, time_ps until)
{
    for (int i = first_due(stage); i >= 0 && stage->timers[i].due <= until; i = first_due(stage)) {
        const struct stage_timer timer = stage->timers[i];
        stage->timers[i] = stage->timers[--stage->count];
        stage->now = timer.due;
        if (timer.timer != NULL) {
            timer.timer->due = TIME_NEVER;
            timer.timer->fire(timer.timer->self, stage->now);
        } else {
            timer.call(timer.self, timer.what);
        }
    }
    stage->now = until;
}
