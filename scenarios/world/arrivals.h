/* SPDX-License-Identifier: Apache-2.0
 * arrivals - bytes delivered over time by an entry of `workloads:`, counted as they arrive.
 * The world samples the delivered bytes between events, at the end of each interval of the history.
 * Without samples, because there is no reader or there are too many connections, completions are
 * used instead of arrivals.
 * Owner: arrivals_fini. Clock: `now` is passed in. */
#ifndef STORMGLASS_SCENARIOS_WORLD_ARRIVALS_H
#define STORMGLASS_SCENARIOS_WORLD_ARRIVALS_H

#include "scenarios/data/scenario.h"
#include "scenarios/workload/wl_history.h"

struct arrivals {
    struct wl_history history;
    uint64_t delivered; /* at the last sample */
    time_ps look_at;    /* time of the next sample; TIME_NEVER: none */
    bool looked;        /* the entry is sampled */
    int intervals;      /* number of intervals in use */
};

void arrivals_init(struct arrivals *arrivals, time_ps base);
void arrivals_fini(struct arrivals *arrivals);

/* The entry, the number of its instances, and the end of the run. */
struct arrivals_of {
    const struct scenario *scenario;
    const struct scenario_workload *workload;
    uint32_t instances;
    time_ps until;
};

/* True if its connections are few enough for repeated sampling. */
bool arrivals_may_look(const struct scenario_workload *workload, uint32_t instances);

void arrivals_begin(struct arrivals *arrivals, const struct arrivals_of *of, time_ps now);

/* Adds a sample: bytes delivered until now. over: nothing more will arrive. */
void arrivals_look(struct arrivals *arrivals, time_ps now, uint64_t delivered, bool over);

/* Replaces the bytes of completions by those of arrivals; bytes after the last sample arrived by
 * `last`. */
void arrivals_tell(const struct arrivals *arrivals, uint64_t delivered, time_ps last,
                   struct wl_history *history);

#endif
