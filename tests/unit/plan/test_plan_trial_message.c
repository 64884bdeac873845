/* SPDX-License-Identifier: Apache-2.0
 * test_plan_trial_message - a run of a plan as bytes, there and back, and what came of it; or not.
 * */
#include "base/memory.h"
#include "replay/plan/plan_outcome.h"
#include "replay/plan/plan_trial_message.h"
#include "tests/unit/base/fuzz_input.h"
#include "tests/unit/plan/trial_message_plan.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct plan *load(void)
{
    struct plan *plan = trial_message_plan();
    assert_non_null(plan);
    return plan;
}

/* Of the target: behind a byte that says which of the two it is. */
static void hand_over(char kind, const void *bytes, size_t length)
{
    char *whole = memory_new(length + 1);
    whole[0] = kind;
    memcpy(whole + 1, bytes, length);
    fuzz_input("trial_message", whole, length + 1);
    free(whole);
}

static void a_trial_comes_as_it_went(void **state)
{
    (void)state;
    struct plan *plan = load();
    const struct plan_case of = {.name = "",
                                 .sets = {"faults[+]={kind: link-down}", "a.b=c"},
                                 .set_count = 2,
                                 .failure = &plan->failures[0]};
    const struct plan_trial trial = {plan, &plan->grid.cells[1], &of, UINT64_MAX - 1, INT64_MAX};
    struct arena arena = {0};
    struct plan_trial_message errand;
    size_t length;
    char *bytes = plan_trial_message_write(&trial, &length);
    assert_true(plan_trial_message_read(&arena, plan, bytes, length, &errand));
    hand_over(0, bytes, length);
    assert_true(errand.trial.seed == trial.seed && errand.trial.longest == trial.longest);
    assert_ptr_equal(errand.of.failure, &plan->failures[0]);
    assert_int_equal(errand.of.set_count, 2);
    assert_string_equal(errand.of.sets[1], "a.b=c");
    assert_int_equal(errand.cell.set_count, 1);
    assert_string_equal(errand.cell.sets[0], "workloads.read.count=2");
    for (size_t cut = 0; cut < length; cut++)
        assert_false(plan_trial_message_read(&arena, plan, bytes, cut, &errand));
    arena_free(&arena);
    free(bytes);
    plan_free(plan);
}

static void what_is_none_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
    } rows[] = {
#define ROW(words) {words, sizeof words - 1}
        ROW("1\0"
            "1\0"
            "1\0" /* a failure that the plan has not */
            "0\0"
            "0\0"),
        ROW("1\0"
            "0\0" /* no time at all */
            "-1\0"
            "0\0"
            "0\0"),
        ROW("x\0"
            "1\0"
            "-1\0"
            "0\0"
            "0\0"),
        ROW("1\0"
            "1\0"
            "-1\0"
            "4000000000\0" /* settings */
            "0\0"),
        ROW("1\0"
            "1\0"
            "-1\0"
            "0\0"
            "66\0"),
        ROW("1\0"
            "1\0"
            "-1\0"
            "0\0"
            "0\0"
            "more\0"),
        ROW(""),
#undef ROW
    };
    struct plan *plan = load();
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct plan_trial_message errand;
        assert_false(plan_trial_message_read(&arena, plan, rows[i].bytes, rows[i].length, &errand));
        hand_over(0, rows[i].bytes, rows[i].length);
    }
    arena_free(&arena);
    plan_free(plan);
}

/* ------------------------------------------------------------------ what came of it */

static struct plan_outcome sound(void)
{
    struct plan_outcome outcome = {.end = PLAN_RUN_PLAYED,
                                   .figure_count = 2,
                                   .duration = 1,
                                   .events = 2,
                                   .packet_hops = 3,
                                   .why = "",
                                   .limit = "a link",
                                   .measure_count = 1};
    outcome.figures[0] = (struct plan_figure){1, -0.5, true};
    outcome.measures[0] = (struct plan_measured){4, true};
    return outcome;
}

#define REFUSED(change)                                                                            \
    do {                                                                                           \
        struct plan_outcome outcome = sound();                                                     \
        change;                                                                                    \
        hand_over(1, &outcome, sizeof outcome);                                                    \
        assert_false(plan_outcome_is_sound(&outcome, 2));                                          \
    } while (0)

static void an_outcome_that_none_can_be_is_refused(void **state)
{
    (void)state;
    struct plan_outcome whole = sound(), none = {.end = PLAN_RUN_REFUSED, .why = "no"};
    assert_true(plan_outcome_is_sound(&whole, 2));
    assert_true(plan_outcome_is_sound(&none, 2)); /* it has no figures: it was not played */
    hand_over(1, &whole, sizeof whole);
    REFUSED(outcome.end = PLAN_RUN_PLAYED + 1);
    REFUSED(outcome.end = -1);
    REFUSED(outcome.figure_count = 1);
    REFUSED(outcome.figure_count = PLAN_SLO_MAX + 1);
    REFUSED(outcome.measure_count = PLAN_MEASURES_MAX + 1);
    REFUSED(outcome.duration = -1);
    REFUSED(outcome.events = INT64_MAX);
    REFUSED(outcome.packet_hops = -1);
    REFUSED(outcome.cores = -1);
    REFUSED(memset(outcome.why, 'x', sizeof outcome.why));
    REFUSED(memset(outcome.limit, 'x', sizeof outcome.limit));
    REFUSED(outcome.figures[1].value = NAN);
    REFUSED(outcome.figures[1].slack = INFINITY);
    REFUSED(memset(&outcome.figures[1].held, 7, 1));
    REFUSED(memset(&outcome.measures[0].known, 7, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trial_comes_as_it_went),
        cmocka_unit_test(what_is_none_is_refused),
        cmocka_unit_test(an_outcome_that_none_can_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
