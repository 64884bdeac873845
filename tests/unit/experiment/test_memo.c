/* SPDX-License-Identifier: Apache-2.0
 * test_memo - a trial that was run is not run again, whatever the order of its changes. */
#include "replay/experiment/memo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct measure_shape shape = {.members = 2, .workloads = 1, .hops = 1};

static struct trial trial_of(uint32_t first, uint32_t second, uint32_t later)
{
    return (struct trial){.changes = {{.kind = TRIAL_REMOVE_FAULT, .fault = first},
                                      {.kind = TRIAL_REMOVE_FAULT, .fault = second}},
                          .count = 2,
                          .later = later};
}

static void order_of_changes_has_no_meaning(void **state)
{
    (void)state;
    struct memo memo = {.count = 0};
    struct measure made, found;
    const struct trial kept = trial_of(1, 2, 0), turned = trial_of(2, 1, 0);
    const struct trial others[] = {trial_of(1, 3, 0), trial_of(1, 2, 1), {.count = 0}};
    measure_make(&made, shape);
    made.works[1].done = 42;
    made.drops = 7;
    memo_keep(&memo, &kept, shape, &made);
    assert_true(memo_has(&memo, &turned));
    assert_true(memo_find(&memo, &turned, shape, &found));
    assert_int_equal(found.works[1].done, 42);
    assert_int_equal(found.drops, 7);
    measure_free(&found);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(memo_find(&memo, &others[i], shape, &found));
    measure_free(&made);
    memo_free(&memo);
    assert_false(memo_has(&memo, &kept));
}

static void what_cannot_be_built_is_known_as_well(void **state)
{
    (void)state;
    struct memo memo = {.count = 0};
    struct measure found = {.drops = 1};
    const struct trial trial = trial_of(0, 1, 0);
    memo_keep(&memo, &trial, shape, &(struct measure){0});
    assert_true(memo_find(&memo, &trial, shape, &found));
    assert_null(found.works);
    memo_free(&memo);
}

/* Measures beyond the limit are not kept: their trials are run again. */
static void memory_is_limited(void **state)
{
    (void)state;
    struct memo memo = {.bytes = MEMO_BYTES_MAX};
    const struct trial trial = trial_of(0, 1, 0);
    memo_keep(&memo, &trial, shape, &(struct measure){0});
    assert_false(memo_has(&memo, &trial));
    memo_free(&memo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_of_changes_has_no_meaning),
        cmocka_unit_test(what_cannot_be_built_is_known_as_well),
        cmocka_unit_test(memory_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
