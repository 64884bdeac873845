/* SPDX-License-Identifier: Apache-2.0
 * job_order - in which order the jobs of a fio file begin and end.
 * Other workloads begin at once and end nobody.  Whoever plays a scenario keeps one state for
 * each of its workloads and asks here after each that finishes. */
#ifndef STORMGLASS_SCENARIOS_WORLD_JOB_ORDER_H
#define STORMGLASS_SCENARIOS_WORLD_JOB_ORDER_H

#include "scenarios/load/scenario.h"

struct job_state {
    bool begun, finished;
};

struct job_order_calls {
    void *self;
    void (*begin)(void *self, uint32_t workload); /* its state says begun already */
    void (*stop)(void *self, uint32_t workload);  /* of one that has begun; it may finish at once */
};

/* While `*attention` is set: lets what has finished end others (exitall), and begin those whose
 * jobs to wait for are finished (stonewall, wait_for). */
void job_order_attend(const struct scenario *scenario, struct job_state *states, bool *attention,
                      const struct job_order_calls *calls);

/* From when to when an instance issues that is made now.  `zero` is the scenario's moment 0, `end`
 * that of its duration. */
struct job_order_span {
    time_ps start, stop;
};
struct job_order_span job_order_span(const struct scenario_workload *workload, time_ps zero,
                                     time_ps end, time_ps now);

bool job_order_all_finished(const struct scenario *scenario, const struct job_state *states);

#endif
