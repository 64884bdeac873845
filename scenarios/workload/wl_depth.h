/* SPDX-License-Identifier: Apache-2.0
 * wl_depth - finds the largest queue depth that meets a latency target.
 * As fio's latency_target: the depth starts at 1 and doubles as long as each window meets the
 * target; after the first miss it is bisected. With a percentile of 100 %, one late I/O ends the
 * window.
 * Source: fio 3.33, HOWTO "latency_target" and the lat_target functions of io_u.c.
 * Deviation: fio gives up if depth 1 misses the target; here the job stays at depth 1.
 * Units: picoseconds, parts per million. Owner: the script of an instance. */
#ifndef STORMGLASS_SCENARIOS_WORKLOAD_WL_DEPTH_H
#define STORMGLASS_SCENARIOS_WORKLOAD_WL_DEPTH_H

#include "base/units.h"

#include <stdbool.h>

struct wl_depth_params {
    int64_t most;   /* iodepth */
    time_ps target; /* 0: the depth is always `most` */
    time_ps window;
    int64_t ppm;  /* share of the I/Os of a window that must meet the target */
    int64_t keep; /* bool: continue when the depth is found (latency_run) */
};

struct wl_depth {
    struct wl_depth_params params;
    int64_t now, low, high;
    time_ps window_start;
    int64_t completed, late; /* I/Os in this window */
    bool confirming;         /* the depth is found; one more window measures it */
    bool done;               /* that window is over, so the job ends */
    bool lowered;            /* depth was lowered since the last call of wl_depth_lowered, so
                              * I/Os in flight must drain */
};

void wl_depth_init(struct wl_depth *depth, const struct wl_depth_params *params, time_ps start);

void wl_depth_completed(struct wl_depth *depth, time_ps now, time_ps latency);

/* Returns true once after the depth was lowered. */
bool wl_depth_lowered(struct wl_depth *depth);

#endif
