/* SPDX-License-Identifier: Apache-2.0
 * wl_history - what a workload got over time, in bounded memory.
 * Intervals of equal length from its start on, each with what completed in it; when one completes
 * behind the last, pairs become one and the length doubles.  Beside them latencies with their time,
 * so many as there is room for: those whose hash is least.  Both depend on what is added and not on
 * its order, so instances may keep several and add them up.
 * Owner: wl_history_fini. */
#ifndef STORMGLASS_SCENARIOS_WORKLOAD_WL_HISTORY_H
#define STORMGLASS_SCENARIOS_WORKLOAD_WL_HISTORY_H

#include "base/units.h"

enum { WL_HISTORY_INTERVALS = 512, WL_HISTORY_SAMPLES = 16384 };

struct wl_history_interval {
    uint64_t completed, bytes; /* bytes: of what completed, or as they arrived */
    uint64_t latency_sum;      /* ps */
};

struct wl_history_sample {
    time_ps at, latency;
};

struct wl_history {
    time_ps base;                          /* where the first interval begins */
    int shift;                             /* an interval is 2^shift ps */
    struct wl_history_interval *intervals; /* NULL: nothing was added */
    struct wl_history_sample *samples;
    uint32_t sample_count, sample_room;
    int level; /* a hash of a sample begins with so many zeros */
};

void wl_history_init(struct wl_history *history, time_ps base);
void wl_history_fini(struct wl_history *history);

/* One that completed at `now`, which is not before base. */
void wl_history_add(struct wl_history *history, time_ps now, time_ps latency, uint64_t bytes);

/* So many bytes arrived in the time up to `at`; at most `intervals` are kept apart.  0 bytes keep
 * their length in step with time. */
void wl_history_deliver(struct wl_history *history, time_ps at, uint64_t bytes, int intervals);

/* The moment behind `now` at which an interval ends. */
time_ps wl_history_next(const struct wl_history *history, time_ps now);

/* Bytes are reported by wl_history_deliver alone: those of completions go. */
void wl_history_forget_bytes(struct wl_history *history);

/* Adds all of another one with the same base. */
void wl_history_fold(struct wl_history *into, const struct wl_history *from);

#endif
