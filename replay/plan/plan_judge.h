/* SPDX-License-Identifier: Apache-2.0
 * plan_judge - tests sequentially whether a mean is on the right side of its limit.
 * Two tests are applied to the slacks of the runs and share the error of each side:
 *   - Wald's sequential probability ratio test between a mean within its limit by the tolerance
 *     and a mean beyond it by the tolerance ("Sequential tests of statistical hypotheses", Annals
 *     of Mathematical Statistics 16, 1945). No fixed number of runs decides sooner. The variance is
 *     estimated from the runs so far, so the logarithm of the error becomes that of Student's t
 *     with as many degrees (Kim and Nelson, "Selecting a good system", Handbooks in OR & MS 13,
 *     2006); it starts at `first` runs.
 *   - Student's t test after 3 runs (fail only, to drop clear losers), `first`, twice as many and
 *     so on, each with half the error of the previous one: needs fewer runs for clear cases.
 * With approximately normal observations, a mean that is further from its limit than the tolerance
 * gets the wrong verdict with at most the error of that side; a closer mean may get either verdict.
 * Observations are runs, which are independent; operations within a run are not (docs/model.md).
 * plan_verdict.h describes how verdicts share the error of a plan. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_JUDGE_H
#define STORMGLASS_REPLAY_PLAN_PLAN_JUDGE_H

#include <stdint.h>

enum plan_side { PLAN_SIDE_OPEN, PLAN_SIDE_RIGHT, PLAN_SIDE_WRONG };

struct plan_test {
    uint32_t first;    /* runs before a pass, at least 2 */
    double pass_error; /* probability that a mean beyond the tolerance passes, < 1/2 */
    double fail_error; /* probability that a mean within the limit by the tolerance fails */
    double tolerance;  /* in the unit of the observations, > 0 */
};

/* The number of runs after which the next interim test is due. */
uint32_t plan_look_after(const struct plan_test *test, uint32_t count);

/* `slacks` has `count` values in order of seeds; > 0 is the right side. Values after a verdict do
 * not change it. */
enum plan_side plan_side_of(const struct plan_test *test, const double *slacks, uint32_t count);

/* The number of runs for a verdict if mean and variance stay the same; 0 if more than `limit`. */
uint32_t plan_runs_needed(const struct plan_test *test, const double *slacks, uint32_t count,
                          uint32_t limit);

/* Half the width of the 95 % interval of the mean (Student's t), for at least 2 values. */
double plan_half_95(const double *values, uint32_t count);

/* P(T > t), t >= 0, for Student's t (Abramowitz and Stegun 26.7.3 and 26.7.4). */
double plan_student_tail(double t, uint32_t degrees);

/* The 97.5 % quantile: half of a 95 % interval, in standard errors. */
double plan_student_95(uint32_t degrees);

#endif
