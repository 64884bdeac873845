/* SPDX-License-Identifier: Apache-2.0
 * steady - the steady part of what a workload got: where it begins, its figures, how sure they are.
 * Source: White, SIMULATION 69(6), 1997, and Spratt's MSER-5: over batches of five observations,
 * what is cut off at the beginning makes the standard error of the mean of the rest least; at most
 * half is.  Where half were best the run has not settled, unless what is just before the middle
 * agrees with what is after it, within the width that an interval may have: then the cut was at
 * noise.  Goodput and latency are looked at, and the later end of a warm-up counts.  Intervals are
 * 95 % from the means of twenty batches (Student's t, 19 degrees of freedom: 2.093).  Percentiles
 * are those of the samples that the history has. */
#ifndef STORMGLASS_REPLAY_RECORD_STEADY_H
#define STORMGLASS_REPLAY_RECORD_STEADY_H

#include "scenarios/load/scenario.h"
#include "scenarios/workload/wl_history.h"

#include <stdbool.h>

enum { STEADY_UNKNOWN = -1 }; /* too few for this figure */
enum { STEADY_SET_BYTES = 96, STEADY_WHY_BYTES = 160 };

/* A figure and half of its confidence interval, or STEADY_UNKNOWN. */
struct steady_figure {
    int64_t value, half;
};

struct steady {
    bool known; /* there was enough to look at */
    bool settled;
    char why[STEADY_WHY_BYTES]; /* not settled: the reason */
    time_ps from, until;        /* the steady part */
    /* Not settled: a window that is long enough, and a lower bound of it; or STEADY_UNKNOWN. */
    time_ps needs, least;
    char set[STEADY_SET_BYTES]; /* what run --set takes so that it settles; empty: unknown */
    struct steady_figure goodput_bps, iops;
    struct steady_figure mean, p50, p99, p99_9; /* of the latency, ps; of p99.9 no interval */
    int64_t slowest; /* ps: the mean latency of the slowest 1 %, or STEADY_UNKNOWN */
    struct wl_history_worst worst;
};

/* Between `from` and `until`; `given`: the warm-up before `from` is the scenario's own choice. */
struct steady steady_find(const struct wl_history *history, time_ps from, time_ps until,
                          bool given);

/* What --set makes the window long enough; `about` is the workload, `duration` the run's. */
void steady_propose(struct steady *steady, const struct scenario_workload *about, time_ps duration);

/* How many of `count` batches MSER cuts off at the beginning, at most half. */
uint32_t steady_cut(const uint64_t *batches, uint32_t count);

#endif
