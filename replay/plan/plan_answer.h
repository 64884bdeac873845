/* SPDX-License-Identifier: Apache-2.0
 * plan_answer - the answer of a plan in its database: verdicts, bills, objectives, cliffs, what
 * assumed values do. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_ANSWER_H
#define STORMGLASS_REPLAY_PLAN_PLAN_ANSWER_H

#include "replay/database/store.h"
#include "replay/plan/plan_state.h"
#include "replay/plan/plan_versus.h"

/* Into the tables that plan_store.c makes; errors stick to the store. */
void plan_answer_write(struct store *store, const struct plan_state *state);
/* Two designs, and what they differ in. */
void plan_answer_versus(struct store *store, const struct plan_versus *versus);

/* "B - A" of a measure, with its sign, "+12.3 Gb/s". */
void plan_answer_signed(uint32_t measure, double value, char text[PLAN_MEASURE_BYTES]);

#endif
