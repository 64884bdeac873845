/* SPDX-License-Identifier: Apache-2.0
 * A history depends on what was added and not on its order, nor on how many kept it. */
#include "scenarios/workload/wl_history.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct event {
    time_ps at, latency;
    uint64_t bytes;
};

static int by_sample(const void *a, const void *b)
{
    const struct wl_history_sample *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->latency < y->latency ? -1 : x->latency > y->latency;
}

static void assert_same(struct wl_history *a, struct wl_history *b)
{
    assert_int_equal(a->shift, b->shift);
    assert_int_equal(a->level, b->level);
    assert_int_equal(a->sample_count, b->sample_count);
    assert_memory_equal(a->intervals, b->intervals, WL_HISTORY_INTERVALS * sizeof *a->intervals);
    qsort(a->samples, a->sample_count, sizeof *a->samples, by_sample);
    qsort(b->samples, b->sample_count, sizeof *b->samples, by_sample);
    assert_memory_equal(a->samples, b->samples, a->sample_count * sizeof *a->samples);
}

/* Sums of what is in it. */
static void assert_complete(const struct wl_history *history, const struct event *events,
                            uint32_t count)
{
    uint64_t completed = 0, bytes = 0, latency = 0, expected_bytes = 0, expected_latency = 0;
    for (int i = 0; i < WL_HISTORY_INTERVALS; i++) {
        completed += history->intervals[i].completed;
        bytes += history->intervals[i].bytes;
        latency += history->intervals[i].latency_sum;
    }
    for (uint32_t i = 0; i < count; i++) {
        expected_bytes += events[i].bytes;
        expected_latency += (uint64_t)events[i].latency;
    }
    assert_int_equal(completed, count);
    assert_int_equal(bytes, expected_bytes);
    assert_int_equal(latency, expected_latency);
}

static void several_that_are_added_up_are_one(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 100, WL_HISTORY_SAMPLES, WL_HISTORY_SAMPLES + 1,
                                      5 * WL_HISTORY_SAMPLES};
    for (size_t row = 0; row < sizeof counts / sizeof counts[0]; row++) {
        const uint32_t count = counts[row];
        struct rng rng = {.key = row + 1};
        struct event *events = calloc(count, sizeof *events);
        struct wl_history one, parts[3], sum;
        wl_history_init(&one, PS_PER_MS);
        wl_history_init(&sum, PS_PER_MS);
        for (int i = 0; i < 3; i++)
            wl_history_init(&parts[i], PS_PER_MS);
        for (uint32_t i = 0; i < count; i++) {
            events[i] = (struct event){PS_PER_MS + (time_ps)rng_below(&rng, PS_PER_S >> row),
                                       (time_ps)rng_below(&rng, PS_PER_MS), rng_below(&rng, 4096)};
            wl_history_add(&one, events[i].at, events[i].latency, events[i].bytes, 0);
            wl_history_add(&parts[rng_below(&rng, 3)], events[i].at, events[i].latency,
                           events[i].bytes, 0);
        }
        for (int i = 3; i-- > 0;)
            wl_history_fold(&sum, &parts[i]);
        assert_complete(&one, events, count);
        assert_same(&one, &sum);
        assert_true(one.sample_count <= WL_HISTORY_SAMPLES);
        assert_true(one.sample_count == count || one.sample_count > WL_HISTORY_SAMPLES / 3);
        wl_history_fini(&one);
        wl_history_fini(&sum);
        for (int i = 0; i < 3; i++)
            wl_history_fini(&parts[i]);
        free(events);
    }
}

static void an_interval_doubles_when_time_goes_on(void **state)
{
    (void)state;
    struct wl_history history;
    wl_history_init(&history, 0);
    const int first = history.shift;
    const time_ps all = (time_ps)WL_HISTORY_INTERVALS << first;
    wl_history_add(&history, 0, 1, 1, 0);
    wl_history_add(&history, all - 1, 1, 2, 0);
    assert_int_equal(history.shift, first);
    assert_int_equal(history.intervals[WL_HISTORY_INTERVALS - 1].bytes, 2);
    wl_history_add(&history, all, 1, 4, 0);
    assert_int_equal(history.shift, first + 1);
    assert_int_equal(history.intervals[WL_HISTORY_INTERVALS / 2 - 1].bytes, 2);
    assert_int_equal(history.intervals[WL_HISTORY_INTERVALS / 2].bytes, 4);
    wl_history_add(&history, TIME_NEVER - 1, 1, 8, 0);
    assert_int_equal(history.intervals[0].bytes, 7);
    wl_history_fini(&history);
}

/* What arrives up to a moment is the interval's that ends there. */
static void what_arrives_is_of_the_time_before(void **state)
{
    (void)state;
    struct wl_history history, sum;
    wl_history_init(&history, 1000);
    wl_history_init(&sum, 1000);
    const time_ps length = (time_ps)1 << history.shift;
    assert_int_equal(wl_history_next(&history, 0), 1000 + length);
    assert_int_equal(wl_history_next(&history, 1000), 1000 + length);
    assert_int_equal(wl_history_next(&history, 1000 + length - 1), 1000 + length);
    assert_int_equal(wl_history_next(&history, 1000 + length), 1000 + 2 * length);
    wl_history_deliver(&history, 1000 + length, 1, 4);
    wl_history_deliver(&history, 1000 + length + 1, 2, 4);
    wl_history_deliver(&history, 1000 + 4 * length, 4, 4);
    assert_int_equal(history.intervals[0].bytes, 1);
    assert_int_equal(history.intervals[1].bytes, 2);
    assert_int_equal(history.intervals[3].bytes, 4);
    wl_history_deliver(&history, 1000 + 4 * length + 1, 8, 4); /* a fifth: pairs become one */
    assert_int_equal(history.intervals[0].bytes, 3);
    assert_int_equal(history.intervals[1].bytes, 4);
    assert_int_equal(history.intervals[2].bytes, 8);
    wl_history_add(&sum, 1000, 5, 999, 0);
    wl_history_forget_bytes(&sum);
    wl_history_fold(&sum, &history);
    assert_int_equal(sum.intervals[0].bytes, 3);
    assert_int_equal(sum.intervals[0].completed, 1);
    wl_history_fini(&history);
    wl_history_fini(&sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_that_are_added_up_are_one),
        cmocka_unit_test(an_interval_doubles_when_time_goes_on),
        cmocka_unit_test(what_arrives_is_of_the_time_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
