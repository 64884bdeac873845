/* SPDX-License-Identifier: Apache-2.0
 * plan_command - commands that repeat a run of a plan on its own, or write a candidate as a
 * scenario. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_COMMAND_H
#define STORMGLASS_REPLAY_PLAN_PLAN_COMMAND_H

#include "replay/plan/plan_state.h"

#include <stdio.h>

/* Quoted for a shell. Chooses the first run of a case, or one that crashed. */
void plan_command(const struct plan_state *state, uint32_t candidate, uint32_t of, FILE *out);

/* The command that writes the candidate as a scenario. */
void plan_export_command(const struct plan_state *state, uint32_t candidate, FILE *out);

/* The most informative case of a candidate: the first that does not pass, otherwise the first that
 * was run; PLAN_NO_CASE if none was. */
uint32_t plan_telling_case(const struct plan_candidate *candidate);

/* The settings of the run in plan_command. Texts are in the arena. */
const char **plan_command_sets(struct arena *arena, const struct plan_state *state,
                               uint32_t candidate, uint32_t of, uint32_t *count);

#endif
