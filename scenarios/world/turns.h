/* SPDX-License-Identifier: Apache-2.0
 * turns - in which order the jobs of a fio file begin and end.
 * Other workloads begin at once and end nobody.  Whoever plays a scenario keeps one turn for each
 * of its workloads and asks here after each that finishes. */
#ifndef STORMGLASS_SCENARIOS_WORLD_TURNS_H
#define STORMGLASS_SCENARIOS_WORLD_TURNS_H

#include "scenarios/load/scenario.h"

struct turn {
    bool begun, finished;
};

struct turns_calls {
    void *self;
    void (*begin)(void *self, uint32_t workload); /* its turn says begun already */
    void (*stop)(void *self, uint32_t workload);  /* of one that has begun; it may finish at once */
};

/* While `*attention` is set: lets what has finished end others (exitall), and begin those whose
 * jobs to wait for are finished (stonewall, wait_for). */
void turns_attend(const struct scenario *scenario, struct turn *turns, bool *attention,
                  const struct turns_calls *calls);

/* From when to when an instance issues that is made now.  `zero` is the scenario's moment 0, `end`
 * that of its duration. */
struct turns_span {
    time_ps start, stop;
};
struct turns_span turns_span(const struct scenario_workload *workload, time_ps zero, time_ps end,
                             time_ps now);

bool turns_all_finished(const struct scenario *scenario, const struct turn *turns);

#endif
