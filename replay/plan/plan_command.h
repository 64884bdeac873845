/* SPDX-License-Identifier: Apache-2.0
 * plan_command - the commands that play a run of a plan alone, and write a candidate as a
 * scenario. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_COMMAND_H
#define STORMGLASS_REPLAY_PLAN_PLAN_COMMAND_H

#include "replay/plan/plan_state.h"

#include <stdio.h>

/* The first run of a case, or the one that died, fit for a shell. */
void plan_command(const struct plan_state *state, uint32_t candidate, uint32_t of, FILE *out);

/* What writes the candidate as a scenario of its own. */
void plan_export_command(const struct plan_state *state, uint32_t candidate, FILE *out);

/* What tells most of a candidate: the first case that does not hold, or the first that was played;
 * PLAN_NO_CASE: none was. */
uint32_t plan_telling_case(const struct plan_candidate *candidate);

/* Settings of the run that plan_command plays.  Texts are in the arena. */
const char **plan_command_sets(struct arena *arena, const struct plan_state *state,
                               uint32_t candidate, uint32_t of, uint32_t *count);

#endif
