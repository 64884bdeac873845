/* SPDX-License-Identifier: Apache-2.0
 * plan_cliff - how far the chosen candidate can be pushed along an axis, and what moves that limit.
 * The chosen candidate is run at one value of the axis after another until it does not pass. Then a
 * lever is changed: one step either way on an axis of the plan (that candidate, with its `adjust`
 * values), or a value of `what-if`. With it, the axis is continued from where the cliff was; if
 * that value does not pass, it goes back to one that does. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_CLIFF_H
#define STORMGLASS_REPLAY_PLAN_PLAN_CLIFF_H

#include "replay/plan/plan_search.h"

enum { PLAN_CLIFF_POINTS_MAX = 65536 }; /* of all cliffs with all levers */

struct plan_lever {
    const char *path, *value;
    uint32_t candidate; /* the candidate to change: the chosen one or its neighbor on an axis */
    const char *set;    /* "path=value"; NULL: the neighbor is the change */
};

/* Makes room for the points of all cliffs after the plan's candidates. Returns false and a message
 * if there are too many. */
bool plan_cliff_open(struct plan_state *state, struct diag *diag);

/* Returns false if the axis ends there. Requires a chosen candidate. */
bool plan_cliff_lever(const struct plan_state *state, uint32_t index, struct plan_lever *lever);

const struct plan_move *plan_cliff_move(const struct plan_state *state, uint32_t cliff,
                                        uint32_t lever);

/* By how many values the lever moves the cliff: > 0 further, < 0 nearer. */
int32_t plan_cliff_steps(const struct plan_state *state, uint32_t cliff, uint32_t lever);

/* Runs all cliffs of the chosen candidate until the budget is spent or a stop is requested. */
void plan_cliff_play(const struct plan_search *search);

#endif
