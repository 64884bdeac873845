/* SPDX-License-Identifier: Apache-2.0
 * The steady part: what MSER cuts off, and figures with their intervals. */
#include "replay/record/steady.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { BATCHES = 100 };

/* Noise of some percent around a level, after a warm-up in which the level is another. */
static void fill(uint64_t *batches, uint32_t warm_up, uint64_t before, uint64_t level,
                 uint64_t noise, uint64_t seed)
{
    struct rng rng = {.key = seed};
    for (uint32_t i = 0; i < BATCHES; i++)
        batches[i] = (i < warm_up ? before : level) + (noise == 0 ? 0 : rng_below(&rng, noise));
}

static void a_warm_up_is_cut_off_where_it_ends(void **state)
{
    (void)state;
    static const struct {
        uint32_t warm_up;
        uint64_t before, level, noise;
        uint32_t from, to;
    } rows[] = {
        {0, 0, 1000, 0, 0, 0},                /* nothing to cut */
        {0, 0, 0, 0, 0, 0},                   /* nothing at all */
        {10, 0, 1000, 0, 10, 10},             /* to the batch */
        {10, 5000, 1000, 50, 10, 12},         /* from above, in noise */
        {30, 900, 1000, 50, 28, 32},          /* a small step */
        {50, 0, 1000, 10, 50, 50},            /* half */
        {90, 0, 1000, 0, 40, 50},             /* more than half: no more than half is cut */
        {10, 0, UINT64_MAX / 200, 0, 10, 10}, /* no product overflows */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t batches[BATCHES];
        fill(batches, rows[i].warm_up, rows[i].before, rows[i].level, rows[i].noise, i + 1);
        const uint32_t cut = steady_cut(batches, BATCHES);
        if (cut < rows[i].from && rows[i].warm_up != 90)
            fail_msg("row %zu: %u batches are cut off", i, cut);
        assert_true(cut <= rows[i].to || rows[i].warm_up == 90);
        assert_true(cut <= BATCHES / 2);
    }
}

/* Noise alone is no warm-up: hardly anything is cut off, and never half. */
static void noise_has_settled(void **state)
{
    (void)state;
    uint32_t all = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t batches[BATCHES];
        fill(batches, 0, 0, 1000, 400, seed);
        const uint32_t cut = steady_cut(batches, BATCHES);
        assert_true(cut + BATCHES / 20 < BATCHES / 2);
        all += cut;
    }
    assert_true(all / 200 < 15);
}

/* Completions every `gap`, whose latency and size are those of a level that the warm-up changes. */
struct play {
    time_ps length, gap, warm_up;
    time_ps latency_before, latency;
    uint64_t noise; /* of the latency */
};

static void play(struct wl_history *history, const struct play *how)
{
    struct rng rng = {.key = 7};
    wl_history_init(history, PS_PER_MS);
    for (time_ps t = 0; t < how->length; t += how->gap)
        wl_history_add(history, PS_PER_MS + t,
                       (t < how->warm_up ? how->latency_before : how->latency) +
                           (time_ps)(how->noise == 0 ? 0 : rng_below(&rng, how->noise)),
                       1000, 0);
}

static void figures_are_those_behind_the_warm_up(void **state)
{
    (void)state;
    struct wl_history history;
    const struct play how = {10 * PS_PER_MS,  PS_PER_US,       2 * PS_PER_MS,
                             900 * PS_PER_US, 100 * PS_PER_US, 0};
    play(&history, &how);
    const struct steady steady = steady_find(&history, PS_PER_MS, 11 * PS_PER_MS, false);
    assert_true(steady.known && steady.settled);
    assert_true(steady.from >= 3 * PS_PER_MS && steady.from < 3300 * PS_PER_US);
    assert_int_equal(steady.mean.value, 100 * PS_PER_US);
    assert_int_equal(steady.mean.half, 0);
    assert_int_equal(steady.p50.value, 100 * PS_PER_US);
    assert_int_equal(steady.p99.value, 100 * PS_PER_US);
    assert_true(labs(steady.goodput_bps.value - 8000000000) < 80000000);
    assert_true(labs(steady.iops.value - 1000000) < 10000);
    /* A warm-up that is given is taken. */
    const struct steady given = steady_find(&history, 2 * PS_PER_MS, 11 * PS_PER_MS, true);
    assert_true(given.from >= 2 * PS_PER_MS && given.from < 2100 * PS_PER_US);
    assert_true(given.mean.value > 150 * PS_PER_US);
    wl_history_fini(&history);
}

static void what_has_not_settled_says_how_long_it_needs(void **state)
{
    (void)state;
    struct wl_history history;
    const struct play late = {10 * PS_PER_MS,  PS_PER_US,       6 * PS_PER_MS,
                              900 * PS_PER_US, 100 * PS_PER_US, 0};
    play(&history, &late);
    struct steady steady = steady_find(&history, PS_PER_MS, 11 * PS_PER_MS, false);
    assert_true(steady.known && !steady.settled);
    assert_true(steady.least >= 19 * PS_PER_MS);
    assert_true(steady.needs == STEADY_UNKNOWN); /* the step is not over */
    wl_history_fini(&history);
    /* Latencies that differ a hundredfold, seldom. */
    wl_history_init(&history, 0);
    for (int i = 0; i < 2000; i++)
        wl_history_add(&history, i * 5 * PS_PER_US, (i % 397 == 0 ? 3000 : 10) * PS_PER_US, 1, 0);
    steady = steady_find(&history, 0, 10 * PS_PER_MS, false);
    assert_true(steady.known && !steady.settled && steady.least > 10 * PS_PER_MS);
    wl_history_fini(&history);
}

static void too_few_say_nothing(void **state)
{
    (void)state;
    struct wl_history history;
    wl_history_init(&history, 0);
    assert_false(steady_find(&history, 0, PS_PER_MS, false).known);
    for (int i = 0; i < 50; i++)
        wl_history_add(&history, i * 20 * PS_PER_US, PS_PER_US, 1, 0);
    assert_false(steady_find(&history, 0, PS_PER_MS, false).known);
    assert_false(steady_find(&history, PS_PER_MS, PS_PER_MS, false).known);
    wl_history_fini(&history);
}

/* An interval holds the mean that it is of in some 95 of 100 runs. */
static void intervals_hold_what_they_should(void **state)
{
    (void)state;
    int held = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct rng rng = {.key = seed};
        struct wl_history history;
        wl_history_init(&history, 0);
        for (int i = 0; i < 4000; i++)
            wl_history_add(&history, i * PS_PER_US,
                           50 * PS_PER_US + (time_ps)rng_below(&rng, 100 * PS_PER_US), 1, 0);
        const struct steady steady = steady_find(&history, 0, 4 * PS_PER_MS, false);
        assert_true(steady.known);
        held += labs(steady.mean.value - 100 * PS_PER_US) <= steady.mean.half;
        wl_history_fini(&history);
    }
    assert_true(held >= 176 && held < 200);
}

/* Three members complete one after the other, `each` of the last; every hundredth of the second is
 * slow, the third is slow always but in one half of the time. */
static void add_members(struct wl_history *history, uint32_t each)
{
    wl_history_init(history, 0);
    for (uint32_t i = 0; i < 1000; i++)
        wl_history_add(history, i * PS_PER_US, 10 * PS_PER_US + i, 1, 0);
    for (uint32_t i = 0; i < 1000; i++)
        wl_history_add(history, i * PS_PER_US, i % 100 < 2 ? 90 * PS_PER_US : 5 * PS_PER_US, 1, 1);
    for (uint32_t i = 0; i < each; i++)
        wl_history_add(history, i * PS_PER_US, 20 * PS_PER_US, 1, 7);
}

static void the_worst_member_is_found(void **state)
{
    (void)state;
    struct wl_history history;
    add_members(&history, 100);
    struct wl_history_worst worst = wl_history_worst(&history, 0, TIME_NEVER);
    assert_int_equal(worst.mean, 20 * PS_PER_US);
    assert_int_equal(worst.p99, 90 * PS_PER_US);
    worst = wl_history_worst(&history, 100 * PS_PER_US, 1000 * PS_PER_US);
    assert_int_equal(worst.mean, 10 * PS_PER_US + (100 + 999) / 2); /* without the third */
    wl_history_fini(&history);
    /* What one of them has too few samples for is not known of all. */
    add_members(&history, 99);
    worst = wl_history_worst(&history, 0, TIME_NEVER);
    assert_int_equal(worst.mean, 20 * PS_PER_US);
    assert_int_equal(worst.p99, WL_HISTORY_UNKNOWN);
    assert_int_equal(wl_history_worst(&history, 95 * PS_PER_US, 2 * PS_PER_S).mean,
                     WL_HISTORY_UNKNOWN);
    assert_int_equal(wl_history_worst(&history, PS_PER_S, 2 * PS_PER_S).mean, WL_HISTORY_UNKNOWN);
    wl_history_fini(&history);
}

/* Those of the steady part, where the warm-up was slower than anything behind it. */
static void the_slowest_hundredth_is_of_the_steady_part(void **state)
{
    (void)state;
    struct wl_history history;
    wl_history_init(&history, 0);
    for (int i = 0; i < 10000; i++)
        wl_history_add(&history, i * PS_PER_US,
                       (i < 1000       ? 900
                        : i % 100 == 0 ? 60
                                       : 50) *
                           PS_PER_US,
                       1, (uint32_t)i % 2);
    const struct steady steady = steady_find(&history, 0, 10 * PS_PER_MS, false);
    assert_true(steady.known && steady.from >= PS_PER_MS);
    assert_in_range(steady.slowest, 59 * PS_PER_US, 60 * PS_PER_US);
    assert_int_equal(steady.worst.p99, 60 * PS_PER_US); /* of the even ones every fiftieth */
    assert_in_range(steady.worst.mean, 50150 * PS_PER_NS, 50250 * PS_PER_NS);
    wl_history_fini(&history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warm_up_is_cut_off_where_it_ends),
        cmocka_unit_test(noise_has_settled),
        cmocka_unit_test(figures_are_those_behind_the_warm_up),
        cmocka_unit_test(what_has_not_settled_says_how_long_it_needs),
        cmocka_unit_test(too_few_say_nothing),
        cmocka_unit_test(intervals_hold_what_they_should),
        cmocka_unit_test(the_worst_member_is_found),
        cmocka_unit_test(the_slowest_hundredth_is_of_the_steady_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
