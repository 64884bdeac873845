/* SPDX-License-Identifier: Apache-2.0
 * cpu_core - a processor core that serves several users in turn.
 * Each user has one job at a time in the line of the core; a job that has ended goes to the end of
 * the line if its user has more to do.  A job chooses its cost when its turn comes, and takes
 * effect when the cost has passed.  Jobs are not interrupted.
 * Owner: the struct that embeds it.  Clock: env, in virtual time.  Errors: none. */
#ifndef STORMGLASS_BASE_CPU_CORE_H
#define STORMGLASS_BASE_CPU_CORE_H

#include "base/env.h"

#include <stdbool.h>

struct cpu_core;

/* Set begin, done and self; the rest is private. */
struct cpu_job {
    time_ps (*begin)(void *self, time_ps now); /* returns the cost, >= 0 */
    void (*done)(void *self, time_ps now);
    void *self;
    struct cpu_job *next;
    struct cpu_core *core; /* in whose line it waits, or that does it; NULL: none */
};

struct cpu_core {
    const struct env *env;
    struct timer timer; /* the end of the current job */
    struct cpu_job *first, *last;
    struct cpu_job *current; /* NULL: none, or it was abandoned */
    time_ps begun_at;        /* of the current job */
    time_ps busy;            /* cost of all jobs that have begun */
    bool running;
};

/* The core must not be moved after this. */
void cpu_core_init(struct cpu_core *core, const struct env *env);
/* Forgets all jobs. */
void cpu_core_fini(struct cpu_core *core);

/* Appends a job, which must not be in a line.  Jobs without cost on an idle core end at once. */
void cpu_core_add(struct cpu_core *core, struct cpu_job *job);
/* Takes the job out of its line.  If it has begun, the core stays busy to its end. */
void cpu_core_remove(struct cpu_job *job);

static inline bool cpu_job_begun(const struct cpu_job *job)
{
    return job->core != NULL && job->core->current == job;
}

/* Time until the end of what the core does now. */
time_ps cpu_core_left(const struct cpu_core *core, time_ps now);

#endif
