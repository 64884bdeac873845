/* SPDX-License-Identifier: Apache-2.0
 * Expectations: what is understood, what is refused, when they hold. */
#include "scenarios/load/expect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

/* Enough of a scenario: two workloads, one with a dot in its name as fio jobs may have. */
static const struct scenario_workload workloads[] = {{.name = "oltp"}, {.name = "job/a.b"}};
static const struct scenario scenario = {.workloads = workloads, .workload_count = 2};

static bool parse(const char *text, struct expectation *expectation, struct diag *diag)
{
    *diag = (struct diag){0};
    static struct tree_file file = {"t", "", 0};
    struct tree_node *node = arena_take(&arena, sizeof *node);
    *node = (struct tree_node){
        .kind = TREE_SCALAR, .file = &file, .text = text, .place = {"t", 1, 1, 1}};
    return expect_parse(&scenario, node, expectation, diag);
}

static void texts_are_understood(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum expect_quantity quantity;
        uint32_t workload;
        enum expect_op op;
        int64_t value;
    } rows[] = {
        {"no-lossless-drop", EXPECT_DROPS_LOSSLESS, EXPECT_WHOLE_RUN, EXPECT_EQ, 0},
        {"all-commands-complete", EXPECT_COMMANDS_LOST, EXPECT_WHOLE_RUN, EXPECT_EQ, 0},
        {"no-deadlock", EXPECT_PFC_DEADLOCKS, EXPECT_WHOLE_RUN, EXPECT_EQ, 0},
        {"no-pause", EXPECT_PFC_PAUSE_FRAMES, EXPECT_WHOLE_RUN, EXPECT_EQ, 0},
        {"oltp.latency.p99 < 400us", EXPECT_LATENCY_P99, 0, EXPECT_LT, 400000000},
        {"oltp.latency_ns.p99<=400us", EXPECT_LATENCY_P99, 0, EXPECT_LE, 400000000},
        {"job/a.b.iops >= 3", EXPECT_IOPS, 1, EXPECT_GE, 3},
        {"oltp.goodput > 90Gbps", EXPECT_GOODPUT, 0, EXPECT_GT, 90000000000},
        {"oltp.goodput_bps != 0bps", EXPECT_GOODPUT, 0, EXPECT_NE, 0},
        {"pfc.pause_frames > 0", EXPECT_PFC_PAUSE_FRAMES, EXPECT_WHOLE_RUN, EXPECT_GT, 0},
        {"pfc.longest_pause < 1ms", EXPECT_PFC_LONGEST_PAUSE, EXPECT_WHOLE_RUN, EXPECT_LT,
         1000000000},
        {"drops.lossless == 0", EXPECT_DROPS_LOSSLESS, EXPECT_WHOLE_RUN, EXPECT_EQ, 0},
        {"oltp.latency.p99_9 < 1ms", EXPECT_LATENCY_P99_9, 0, EXPECT_LT, 1000000000},
        {"steady", EXPECT_UNSETTLED, EXPECT_WHOLE_RUN, EXPECT_EQ, 0},
        {"oltp.steady.latency.p99 < 1ms", EXPECT_STEADY_LATENCY_P99, 0, EXPECT_LT, 1000000000},
        {"oltp.steady.goodput > 1bps", EXPECT_STEADY_GOODPUT, 0, EXPECT_GT, 1},
        {"oltp.goodput_read > 1bps", EXPECT_GOODPUT_READ, 0, EXPECT_GT, 1},
        {"job/a.b.fairness.jain >= 0.95", EXPECT_JAIN, 1, EXPECT_GE, INT64_C(950000000000000)},
        {"oltp.slowdown.p99 < 2.5", EXPECT_SLOWDOWN_P99, 0, EXPECT_LT, INT64_C(2500000000000000)},
        {"oltp.slowdown.max < 3", EXPECT_SLOWDOWN_MAX, 0, EXPECT_LT, INT64_C(3000000000000000)},
        {"oltp.fct.p99 < 3us", EXPECT_FCT_P99, 0, EXPECT_LT, 3000000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct expectation expectation;
        struct diag diag;
        if (!parse(rows[i].text, &expectation, &diag))
            fail_msg("%s: %s", rows[i].text, diag.messages[0].text);
        assert_int_equal(expectation.quantity, rows[i].quantity);
        assert_int_equal(expectation.workload, rows[i].workload);
        assert_int_equal(expectation.op, rows[i].op);
        assert_int_equal(expectation.value, rows[i].value);
        assert_string_equal(expectation.text, rows[i].text);
    }
}

static void wrong_texts_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"no-drop", "no quantity 'no-drop'"},
        {"no-pauses", "did you mean 'no-pause'?"},
        {"oltp.latency.p98 < 3us", "did you mean 'oltp.latency.p90'?"},
        {"oltq.iops > 3", "did you mean 'oltp.iops'?"},
        {"pfc.pauses > 0", "no quantity 'pfc.pauses'"},
        {"oltp.latency.p99 < 3", "no unit"},
        {"oltp.latency.p99 < 3Gbps", "another unit"},
        {"oltp.iops > 3us", "another unit"},
        {"oltp.iops > ", "empty"},
        {"oltp.iops = 3", "expected a word such as no-pause, or a comparison"},
        {"oltp.iops => 3", "expected a word such as no-pause, or a comparison"},
        {"oltp iops", "expected a word such as no-pause, or a comparison"},
        {"", "expected a word such as no-pause, or a comparison"},
        {"< 3", "no quantity ''"},
        {".iops > 3", "no quantity '.iops'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct expectation expectation;
        struct diag diag;
        if (parse(rows[i].text, &expectation, &diag))
            fail_msg("taken: %s", rows[i].text);
        if (strstr(diag.messages[0].text, rows[i].says) == NULL)
            fail_msg("%s gives: %s", rows[i].text, diag.messages[0].text);
    }
}

static void comparisons_hold_or_not(void **state)
{
    (void)state;
    static const struct {
        enum expect_op op;
        bool below, equal, above;
    } rows[] = {{EXPECT_LT, true, false, false}, {EXPECT_LE, true, true, false},
                {EXPECT_GT, false, false, true}, {EXPECT_GE, false, true, true},
                {EXPECT_EQ, false, true, false}, {EXPECT_NE, true, false, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct expectation expectation = {.op = rows[i].op, .value = 5};
        assert_int_equal(expect_holds(&expectation, 4), rows[i].below);
        assert_int_equal(expect_holds(&expectation, 5), rows[i].equal);
        assert_int_equal(expect_holds(&expectation, 6), rows[i].above);
    }
}

static void every_quantity_can_be_written(void **state)
{
    (void)state;
    for (int i = 0; i < EXPECT_COMMANDS_LOST; i++) {
        static const char *const values[] = {[QUANTITY_INT] = "3",
                                             [QUANTITY_TIME] = "3us",
                                             [QUANTITY_SIZE] = "3B",
                                             [QUANTITY_RATE] = "3bps",
                                             [QUANTITY_RATIO] = "0.5"};
        const enum expect_quantity quantity = (enum expect_quantity)i;
        const char *path = expect_path(quantity);
        char text[128];
        snprintf(text, sizeof text, "%s%s > %s", path[0] == '.' ? "oltp" : "", path,
                 values[expect_kind(quantity)]);
        struct expectation expectation;
        struct diag diag;
        if (!parse(text, &expectation, &diag))
            fail_msg("%s: %s", text, diag.messages[0].text);
        assert_int_equal(expectation.quantity, quantity);
    }
}

static void the_steady_part_has_rows_of_the_same_name(void **state)
{
    (void)state;
    assert_int_equal(expect_steady(EXPECT_GOODPUT), EXPECT_STEADY_GOODPUT);
    assert_int_equal(expect_steady(EXPECT_WORST_MEMBER_P99), EXPECT_STEADY_WORST_MEMBER_P99);
    assert_int_equal(expect_steady(EXPECT_JAIN), EXPECT_JAIN);
    assert_int_equal(expect_steady(EXPECT_STEADY_IOPS), EXPECT_STEADY_IOPS);
    assert_int_equal(expect_steady(EXPECT_PFC_PAUSED), EXPECT_PFC_PAUSED);
    assert_int_equal(expect_steady(EXPECT_UNSETTLED), EXPECT_UNSETTLED);
}

static void the_number_of_a_word_has_a_noun(void **state)
{
    (void)state;
    assert_string_equal(expect_counted("no-deadlock", "0"), "deadlocks");
    assert_string_equal(expect_counted("no-deadlock", "1"), "deadlock");
    assert_string_equal(expect_counted("no-pause", "1.2 M"), "pause frames");
    assert_string_equal(expect_counted("no-lossless-drop", "no frame of a lossless class"), "");
    assert_string_equal(expect_counted("pfc.deadlocks == 0", "0"), "");
    assert_string_equal(expect_counted("steady", ""), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_steady_part_has_rows_of_the_same_name),
        cmocka_unit_test(texts_are_understood),
        cmocka_unit_test(the_number_of_a_word_has_a_noun),
        cmocka_unit_test(wrong_texts_are_refused),
        cmocka_unit_test(comparisons_hold_or_not),
        cmocka_unit_test(every_quantity_can_be_written),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
