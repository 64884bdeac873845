/* SPDX-License-Identifier: Apache-2.0
 * collect_private - the steps of collect_result, in the order of their calls. */
#ifndef STORMGLASS_REPLAY_RECORD_COLLECT_PRIVATE_H
#define STORMGLASS_REPLAY_RECORD_COLLECT_PRIVATE_H

#include "replay/record/collect.h"

/* What the latency of the workload leaves out, as a sentence; NULL: nothing. */
const char *collect_latency_note(const struct scenario_workload *about);

/* Checks whether the window is long enough for rates. If not, no_rates is the reason; if that
 * includes goodput, window_ps becomes 0. */
void collect_rates(const struct scenario *scenario, const struct scenario_workload *about,
                   const struct workload_stats *stats, struct result_workload *workload);

/* Fills in result->limits, one per workload, and the run's own: the bottleneck of the run and of
 * each of its workloads. Collects utilization and waiting time (usage.h) of the transmitters, hosts
 * and targets that a workload's traffic uses, for bottleneck.h to judge. Other workloads' use of
 * them is included. */
void limits_find(const struct collect *collect, struct result *result);

/* Relates a bottleneck to the time breakdown: which part of an operation's time the bottleneck
 * causes, and where; and the largest part if that has another cause. No-op without a time
 * breakdown. */
void limits_account(const struct collect *collect, struct result *result);

/* Processor cores that TCP kept busy until now, rounded up for each host. */
int64_t collect_tcp_cores(const struct world *world, time_ps now);

/* Fills in the warnings, and the number of idle members of each workload. */
void collect_members(const struct collect *collect, struct result *result);

/* Determines harm and causes. Call after all workloads have been added up. */
void collect_harm(const struct collect *collect, struct result *result);

/* Call after collect_members: the steady part of a workload. If a member was cut off, the workload
 * is not steady, and its figures are those of the remaining members. */
void collect_steady(const struct collect *collect, uint32_t index,
                    struct result_workload *workload);

#endif
