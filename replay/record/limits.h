/* SPDX-License-Identifier: Apache-2.0
 * limits - what limited a run and each of its workloads.
 * Puts together what was used and waited for (usage.h) of the transmitters, hosts and targets that
 * a workload's work goes by, for bottleneck.h to judge.  What others used there is in it. */
#ifndef STORMGLASS_REPLAY_RECORD_LIMITS_H
#define STORMGLASS_REPLAY_RECORD_LIMITS_H

#include "replay/explain/bottleneck.h"
#include "replay/record/collect.h"

/* Fills in result->limits, one for each workload, and the run's. */
void limits_find(const struct collect *collect, struct result *result);

#endif
