/* SPDX-License-Identifier: Apache-2.0
 * cpu_core - one job at a time, in order of arrival. */
#include "base/cpu_core.h"

#include "base/check.h"

#include <stddef.h>

static struct cpu_job *take_first(struct cpu_core *core)
{
    struct cpu_job *job = core->first;
    core->first = job->next;
    if (core->first == NULL)
        core->last = NULL;
    job->next = NULL;
    return job;
}

static void end_job(struct cpu_core *core, time_ps now)
{
    struct cpu_job *job = core->current;
    core->current = NULL;
    if (job == NULL)
        return;
    job->core = NULL;
    job->done(job->self, now);
}

/* Works until something takes time, or nothing is left. */
static void run_core(struct cpu_core *core, time_ps now)
{
    if (core->running)
        return;
    core->running = true;
    while (core->timer.due == TIME_NEVER && core->first != NULL) {
        core->current = take_first(core);
        core->begun_at = now;
        const time_ps cost = core->current->begin(core->current->self, now);
        CHECK(cost >= 0);
        core->busy += cost;
        if (cost > 0)
            env_timer_set(core->env, &core->timer, now + cost);
        else
            end_job(core, now);
    }
    core->running = false;
}

static void on_timer(void *self, time_ps now)
{
    end_job(self, now);
    run_core(self, now);
}

void cpu_core_init(struct cpu_core *core, const struct env *env)
{
    *core =
        (struct cpu_core){.env = env, .timer = {.fire = on_timer, .self = core, .due = TIME_NEVER}};
}

void cpu_core_fini(struct cpu_core *core)
{
    if (core->env == NULL)
        return;
    env_timer_cancel(core->env, &core->timer);
    while (core->first != NULL)
        take_first(core)->core = NULL;
    if (core->current != NULL)
        core->current->core = NULL;
    core->current = NULL;
}

void cpu_core_add(struct cpu_core *core, struct cpu_job *job)
{
    CHECK(job->core == NULL);
    job->core = core;
    job->next = NULL;
    if (core->first == NULL)
        core->first = job;
    else
        core->last->next = job;
    core->last = job;
    if (core->timer.due == TIME_NEVER)
        run_core(core, env_now(core->env));
}

void cpu_core_remove(struct cpu_job *job)
{
    struct cpu_core *core = job->core;
    if (core == NULL)
        return;
    job->core = NULL;
    if (core->current == job) {
        core->current = NULL;
        return;
    }
    struct cpu_job **link = &core->first, *before = NULL;
    while (*link != job) {
        before = *link;
        link = &before->next;
    }
    *link = job->next;
    if (core->last == job)
        core->last = before;
}

time_ps cpu_core_left(const struct cpu_core *core, time_ps now)
{
    return core->timer.due == TIME_NEVER || core->timer.due < now ? 0 : core->timer.due - now;
}
