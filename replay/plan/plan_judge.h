/* SPDX-License-Identifier: Apache-2.0
 * plan_judge - whether a mean is on the right side of its limit, by a sequential test.
 * Two tests look at the slacks of the runs, and share the error of each side:
 *   - Wald's sequential probability ratio test between a mean that is within its limit by the
 *     tolerance and one that is beyond it by the tolerance ("Sequential tests of statistical
 *     hypotheses", Annals of Mathematical Statistics 16, 1945).  No fixed number of runs decides
 *     sooner.  The variance is that of the runs so far, so the logarithm of the error becomes that
 *     of Student's t with as many degrees (Kim and Nelson, "Selecting a good system", Handbooks in
 *     OR & MS 13, 2006); it begins at `first` runs.
 *   - Student's t after 3 (fail only, to drop clear losers), `first`, twice as many runs and so on,
 *     each with half of the error of the one before: where the mean is far away it needs fewer.
 * With about normal observations a mean that is further from its limit than the tolerance gets the
 * wrong verdict with at most the error of that side; one that is nearer may get either verdict.
 * The observations are runs, which are independent; operations within a run are not
 * (docs/model.md).  How verdicts share the error of a plan: plan_verdict.h. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_JUDGE_H
#define STORMGLASS_REPLAY_PLAN_PLAN_JUDGE_H

#include <stdint.h>

enum plan_side { PLAN_SIDE_OPEN, PLAN_SIDE_RIGHT, PLAN_SIDE_WRONG };

struct plan_test {
    uint32_t first;    /* runs before a pass, 2 at least */
    double pass_error; /* that a mean beyond the tolerance passes, below 1/2 */
    double fail_error; /* that a mean within the limit by the tolerance fails */
    double tolerance;  /* in the unit of the observations, above 0 */
};

/* The number of runs after which the next look is worth while. */
uint32_t plan_look_after(const struct plan_test *test, uint32_t count);

/* `slacks`: `count` of them in the order of their seeds; above 0 is on the right side.  What comes
 * after a verdict does not change it. */
enum plan_side plan_side_of(const struct plan_test *test, const double *slacks, uint32_t count);

/* With how many runs the verdict would fall if mean and variance stay as they are; 0: with more
 * than `limit`. */
uint32_t plan_runs_needed(const struct plan_test *test, const double *slacks, uint32_t count,
                          uint32_t limit);

/* Half of the 95 % interval of the mean (Student's t), of 2 values at least. */
double plan_half_95(const double *values, uint32_t count);

/* P(T > t), t at least 0, of Student's t (Abramowitz and Stegun 26.7.3 and 26.7.4). */
double plan_student_tail(double t, uint32_t degrees);

/* Where 2.5 % of it are beyond: half of a 95 % interval, in standard errors. */
double plan_student_95(uint32_t degrees);

#endif
