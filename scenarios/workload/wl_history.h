/* SPDX-License-Identifier: Apache-2.0
 * wl_history - throughput and latency of a workload over time, in bounded memory.
 * Intervals of equal length from the workload's start count what completed in them. If something
 * completes after the last interval, pairs of intervals are merged and the length doubles. In
 * addition, latencies are stored with their times, as many as there is room for: those with the
 * smallest hashes. Both depend on the set of added values and not on their order, so instances may
 * keep separate histories and add them up.
 * Owner: wl_history_fini. */
#ifndef STORMGLASS_SCENARIOS_WORKLOAD_WL_HISTORY_H
#define STORMGLASS_SCENARIOS_WORKLOAD_WL_HISTORY_H

#include "base/units.h"

enum { WL_HISTORY_INTERVALS = 512, WL_HISTORY_SAMPLES = 16384 };

struct wl_history_interval {
    uint64_t completed, bytes; /* bytes: of completed operations, or as they arrived */
    uint64_t latency_sum;      /* ps */
};

struct wl_history_sample {
    time_ps at, latency;
    uint64_t member; /* member of the latency */
};

struct wl_history {
    time_ps base;                          /* beginning of the first interval */
    int shift;                             /* length of an interval: 2^shift ps */
    struct wl_history_interval *intervals; /* NULL: nothing was added */
    struct wl_history_sample *samples;
    uint32_t sample_count, sample_room;
    int level; /* number of leading zero bits in the hash of a sample */
};

void wl_history_init(struct wl_history *history, time_ps base);
void wl_history_fini(struct wl_history *history);

/* Adds an operation of a member that completed at `now`, which is not before base. */
void wl_history_add(struct wl_history *history, time_ps now, time_ps latency, uint64_t bytes,
                    uint32_t member);

/* Adds bytes that arrived until `at`. At most `intervals` intervals are used. With 0 bytes, only
 * the length of the intervals is adapted to the time. */
void wl_history_deliver(struct wl_history *history, time_ps at, uint64_t bytes, int intervals);

/* First end of an interval after `now`. */
time_ps wl_history_next(const struct wl_history *history, time_ps now);

/* From now on, only wl_history_deliver reports bytes; removes those of completions. */
void wl_history_forget_bytes(struct wl_history *history);

/* Adds all data of another history with the same base. */
void wl_history_fold(struct wl_history *into, const struct wl_history *from);

/* Minimum number of samples per member for a mean and for a p99; value if unknown. */
enum { WL_HISTORY_WORST_MEAN = 10, WL_HISTORY_WORST_P99 = 100, WL_HISTORY_UNKNOWN = -1 };

/* Latencies in ps, each the largest of all members; WL_HISTORY_UNKNOWN: some member has too few
 * samples. With many members a longer run does not help, because samples are thinned out. */
struct wl_history_worst {
    int64_t mean, p99;
};

/* Of operations that completed in [from, until). */
struct wl_history_worst wl_history_worst(const struct wl_history *history, time_ps from,
                                         time_ps until);

#endif
