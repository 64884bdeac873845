/* SPDX-License-Identifier: Apache-2.0
 * test_expect_failed - an operation that failed is slower than every operation that completed. */
#include "replay/run/expect_eval.h"
#include "scenarios/load/expect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { OPERATIONS = 10000, MEMBERS = 4 };

static struct result_expectation judge(enum expect_quantity quantity, enum expect_op op,
                                       int64_t failed, bool cut)
{
    struct hist latency;
    hist_reset(&latency);
    for (int64_t i = failed; i < OPERATIONS; i++)
        hist_add(&latency, 400 * PS_PER_US);
    struct result_workload workload = {
        .name = "oltp",
        .issued = OPERATIONS,
        .completed = OPERATIONS - failed,
        .failed = failed,
        .members = MEMBERS,
        .latency = &latency,
        .steady = {.known = true,
                   .p99 = {400 * PS_PER_US, PS_PER_US},
                   .worst = {400 * PS_PER_US, 400 * PS_PER_US}},
        .worst = {400 * PS_PER_US, 400 * PS_PER_US},
    };
    struct result result = {.workloads = &workload, .workload_count = 1};
    const struct expectation expectation = {.quantity = quantity, .op = op, .value = PS_PER_MS};
    const struct scenario scenario = {.expectations = &expectation, .expectation_count = 1};
    expect_eval(&scenario, &result, cut);
    const struct result_expectation verdict = result.expectations[0];
    free(result.expectations);
    return verdict;
}

/* Every figure of a latency, and of 10,000 operations the most that may fail. */
static const struct {
    enum expect_quantity quantity;
    int64_t most;
} rows[] = {
    {EXPECT_LATENCY_MEAN, 0},
    {EXPECT_LATENCY_MIN, OPERATIONS - 1},
    {EXPECT_LATENCY_P50, 5000},
    {EXPECT_LATENCY_P90, 1000},
    {EXPECT_LATENCY_P95, 500},
    {EXPECT_LATENCY_P99, 100},
    {EXPECT_LATENCY_P99_9, 10},
    {EXPECT_LATENCY_P99_99, 1},
    {EXPECT_LATENCY_MAX, 0},
    {EXPECT_LATENCY_SLOWEST, 0},
    {EXPECT_STEADY_LATENCY_P99, 100},
    {EXPECT_STEADY_LATENCY_P99_CI, 100},
    {EXPECT_WORST_MEMBER_MEAN, 0},
    {EXPECT_WORST_MEMBER_P99, 100 / MEMBERS},
    {EXPECT_STEADY_WORST_MEMBER_P99, 100 / MEMBERS},
};

static void an_upper_bound_fails_where_too_many_failed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!judge(rows[i].quantity, EXPECT_LT, rows[i].most, false).held)
            fail_msg("%s fails for %d failed operations", expect_path(rows[i].quantity),
                     (int)rows[i].most);
        if (rows[i].most < OPERATIONS - 1 &&
            judge(rows[i].quantity, EXPECT_LT, rows[i].most + 1, false).held)
            fail_msg("%s passes for %d failed operations", expect_path(rows[i].quantity),
                     (int)rows[i].most + 1);
    }
}

static void the_verdict_says_how_many_failed(void **state)
{
    (void)state;
    assert_string_equal(judge(EXPECT_LATENCY_MAX, EXPECT_LT, 7, false).actual,
                        "7 of 10,000 operations failed");
}

/* A run that was cut is not judged by what it left out, and a lower bound is none the worse. */
static void a_cut_run_and_a_lower_bound_are_compared(void **state)
{
    (void)state;
    assert_true(judge(EXPECT_LATENCY_P99, EXPECT_LT, 5000, true).held);
    assert_string_equal(judge(EXPECT_LATENCY_MAX, EXPECT_GT, 7, false).actual, "400 us");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_upper_bound_fails_where_too_many_failed),
        cmocka_unit_test(the_verdict_says_how_many_failed),
        cmocka_unit_test(a_cut_run_and_a_lower_bound_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
