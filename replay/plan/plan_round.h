/* SPDX-License-Identifier: Apache-2.0
 * plan_round - the runs of some candidates, round after round, until each has its verdict. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_ROUND_H
#define STORMGLASS_REPLAY_PLAN_PLAN_ROUND_H

#include "replay/plan/plan_search.h"

/* One case of a candidate. */
struct plan_part {
    uint32_t candidate, of;
};

/* Until each of these cases has its verdict, or its candidate has.  The candidates' verdicts are
 * open, or follow from others, which is tried. */
void plan_round_cases(const struct plan_search *search, const struct plan_part *parts,
                      uint32_t count);

/* All cases of them, likewise. */
void plan_round_play(const struct plan_search *search, const uint32_t *candidates, uint32_t count);

/* One run of each, of its first case with the scenario's own seed.  False: the budget or a stop
 * came before the end. */
bool plan_round_try(const struct plan_search *search, const uint32_t *candidates, uint32_t count);

/* Cases of a candidate until each has so many runs, whatever is known of it.  False: the budget or
 * a stop came before the end. */
bool plan_round_fill(const struct plan_search *search, uint32_t candidate, const uint32_t *cases,
                     uint32_t count, uint32_t seeds);

#endif
