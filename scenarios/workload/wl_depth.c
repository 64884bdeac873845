/* SPDX-License-Identifier: Apache-2.0
 * wl_depth - finds the largest queue depth that meets a latency target. */
#include "scenarios/workload/wl_depth.h"

static void new_window(struct wl_depth *depth, time_ps now)
{
    depth->window_start = now;
    depth->completed = 0;
    depth->late = 0;
}

void wl_depth_init(struct wl_depth *depth, const struct wl_depth_params *params, time_ps start)
{
    CHECK(params->most > 0);
    CHECK(params->target >= 0 && params->window >= 0);
    *depth = (struct wl_depth){
        .params = *params,
        .now = params->target > 0 ? 1 : params->most,
        .low = 1,
        .high = params->most,
        .window_start = start,
    };
}

static void missed(struct wl_depth *depth, time_ps now)
{
    if (depth->now > 1) {
        depth->high = depth->now;
        if (depth->low == depth->now)
            depth->low--;
        depth->now = (depth->now + depth->low) / 2;
        depth->lowered = true;
    }
    depth->confirming = false;
    new_window(depth, now);
}

static void kept(struct wl_depth *depth, time_ps now)
{
    const int64_t before = depth->now;
    depth->low = before;
    depth->now = depth->high != depth->params.most ? (before + depth->high) / 2 : before * 2;
    if (depth->now > depth->params.most)
        depth->now = depth->params.most;
    if (depth->now == before && depth->params.keep == 0) {
        depth->done = depth->confirming;
        depth->confirming = true;
    }
    new_window(depth, now);
}

void wl_depth_completed(struct wl_depth *depth, time_ps now, time_ps latency)
{
    if (depth->params.target == 0)
        return;
    depth->completed++;
    if (latency > depth->params.target) {
        depth->late++;
        if (depth->params.ppm >= PPM) {
            missed(depth, now);
            return;
        }
    }
    if (now - depth->window_start < depth->params.window)
        return;
    const bool held = (__int128)(depth->completed - depth->late) * PPM >=
                      (__int128)depth->completed * depth->params.ppm;
    if (held)
        kept(depth, now);
    else
        missed(depth, now);
}

bool wl_depth_lowered(struct wl_depth *depth)
{
    const bool lowered = depth->lowered;
    depth->lowered = false;
    return lowered;
}
