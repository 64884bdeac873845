/* SPDX-License-Identifier: Apache-2.0
 * limits - the bottleneck of a run and of each of its workloads.
 * Collects utilization and waiting time (usage.h) of the transmitters, hosts and targets that a
 * workload's traffic uses, for bottleneck.h to judge. Other workloads' use of them is included. */
#ifndef STORMGLASS_REPLAY_RECORD_LIMITS_H
#define STORMGLASS_REPLAY_RECORD_LIMITS_H

#include "replay/explain/bottleneck.h"
#include "replay/record/collect.h"

/* Fills in result->limits, one per workload, and the run's own. */
void limits_find(const struct collect *collect, struct result *result);

#endif
