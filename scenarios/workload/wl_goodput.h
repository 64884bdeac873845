/* SPDX-License-Identifier: Apache-2.0
 * wl_goodput - payload that one connection delivers in the measured part, counted where it arrives.
 *
 *   bytes = what had arrived when the part ended, less what had arrived when it began
 *
 * Two moments are marked; in between only good completions are counted.  Who can see both ends of a
 * connection marks each moment, between events, with what has arrived then: whole operations, and
 * what has come of those under way.  Where nobody can (real devices) the first completion after a
 * moment marks it with what had completed: then completions inside the part count.
 * What a connection brought and lost with an operation that failed is not useful: of one that has
 * ended, no more counts than its good completions.
 * Owner: the instance.  Clock: now is passed in. */
#ifndef STORMGLASS_SCENARIOS_WORKLOAD_WL_GOODPUT_H
#define STORMGLASS_SCENARIOS_WORKLOAD_WL_GOODPUT_H

#include "base/units.h"

#include <stdbool.h>

/* The measured part of an instance: from <= t < to. */
struct wl_window {
    time_ps from, to;
};

struct wl_goodput {
    uint64_t done;           /* bytes of good completions */
    uint64_t at_from, at_to; /* bytes that had arrived at the moments; UINT64_MAX: not marked */
};

/* A connection begins: what it brings after a moment that has passed comes after that moment. */
void wl_goodput_begin(struct wl_goodput *goodput, const struct wl_window *window, time_ps now);

/* Marks the moments that have come: so many bytes have arrived. */
void wl_goodput_mark(struct wl_goodput *goodput, const struct wl_window *window, time_ps now,
                     uint64_t arrived);

/* What completes at a moment that nobody has marked had arrived before it. */
void wl_goodput_completed(struct wl_goodput *goodput, const struct wl_window *window, time_ps now,
                          uint64_t bytes);

/* Of a connection that goes on: so many bytes have arrived by now. */
uint64_t wl_goodput_so_far(const struct wl_goodput *goodput, uint64_t arrived);

/* Of one that has ended, or where what has come of an operation under way may be lost again. */
uint64_t wl_goodput_completed_only(const struct wl_goodput *goodput);

/* The next moment after now; TIME_NEVER: both have come. */
static inline time_ps wl_window_next(const struct wl_window *window, time_ps now)
{
    if (now < window->from && window->from < window->to)
        return window->from;
    return now < window->to ? window->to : TIME_NEVER;
}

#endif
