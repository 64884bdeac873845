/* SPDX-License-Identifier: Apache-2.0
 * plan_judge - the triangle, and looks at Student's t. */
#include "replay/plan/plan_judge.h"

#include "base/check.h"

#include <math.h>
#include <stdbool.h>

/* The sum in both formulas: 1 + a1 cos^2 + a2 cos^4 + ..., each coefficient from the one before. */
static double series(double cosine, uint32_t degrees)
{
    const uint32_t odd = degrees % 2;
    double term = odd ? cosine : 1, sum = degrees == 1 ? 0 : term;
    for (uint32_t k = 2 + odd; k + 1 < degrees; k += 2) {
        term *= cosine * cosine * (k - 1) / k;
        sum += term;
    }
    return sum;
}

double plan_student_tail(double t, uint32_t degrees)
{
    const double angle = atan(t / sqrt(degrees)), pi = 4 * atan(1);
    const double sum = sin(angle) * series(cos(angle), degrees);
    const double within = degrees % 2 == 1 ? 2 / pi * (angle + sum) : sum;
    return (1 - within) / 2;
}

/* By bisection: the tail falls with t. */
double plan_student_95(uint32_t degrees)
{
    double low = 1, high = 16; /* 12.706 with one degree of freedom, 1.960 with very many */
    for (int i = 0; i < 48; i++) {
        const double middle = (low + high) / 2;
        if (plan_student_tail(middle, degrees) > 0.025)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* eta of the paper's procedure for c = 1: (1/2)(1 + 2 eta)^(-(first - 1)/2) is the error. */
static double eta_of(double error, uint32_t first)
{
    return (pow(2 * error, -2.0 / (first - 1)) - 1) / 2;
}

static double variance_of(const double *values, uint32_t count)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += values[i];
    for (uint32_t i = 0; i < count; i++)
        squares += (values[i] - sum / count) * (values[i] - sum / count);
    return squares / (count - 1);
}

/* Has the error of this look, first x 2^k observations, been enough?  Else it is no look. */
static bool is_far(const struct plan_test *test, const double *slacks, uint32_t count, double sum)
{
    double error = test->error / 4;
    uint32_t look = test->first;
    for (; look < count; look *= 2)
        error /= 2;
    if (look != count)
        return false;
    const double spread = sqrt(variance_of(slacks, count) / count);
    const double mean = fabs(sum) / count;
    return mean > 0 && (spread <= 0 || plan_student_tail(mean / spread, count - 1) <= error);
}

enum plan_side plan_side_of(const struct plan_test *test, const double *slacks, uint32_t count)
{
    CHECK(test->first >= 2 && count >= test->first);
    const double h2 = 2 * eta_of(test->error / 2, test->first) * (test->first - 1);
    const double start = h2 * variance_of(slacks, test->first) / (2 * test->tolerance);
    double sum = 0;
    for (uint32_t i = 0; i < test->first - 1; i++)
        sum += slacks[i];
    for (uint32_t i = test->first; i <= count; i++) {
        sum += slacks[i - 1];
        if (fabs(sum) >= start - test->tolerance * i / 2 || is_far(test, slacks, i, sum))
            return sum >= 0 ? PLAN_SIDE_RIGHT : PLAN_SIDE_WRONG;
    }
    return PLAN_SIDE_OPEN;
}
