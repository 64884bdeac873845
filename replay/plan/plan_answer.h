/* SPDX-License-Identifier: Apache-2.0
 * plan_answer - writes a plan's result to its database: verdicts, bills of materials, objectives,
 * cliffs, and the effect of assumed values. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_ANSWER_H
#define STORMGLASS_REPLAY_PLAN_PLAN_ANSWER_H

#include "replay/database/store.h"
#include "replay/plan/plan_state.h"
#include "replay/plan/plan_versus.h"

/* Fills the tables that plan_store.c creates; errors stick to the store. */
void plan_answer_write(struct store *store, const struct plan_state *state);
/* Writes the comparison of two designs. */
void plan_answer_versus(struct store *store, const struct plan_versus *versus);

/* The signed difference "B - A" of a measure: "+12.3 Gb/s". */
void plan_answer_signed(uint32_t measure, double value, char text[PLAN_MEASURE_BYTES]);

#endif
