/* SPDX-License-Identifier: Apache-2.0
 * server - jobs in order of arrival, and so in order of completion. */
#include "nvme/server.h"

/* A job's `done` may add jobs to the same server; they are taken up by the loop that is already
 * running. */
static void drain(struct nvme_server *server)
{
    const time_ps now = env_now(server->env);
    server->draining = true;
    while (server->first != NULL && server->first->due <= now) {
        struct nvme_job *job = server->first;
        server->first = job->next;
        if (server->first == NULL)
            server->last = NULL;
        server->done(server->self, job);
    }
    server->draining = false;
    if (server->first != NULL)
        env_timer_set(server->env, &server->timer, server->first->due);
}

static void on_timer(void *self, time_ps now)
{
    (void)now;
    drain(self);
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
    };
}

void nvme_server_fini(struct nvme_server *server)
{
    if (server->env != NULL)
        env_timer_cancel(server->env, &server->timer);
    server->first = server->last = NULL;
}

time_ps nvme_server_add(struct nvme_server *server, struct nvme_job *job, time_ps service)
{
    CHECK(service >= 0);
    const time_ps now = env_now(server->env);
    const time_ps begin = server->busy_until > now ? server->busy_until : now;
    server->busy_until = begin + service;
    job->due = server->busy_until + server->after;
    job->next = NULL;
    const bool alone = server->first == NULL;
    if (alone)
        server->first = job;
    else
        server->last->next = job;
    server->last = job;
    if (alone && !server->draining)
        drain(server);
    return begin;
}

void nvme_server_audit(const struct nvme_server *server)
{
    CHECK((server->first == NULL) == (server->last == NULL));
    for (const struct nvme_job *job = server->first; job != NULL && job->next != NULL;
         job = job->next)
        CHECK(job->due <= job->next->due);
}
