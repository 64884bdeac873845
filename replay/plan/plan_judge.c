/* SPDX-License-Identifier: Apache-2.0
 * plan_judge - Wald's test, and repeated Student's t tests. */
#include "replay/plan/plan_judge.h"

#include "base/check.h"

#include <math.h>
#include <stdbool.h>

/* The sum in both formulas: 1 + a1 cos^2 + a2 cos^4 + ..., with recursive coefficients. */
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

/* By bisection, because the tail decreases with t. */
double plan_student_95(uint32_t degrees)
{
    double low = 1, high = 16; /* 12.706 for one degree of freedom, 1.960 for very many */
    for (int i = 0; i < 48; i++) {
        const double middle = (low + high) / 2;
        if (plan_student_tail(middle, degrees) > 0.025)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

static double mean_of(const double *values, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += values[i];
    return sum / count;
}

/* Of the mean of at least 2 values. */
static double standard_error(const double *values, uint32_t count)
{
    const double mean = mean_of(values, count);
    double squares = 0;
    for (uint32_t i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    return sqrt(squares / (count - 1) / count);
}

double plan_half_95(const double *values, uint32_t count)
{
    return plan_student_95(count - 1) * standard_error(values, count);
}

/* ------------------------------------------------------------------ interim tests */

enum {
    FAIL_FIRST = 3, /* runs before the first interim test, which can only fail */
    MORE = 2,       /* runs between interim tests of an open case */
    FAR_PART = 8    /* 1 / share of the error for clear cases (t test) */
};

uint32_t plan_look_after(const struct plan_test *test, uint32_t count)
{
    if (count < FAIL_FIRST && FAIL_FIRST < test->first)
        return FAIL_FIRST;
    return count < test->first ? test->first : count + MORE;
}

/* State of the test after `count` runs. */
struct look {
    uint32_t count;
    double mean, variance;
};

static struct look look_at(const double *slacks, uint32_t count)
{
    const double error = standard_error(slacks, count);
    return (struct look){count, mean_of(slacks, count), error * error * count};
}

/* Wald's test. Compares the log-likelihood ratio between this side of the limit and the other (2 *
 * tolerance * sum / variance) with the threshold. */
static bool is_likelier(const struct plan_test *test, const struct look *look, double error)
{
    const double degrees = look->count - 1, part = error - error / FAR_PART;
    const double ratio = 2 * test->tolerance * look->count * fabs(look->mean);
    const double needed = degrees / 2 * (pow(part, -2 / degrees) - 1);
    return look->count >= test->first && ratio >= needed * look->variance;
}

/* Student's t test with this step's share of the error. Returns false between its scheduled
 * steps. */
static bool is_far(const struct plan_test *test, const struct look *look, double error)
{
    double part = error / FAR_PART / 2;
    uint32_t at = look->mean < 0 && FAIL_FIRST < test->first ? FAIL_FIRST : test->first;
    for (; at < look->count; at = at < test->first ? test->first : 2 * at)
        part /= 2;
    const double distance = test->tolerance + fabs(look->mean);
    return at == look->count &&
           (look->variance <= 0 || plan_student_tail(distance / sqrt(look->variance / look->count),
                                                     look->count - 1) <= part);
}

/* Without variance, a mean exactly on the limit passes. */
static enum plan_side side_at(const struct plan_test *test, const struct look *look)
{
    const bool fails = look->mean < 0;
    const double error = fails ? test->fail_error : test->pass_error;
    if (!is_likelier(test, look, error) && !is_far(test, look, error))
        return PLAN_SIDE_OPEN;
    return fails ? PLAN_SIDE_WRONG : PLAN_SIDE_RIGHT;
}

enum plan_side plan_side_of(const struct plan_test *test, const double *slacks, uint32_t count)
{
    enum plan_side side = PLAN_SIDE_OPEN;
    CHECK(test->first >= 2);
    for (uint32_t i = plan_look_after(test, 0); i <= count && side == PLAN_SIDE_OPEN; i++) {
        const struct look look = look_at(slacks, i);
        side = side_at(test, &look);
    }
    return side;
}

uint32_t plan_runs_needed(const struct plan_test *test, const double *slacks, uint32_t count,
                          uint32_t limit)
{
    struct look look = look_at(slacks, count);
    while (look.count < limit) {
        look.count++;
        if (side_at(test, &look) != PLAN_SIDE_OPEN)
            return look.count;
    }
    return 0;
}
