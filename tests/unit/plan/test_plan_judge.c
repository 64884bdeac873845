/* SPDX-License-Identifier: Apache-2.0
 * test_plan_judge - the triangle by hand, and how often the verdict is wrong. */
#include "replay/plan/plan_judge.h"

#include "base/rng.h"
#include "replay/plan/plan_follow.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void equal_observations_need_no_more(void **state)
{
    (void)state;
    const struct plan_test test = {.first = 3, .error = 0.01, .tolerance = 0.05};
    const double right[] = {0.02, 0.02, 0.02}, wrong[] = {-0.02, -0.02, -0.02}, on[] = {0, 0, 0};
    assert_int_equal(plan_side_of(&test, right, 3), PLAN_SIDE_RIGHT);
    assert_int_equal(plan_side_of(&test, wrong, 3), PLAN_SIDE_WRONG);
    assert_int_equal(plan_side_of(&test, on, 3), PLAN_SIDE_RIGHT);
}

/* first 3, half of error 0.02: eta = (0.02^-1 - 1)/2 = 24.5, h2 = 2 x 24.5 x 2 = 98.  Variance of
 * -0.1, 0, 0.1: 0.01.  The triangle begins at 98 x 0.01 / (2 x 0.05) = 9.8 and narrows by 0.025
 * each. */
static void the_triangle_is_that_of_the_paper(void **state)
{
    (void)state;
    const struct plan_test test = {.first = 3, .error = 0.02, .tolerance = 0.05};
    double slacks[] = {-0.1, 0, 0.1, 0, 0};
    assert_int_equal(plan_side_of(&test, slacks, 3), PLAN_SIDE_OPEN);
    slacks[3] = 9.8 - 4 * 0.025 - 0.001;
    assert_int_equal(plan_side_of(&test, slacks, 4), PLAN_SIDE_OPEN);
    slacks[3] = 9.8 - 4 * 0.025 + 0.001;
    assert_int_equal(plan_side_of(&test, slacks, 4), PLAN_SIDE_RIGHT);
    slacks[3] = -(9.8 - 4 * 0.025 - 0.001);
    assert_int_equal(plan_side_of(&test, slacks, 4), PLAN_SIDE_OPEN);
    slacks[3] = -(9.8 - 4 * 0.025 + 0.001);
    assert_int_equal(plan_side_of(&test, slacks, 4), PLAN_SIDE_WRONG);
    slacks[4] = 100; /* what comes after the verdict changes nothing */
    assert_int_equal(plan_side_of(&test, slacks, 5), PLAN_SIDE_WRONG);
}

/* It ends: at 9.8 / 0.025 = 392 observations the triangle is closed. */
static void it_ends(void **state)
{
    (void)state;
    const struct plan_test test = {.first = 3, .error = 0.02, .tolerance = 0.05};
    double slacks[400] = {-0.1, 0, 0.1};
    assert_int_equal(plan_side_of(&test, slacks, 391), PLAN_SIDE_OPEN);
    assert_int_equal(plan_side_of(&test, slacks, 392), PLAN_SIDE_RIGHT);
}

/* Printed tables: one-sided quantiles of 1, 2, 4, 9 and 30 degrees. */
static void students_tail_is_that_of_the_tables(void **state)
{
    (void)state;
    static const struct {
        double t, tail;
        uint32_t degrees;
    } rows[] = {{6.314, 0.05, 1},  {2.920, 0.05, 2},   {2.132, 0.05, 4},  {1.833, 0.05, 9},
                {1.697, 0.05, 30}, {63.657, 0.005, 1}, {9.925, 0.005, 2}, {4.604, 0.005, 4},
                {3.250, 0.005, 9}, {2.750, 0.005, 30}, {7.173, 0.001, 4}, {4.297, 0.001, 9},
                {2.353, 0.05, 3},  {5.841, 0.005, 3},  {2.262, 0.025, 9}, {0, 0.5, 7}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const double tail = plan_student_tail(rows[i].t, rows[i].degrees);
        assert_true(fabs(tail - rows[i].tail) < rows[i].tail * 0.002);
    }
}

/* Mean 1, standard deviation 0.01 of 3: t = 173, whose tail with 2 degrees is 1.7e-5; a look has a
 * quarter of the error. */
static void what_is_far_away_needs_no_more(void **state)
{
    (void)state;
    struct plan_test test = {.first = 3, .error = 4 * 1.8e-5, .tolerance = 1e-6};
    const double slacks[] = {0.99, 1, 1.01}, wrong[] = {-0.99, -1, -1.01};
    assert_int_equal(plan_side_of(&test, slacks, 3), PLAN_SIDE_RIGHT);
    assert_int_equal(plan_side_of(&test, wrong, 3), PLAN_SIDE_WRONG);
    test.error = 4 * 1.6e-5;
    assert_int_equal(plan_side_of(&test, slacks, 3), PLAN_SIDE_OPEN);
}

/* Box and Muller. */
static double normal(struct rng *rng)
{
    const double a = ((double)(rng_next(rng) >> 11) + 1) / 9007199254740993.0;
    const double b = (double)(rng_next(rng) >> 11) / 9007199254740992.0;
    return sqrt(-2 * log(a)) * cos(6.283185307179586 * b);
}

static void it_is_wrong_no_more_often_than_it_may(void **state)
{
    (void)state;
    enum { TRIALS = 2000, MOST = 4000 };
    static double slacks[MOST];
    static const double errors[] = {0.05, 0.2};
    for (int e = 0; e < 2; e++) {
        const struct plan_test test = {.first = 5, .error = errors[e], .tolerance = 0.05};
        uint32_t wrong = 0;
        for (uint32_t i = 0; i < TRIALS; i++) {
            struct rng rng = rng_stream(i, "judge", "slack");
            enum plan_side side = PLAN_SIDE_OPEN;
            for (uint32_t k = 0; k < MOST && side == PLAN_SIDE_OPEN; k++) {
                slacks[k] = 0.05 + 0.1 * normal(&rng); /* on the edge of what must be told */
                if (k + 1 >= test.first)
                    side = plan_side_of(&test, slacks, k + 1);
            }
            assert_int_not_equal(side, PLAN_SIDE_OPEN);
            wrong += side == PLAN_SIDE_WRONG;
        }
        assert_in_range(wrong, 1, (uint32_t)(TRIALS * errors[e]));
    }
}

/* With 0.5 to spare chosen and a tolerance of 0.05: 0 is chosen, 1 is open or too close to tell. */
static bool is_proven(int64_t objective, bool priced, double most, int64_t price,
                      enum plan_verdict verdict)
{
    struct plan plan = {.has_prices = priced};
    plan.rules.objective = objective;
    plan.rules.tolerance = 50000;
    struct grid_cell cells[2] = {{.at = {1}}, {.at = {0}}};
    plan.grid.axes[0] = (struct grid_axis){.value_count = 2, .better = GRID_BETTER_HIGHER};
    plan.grid.axis_count = 1;
    struct plan_candidate candidates[2] = {
        {.cell = &cells[0], .verdict = PLAN_VERDICT_HOLDS, .headroom = 0.5, .most = 0.5},
        {.cell = &cells[1], .verdict = verdict, .most = most}};
    candidates[0].bill.price = 100;
    candidates[1].bill.price = price;
    const struct plan_state state = {.plan = &plan, .candidates = candidates, .count = 2};
    return plan_is_proven(&state);
}

static void what_is_open_counts_where_it_could_be_chosen(void **state)
{
    (void)state;
    /* Far below it is no rival, whatever it costs; above it is one. */
    assert_true(is_proven(PLAN_HEADROOM, true, 0.44, 50, PLAN_VERDICT_OPEN));
    assert_true(is_proven(PLAN_HEADROOM, true, 0.44, 50, PLAN_VERDICT_UNSURE));
    assert_false(is_proven(PLAN_HEADROOM, true, 0.51, 500, PLAN_VERDICT_OPEN));
    assert_false(is_proven(PLAN_HEADROOM, false, 1, 500, PLAN_VERDICT_UNSURE));
    /* As good within the tolerance: the cheaper one, or without prices the better by its axes. */
    assert_false(is_proven(PLAN_HEADROOM, true, 0.46, 50, PLAN_VERDICT_OPEN));
    assert_true(is_proven(PLAN_HEADROOM, true, 0.46, 500, PLAN_VERDICT_OPEN));
    assert_true(is_proven(PLAN_HEADROOM, false, 0.46, 50, PLAN_VERDICT_OPEN));
    /* By cost headroom does not count; a front is not known while any is open. */
    assert_true(is_proven(PLAN_CHEAPEST, true, 1, 500, PLAN_VERDICT_OPEN));
    assert_false(is_proven(PLAN_CHEAPEST, true, 0.1, 50, PLAN_VERDICT_UNSURE));
    assert_false(is_proven(PLAN_FRONT, true, 0.1, 500, PLAN_VERDICT_OPEN));
    assert_true(is_proven(PLAN_FRONT, true, 0.1, 500, PLAN_VERDICT_FAILS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_open_counts_where_it_could_be_chosen),
        cmocka_unit_test(equal_observations_need_no_more),
        cmocka_unit_test(the_triangle_is_that_of_the_paper),
        cmocka_unit_test(it_ends),
        cmocka_unit_test(students_tail_is_that_of_the_tables),
        cmocka_unit_test(what_is_far_away_needs_no_more),
        cmocka_unit_test(it_is_wrong_no_more_often_than_it_may),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
