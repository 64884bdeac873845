/* SPDX-License-Identifier: Apache-2.0
 * plan_round - the runs of some candidates, round after round, until each has its verdict. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_ROUND_H
#define STORMGLASS_REPLAY_PLAN_PLAN_ROUND_H

#include "replay/plan/plan_search.h"

/* Their verdicts are open, or implied, which is tried. */
void plan_round_play(const struct plan_search *search, const uint32_t *candidates, uint32_t count);

#endif
