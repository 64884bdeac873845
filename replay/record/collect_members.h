/* SPDX-License-Identifier: Apache-2.0
 * collect_members - results of the members of workloads, and warnings of a run. */
#ifndef STORMGLASS_REPLAY_RECORD_COLLECT_MEMBERS_H
#define STORMGLASS_REPLAY_RECORD_COLLECT_MEMBERS_H

#include "replay/record/collect.h"

/* Checks whether the window is long enough for rates. If not, no_rates is the reason; if that
 * includes goodput, window_ps becomes 0. */
void collect_rates(const struct scenario *scenario, const struct scenario_workload *about,
                   const struct workload_stats *stats, struct result_workload *workload);

/* Fills in the warnings, and the number of idle members of each workload. */
void collect_members(const struct collect *collect, struct result *result);

/* Call after collect_members: the steady part of a workload. If a member was cut off, the workload
 * is not steady, and its figures are those of the remaining members. */
void collect_steady(const struct collect *collect, uint32_t index,
                    struct result_workload *workload);

#endif
