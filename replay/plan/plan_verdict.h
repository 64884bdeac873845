/* SPDX-License-Identifier: Apache-2.0
 * plan_verdict - verdicts from the runs of a candidate, and how they share one error probability.
 * The plan has one error probability, 1 - confidence: that the chosen candidate does not pass, or
 * that a candidate that passes and precedes it was dropped.
 *   pass  A fifth of it. A candidate passes only if all its objectives pass in all its cases, so
 *         one that is really beyond a limit needs a wrong verdict on just that limit (intersection-
 *         union test: Berger, Technometrics 24, 1982). It is divided by the number of candidates,
 *         not of their tests.
 *   fail  The rest. A candidate is dropped by any of its own tests: four fifths are for the means
 *         of its hardest case, which is run first; the means of the other cases share the fifth.
 *         The number of other candidates does not matter, unless the objective compares all of
 *         them (most-headroom, front).
 * Divided by Bonferroni's inequality, so all candidates may have the same seeds. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_VERDICT_H
#define STORMGLASS_REPLAY_PLAN_PLAN_VERDICT_H

#include "replay/plan/plan_judge.h"
#include "replay/plan/plan_state.h"

/* The test for each mean of that case of the candidate. */
struct plan_test plan_verdict_test(const struct plan_state *state,
                                   const struct plan_candidate *candidate, uint32_t of);

/* Determines the verdicts of its cases, its own verdict, and its headroom from its runs alone. */
void plan_verdict_find(struct plan_state *state, struct plan_candidate *candidate);

#endif
