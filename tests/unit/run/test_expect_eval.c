/* SPDX-License-Identifier: Apache-2.0
 * test_expect_eval - verdicts of expectations. */
#include "replay/run/expect_eval.h"
#include "scenarios/load/expect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* One workload with one completion of exactly 400 us. */
struct fixture {
    struct hist latency;
    struct result_workload workload;
    struct result result;
};

static void fill(struct fixture *fixture)
{
    memset(fixture, 0, sizeof *fixture);
    hist_reset(&fixture->latency);
    hist_add(&fixture->latency, 400 * PS_PER_US);
    fixture->workload = (struct result_workload){.name = "oltp",
                                                 .issued = 1,
                                                 .completed = 1,
                                                 .completed_window = 1,
                                                 .window_ps = 3,
                                                 .latency = &fixture->latency};
    fixture->result.workloads = &fixture->workload;
    fixture->result.workload_count = 1;
    fixture->result.totals.pfc_pause_frames = 7;
}

static void evaluate(struct fixture *fixture, const struct expectation *expectations,
                     uint32_t count, bool cut_short)
{
    const struct scenario scenario = {.expectations = expectations, .expectation_count = count};
    expect_eval(&scenario, &fixture->result, cut_short);
}

static void release(struct fixture *fixture)
{
    free(fixture->result.expectations);
    fixture->result.expectations = NULL;
}

static void comparison_is_exact_at_the_boundary(void **state)
{
    (void)state;
    static const struct {
        struct expectation expectation;
        bool held;
    } rows[] = {
        {{.quantity = EXPECT_LATENCY_MAX, .op = EXPECT_LT, .value = 400 * PS_PER_US}, false},
        {{.quantity = EXPECT_LATENCY_MAX, .op = EXPECT_LE, .value = 400 * PS_PER_US}, true},
        {{.quantity = EXPECT_LATENCY_MAX, .op = EXPECT_LT, .value = 400 * PS_PER_US + 1}, true},
        {{.quantity = EXPECT_LATENCY_MAX, .op = EXPECT_EQ, .value = 400 * PS_PER_US}, true},
        {{.quantity = EXPECT_LATENCY_MAX, .op = EXPECT_NE, .value = 400 * PS_PER_US}, false},
        {{.quantity = EXPECT_LATENCY_MEAN, .op = EXPECT_GE, .value = 400 * PS_PER_US}, true},
        /* one completion in 3 ps: 333,333,333,333 and a third a second */
        {{.quantity = EXPECT_IOPS, .op = EXPECT_GT, .value = INT64_C(333333333333)}, true},
        {{.quantity = EXPECT_IOPS, .op = EXPECT_LT, .value = INT64_C(333333333334)}, true},
        {{.quantity = EXPECT_IOPS, .op = EXPECT_EQ, .value = INT64_C(333333333333)}, false},
        {{.quantity = EXPECT_PFC_PAUSE_FRAMES,
          .workload = EXPECT_WHOLE_RUN,
          .op = EXPECT_GT,
          .value = 7},
         false},
        {{.quantity = EXPECT_PFC_PAUSE_FRAMES,
          .workload = EXPECT_WHOLE_RUN,
          .op = EXPECT_EQ,
          .value = 7},
         true},
        {{.quantity = EXPECT_COMMANDS_LOST,
          .workload = EXPECT_WHOLE_RUN,
          .op = EXPECT_EQ,
          .value = 0},
         true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        fill(&fixture);
        evaluate(&fixture, &rows[i].expectation, 1, false);
        assert_int_equal(fixture.result.expectations[0].held, rows[i].held);
        assert_int_equal(result_held(&fixture.result), rows[i].held);
        release(&fixture);
    }
}

#define NOT_KNOWN "not known: too few samples or members"

/* Members that got a fourth of each other's share; a flow that took twice its time. */
static void ratios_are_exact_and_what_is_not_known_holds_nothing(void **state)
{
    (void)state;
    static const struct {
        struct expectation expectation;
        bool known, held;
        const char *actual;
    } rows[] = {
        {{.quantity = EXPECT_JAIN, .op = EXPECT_GE, .value = 250000000000000}, 1, 1, "0.250"},
        {{.quantity = EXPECT_JAIN, .op = EXPECT_GT, .value = 250000000000000}, 1, 0, "0.250"},
        {{.quantity = EXPECT_SLOWDOWN_MAX, .op = EXPECT_LT, .value = 2000000000000001},
         1,
         1,
         "2.000"},
        {{.quantity = EXPECT_STEADY_GOODPUT, .op = EXPECT_GT, .value = 232}, 1, 1, "233 b/s"},
        {{.quantity = EXPECT_STEADY_LATENCY_P99, .op = EXPECT_LT, .value = INT64_MAX},
         1,
         0,
         NOT_KNOWN},
        {{.quantity = EXPECT_UNSETTLED, .workload = EXPECT_WHOLE_RUN, .op = EXPECT_EQ}, 1, 1, "0"},
        {{.quantity = EXPECT_UNSETTLED, .workload = EXPECT_WHOLE_RUN, .op = EXPECT_EQ},
         0,
         0,
         "oltp: too few operations to tell"},
        {{.quantity = EXPECT_JAIN, .op = EXPECT_LT, .value = INT64_MAX}, 0, 0, NOT_KNOWN},
        {{.quantity = EXPECT_FCT_MAX, .op = EXPECT_NE, .value = 1}, 0, 0, NOT_KNOWN},
        {{.quantity = EXPECT_STEADY_GOODPUT, .op = EXPECT_GE}, 0, 0, NOT_KNOWN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        fill(&fixture);
        if (rows[i].known) {
            fixture.workload.of_members = (struct member_figures){
                .jain_ppm = 250000, .slowdowns = 1, .slowdown_ppm = {.max = 2000000}};
            fixture.workload.steady = (struct steady){.known = true,
                                                      .settled = true,
                                                      .goodput_bps = {233, 1},
                                                      .p99 = {STEADY_UNKNOWN, STEADY_UNKNOWN}};
        }
        evaluate(&fixture, &rows[i].expectation, 1, false);
        assert_int_equal(fixture.result.expectations[0].held, rows[i].held);
        assert_string_equal(fixture.result.expectations[0].actual, rows[i].actual);
        release(&fixture);
    }
}

static void verdict_says_what_was_found(void **state)
{
    (void)state;
    struct fixture fixture;
    fill(&fixture);
    const struct expectation expectation = {.text = "oltp.latency.max < 1us",
                                            .quantity = EXPECT_LATENCY_MAX,
                                            .op = EXPECT_LT,
                                            .value = 1};
    evaluate(&fixture, &expectation, 1, false);
    assert_string_equal(fixture.result.expectations[0].text, "oltp.latency.max < 1us");
    assert_string_equal(fixture.result.expectations[0].actual, "400 us");
    release(&fixture);
}

/* Quotients are cut to whole units of what they are: time, bits per second, bytes, a number. */
static void what_was_found_has_the_unit_of_the_quantity(void **state)
{
    (void)state;
    static const struct {
        struct expectation expectation;
        const char *actual;
    } rows[] = {
        {{.quantity = EXPECT_LATENCY_MEAN}, "200 us"}, /* of 1 ps and 400 us */
        {{.quantity = EXPECT_LATENCY_MAX}, "400 us"},
        {{.quantity = EXPECT_IOPS}, "1,500,000"}, /* 3 in 2 us */
        {{.quantity = EXPECT_GOODPUT}, "49.2 Gb/s"},
        {{.quantity = EXPECT_BYTES}, "12.0 KiB"},
        {{.quantity = EXPECT_COMPLETED}, "2"},
        {{.quantity = EXPECT_ISSUED}, "1,234"},
        {{.quantity = EXPECT_PFC_PAUSED, .workload = EXPECT_WHOLE_RUN}, "3.00 ms"},
        {{.quantity = EXPECT_PFC_PAUSE_FRAMES, .workload = EXPECT_WHOLE_RUN}, "7"},
        {{.quantity = EXPECT_COMMANDS_LOST, .workload = EXPECT_WHOLE_RUN}, "9"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        fill(&fixture);
        hist_add(&fixture.latency, 1);
        fixture.workload.issued = 1234;
        fixture.workload.completed = 2;
        fixture.workload.completed_window = 3;
        fixture.workload.window_ps = 2 * PS_PER_US;
        fixture.workload.bytes = fixture.workload.bytes_window = 12288;
        fixture.workload.failed = 4;
        fixture.workload.unfinished = 5;
        fixture.result.totals.pfc_paused_ps = 3 * PS_PER_MS;
        evaluate(&fixture, &rows[i].expectation, 1, false);
        assert_string_equal(fixture.result.expectations[0].actual, rows[i].actual);
        release(&fixture);
    }
}

/* What the run fails for on its own account names the workload and the numbers, and the others
 * are as they were. */
static void failures_name_the_workload(void **state)
{
    (void)state;
    struct hist latency;
    hist_reset(&latency);
    struct result_workload workloads[] = {
        {.name = "good", .issued = 9, .completed = 9, .latency = &latency},
        {.name = "bad",
         .issued = 4321,
         .failed = 1,
         .unfinished = 2,
         .corrupt = 3,
         .latency = &latency},
        {.name = "idle", .stalled = true, .latency = &latency},
    };
    struct result result = {.workloads = workloads, .workload_count = 3};
    result.totals.rnic_qp_errors = 2;
    static const char *const expected[] = {
        "2 queue pairs went into the error state",    "bad: 1 of 4,321 operations failed",
        "bad: 2 of 4,321 operations never completed", "workload 'idle' issued no operations",
        "bad: 3 reads returned wrong data",
    };
    const struct scenario scenario = {0};
    expect_eval(&scenario, &result, false);
    assert_int_equal(result.failure_count, 5);
    for (int i = 0; i < 5; i++)
        assert_string_equal(result.failures[i], expected[i]);
    free(result.expectations);
}

static void a_latency_of_nothing_is_not_below_a_bound(void **state)
{
    (void)state;
    struct fixture fixture;
    fill(&fixture);
    hist_reset(&fixture.latency);
    const struct expectation expectations[] = {
        {.quantity = EXPECT_LATENCY_P99, .op = EXPECT_LT, .value = PS_PER_S},
        {.quantity = EXPECT_COMPLETED, .op = EXPECT_EQ, .value = 1},
        {.quantity = EXPECT_PFC_PAUSED, .workload = EXPECT_WHOLE_RUN, .op = EXPECT_EQ},
    };
    for (int cut_short = 0; cut_short < 2; cut_short++) {
        evaluate(&fixture, expectations, 3, cut_short);
        const struct result_expectation *verdicts = fixture.result.expectations;
        assert_false(verdicts[0].held);
        assert_int_equal(verdicts[0].unjudged, cut_short);
        assert_string_equal(verdicts[0].actual, "nothing completed");
        assert_true(verdicts[1].held && verdicts[2].held);
        release(&fixture);
    }
}

static void lossless_drop_fails_unless_the_scenario_speaks_of_it(void **state)
{
    (void)state;
    struct fixture fixture;
    fill(&fixture);
    fixture.result.totals.drops_lossless = 3;
    evaluate(&fixture, NULL, 0, false);
    assert_int_equal(fixture.result.failure_count, 1);
    assert_string_equal(fixture.result.failures[0], "3 frames of a lossless class were dropped");
    release(&fixture);

    fill(&fixture);
    fixture.result.totals.drops_lossless = 3;
    const struct expectation some = {.quantity = EXPECT_DROPS_LOSSLESS,
                                     .workload = EXPECT_WHOLE_RUN,
                                     .op = EXPECT_GT,
                                     .value = 0};
    evaluate(&fixture, &some, 1, false);
    assert_true(result_held(&fixture.result));
    release(&fixture);
}

static void deadlock_fails_unless_the_scenario_speaks_of_it(void **state)
{
    (void)state;
    static const char sentence[] = "deadlock since 1 ms";
    struct fixture fixture;
    fill(&fixture);
    fixture.result.totals.pfc_deadlocks = 1;
    memcpy(fixture.result.deadlock, sentence, sizeof sentence);
    evaluate(&fixture, NULL, 0, false);
    assert_int_equal(fixture.result.failure_count, 1);
    assert_string_equal(fixture.result.failures[0], sentence);
    release(&fixture);

    fill(&fixture);
    fixture.result.totals.pfc_deadlocks = 1;
    const struct expectation some = {.quantity = EXPECT_PFC_DEADLOCKS,
                                     .workload = EXPECT_WHOLE_RUN,
                                     .op = EXPECT_GT,
                                     .value = 0};
    evaluate(&fixture, &some, 1, false);
    assert_true(result_held(&fixture.result));
    release(&fixture);
}

static void unfinished_command_fails_unless_cut_short_or_expected(void **state)
{
    (void)state;
    struct fixture fixture;
    fill(&fixture);
    fixture.workload.unfinished = 1;
    evaluate(&fixture, NULL, 0, false);
    assert_false(result_held(&fixture.result));
    release(&fixture);

    fill(&fixture);
    fixture.workload.unfinished = 1;
    evaluate(&fixture, NULL, 0, true);
    assert_true(result_held(&fixture.result));
    release(&fixture);

    fill(&fixture);
    fixture.workload.unfinished = 1;
    const struct expectation some = {.quantity = EXPECT_UNFINISHED, .op = EXPECT_EQ, .value = 1};
    evaluate(&fixture, &some, 1, false);
    assert_true(result_held(&fixture.result));
    release(&fixture);
}

static void failed_operation_fails_unless_the_scenario_speaks_of_it(void **state)
{
    (void)state;
    struct fixture fixture;
    fill(&fixture);
    fixture.workload.failed = 1;
    fixture.result.totals.rnic_qp_errors = 1;
    evaluate(&fixture, NULL, 0, false);
    assert_int_equal(fixture.result.failure_count, 2);
    assert_string_equal(fixture.result.failures[0], "1 queue pair went into the error state");
    assert_string_equal(fixture.result.failures[1], "oltp: 1 of 1 operation failed");
    release(&fixture);

    fill(&fixture);
    fixture.workload.failed = 1;
    fixture.result.totals.rnic_qp_errors = 1;
    const struct expectation both[] = {
        {.quantity = EXPECT_FAILED, .op = EXPECT_EQ, .value = 1},
        {.quantity = EXPECT_RNIC_QP_ERRORS,
         .workload = EXPECT_WHOLE_RUN,
         .op = EXPECT_GT,
         .value = 0},
    };
    evaluate(&fixture, both, 2, false);
    assert_true(result_held(&fixture.result));
    release(&fixture);
}

static void a_workload_that_issued_nothing_fails_unless_cut_short_or_expected(void **state)
{
    (void)state;
    struct fixture fixture;
    fill(&fixture);
    fixture.workload.stalled = true;
    evaluate(&fixture, NULL, 0, false);
    assert_int_equal(fixture.result.failure_count, 1);
    assert_string_equal(fixture.result.failures[0], "workload 'oltp' issued no operations");
    release(&fixture);

    fill(&fixture);
    fixture.workload.stalled = true;
    evaluate(&fixture, NULL, 0, true);
    assert_true(result_held(&fixture.result));
    release(&fixture);

    fill(&fixture);
    fixture.workload.stalled = true;
    const struct expectation complete = {
        .quantity = EXPECT_COMMANDS_LOST, .workload = EXPECT_WHOLE_RUN, .op = EXPECT_EQ};
    evaluate(&fixture, &complete, 1, false);
    assert_false(fixture.result.expectations[0].held);
    assert_string_equal(fixture.result.expectations[0].actual, "oltp issued no operations");
    release(&fixture);

    fill(&fixture);
    fixture.workload.stalled = true;
    fixture.workload.issued = 0;
    const struct expectation none = {.quantity = EXPECT_ISSUED, .op = EXPECT_EQ};
    evaluate(&fixture, &none, 1, false);
    assert_true(result_held(&fixture.result));
    release(&fixture);
}

/* What the others did is no figure of those that did nothing. */
static void members_that_did_nothing_pass_no_expectation(void **state)
{
    (void)state;
    static const struct {
        struct expectation expectation;
        bool held;
        const char *actual;
    } rows[] = {
        {{.quantity = EXPECT_COMMANDS_LOST, .workload = EXPECT_WHOLE_RUN, .op = EXPECT_EQ},
         false,
         "oltp: 35 of 48 host-target pairs did nothing"},
        {{.quantity = EXPECT_LATENCY_P99, .op = EXPECT_LT, .value = PS_PER_S},
         false,
         "oltp: 35 of 48 host-target pairs did nothing"},
        {{.quantity = EXPECT_LATENCY_MEAN, .op = EXPECT_GT, .value = 1},
         false,
         "oltp: 35 of 48 host-target pairs did nothing"},
        {{.quantity = EXPECT_COMPLETED, .op = EXPECT_EQ, .value = 1}, true, "1"},
        {{.quantity = EXPECT_PFC_PAUSE_FRAMES,
          .workload = EXPECT_WHOLE_RUN,
          .op = EXPECT_EQ,
          .value = 7},
         true,
         "7"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        fill(&fixture);
        fixture.workload.members = 48;
        fixture.workload.idle = 35;
        evaluate(&fixture, &rows[i].expectation, 1, false);
        assert_int_equal(fixture.result.expectations[0].held, rows[i].held);
        assert_string_equal(fixture.result.expectations[0].actual, rows[i].actual);
        release(&fixture);
    }
    struct fixture fixture;
    fill(&fixture);
    fixture.workload.members = 48;
    fixture.workload.idle = 1;
    evaluate(&fixture, NULL, 0, false);
    assert_int_equal(fixture.result.failure_count, 1);
    assert_string_equal(fixture.result.failures[0],
                        "oltp: 1 of 48 host-target pairs never connected or issued no operations");
    release(&fixture);
}

static void a_run_that_was_cut_is_judged_by_what_cannot_change_any_more(void **state)
{
    (void)state;
    static const struct {
        struct expectation expectation;
        bool held, unjudged;
    } rows[] = {
        {{.quantity = EXPECT_COMPLETED, .op = EXPECT_EQ, .value = 2}, false, true},
        {{.quantity = EXPECT_COMPLETED, .op = EXPECT_GT, .value = 1}, false, true},
        {{.quantity = EXPECT_COMPLETED, .op = EXPECT_GE, .value = 1}, true, false},
        {{.quantity = EXPECT_COMPLETED, .op = EXPECT_NE, .value = 1}, false, true},
        {{.quantity = EXPECT_COMPLETED, .op = EXPECT_LT, .value = 1}, false, false},
        {{.quantity = EXPECT_COMPLETED, .op = EXPECT_EQ, .value = 0}, false, false},
        {{.quantity = EXPECT_UNFINISHED, .op = EXPECT_EQ, .value = 0}, false, true},
        {{.quantity = EXPECT_LATENCY_MAX, .op = EXPECT_LT, .value = 1}, false, false},
        {{.quantity = EXPECT_IOPS, .op = EXPECT_GT, .value = INT64_MAX}, false, false},
        {{.quantity = EXPECT_COMMANDS_LOST, .workload = EXPECT_WHOLE_RUN, .op = EXPECT_EQ},
         false,
         true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        fill(&fixture);
        fixture.workload.unfinished = 3;
        evaluate(&fixture, &rows[i].expectation, 1, true);
        assert_int_equal(fixture.result.expectations[0].held, rows[i].held);
        assert_int_equal(fixture.result.expectations[0].unjudged, rows[i].unjudged);
        assert_int_equal(result_held(&fixture.result), rows[i].held || rows[i].unjudged);
        release(&fixture);
    }
    struct fixture fixture;
    fill(&fixture);
    fixture.workload.failed = 1;
    evaluate(&fixture, &rows[sizeof rows / sizeof rows[0] - 1].expectation, 1, true);
    assert_false(fixture.result.expectations[0].unjudged);
    release(&fixture);
}

static void wrong_data_always_fails(void **state)
{
    (void)state;
    struct fixture fixture;
    fill(&fixture);
    fixture.workload.corrupt = 2;
    evaluate(&fixture, NULL, 0, true);
    assert_false(result_held(&fixture.result));
    release(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparison_is_exact_at_the_boundary),
        cmocka_unit_test(ratios_are_exact_and_what_is_not_known_holds_nothing),
        cmocka_unit_test(verdict_says_what_was_found),
        cmocka_unit_test(what_was_found_has_the_unit_of_the_quantity),
        cmocka_unit_test(failures_name_the_workload),
        cmocka_unit_test(a_latency_of_nothing_is_not_below_a_bound),
        cmocka_unit_test(lossless_drop_fails_unless_the_scenario_speaks_of_it),
        cmocka_unit_test(deadlock_fails_unless_the_scenario_speaks_of_it),
        cmocka_unit_test(unfinished_command_fails_unless_cut_short_or_expected),
        cmocka_unit_test(failed_operation_fails_unless_the_scenario_speaks_of_it),
        cmocka_unit_test(members_that_did_nothing_pass_no_expectation),
        cmocka_unit_test(a_workload_that_issued_nothing_fails_unless_cut_short_or_expected),
        cmocka_unit_test(a_run_that_was_cut_is_judged_by_what_cannot_change_any_more),
        cmocka_unit_test(wrong_data_always_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
