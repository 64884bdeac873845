/* SPDX-License-Identifier: Apache-2.0
 * env - the environment of protocol code: time, timers, random numbers and observers.
 * NVMe-oF hosts, targets, media and workloads reach all of these only through this struct. The
 * simulator implements it in virtual time, the bridge in real time (libev). The implementation is
 * called the world.
 * Owner: the world. Clock: in the simulator env_now is constant during one callback. */
#ifndef STORMGLASS_BASE_ENV_H
#define STORMGLASS_BASE_ENV_H

#include "base/rng.h"
#include "base/units.h"

struct probe;

/* A one-shot timer. The user owns the memory, which must outlive the world or an env_timer_cancel
 * with no event left. Zero-initialize it, set fire and self, then use the calls below. Moving a
 * timer to a later time costs one store: the world keeps its earlier wake-up and sleeps again when
 * that fires. */
struct timer {
    void (*fire)(void *self, time_ps now);
    void *self;
    time_ps due;    /* TIME_NEVER: not set; read-only for the user */
    time_ps wakeup; /* the world's pending event for this timer; private to the world */
    int pending;    /* references that the world has to the timer: while it has one, the memory must
                     * stay; written by the world */
};

/* Work on a processor that the world shares between its users. The user owns the memory and sets
 * done and self; at most one piece of work is outstanding per struct. */
struct env_work {
    void (*done)(void *self);
    void *self;
    time_ps cost;
    struct env_work *next; /* private to the world */
};

struct env_ops {
    time_ps (*now)(void *world);
    void (*timer_set)(void *world, struct timer *timer, time_ps due); /* TIME_NEVER cancels */
    /* work calls `done` when the cost has been paid, in the order of the requests. NULL: the world
     * has no shared processor, and each user models a processor of its own. */
    void (*work)(void *world, struct env_work *work);
    void (*work_cancel)(void *world, struct env_work *work);
};

struct env {
    const struct env_ops *ops;
    void *world;
    const struct probe *probe; /* never NULL; see probe.h */
    uint64_t seed;
    const char *owner; /* name of the host that owns the random streams */
};

static inline time_ps env_now(const struct env *env)
{
    return env->ops->now(env->world);
}

/* Fires once, at `due` (>= now). */
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
