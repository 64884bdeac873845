/* SPDX-License-Identifier: Apache-2.0
 * plan_cliff - how far what is chosen goes along an axis, and what moves that.
 * What is chosen is played at one value of the axis after the other until it does not hold.  Then a
 * lever is pulled: the next value either way on an axis of the plan (that candidate, with what
 * `adjust` gives it), or a value of `what-if`; with it the axis is played on from where the cliff
 * was, and where that does not hold back to a value that does. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_CLIFF_H
#define STORMGLASS_REPLAY_PLAN_PLAN_CLIFF_H

#include "replay/plan/plan_search.h"

enum { PLAN_CLIFF_POINTS_MAX = 65536 }; /* of all cliffs with all levers */

struct plan_lever {
    const char *path, *value;
    uint32_t candidate; /* that is changed: what is chosen, or the other one */
    const char *set;    /* "path=value"; NULL: the other one is the change */
};

/* Room for the points of all cliffs, behind the candidates of the plan.  False and a message: they
 * are too many. */
bool plan_cliff_open(struct plan_state *state, struct diag *diag);

/* False: that axis ends there.  Something is chosen. */
bool plan_cliff_lever(const struct plan_state *state, uint32_t index, struct plan_lever *lever);

const struct plan_move *plan_cliff_move(const struct plan_state *state, uint32_t cliff,
                                        uint32_t lever);

/* By how many values it moves the cliff: further, or less than 0: nearer. */
int32_t plan_cliff_steps(const struct plan_state *state, uint32_t cliff, uint32_t lever);

/* All of them, with what is chosen, until the budget is spent or a stop is asked for. */
void plan_cliff_play(const struct plan_search *search);

#endif
