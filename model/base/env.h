/* SPDX-License-Identifier: Apache-2.0
 * env - the world as protocol code is allowed to see it.
 * NVMe-oF hosts, targets, media and workloads reach time, timers, random numbers and observers only
 * through this struct; the simulator fills it in on virtual time, the bridge on real time (libev).
 * Owner: the world.  Clock: env_now is constant during one callback in the simulator. */
#ifndef STORMGLASS_BASE_ENV_H
#define STORMGLASS_BASE_ENV_H

#include "base/rng.h"
#include "base/units.h"

struct probe;

/* A one-shot timer.  The user owns the memory, which must outlive the world or an env_timer_cancel
 * with no event left; zero-initialise, set fire and self, then use the calls below.  Moving a timer
 * later costs a store: the world keeps its earlier wake-up and sleeps on when that comes. */
struct timer {
    void (*fire)(void *self, time_ps now);
    void *self;
    time_ps due;    /* TIME_NEVER: not set.  Read only for the user */
    time_ps wakeup; /* the world's pending event for it; the world's own */
    int pending;    /* the world has a wake-up under way; the world's own */
};

/* Time of a processor that the world shares out.  The user owns the memory and sets done and self;
 * one piece of work at a time. */
struct env_work {
    void (*done)(void *self);
    void *self;
    time_ps cost;
    struct env_work *next; /* the world's own */
};

struct env_ops {
    time_ps (*now)(void *world);
    void (*timer_set)(void *world, struct timer *timer, time_ps due); /* TIME_NEVER cancels */
    /* Calls done, later, when the cost is paid; in the order of asking.  NULL: the world shares no
     * processor, and each user counts with one of its own. */
    void (*work)(void *world, struct env_work *work);
    void (*work_cancel)(void *world, struct env_work *work);
};

struct env {
    const struct env_ops *ops;
    void *world;
    const struct probe *probe; /* never NULL; see probe.h */
    uint64_t seed;
    const char *owner; /* name of the host; the owner of its random streams */
};

static inline time_ps env_now(const struct env *env)
{
    return env->ops->now(env->world);
}

/* Fires once at `due` (>= now). */
static inline void env_timer_set(const struct env *env, struct timer *timer, time_ps due)
{
    env->ops->timer_set(env->world, timer, due);
}

static inline void env_timer_cancel(const struct env *env, struct timer *timer)
{
    env->ops->timer_set(env->world, timer, TIME_NEVER);
}

static inline struct rng env_stream(const struct env *env, const char *purpose)
{
    return rng_stream(env->seed, env->owner, purpose);
}

#endif
