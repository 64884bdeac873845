/* SPDX-License-Identifier: Apache-2.0
 * record_members - one row per member of each workload. */
#ifndef STORMGLASS_REPLAY_RECORD_RECORD_MEMBERS_H
#define STORMGLASS_REPLAY_RECORD_RECORD_MEMBERS_H

#include "replay/record/collect.h"
#include "replay/record/record.h"

enum { RECORD_MEMBERS_MAX = 4096 }; /* limit below level counters */

void record_members(struct record *record, const struct collect *collect);

/* Whether members have their own rows: at this level, there are not too many. */
bool record_has_members(const struct record *record, const struct scenario *scenario);

#endif
