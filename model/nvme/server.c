/* SPDX-License-Identifier: Apache-2.0
 * server - serves jobs in order of arrival, which is also their order of completion. */
#include "nvme/server.h"

static struct nvme_job *take_first(struct nvme_server *server)
{
    struct nvme_job *job = server->first;
    server->first = job->next;
    if (server->first == NULL)
        server->last = NULL;
    return job;
}

/* A job's `done` may add jobs to the same server; the running loop handles them. */
static void drain_jobs(struct nvme_server *server)
{
    const time_ps now = env_now(server->env);
    server->draining = true;
    while (server->first != NULL && server->first->due <= now) {
        server->done(server->self, take_first(server));
    }
    server->draining = false;
    if (server->first != NULL)
        env_timer_set(server->env, &server->timer, server->first->due);
}

static void on_timer(void *self, time_ps now)
{
    (void)now;
    drain_jobs(self);
}

/* On a shared processor the first job's `due` is its cost. */
static void work_on(struct nvme_server *server)
{
    server->work.cost = server->first->due;
    server->env->ops->work(server->env->world, &server->work);
}

static void on_worked(void *self)
{
    struct nvme_server *server = self;
    struct nvme_job *job = take_first(server);
    if (server->first != NULL)
        work_on(server);
    server->done(server->self, job);
}

static time_ps begin_turn(void *self, time_ps now)
{
    struct nvme_server *server = self;
    (void)now;
    server->taken += server->first->due;
    return server->first->due;
}

static void end_turn(void *self, time_ps now)
{
    struct nvme_server *server = self;
    struct nvme_job *job = take_first(server);
    job->due = now;
    if (server->first != NULL)
        cpu_core_add(server->core, &server->turn);
    server->done(server->self, job);
}

void nvme_server_init(struct nvme_server *server, const struct env *env,
                      void (*done)(void *self, struct nvme_job *job), void *self, time_ps after)
{
    CHECK(after >= 0);
    *server = (struct nvme_server){
        .env = env,
        .done = done,
        .self = self,
        .after = after,
        .timer = {.fire = on_timer, .self = server, .due = TIME_NEVER},
        .turn = {.begin = begin_turn, .done = end_turn, .self = server},
    };
}

void nvme_server_init_cpu(struct nvme_server *server, const struct env *env,
                          void (*done)(void *self, struct nvme_job *job), void *self)
{
    nvme_server_init(server, env, done, self, 0);
    server->shared = env->ops->work != NULL;
    server->work = (struct env_work){.done = on_worked, .self = server};
}

void nvme_server_run_on(struct nvme_server *server, struct cpu_core *core)
{
    CHECK(server->first == NULL);
    if (!server->shared)
        server->core = core;
}

void nvme_server_fini(struct nvme_server *server)
{
    if (server->env != NULL)
        env_timer_cancel(server->env, &server->timer);
    cpu_core_remove(&server->turn);
    if (server->shared && server->first != NULL)
        server->env->ops->work_cancel(server->env->world, &server->work);
    server->first = server->last = NULL;
}

/* The `due` of a job on a core or a shared processor is its cost until it is done. */
static void append(struct nvme_server *server, struct nvme_job *job, time_ps due)
{
    job->due = due;
    job->next = NULL;
    if (server->first == NULL)
        server->first = job;
    else
        server->last->next = job;
    server->last = job;
}

void nvme_server_add(struct nvme_server *server, struct nvme_job *job, time_ps service)
{
    CHECK(service >= 0);
    const bool alone = server->first == NULL;
    if (server->core != NULL) {
        append(server, job, service);
        if (alone)
            cpu_core_add(server->core, &server->turn);
        return;
    }
    const time_ps now = env_now(server->env);
    const time_ps begin = server->busy_until > now ? server->busy_until : now;
    server->busy_until = begin + service;
    server->taken += service;
    append(server, job, server->shared ? service : server->busy_until + server->after);
    if (alone && server->shared)
        work_on(server);
    else if (alone && !server->draining)
        drain_jobs(server);
}

time_ps nvme_server_busy(const struct nvme_server *server, time_ps now)
{
    if (server->core != NULL)
        return server->taken -
               (cpu_job_begun(&server->turn) ? cpu_core_left(server->core, now) : (time_ps)0);
    return server->taken - (server->busy_until > now ? server->busy_until - now : 0);
}

time_ps nvme_server_occupied(const struct nvme_server *server, time_ps now)
{
    return server->core != NULL ? server->core->busy - cpu_core_left(server->core, now)
                                : nvme_server_busy(server, now);
}

uint32_t nvme_server_audit(const struct nvme_server *server)
{
    uint32_t jobs = 0;
    const struct nvme_job *last = NULL;
    for (const struct nvme_job *job = server->first; job != NULL; job = job->next) {
        CHECK(server->shared || server->core != NULL || job->next == NULL ||
              job->due <= job->next->due);
        last = job;
        jobs++;
    }
    CHECK(server->last == last && !server->draining);
    if (jobs > 0 && !server->shared && server->core == NULL) {
        CHECK(last->due == server->busy_until + server->after);
        CHECK(server->timer.due == server->first->due);
    }
    return jobs;
}
