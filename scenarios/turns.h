/* SPDX-License-Identifier: Apache-2.0
 * turns - in which order the jobs of a fio file begin and end.
 * Other workloads begin at once and end nobody.  Whoever plays a scenario keeps one turn for each
 * of its workloads and asks here after each that finishes. */
#ifndef STORMGLASS_SCENARIOS_TURNS_H
#define STORMGLASS_SCENARIOS_TURNS_H

#include "scenarios/scenario.h"

struct turn {
    bool begun, finished;
};

/* The jobs that it waits for are finished (stonewall, wait_for). */
bool turns_may_begin(const struct scenario *scenario, const struct turn *turns, uint32_t workload);

/* The end of the one ends the other, a job of the same file (exitall). */
bool turns_is_ended_by(const struct scenario *scenario, uint32_t workload, uint32_t finished);

bool turns_all_finished(const struct scenario *scenario, const struct turn *turns);

#endif
