/* SPDX-License-Identifier: Apache-2.0
 * limits_demand - the demand of a workload: depth, count, offered load, and whether it was
 * completed. */
#ifndef STORMGLASS_REPLAY_RECORD_LIMITS_DEMAND_H
#define STORMGLASS_REPLAY_RECORD_LIMITS_DEMAND_H

#include "replay/explain/bottleneck.h"
#include "replay/record/collect.h"

/* Whether it pauses between I/Os with none outstanding. */
bool limits_thinks(const struct scenario_workload *about);

void limits_demand(const struct collect *collect, uint32_t index, struct bottleneck_input *input);

#endif
