/* SPDX-License-Identifier: Apache-2.0
 * job_order - order in which the jobs of a fio file begin and end.
 * Other workloads begin at once and do not end others. The code that runs a scenario keeps one
 * state per workload and calls job_order_attend after each one that finishes. */
#ifndef STORMGLASS_SCENARIOS_WORLD_JOB_ORDER_H
#define STORMGLASS_SCENARIOS_WORLD_JOB_ORDER_H

#include "scenarios/data/scenario.h"

struct job_state {
    bool begun, finished;
};

struct job_order_calls {
    void *self;
    void (*begin)(void *self, uint32_t workload); /* the state is already marked as begun */
    void (*stop)(void *self, uint32_t workload);  /* for a workload that has begun; it may finish
                                                   * immediately */
};

/* While `*attention` is set: ends the jobs that finished ones end (exitall), and begins those whose
 * predecessors have finished (stonewall, wait_for). */
void job_order_attend(const struct scenario *scenario, struct job_state *states, bool *attention,
                      const struct job_order_calls *calls);

/* Time span in which an instance created now issues. `zero` is time 0 of the scenario, `end` the
 * end of its duration. */
struct job_order_span {
    time_ps start, stop;
};
struct job_order_span job_order_span(const struct scenario_workload *workload, time_ps zero,
                                     time_ps end, time_ps now);

bool job_order_all_finished(const struct scenario *scenario, const struct job_state *states);

#endif
