/* SPDX-License-Identifier: Apache-2.0
 * record_waits - the time breakdown as rows. */
#ifndef STORMGLASS_REPLAY_RECORD_RECORD_WAITS_H
#define STORMGLASS_REPLAY_RECORD_RECORD_WAITS_H

#include "replay/record/collect.h"
#include "replay/record/record.h"

/* No-op without a time breakdown. */
void record_waits(struct record *record, const struct collect *collect);

#endif
