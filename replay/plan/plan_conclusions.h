/* SPDX-License-Identifier: Apache-2.0
 * plan_conclusions - conclusions from the runs so far: the chosen candidate, axes that are not
 * monotone, and candidates that must fail or cannot have more headroom because another one is at
 * least as good on every axis. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_CONCLUSIONS_H
#define STORMGLASS_REPLAY_PLAN_PLAN_CONCLUSIONS_H

#include "replay/plan/plan_search.h"

/* Recomputes everything from the runs. */
void plan_update_conclusions(const struct plan_search *search);

/* Bit set of the axes on which the two have different values. */
uint32_t plan_differing_axes(const struct plan_state *state, uint32_t a, uint32_t b);

/* Whether it is undecided and could still be chosen. */
bool plan_is_rival(const struct plan_state *state, uint32_t index);

/* Whether a candidate is chosen and has no rival. */
bool plan_is_proven(const struct plan_state *state);

/* Over the passing candidates; -HUGE_VAL if none passes. */
double plan_most_headroom(const struct plan_state *state);

/* Of the passing candidates in `some` with the most headroom, within the tolerance, the one nearest
 * to the better ends of the axes; state->count if none passes. */
uint32_t plan_best_of(const struct plan_state *state, const uint32_t *some, uint32_t count);

#endif
