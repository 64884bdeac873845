/* SPDX-License-Identifier: Apache-2.0
 * plan_follow - what follows from what was played: what is chosen, which axes are not monotone,
 * who fails or has no more headroom as another is as good on every axis. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_FOLLOW_H
#define STORMGLASS_REPLAY_PLAN_PLAN_FOLLOW_H

#include "replay/plan/plan_search.h"

/* Everything anew, from the runs alone. */
void plan_follow(const struct plan_search *search);

/* Axes on which they have different values, a bit for each. */
uint32_t plan_differing_axes(const struct plan_state *state, uint32_t a, uint32_t b);

/* Whether it is undecided and could be chosen. */
bool plan_is_rival(const struct plan_state *state, uint32_t index);

/* Whether something is chosen and has no rival. */
bool plan_is_proven(const struct plan_state *state);

/* Of those that hold; -HUGE_VAL: none does. */
double plan_most_headroom(const struct plan_state *state);

/* Of those among them that hold and have the most headroom, within the tolerance, the one that is
 * nearest to the better ends; state->count: none holds. */
uint32_t plan_best_of(const struct plan_state *state, const uint32_t *some, uint32_t count);

#endif
