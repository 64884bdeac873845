/* SPDX-License-Identifier: Apache-2.0
 * plan_round - runs candidates round by round until each has a verdict. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_ROUND_H
#define STORMGLASS_REPLAY_PLAN_PLAN_ROUND_H

#include "replay/plan/plan_search.h"

/* One case of a candidate. */
struct plan_part {
    uint32_t candidate, of;
};

/* Runs each of these cases until it or its candidate has a verdict. The verdicts of the candidates
 * must be open, or implied by others and to be probed. */
void plan_round_cases(const struct plan_search *search, const struct plan_part *parts,
                      uint32_t count);

/* The same for all cases of the candidates. */
void plan_round_play(const struct plan_search *search, const uint32_t *candidates, uint32_t count);

/* One run of each candidate: its first case with the scenario's own seed. Returns false if the
 * budget was spent or a stop requested before the end. */
bool plan_round_try(const struct plan_search *search, const uint32_t *candidates, uint32_t count);

/* Runs cases of a candidate until each has so many runs, regardless of verdicts. Returns false if
 * the budget was spent or a stop requested before the end. */
bool plan_round_fill(const struct plan_search *search, uint32_t candidate, const uint32_t *cases,
                     uint32_t count, uint32_t seeds);

#endif
