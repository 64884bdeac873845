/* SPDX-License-Identifier: Apache-2.0
 * plan_outcome - whether what another process or a database says of a run can be what one came to.
 * Its bytes may be any. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_OUTCOME_H
#define STORMGLASS_REPLAY_PLAN_PLAN_OUTCOME_H

#include "replay/plan/plan_play.h"

/* Events, and packet-hops, of one run; those of as many runs as a budget may have fit 64 bits. */
#define PLAN_OUTCOME_EVENTS_MAX (INT64_C(1) << 43)

/* `asked` objectives were asked of it. */
bool plan_outcome_is_sound(const struct plan_outcome *outcome, uint32_t asked);

#endif
