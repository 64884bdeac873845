/* SPDX-License-Identifier: Apache-2.0
 * expect_eval - did what a scenario expects hold?
 * Compares exact values, never the rounded ones that are printed.  Beyond the listed expectations a
 * run fails on its own account for a lossless drop, for a command that never completed and for a
 * read that gave wrong data, unless the scenario speaks of that quantity itself. */
#ifndef STORMGLASS_REPLAY_RUN_EXPECT_EVAL_H
#define STORMGLASS_REPLAY_RUN_EXPECT_EVAL_H

#include "replay/record/result.h"
#include "scenarios/load/scenario.h"

/* Fills result->expectations and adds to result->failures.  `cut_short`: the run was ended before
 * its workloads could finish (--until, Ctrl-C), so what is unfinished is no failure. */
void expect_eval(const struct scenario *scenario, struct result *result, bool cut_short);

#endif
