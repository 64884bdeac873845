/* SPDX-License-Identifier: Apache-2.0
 * collect - a run at its end, and the totals of it.
 * The simulator fills one from its world, the bridge from what it played on real devices; what is
 * recorded and reported comes from it.  Pauses that still hold count up to the present. */
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
    const struct world *world;          /* whose ports, switches and RNICs counted; NULL: real ones,
                                           of which nothing is known */
    const struct usages *usages;        /* ended; NULL with the world, or of a
                                           run that is not sampled */
    /* What an instance of a workload delivered; false: it has none of that number here. */
    bool (*member)(const void *player, uint32_t workload, uint32_t number,
                   struct workload_delivered *delivered);
    const void *player;
    time_ps now;        /* virtual time at the end */
    time_ps window_end; /* of the measured part: min(duration, --until) */
    bool cut;           /* before its work was done */
    time_ps until;      /* played up to here on purpose or by a signal, or TIME_NEVER */
};

/* Frames that were dropped so far for want of buffer, wherever. */
int64_t collect_unbuffered(const struct observe *observe, bool lossless);

/* Fills totals, workloads, bottleneck and root cause. */
void collect_result(const struct collect *collect, struct result *result);

/* What a workload's rates are divided by: from the start of its measurement, or the first operation
 * when connecting took longer, until it had issued its last or the measured part of the run ended.
 * */
time_ps collect_window_ps(const struct workload_stats *stats, time_ps window_end);

/* The longest time at once that a port's transmitter was stopped in a priority. */
time_ps collect_blocked_longest_ps(const struct port *port, int priority, time_ps now);

/* Time until now that a port's wire was taken by frames, preambles and gaps. */
time_ps collect_busy_ps(const struct port *port, time_ps now);

#endif
