/* SPDX-License-Identifier: Apache-2.0
 * loop - real time for the portable core, on libev.
 * Implements env_ops: picoseconds of CLOCK_MONOTONIC since the loop was made.  The clock is read
 * before each callback and stands still during it, as the simulator's does, so that what a callback
 * starts in zero time is due at once.  Timers are a heap over one timerfd: libev's own wait rounds
 * up to milliseconds.
 * Owner: loop_free.  Errors: what the system refuses at the start is NULL and errno. */
#ifndef STORMGLASS_BRIDGE_VERBS_LOOP_H
#define STORMGLASS_BRIDGE_VERBS_LOOP_H

#include "base/env.h"

#include <stdbool.h>

struct loop;
struct loop_watch;

struct loop *loop_create(void);
void loop_free(struct loop *loop);

/* The world of such an env is the loop. */
extern const struct env_ops loop_env_ops;

/* Time begins anew at 0; no timer may be set yet. */
void loop_begin(struct loop *loop);

time_ps loop_now(const struct loop *loop);
/* Reads the clock: callbacks that handle several things in turn do so before each. */
void loop_touch(struct loop *loop);

/* Calls on_readable whenever fd has something to read.  Ended by loop_unwatch. */
struct loop_watch *loop_watch(struct loop *loop, int fd, void (*on_readable)(void *self),
                              void *self);
void loop_unwatch(struct loop *loop, struct loop_watch *watch);

/* Never sleeps from now on and calls every such function in turn (busy polling). */
enum { LOOP_SPINS_MAX = 8 };
void loop_spin(struct loop *loop, void (*poll)(void *self), void *self);

/* Plays until `until`, or until loop_stop: then it returns true. */
bool loop_run(struct loop *loop, time_ps until);
void loop_stop(struct loop *loop);

#endif
