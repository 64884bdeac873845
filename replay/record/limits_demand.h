/* SPDX-License-Identifier: Apache-2.0
 * limits_demand - what a workload asks for: how deep, how many, at which rate, and whether it got
 * that. */
#ifndef STORMGLASS_REPLAY_RECORD_LIMITS_DEMAND_H
#define STORMGLASS_REPLAY_RECORD_LIMITS_DEMAND_H

#include "replay/explain/bottleneck.h"
#include "replay/record/collect.h"

/* It waits between its I/Os, with nothing outstanding. */
bool limits_thinks(const struct scenario_workload *about);

void limits_demand(const struct collect *collect, uint32_t index, struct bottleneck_input *input);

#endif
