/* SPDX-License-Identifier: Apache-2.0
 * plan_judge - whether a mean is on the right side of its limit, by as few runs as tell.
 * Two tests look at the sum of slacks after each observation, each with half of the error:
 *   - the feasibility check of Andradottir and Kim, "Fully sequential procedures for comparing
 *     constrained systems via simulation", Naval Research Logistics 57(5), 2010, with one
 *     alternative (c = 1): until the sum leaves a triangle that narrows with each observation.  It
 *     ends always, and tells where the mean is further from the limit than the tolerance; nearer
 *     to it either verdict will do;
 *   - Student's t after the first stage, twice as many, four times as many ..., each with half of
 *     what the one before had: it tells early where the mean is far away.
 * With normal observations the verdict is wrong with at most the error that is given.  Several
 * verdicts share an error by Bonferroni's inequality, so they may rest on the same seeds. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_JUDGE_H
#define STORMGLASS_REPLAY_PLAN_PLAN_JUDGE_H

#include <stdint.h>

enum plan_side { PLAN_SIDE_OPEN, PLAN_SIDE_RIGHT, PLAN_SIDE_WRONG };

struct plan_test {
    uint32_t first;   /* observations of the first stage, 2 at least */
    double error;     /* that this verdict may be wrong, below 1/2 */
    double tolerance; /* in the unit of the observations, above 0 */
};

/* `slacks`: `count` of them in the order in which they were taken, at least `first`; above 0 is on
 * the right side. */
/* P(T > t), t at least 0, of Student's t (Abramowitz and Stegun 26.7.3 and 26.7.4). */
double plan_student_tail(double t, uint32_t degrees);

/* Where 2.5 % of it are beyond: half of a 95 % interval, in standard errors. */
double plan_student_95(uint32_t degrees);

enum plan_side plan_side_of(const struct plan_test *test, const double *slacks, uint32_t count);

#endif
