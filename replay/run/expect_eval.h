/* SPDX-License-Identifier: Apache-2.0
 * expect_eval - checks the expectations of a scenario.
 * Compares exact values, not the rounded ones that are printed. A run also fails because of a
 * lossless drop, a command that never completed, or a read with wrong data, unless the scenario has
 * its own expectation on that quantity. */
#ifndef STORMGLASS_REPLAY_RUN_EXPECT_EVAL_H
#define STORMGLASS_REPLAY_RUN_EXPECT_EVAL_H

#include "replay/record/result.h"
#include "scenarios/data/scenario.h"

/* Fills in result->expectations and adds to result->failures. `cut_short`: the run ended before its
 * workloads could finish (--until, Ctrl-C), so unfinished work is not a failure. */
void expect_eval(const struct scenario *scenario, struct result *result, bool cut_short);

/* expect_counted, for the reports, which read no scenarios. */
const char *expect_eval_counted(const char *text, const char *actual);

#endif
