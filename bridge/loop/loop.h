/* SPDX-License-Identifier: Apache-2.0
 * loop - real time for the portable core, on libev.
 * Implements env_ops with picoseconds of CLOCK_MONOTONIC since the loop was created. The clock is
 * read before each callback and does not advance during it, as in the simulator, so that zero-time
 * actions of a callback are due at once. Timers are a heap over one timerfd, because libev's own
 * timeouts are rounded up to milliseconds.
 * Owner: loop_free. Errors: system errors at creation are NULL and errno. */
#ifndef STORMGLASS_BRIDGE_LOOP_LOOP_H
#define STORMGLASS_BRIDGE_LOOP_LOOP_H

#include "base/env.h"

#include <stdbool.h>

struct loop;
struct loop_watch;

struct loop *loop_create(void);
void loop_free(struct loop *loop);

/* `world` of such an env is the loop. */
extern const struct env_ops loop_env_ops;

/* Restarts time at 0; no timer may be set yet. */
void loop_begin(struct loop *loop);

time_ps loop_now(const struct loop *loop);
/* Reads the clock; callbacks that handle several events call this before each. */
void loop_touch(struct loop *loop);

/* Calls on_readable whenever fd is readable. Ended by loop_unwatch, also within its own call. */
struct loop_watch *loop_watch(struct loop *loop, int fd, void (*on_readable)(void *self),
                              void *self);
void loop_unwatch(struct loop *loop, struct loop_watch *watch);
/* Changes what a watch waits for: data if `readable`, and room to write if on_writable is not NULL,
 * which goes first if both are there. */
void loop_watch_for(struct loop *loop, struct loop_watch *watch, bool readable,
                    void (*on_writable)(void *self));

/* From now on, never sleeps and calls all registered functions in turn (busy polling). */
enum { LOOP_SPINS_MAX = 8 };
void loop_spin(struct loop *loop, void (*poll)(void *self), void *self);

/* Runs until `until`, or until loop_stop, in which case it returns true. */
bool loop_run(struct loop *loop, time_ps until);
void loop_stop(struct loop *loop);

#endif
