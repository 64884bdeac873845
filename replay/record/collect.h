/* SPDX-License-Identifier: Apache-2.0
 * collect - the state of a finished run, and its totals.
 * The simulator fills it in from its world, the bridge from a measurement on devices; everything
 * recorded and reported comes from it. Pauses in effect count up to the present. */
#ifndef STORMGLASS_REPLAY_RECORD_COLLECT_H
#define STORMGLASS_REPLAY_RECORD_COLLECT_H

#include "replay/record/observe.h"
#include "replay/record/result.h"
#include "scenarios/world/world.h"

struct usages;

struct collect {
    const struct scenario *scenario;    /* names, ports, workloads */
    const struct workload_stats *stats; /* by workload */
    const struct route_table *routes;   /* by node */
    const struct observe *observe;      /* finished */
    const struct world *world;          /* source of counters; NULL: real devices */
    const struct usages *usages;        /* finished; NULL without a world or sampling */
    /* Results of an instance of a workload; false if this side has no such instance. */
    bool (*member)(const void *player, uint32_t workload, uint32_t number,
                   struct workload_delivered *delivered);
    const void *player;
    time_ps now;        /* virtual time at the end */
    time_ps window_end; /* of the measured part: min(duration, --until) */
    bool cut;           /* ended before its work was done */
    time_ps until;      /* stopped here on purpose or by a signal, or TIME_NEVER */
};

/* Frames dropped so far for lack of buffer, at any node. */
int64_t collect_unbuffered(const struct observe *observe, bool lossless);

/* Fills in totals, workloads, bottleneck and root cause. */
void collect_result(const struct collect *collect, struct result *result);

/* The divisor of a workload's rates: from the start of its measurement, or from its first operation
 * if connecting took longer, until it issued its last operation or the measured part of the run
 * ended. */
time_ps collect_window_ps(const struct workload_stats *stats, time_ps window_end);

/* The longest uninterrupted time that a port's transmitter was paused in a priority. */
time_ps collect_blocked_longest_ps(const struct port *port, int priority, time_ps now);

/* Time up to `now` that a port's wire was occupied by frames, preambles and gaps. */
time_ps collect_busy_ps(const struct port *port, time_ps now);

#endif
