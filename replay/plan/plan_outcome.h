/* SPDX-License-Identifier: Apache-2.0
 * plan_outcome - validates the outcome of a run received from another process or a database.
 * The bytes are untrusted. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_OUTCOME_H
#define STORMGLASS_REPLAY_PLAN_PLAN_OUTCOME_H

#include "replay/plan/plan_play.h"

/* Events, and packet-hops, of one run. The sum over as many runs as a budget allows fits into 64
 * bits. */
#define PLAN_OUTCOME_EVENTS_MAX (INT64_C(1) << 43)

#define PLAN_OUTCOME_CORES_MAX  (INT64_C(1) << 30)

/* `asked` is the number of objectives. */
bool plan_outcome_is_sound(const struct plan_outcome *outcome, uint32_t asked);

#endif
