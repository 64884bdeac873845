/* SPDX-License-Identifier: Apache-2.0
 * plan_report - a plan's answer as text, JSON and CSV. */
#ifndef STORMGLASS_REPORTS_PLAN_PLAN_REPORT_H
#define STORMGLASS_REPORTS_PLAN_PLAN_REPORT_H

#include "replay/plan/plan_cliff.h"
#include "replay/plan/plan_command.h"
#include "replay/plan/plan_state.h"
#include "replay/plan/plan_versus.h"

#include <stdio.h>

/* The chosen candidate, why cheaper ones are not chosen, the Pareto front, the bill of
 * materials. `table`: also the measures of all candidates. */
void plan_text(const struct plan_state *state, bool table, FILE *out);
void plan_table(const struct plan_state *state, FILE *out);

/* One object: `chosen` (path -> value, and name, cost ...; or null), `candidates`, `front`. */
void plan_json(const struct plan_state *state, FILE *out);

/* A member of an object, with the comma after it. An empty text is null. */
void plan_text_member(FILE *out, const char *key, const char *text);
void plan_real_member(FILE *out, const char *key, bool known, double value);

/* One line per candidate, or per change of an assumed value. */
void plan_csv(const struct plan_state *state, FILE *out);

/* The results of plan_assumed.h as a part of text or JSON, or as CSV with one line per change.
 * Nothing, or null, if they were not requested. */
void plan_assumed_text(const struct plan_state *state, FILE *out);
void plan_assumed_json(const struct plan_state *state, FILE *out);
void plan_assumed_csv(const struct plan_state *state, FILE *out);

/* Two designs: costs, then each measure of both with the difference and its interval. */
void plan_versus_text(const struct plan_versus *versus, FILE *out);
void plan_versus_json(const struct plan_versus *versus, FILE *out);
void plan_versus_csv(const struct plan_versus *versus, FILE *out);

#endif
