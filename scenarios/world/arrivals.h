/* SPDX-License-Identifier: Apache-2.0
 * arrivals - what an entry of workloads: delivered over time, as it arrived.
 * The world looks, between events, where an interval of the history ends.  Where it does not, for
 * nobody wants to know or connections are too many, what completed stands for what arrived.
 * Owner: arrivals_fini.  Clock: now is passed in. */
#ifndef STORMGLASS_SCENARIOS_WORLD_ARRIVALS_H
#define STORMGLASS_SCENARIOS_WORLD_ARRIVALS_H

#include "scenarios/load/scenario.h"
#include "scenarios/workload/wl_history.h"

struct arrivals {
    struct wl_history history;
    uint64_t delivered; /* by the last look */
    time_ps look_at;    /* the next look; TIME_NEVER: none */
    bool looked;        /* there are looks */
    int intervals;      /* that it keeps apart */
};

void arrivals_init(struct arrivals *arrivals, time_ps base);
void arrivals_fini(struct arrivals *arrivals);

/* The entry, how many instances of it begin, and up to where the run is played. */
struct arrivals_of {
    const struct scenario *scenario;
    const struct scenario_workload *workload;
    uint32_t instances;
    time_ps until;
};

/* Whether its connections are few enough to be looked at again and again. */
bool arrivals_may_look(const struct scenario_workload *workload, uint32_t instances);

void arrivals_begin(struct arrivals *arrivals, const struct arrivals_of *of, time_ps now);

/* So much is delivered by now.  over: nothing will be any more. */
void arrivals_look(struct arrivals *arrivals, time_ps now, uint64_t delivered, bool over);

/* Puts bytes as they arrived in the place of those of completions; what the last look did not see
 * arrived by `last`. */
void arrivals_tell(const struct arrivals *arrivals, uint64_t delivered, time_ps last,
                   struct wl_history *history);

#endif
