/* SPDX-License-Identifier: Apache-2.0
 * collect_members - what the members of workloads did, and what a run warns of. */
#ifndef STORMGLASS_REPLAY_RECORD_COLLECT_MEMBERS_H
#define STORMGLASS_REPLAY_RECORD_COLLECT_MEMBERS_H

#include "replay/record/collect.h"

/* Whether the window is long enough to tell rates: if not, no_rates says why; where that includes
 * goodput, window_ps becomes 0. */
void collect_rates(const struct scenario *scenario, const struct scenario_workload *about,
                   const struct workload_stats *stats, struct result_workload *workload);

/* Fills the warnings, and how many members of each workload were idle. */
void collect_members(const struct collect *collect, struct result *result);

/* Afterwards: the steady part of a workload.  One of which a member was cut off is not steady: the
 * figures of its steady part are those of the members that are left. */
void collect_steady(const struct collect *collect, uint32_t index,
                    struct result_workload *workload);

#endif
