/* SPDX-License-Identifier: Apache-2.0
 * test_least_squares - problems whose answers are known by hand: straight lines, bounds, and what
 * one unknown shows alone. */
#include "replay/calibrate/least_squares.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { UNKNOWNS_MAX = 3, EQUATIONS_MAX = 4 };

static const double open_lower[UNKNOWNS_MAX] = {-100, -100, -100};
static const double open_upper[UNKNOWNS_MAX] = {100, 100, 100};

/* Residuals a x + c x^2 - b, one row of `a` for each. */
struct formula {
    const struct least_squares *problem;
    double a[EQUATIONS_MAX][UNKNOWNS_MAX], square[EQUATIONS_MAX], b[EQUATIONS_MAX];
    int asked, fails_at; /* the so many-th question has no answer; 0: all have */
};

static bool ask(void *self, const double *x, double *residuals)
{
    struct formula *formula = self;
    const struct least_squares *problem = formula->problem;
    for (uint32_t i = 0; i < problem->unknowns; i++)
        assert_true(x[i] >= problem->lower[i] && x[i] <= problem->upper[i]);
    for (uint32_t e = 0; e < problem->equations; e++) {
        residuals[e] = -formula->b[e];
        for (uint32_t i = 0; i < problem->unknowns; i++)
            residuals[e] += formula->a[e][i] * x[i] + formula->square[e] * x[i] * x[i];
    }
    return ++formula->asked != formula->fails_at;
}

static struct least_squares problem_of(struct formula *formula, uint32_t unknowns,
                                       uint32_t equations)
{
    return (struct least_squares){.unknowns = unknowns,
                                  .equations = equations,
                                  .lower = open_lower,
                                  .upper = open_upper,
                                  .residuals = ask,
                                  .self = formula,
                                  .step = 0.01};
}

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-5))
        fail_msg("%.9g instead of %.9g", found, expected);
}

static void the_smallest_sum_is_found(void **state)
{
    (void)state;
    static const struct {
        struct formula formula;
        uint32_t unknowns, equations;
        double lower[2], upper[2], from[2], expected[2];
    } rows[] = {
        /* one unknown and two opinions: their mean, or the nearest that the bounds allow */
        {{.a = {{1}, {1}}, .b = {2, 4}}, 1, 2, {-9}, {9}, {0}, {3}},
        {{.a = {{1}, {1}}, .b = {2, 4}}, 1, 2, {-9}, {2.5}, {0}, {2.5}},
        {{.a = {{1}, {1}}, .b = {2, 4}}, 1, 2, {3.5}, {9}, {4}, {3.5}},
        {{.a = {{1}, {1}}, .b = {2, 4}}, 1, 2, {7}, {9}, {0}, {7}},
        /* the one that weighs twice counts four times */
        {{.a = {{2}, {1}}, .b = {4, 7}}, 1, 2, {-9}, {9}, {0}, {3}},
        {{.a = {{1, 1}, {1, -1}}, .b = {5, 1}}, 2, 2, {-9, -9}, {9, 9}, {0, 0}, {3, 2}},
        /* x is kept at 2: y does what is left, 3 of x + y = 5 and 1 of x - y = 1 */
        {{.a = {{1, 1}, {1, -1}}, .b = {5, 1}}, 2, 2, {-9, -9}, {2, 9}, {0, 0}, {2, 2}},
        {{.a = {{1, 1}, {2, 1}}, .b = {5, 7}}, 2, 2, {-9, -9}, {1, 9}, {0, 0}, {1, 4.5}},
        {{.a = {{1, 0}, {0, 1}}, .b = {8, -8}}, 2, 2, {0, 0}, {2, 2}, {1, 1}, {2, 0}},
        /* 3 x^2 = 12 from either side of it */
        {{.square = {3}, .b = {12}}, 1, 1, {0.1}, {9}, {1}, {2}},
        {{.square = {3}, .b = {12}}, 1, 1, {0.1}, {9}, {8}, {2}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct formula formula = rows[i].formula;
        struct least_squares problem = problem_of(&formula, rows[i].unknowns, rows[i].equations);
        formula.problem = &problem;
        problem.lower = rows[i].lower;
        problem.upper = rows[i].upper;
        double x[2] = {rows[i].from[0], rows[i].from[1]};
        assert_true(least_squares_solve(&problem, x));
        for (uint32_t u = 0; u < problem.unknowns; u++) {
            assert_near(x[u], rows[i].expected[u]);
            assert_true(x[u] >= problem.lower[u] && x[u] <= problem.upper[u]);
        }
        assert_in_range(formula.asked, 2, 300);
    }
}

static void a_residual_that_cannot_be_had_ends_the_search(void **state)
{
    (void)state;
    for (int fails_at = 1; fails_at <= 4; fails_at++) { /* residuals, two for the slope, again */
        struct formula formula = {.square = {3}, .b = {12}, .fails_at = fails_at};
        struct least_squares problem = problem_of(&formula, 1, 1);
        formula.problem = &problem;
        double x[1] = {8};
        assert_false(least_squares_solve(&problem, x));
        assert_in_range(formula.asked, fails_at, fails_at + 1);
    }
}

/* A slope is taken across x, as far on either side as the bounds allow, and steps grow with x. */
static void slopes_are_differences_within_the_bounds(void **state)
{
    (void)state;
    static const struct {
        double x, lower, upper, slope; /* of x^2 */
    } rows[] = {
        {2, -9, 9, 4},       {0, -9, 9, 0},
        {-3, -9, 9, -6},     {2, -9, 2, 3.98},
        {2, 2, 9, 4.02},     {2, 2, 2, 0},
        {0.5, 0.5, 9, 1.01}, {-4, -4, 9, -7.96},
        {5, -9, 5, 9.95},    {1, 0.999, 1.004, 2.003},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct formula formula = {.square = {1}};
        struct least_squares problem = problem_of(&formula, 1, 1);
        formula.problem = &problem;
        problem.lower = &rows[i].lower;
        problem.upper = &rows[i].upper;
        double slope[1];
        assert_true(least_squares_jacobian(&problem, &rows[i].x, slope));
        assert_near(slope[0], rows[i].slope);
        assert_int_equal(formula.asked, 2);
    }
}

static void slopes_of_one_unknown_after_the_other(void **state)
{
    (void)state;
    struct formula formula = {.a = {{1, 2, 3}, {4, 5, 6}}, .b = {7, 8}};
    struct least_squares problem = problem_of(&formula, 3, 2);
    formula.problem = &problem;
    static const double x[3] = {1, -2, 50}, expected[6] = {1, 4, 2, 5, 3, 6};
    double slopes[6];
    assert_true(least_squares_jacobian(&problem, x, slopes));
    for (int i = 0; i < 6; i++)
        assert_near(slopes[i], expected[i]);
    for (formula.fails_at = 1; formula.fails_at <= 6; formula.fails_at++) {
        formula.asked = 0;
        assert_false(least_squares_jacobian(&problem, x, slopes));
    }
}

/* What is left of a column when the others are taken out of it, by hand. */
static void an_unknown_alone_is_what_others_cannot_undo(void **state)
{
    (void)state;
    static const struct {
        double columns[9]; /* three residuals by each of up to three unknowns */
        uint32_t unknowns, unknown;
        double part[3];
    } rows[] = {
        {{3, 4, 0}, 1, 0, {3, 4, 0}},
        {{1, 0, 0, 0, 2, 0}, 2, 0, {1, 0, 0}},
        {{1, 0, 0, 0, 2, 0}, 2, 1, {0, 2, 0}},
        {{1, 0, 0, 5, 2, 0}, 2, 1, {0, 2, 0}},
        {{1, 2, 3, 2, 4, 6}, 2, 0, {0, 0, 0}},
        {{1, 2, 3, -1, -2, -3}, 2, 1, {0, 0, 0}},
        {{1, 0, 0, 1, 1, 0, 1, 1, 1}, 3, 0, {0.5, -0.5, 0}},
        {{1, 0, 0, 1, 1, 0, 1, 1, 1}, 3, 1, {0, 0.5, -0.5}},
        {{1, 0, 0, 1, 1, 0, 1, 1, 1}, 3, 2, {0, 0, 1}},
        /* one that moves nothing, or the same as another, undoes nothing more */
        {{0, 0, 0, 1, 1, 0}, 2, 1, {1, 1, 0}},
        {{0, 0, 0, 1, 1, 0}, 2, 0, {0, 0, 0}},
        {{2, 0, 0, 7, 0, 0, 3, 4, 0}, 3, 2, {0, 4, 0}},
        /* they are at right angles whatever their length */
        {{1e-6, 0, 0, 1, 1, 0}, 2, 1, {0, 1, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct least_squares problem = {.unknowns = rows[i].unknowns, .equations = 3};
        double part[3], sum = 0;
        const double alone = least_squares_alone(&problem, rows[i].columns, rows[i].unknown, part);
        for (int e = 0; e < 3; e++) {
            assert_near(part[e], rows[i].part[e]);
            sum += rows[i].part[e] * rows[i].part[e];
        }
        assert_near(alone, sqrt(sum));
    }
}

/* Columns that are nearly the same (Laeuchli's): what is left is small, and still at right angles
 * to all that was taken out. */
static void rounding_is_not_seen(void **state)
{
    (void)state;
    static const double e = 1e-7;
    const double columns[12] = {1, e, 0, 0, 1, 0, e, 0, 1, 0, 0, e};
    const struct least_squares problem = {.unknowns = 3, .equations = 4};
    for (uint32_t unknown = 0; unknown < 3; unknown++) {
        double part[4];
        const double alone = least_squares_alone(&problem, columns, unknown, part);
        assert_near(alone / e, sqrt(1.5));
        for (uint32_t other = 0; other < 3; other++) {
            double product = 0;
            for (uint32_t row = 0; row < 4; row++)
                product += part[row] * columns[other * 4 + row];
            if (other != unknown && fabs(product) > 1e-13 * alone)
                fail_msg("%u and %u: %g of %g", unknown, other, product, alone);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smallest_sum_is_found),
        cmocka_unit_test(a_residual_that_cannot_be_had_ends_the_search),
        cmocka_unit_test(slopes_are_differences_within_the_bounds),
        cmocka_unit_test(slopes_of_one_unknown_after_the_other),
        cmocka_unit_test(an_unknown_alone_is_what_others_cannot_undo),
        cmocka_unit_test(rounding_is_not_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
