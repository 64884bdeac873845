/* SPDX-License-Identifier: Apache-2.0
 * collect_members - what the members of workloads did, and what a run warns of. */
#ifndef STORMGLASS_REPLAY_RECORD_COLLECT_MEMBERS_H
#define STORMGLASS_REPLAY_RECORD_COLLECT_MEMBERS_H

#include "replay/record/collect.h"

/* Fills the warnings, and how many members of each workload were idle. */
void collect_members(const struct collect *collect, struct result *result);

#endif
