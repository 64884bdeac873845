/* SPDX-License-Identifier: Apache-2.0
 * test_plan_judge - thresholds by hand, and how often the verdict is wrong. */
#include "replay/plan/plan_judge.h"

#include "base/rng.h"
#include "replay/plan/plan_conclusions.h"
#include "replay/plan/plan_next.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void equal_observations_need_no_more(void **state)
{
    (void)state;
    const struct plan_test test = {
        .first = 3, .pass_error = 0.01, .fail_error = 0.01, .tolerance = 0.05};
    const double right[] = {0.02, 0.02, 0.02}, wrong[] = {-0.02, -0.02, -0.02}, on[] = {0, 0, 0};
    assert_int_equal(plan_side_of(&test, right, 3), PLAN_SIDE_RIGHT);
    assert_int_equal(plan_side_of(&test, wrong, 3), PLAN_SIDE_WRONG);
    assert_int_equal(plan_side_of(&test, on, 3), PLAN_SIDE_RIGHT);
}

/* Seven eighths of the error 0.24 / 7 with 6 degrees: (6/2)(0.03^(-2/6) - 1) = 6.655.  Seven slacks
 * of mean m and variance 0.01: 2 x 0.05 x 7 m / 0.01 = 70 m reaches it at m = 0.09507. */
static void walds_threshold_is_that_of_student(void **state)
{
    (void)state;
    const struct plan_test test = {
        .first = 5, .pass_error = 0.24 / 7, .fail_error = 1e-9, .tolerance = 0.05};
    const double apart[7] = {-0.1, 0.1, -0.1, 0.1, -0.1, 0.1, 0};
    double slacks[7];
    for (int i = 0; i < 7; i++)
        slacks[i] = apart[i] + 0.0945;
    assert_int_equal(plan_side_of(&test, slacks, 7), PLAN_SIDE_OPEN);
    assert_int_equal(plan_runs_needed(&test, slacks, 7, 100), 8);
    for (int i = 0; i < 7; i++)
        slacks[i] = apart[i] + 0.0955;
    assert_int_equal(plan_side_of(&test, slacks, 6), PLAN_SIDE_OPEN);
    assert_int_equal(plan_side_of(&test, slacks, 7), PLAN_SIDE_RIGHT);
    for (int i = 0; i < 7; i++)
        slacks[i] = -slacks[i];
    assert_int_equal(plan_side_of(&test, slacks, 7), PLAN_SIDE_OPEN); /* the other side's error */
}

/* Looks: 3, to fail only, the first stage, then pairs. */
static void looks_come_in_pairs(void **state)
{
    (void)state;
    struct plan_test test = {.first = 5};
    static const uint32_t five[] = {3, 3, 3, 5, 5, 7, 8}, three[] = {3, 3, 3, 5, 6, 7, 8};
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(plan_look_after(&test, i), five[i]);
    test.first = 3;
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(plan_look_after(&test, i), three[i]);
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

/* Mean 1, standard deviation 0.01 of 3: t = 1.000001 / 0.00577 = 173, whose tail with 2 degrees is
 * 1.7e-5; the first look has a sixteenth of the error.  With a first stage of 5 the look at 3
 * cannot pass. */
static void what_is_far_away_needs_no_more(void **state)
{
    (void)state;
    struct plan_test test = {.first = 3, .tolerance = 1e-6};
    const double slacks[] = {0.99, 1, 1.01}, wrong[] = {-0.99, -1, -1.01};
    test.pass_error = test.fail_error = 16 * 1.8e-5;
    assert_int_equal(plan_side_of(&test, slacks, 3), PLAN_SIDE_RIGHT);
    assert_int_equal(plan_side_of(&test, wrong, 3), PLAN_SIDE_WRONG);
    test.first = 5;
    assert_int_equal(plan_side_of(&test, slacks, 3), PLAN_SIDE_OPEN);
    assert_int_equal(plan_side_of(&test, wrong, 3), PLAN_SIDE_WRONG);
    test.first = 3;
    test.pass_error = test.fail_error = 16 * 1.6e-5;
    assert_int_equal(plan_side_of(&test, slacks, 3), PLAN_SIDE_OPEN);
}

/* Half of the 95 % interval of 1, 2, 3: 4.303 x 1 / sqrt(3). */
static void the_interval_is_students(void **state)
{
    (void)state;
    const double values[] = {1, 2, 3};
    assert_true(fabs(plan_half_95(values, 3) - 2.484) < 0.001);
}

/* Box and Muller. */
static double normal(struct rng *rng)
{
    const double a = ((double)(rng_next(rng) >> 11) + 1) / 9007199254740993.0;
    const double b = (double)(rng_next(rng) >> 11) / 9007199254740992.0;
    return sqrt(-2 * log(a)) * cos(6.283185307179586 * b);
}

/* On the edge of what must be decided, on both sides. */
static void it_is_wrong_no_more_often_than_it_may(void **state)
{
    (void)state;
    enum { TRIALS = 2000, MOST = 2000 };
    static double slacks[MOST];
    static const double errors[] = {0.01, 0.05}, deviations[] = {0.05, 0.15};
    for (int e = 0; e < 8; e++) {
        const struct plan_test test = {.first = 5,
                                       .pass_error = errors[e % 2],
                                       .fail_error = errors[e % 2],
                                       .tolerance = 0.05};
        const double mean = e / 2 % 2 == 0 ? 0.05 : -0.05, deviation = deviations[e / 4];
        uint32_t wrong = 0;
        for (uint32_t i = 0; i < TRIALS; i++) {
            struct rng rng = rng_stream(i, "judge", "slack");
            enum plan_side side = PLAN_SIDE_OPEN;
            uint32_t count = 0;
            while (count < MOST && side == PLAN_SIDE_OPEN) {
                for (const uint32_t end = plan_look_after(&test, count); count < end; count++)
                    slacks[count] = mean + deviation * normal(&rng);
                side = plan_side_of(&test, slacks, count);
            }
            assert_int_not_equal(side, PLAN_SIDE_OPEN);
            wrong += side == (mean > 0 ? PLAN_SIDE_WRONG : PLAN_SIDE_RIGHT);
        }
        assert_true(wrong <= TRIALS * errors[e % 2] * 1.3); /* 3 standard deviations at 0.01 */
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

/* With a tolerance of 0.05, a bar of 0.5, and two cases of which the second decides. */
static enum plan_standing standing(double most, uint32_t most_by, enum plan_verdict verdict,
                                   double headroom, enum plan_verdict decisive)
{
    static const char *names[] = {"spine down"};
    static struct plan_cases cases = {.count = 2};
    cases.cases[0].name = "";
    cases.cases[1].name = names[0];
    struct plan plan = {.rules.tolerance = 50000};
    struct plan_case_state states[2] = {{.verdict = PLAN_VERDICT_OPEN}, {.verdict = decisive}};
    struct plan_candidate candidates[2] = {{.cases = &cases,
                                            .states = states,
                                            .verdict = verdict,
                                            .headroom = headroom,
                                            .most = most,
                                            .most_by = most_by}};
    struct plan_state state = {.plan = &plan, .candidates = candidates, .count = 2};
    const struct plan_search search = {.state = &state};
    const struct plan_next next = {
        .search = &search, .decisive = names, .decisive_count = 1, .bar = 0.5};
    return plan_next_standing(&next, 0);
}

/* What is known of its own runs counts as it is, what follows from another candidate's within the
 * tolerance. */
static void a_candidate_stands_below_the_bar_or_above(void **state)
{
    enum { OWN = 0, OTHERS = 1 };
    const enum plan_verdict open = PLAN_VERDICT_OPEN, holds = PLAN_VERDICT_HOLDS;
    (void)state;
    assert_int_equal(standing(0.49, OWN, holds, 0.6, holds), PLAN_BELOW);
    assert_int_equal(standing(0.5, OWN, holds, 0.6, holds), PLAN_HOLDING);
    assert_int_equal(standing(0.46, OTHERS, holds, 0.6, holds), PLAN_HOLDING);
    assert_int_equal(standing(0.44, OTHERS, holds, 0.6, holds), PLAN_BELOW);
    assert_int_equal(standing(0.6, OWN, holds, 0.5, holds), PLAN_HOLDING);
    assert_int_equal(standing(0.6, OWN, holds, 0.49, holds), PLAN_BELOW);
    assert_int_equal(standing(0.6, OWN, open, 0, holds), PLAN_LEADING);
    assert_int_equal(standing(0.6, OWN, open, 0, open), PLAN_UNKNOWN);
    assert_int_equal(standing(0.6, OWN, PLAN_VERDICT_FAILS, 0.6, holds), PLAN_BELOW);
    assert_int_equal(standing(0.6, OWN, PLAN_VERDICT_UNSURE, 0.6, holds), PLAN_BELOW);
}

/* The limit alone does not explain a verdict that the tolerance decides. */
static void room_near_the_limit_names_the_tolerance(void **state)
{
    static const struct {
        double slack;
        bool passes;
        const char *text;
    } cases[] = {
        {0.12, true, "12% to spare"},
        {0, true, "0% to spare"},
        {-0.0022, true, "within the tolerance of 5%"},
        {-0.0022, false, "misses the limit by 0.22%, within the tolerance of 5%"},
        {-0.05, false, "misses the limit by 5%, within the tolerance of 5%"},
        {-0.3, false, "misses the limit by 30%"},
        {0.01, false, "1% inside the limit, within the tolerance of 5%"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double slack = cases[i].slack;
        assert_string_equal(plan_room(0.05, slack, slack, cases[i].passes).text, cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_open_counts_where_it_could_be_chosen),
        cmocka_unit_test(room_near_the_limit_names_the_tolerance),
        cmocka_unit_test(a_candidate_stands_below_the_bar_or_above),
        cmocka_unit_test(equal_observations_need_no_more),
        cmocka_unit_test(walds_threshold_is_that_of_student),
        cmocka_unit_test(looks_come_in_pairs),
        cmocka_unit_test(the_interval_is_students),
        cmocka_unit_test(students_tail_is_that_of_the_tables),
        cmocka_unit_test(what_is_far_away_needs_no_more),
        cmocka_unit_test(it_is_wrong_no_more_often_than_it_may),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
