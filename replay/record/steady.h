/* SPDX-License-Identifier: Apache-2.0
 * steady - the steady part of a workload: its start, its figures, and their confidence intervals.
 * Source: White, SIMULATION 69(6), 1997, and Spratt's MSER-5. Over batches of five observations,
 * the warm-up to cut off minimizes the standard error of the mean of the rest; it is at most half.
 * If half would be best, the run is not steady, unless the part just before the middle agrees with
 * the part after it within the permitted width of an interval: then the cut was due to noise.
 * Goodput and latency are both examined, and the longer warm-up counts. Intervals are 95 % from the
 * means of twenty batches (Student's t, 19 degrees of freedom: 2.093). Percentiles are those of the
 * samples in the history. */
#ifndef STORMGLASS_REPLAY_RECORD_STEADY_H
#define STORMGLASS_REPLAY_RECORD_STEADY_H

#include "scenarios/data/scenario.h"
#include "scenarios/workload/wl_history.h"

#include <stdbool.h>

enum { STEADY_UNKNOWN = -1 }; /* too few samples for this figure */
enum { STEADY_SET_BYTES = 96, STEADY_WHY_BYTES = 160 };

/* A figure and half of its confidence interval, or STEADY_UNKNOWN. */
struct steady_figure {
    int64_t value, half;
};

struct steady {
    bool known; /* there were enough data */
    bool settled;
    char why[STEADY_WHY_BYTES]; /* reason if not steady */
    time_ps from, until;        /* the steady part */
    /* If not steady: a sufficient window, and a lower bound of it; or STEADY_UNKNOWN. */
    time_ps needs, least;
    char set[STEADY_SET_BYTES]; /* argument of run --set for a sufficient window; empty: unknown */
    struct steady_figure goodput_bps, iops;
    struct steady_figure mean, p50, p99, p99_9; /* latency in ps; p99.9 has no interval */
    int64_t slowest; /* ps; mean latency of the slowest 1 %, or STEADY_UNKNOWN */
    struct wl_history_worst worst;
};

/* Between `from` and `until`; `given`: the scenario itself sets the warm-up before `from`. */
struct steady steady_find(const struct wl_history *history, time_ps from, time_ps until,
                          bool given);

/* Writes the --set argument that makes the window long enough; `duration` is the run's. */
void steady_propose(struct steady *steady, const struct scenario_workload *about, time_ps duration);

/* Number of leading batches, of `count`, that MSER cuts off; at most half. */
uint32_t steady_cut(const uint64_t *batches, uint32_t count);

#endif
