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
    uint64_t member; /* whose it is */
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

/* One of a member that completed at `now`, which is not before base. */
void wl_history_add(struct wl_history *history, time_ps now, time_ps latency, uint64_t bytes,
                    uint32_t member);

/* So many bytes arrived in the time up to `at`; at most `intervals` are kept apart.  0 bytes keep
 * their length in step with time. */
void wl_history_deliver(struct wl_history *history, time_ps at, uint64_t bytes, int intervals);

/* The moment behind `now` at which an interval ends. */
time_ps wl_history_next(const struct wl_history *history, time_ps now);

/* Bytes are reported by wl_history_deliver alone: those of completions go. */
void wl_history_forget_bytes(struct wl_history *history);

/* Adds all of another one with the same base. */
void wl_history_fold(struct wl_history *into, const struct wl_history *from);

/* Samples of each member that its mean and its p99 need, and what is not known. */
enum { WL_HISTORY_WORST_MEAN = 10, WL_HISTORY_WORST_P99 = 100, WL_HISTORY_UNKNOWN = -1 };

/* Latencies in ps, each the largest that a member has; WL_HISTORY_UNKNOWN: of some member there are
 * too few samples.  With many members a longer run does not help, as samples are thinned out. */
struct wl_history_worst {
    int64_t mean, p99;
};

/* Of what completed from `from` on, before `until`. */
struct wl_history_worst wl_history_worst(const struct wl_history *history, time_ps from,
                                         time_ps until);

#endif
