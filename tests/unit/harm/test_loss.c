/* SPDX-License-Identifier: Apache-2.0
 * test_loss - what a member lost, by hand. */
#include "replay/harm/loss.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void lost_is_what_the_same_number_took_less_without_it(void **state)
{
    (void)state;
    static const struct {
        struct loss_work work, ideal;
        int64_t lost;
    } rows[] = {
        {{.done = 4, .under_way_ps = 100}, {.done = 4, .under_way_ps = 100}, 0},
        {{.done = 4, .under_way_ps = 101}, {.done = 4, .under_way_ps = 100}, 1},
        {{.done = 4, .under_way_ps = 99}, {.done = 4, .under_way_ps = 100}, 0},
        {{.done = 2, .under_way_ps = 100}, {.done = 4, .under_way_ps = 100}, 50},
        {{.done = 8, .under_way_ps = 100}, {.done = 4, .under_way_ps = 100}, 0},
        {{.done = 8, .under_way_ps = 250}, {.done = 4, .under_way_ps = 100}, 50},
        {{.done = 1, .under_way_ps = 100}, {.done = 3, .under_way_ps = 100}, 67},
        {{.done = 0, .under_way_ps = 100}, {.done = 3, .under_way_ps = 100}, 100},
        {{.done = 3, .under_way_ps = 100}, {.done = 0, .under_way_ps = 0}, 0},
        /* who did nothing has lost all, who did half as much in half the time has lost half */
        {{.done = 0, .under_way_ps = 0}, {.done = 3, .under_way_ps = 90}, 90},
        {{.done = 2, .under_way_ps = 50}, {.done = 4, .under_way_ps = 100}, 50},
        {{.done = 3, .under_way_ps = 50}, {.done = 4, .under_way_ps = 100}, 25},
        /* a million commands of a second each: products beyond 64 bits */
        {{.done = 1000000, .under_way_ps = INT64_C(2000000000000000000)},
         {.done = 1000000, .under_way_ps = INT64_C(1000000000000000000)},
         INT64_C(1000000000000000000)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(loss_between(&rows[i].work, &rows[i].ideal).lost_ps, rows[i].lost);
}

static void the_share_is_of_the_larger_time(void **state)
{
    (void)state;
    const struct loss_work half = {.done = 2, .under_way_ps = 100},
                           all = {.done = 4, .under_way_ps = 100},
                           late = {.done = 4, .under_way_ps = 400}, none = {.done = 0};
    const struct loss fewer = loss_between(&half, &all), longer = loss_between(&late, &all),
                      nothing = loss_between(&none, &none);
    assert_int_equal(loss_share(&fewer), 500000);
    assert_int_equal(loss_share(&longer), 750000);
    assert_int_equal(loss_share(&nothing), 0);
}

static void the_gain_is_relative_to_the_first_work_or_to_the_second_time(void **state)
{
    (void)state;
    static const struct {
        struct loss_work first, second;
        double gain;
    } rows[] = {
        {{.done = 10, .under_way_ps = 100}, {.done = 10, .under_way_ps = 100}, 0},
        {{.done = 10, .under_way_ps = 100}, {.done = 20, .under_way_ps = 100}, 1},
        {{.done = 20, .under_way_ps = 100}, {.done = 10, .under_way_ps = 100}, -0.5},
        {{.done = 10, .under_way_ps = 300}, {.done = 10, .under_way_ps = 200}, 0.5},
        {{.done = 10, .under_way_ps = 100}, {.done = 10, .under_way_ps = 200}, -0.5},
        {{.done = 0, .under_way_ps = 100}, {.done = 10, .under_way_ps = 100}, 1},
        {{.done = 10, .under_way_ps = 100}, {.done = 0, .under_way_ps = 100}, -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_true(fabs(loss_gain(&rows[i].first, &rows[i].second) - rows[i].gain) < 1e-12);
}

/* What a run has more than its reference counts, and what it has less does not. */
static void failures_are_counted_beyond_those_of_the_reference(void **state)
{
    (void)state;
    const struct loss_work work = {.done = 1, .failed = 3, .inactive = 1},
                           reference = {.done = 1, .failed = 1, .inactive = 2};
    const struct loss loss = loss_between(&work, &reference),
                      back = loss_between(&reference, &work), same = loss_between(&work, &work);
    struct loss sum = loss;
    assert_int_equal(loss.failed, 2);
    assert_int_equal(loss.inactive, -1);
    assert_true(loss_is_counted(&loss));
    assert_true(loss_is_counted(&back));
    assert_false(loss_is_counted(&same));
    loss_add(&sum, &back);
    assert_false(loss_is_counted(&sum));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lost_is_what_the_same_number_took_less_without_it),
        cmocka_unit_test(the_share_is_of_the_larger_time),
        cmocka_unit_test(the_gain_is_relative_to_the_first_work_or_to_the_second_time),
        cmocka_unit_test(failures_are_counted_beyond_those_of_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
