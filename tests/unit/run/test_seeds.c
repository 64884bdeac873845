/* SPDX-License-Identifier: Apache-2.0
 * Several seeds together: mean, interval, the worst, and runs that could not be played. */
#include "replay/run/seeds.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static bool close_to(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

static void a_summary_is_that_of_the_runs_that_were_played(void **state)
{
    (void)state;
    static const double values[] = {10, 14, 12, 99};
    struct seeds_run runs[4] = {{.seed = 5, .played = true},
                                {.seed = 6, .played = true},
                                {.seed = 7, .played = true},
                                {.seed = 8}};
    double figures[4][SEEDS_FIGURE_COUNT] = {{0}};
    for (int i = 0; i < 4; i++)
        figures[i][SEEDS_IOPS] = figures[i][SEEDS_P99] = values[i];
    const struct scenario scenario = {.workload_count = 1};
    const struct seeds seeds = {
        .scenario = &scenario, .runs = runs, .figures = figures, .count = 4};
    const struct seeds_summary iops = seeds_summarise(&seeds, 0, SEEDS_IOPS);
    assert_true(close_to(iops.mean, 12));
    assert_true(close_to(iops.half, 4.303 * sqrt(4.0 / 3)));
    assert_true(close_to(iops.worst, 10));
    assert_int_equal(iops.worst_seed, 5);
    const struct seeds_summary p99 = seeds_summarise(&seeds, 0, SEEDS_P99);
    assert_true(close_to(p99.worst, 14));
    assert_int_equal(p99.worst_seed, 6);
    const struct seeds one = {.scenario = &scenario, .runs = runs, .figures = figures, .count = 1};
    assert_true(close_to(seeds_summarise(&one, 0, SEEDS_IOPS).half, 0));
    const struct seeds none = {
        .scenario = &scenario, .runs = runs + 3, .figures = figures + 3, .count = 1};
    assert_true(close_to(seeds_summarise(&none, 0, SEEDS_IOPS).mean, 0));
}

static void students_quantiles_fall_to_that_of_the_normal_distribution(void **state)
{
    (void)state;
    static const struct {
        uint32_t degrees;
        double quantile;
    } rows[] = {{1, 12.706}, {2, 4.303},  {9, 2.262},  {19, 2.093},  {29, 2.045},
                {30, 2.042}, {40, 2.021}, {60, 2.000}, {120, 1.980}, {9999, 1.960}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_true(fabs(seeds_student(rows[i].degrees) - rows[i].quantile) < 2e-3);
    for (uint32_t i = 1; i < 200; i++)
        assert_true(seeds_student(i + 1) < seeds_student(i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_summary_is_that_of_the_runs_that_were_played),
        cmocka_unit_test(students_quantiles_fall_to_that_of_the_normal_distribution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
