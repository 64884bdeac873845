/* SPDX-License-Identifier: Apache-2.0
 * wl_goodput - payload that a connection delivers in the measured part of a run, counted where it
 * arrives.
 *   bytes = arrived until the end of the measured part - arrived until its beginning
 * The two moments are marked; in between, only successful completions are counted. If both ends of
 * a connection are visible (simulation), each moment is marked between events with the bytes that
 * have arrived: completed operations, and the arrived part of those in flight. If not (real
 * devices), the first completion after a moment marks it with the bytes completed until then, so
 * completions inside the part count.
 * Bytes of an operation that failed are not useful: for a connection that has ended, only its
 * successful completions count.
 * Owner: the instance. Clock: `now` is passed in. */
#ifndef STORMGLASS_SCENARIOS_WORKLOAD_WL_GOODPUT_H
#define STORMGLASS_SCENARIOS_WORKLOAD_WL_GOODPUT_H

#include "base/units.h"

#include <stdbool.h>

/* The measured part of an instance: from <= t < to. */
struct wl_window {
    time_ps from, to;
};

struct wl_goodput {
    uint64_t done;           /* bytes of successful completions */
    uint64_t at_from, at_to; /* bytes that had arrived at these moments; UINT64_MAX: not marked
                              * yet */
};

/* A connection begins. All its bytes arrive after the moments that have already passed. */
void wl_goodput_begin(struct wl_goodput *goodput, const struct wl_window *window, time_ps now);

/* Marks the moments that have passed: `arrived` bytes have arrived. */
void wl_goodput_mark(struct wl_goodput *goodput, const struct wl_window *window, time_ps now,
                     uint64_t arrived);

/* Counts a completion. If a moment has passed without being marked, the bytes arrived before that
 * moment. */
void wl_goodput_completed(struct wl_goodput *goodput, const struct wl_window *window, time_ps now,
                          uint64_t bytes);

/* For an active connection: `arrived` bytes have arrived until now. */
uint64_t wl_goodput_so_far(const struct wl_goodput *goodput, uint64_t arrived);

/* For a connection that has ended, or if the arrived part of operations in flight may be lost. */
uint64_t wl_goodput_completed_only(const struct wl_goodput *goodput);

/* The next moment after now; TIME_NEVER: both have passed. */
static inline time_ps wl_window_next(const struct wl_window *window, time_ps now)
{
    if (now < window->from && window->from < window->to)
        return window->from;
    return now < window->to ? window->to : TIME_NEVER;
}

#endif
