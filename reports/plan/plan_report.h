/* SPDX-License-Identifier: Apache-2.0
 * plan_report - the answer to a plan: for people, for programs, for spreadsheets. */
#ifndef STORMGLASS_REPORTS_PLAN_PLAN_REPORT_H
#define STORMGLASS_REPORTS_PLAN_PLAN_REPORT_H

#include "replay/plan/plan_cliff.h"
#include "replay/plan/plan_command.h"
#include "replay/plan/plan_state.h"
#include "replay/plan/plan_versus.h"

#include <stdio.h>

/* What is chosen, why what costs less is not, the front, the bill. */
void plan_text(const struct plan_state *state, FILE *out);

/* One object: `chosen` (path -> value, and name, cost ...; or null), `candidates`, `front`. */
void plan_json(const struct plan_state *state, FILE *out);

/* A line for each candidate, or for each change of an assumed value. */
void plan_csv(const struct plan_state *state, FILE *out);

/* What plan_assumed.h says, a part of each of these; of lines, all of them: one for each change.
 * Nobody asked: nothing, or null. */
void plan_assumed_text(const struct plan_state *state, FILE *out);
void plan_assumed_json(const struct plan_state *state, FILE *out);
void plan_assumed_csv(const struct plan_state *state, FILE *out);

/* Two designs: costs, then each measure of both and the difference with its interval. */
void plan_versus_text(const struct plan_versus *versus, FILE *out);
void plan_versus_json(const struct plan_versus *versus, FILE *out);
void plan_versus_csv(const struct plan_versus *versus, FILE *out);

#endif
