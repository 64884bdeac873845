/* SPDX-License-Identifier: Apache-2.0
 * record_waits - the account of time as rows. */
#ifndef STORMGLASS_REPLAY_RECORD_RECORD_WAITS_H
#define STORMGLASS_REPLAY_RECORD_RECORD_WAITS_H

#include "replay/record/collect.h"
#include "replay/record/record.h"

/* Nothing where nobody accounted for time. */
void record_waits(struct record *record, const struct collect *collect);

#endif
