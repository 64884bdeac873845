/* SPDX-License-Identifier: Apache-2.0
 * test_wl_goodput - what counts in a measured part, case by case. */
#include "scenarios/workload/wl_goodput.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static const struct wl_window window = {.from = 1000, .to = 2000};

/* What happens to one connection, in order. */
enum deed { END, BEGINS, MARKED, COMPLETES };

struct row {
    const char *name;
    struct {
        enum deed deed;
        time_ps at;
        uint64_t bytes;
    } deeds[8];
    uint64_t arrived; /* in the end */
    uint64_t so_far, completed_only;
};

static const struct row rows[] = {
    {"nothing came", {{BEGINS, 0, 0}, {MARKED, 1000, 0}, {MARKED, 2000, 0}}, 0, 0, 0},
    {"all within",
     {{BEGINS, 0, 0}, {MARKED, 1000, 0}, {COMPLETES, 1500, 70}, {MARKED, 2000, 70}},
     70,
     70,
     70},
    {"what had arrived before, and what arrives after, do not count",
     {{BEGINS, 0, 0},
      {MARKED, 1000, 30},
      {COMPLETES, 1100, 100},
      {MARKED, 2000, 140},
      {COMPLETES, 2100, 100}},
     200,
     110,
     110},
    {"of what was under way at the end, what had arrived, also when it never completes",
     {{BEGINS, 0, 0}, {MARKED, 1000, 0}, {MARKED, 2000, 140}},
     180,
     140,
     0},
    {"of a connection that failed, no more than what completed",
     {{BEGINS, 0, 0}, {MARKED, 1000, 30}, {COMPLETES, 1100, 100}, {MARKED, 2000, 140}},
     100,
     70,
     70},
    {"what failed after the beginning is not taken away from it",
     {{BEGINS, 0, 0}, {MARKED, 1000, 30}, {MARKED, 2000, 0}},
     0,
     0,
     0},
    {"connected within",
     {{BEGINS, 1200, 0}, {COMPLETES, 1500, 70}, {MARKED, 2000, 90}},
     140,
     90,
     70},
    {"connected after the end", {{BEGINS, 2000, 0}, {COMPLETES, 2500, 70}}, 70, 0, 0},
    {"not begun yet", {{BEGINS, 0, 0}, {COMPLETES, 900, 70}}, 90, 0, 0},
    {"not over yet", {{BEGINS, 0, 0}, {MARKED, 1000, 0}, {COMPLETES, 1500, 70}}, 90, 90, 70},
    {"nobody marks: completions count, after the beginning and up to the end",
     {{BEGINS, 0, 0},
      {COMPLETES, 900, 1},
      {COMPLETES, 1000, 2},
      {COMPLETES, 1001, 4},
      {COMPLETES, 2000, 8},
      {COMPLETES, 2001, 16}},
     31,
     12,
     12},
};

static void each_case_counts_what_it_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct row *row = &rows[i];
        struct wl_goodput goodput = {0};
        for (size_t n = 0; n < LENGTH(row->deeds) && row->deeds[n].deed != END; n++) {
            const time_ps at = row->deeds[n].at;
            const uint64_t bytes = row->deeds[n].bytes;
            if (row->deeds[n].deed == BEGINS)
                wl_goodput_begin(&goodput, &window, at);
            else if (row->deeds[n].deed == MARKED)
                wl_goodput_mark(&goodput, &window, at, bytes);
            else
                wl_goodput_completed(&goodput, &window, at, bytes);
        }
        if (wl_goodput_so_far(&goodput, row->arrived) != row->so_far ||
            wl_goodput_completed_only(&goodput) != row->completed_only)
            fail_msg("%s: %llu and %llu", row->name,
                     (unsigned long long)wl_goodput_so_far(&goodput, row->arrived),
                     (unsigned long long)wl_goodput_completed_only(&goodput));
    }
}

static void it_is_to_be_marked_at_both_ends(void **state)
{
    (void)state;
    assert_int_equal(wl_window_next(&window, 0), 1000);
    assert_int_equal(wl_window_next(&window, 1000), 2000);
    assert_int_equal(wl_window_next(&window, 1999), 2000);
    assert_int_equal(wl_window_next(&window, 2000), TIME_NEVER);
    const struct wl_window none = {.from = 3000, .to = 2000}; /* over before the warm-up */
    assert_int_equal(wl_window_next(&none, 0), 2000);
    assert_int_equal(wl_window_next(&none, 2000), TIME_NEVER);
}

/* Over before the warm-up: there is no measured part. */
static void a_part_that_ends_before_it_begins_has_nothing(void **state)
{
    (void)state;
    const struct wl_window none = {.from = 3000, .to = 2000};
    struct wl_goodput goodput;
    wl_goodput_begin(&goodput, &none, 0);
    wl_goodput_completed(&goodput, &none, 1500, 10);
    wl_goodput_mark(&goodput, &none, 2000, 15);
    wl_goodput_completed(&goodput, &none, 3500, 10);
    assert_int_equal(wl_goodput_completed_only(&goodput), 0);
    assert_int_equal(wl_goodput_so_far(&goodput, 30), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_case_counts_what_it_says),
        cmocka_unit_test(it_is_to_be_marked_at_both_ends),
        cmocka_unit_test(a_part_that_ends_before_it_begins_has_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
