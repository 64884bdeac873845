/* SPDX-License-Identifier: Apache-2.0
 * The event queue against the plain heap: the same order, whatever the delays. */
#include "base/rng.h"
#include "engine/hold.h"
#include "engine/wheel.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void hold_models_agree(void **state)
{
    (void)state;
    const size_t sizes[] = {1, 2, 100, 5000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint64_t seed = 0; seed < 5; seed++)
            assert_int_equal(hold_queues[0].run(sizes[i], 30000, seed),
                             hold_queues[1].run(sizes[i], 30000, seed));
}

static time_ps wild_delay(struct rng *rng)
{
    switch (rng_below(rng, 6)) {
    case 0:
        return 0;
    case 1:
        return (time_ps)rng_below(rng, 100);
    case 2:
        return (time_ps)rng_below(rng, 1000000);
    case 3:
        return (time_ps)rng_below(rng, UINT64_C(1) << 40);
    case 4:
        return (time_ps)rng_below(rng, UINT64_C(1) << 50);
    default:
        return 334240;
    }
}

/* Random pushes and pops, also into the open bucket, in slices of `until`: the wheel gives what
 * the heap gives. */
static void wheel_is_a_heap(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct rng rng = rng_stream(seed, "test", "wheel");
        struct wheel wheel;
        struct heap heap = {0};
        const uint64_t ranks = seed % 2 == 0 ? 1009 : 1; /* many sources, or one */
        wheel_init(&wheel);
        time_ps now = 0;
        uint64_t order = 0;
        for (int step = 0; step < 20000; step++) {
            const time_ps until = now + wild_delay(&rng);
            struct event popped;
            while (rng_below(&rng, 3) != 0) {
                const struct event event = {.at = now + wild_delay(&rng),

                                            .order =
                                                order * 7 % ranks << ORDER_SEQUENCE_BITS | order};
                order++;
                wheel_push(&wheel, &event);
                heap_push(&heap, &event);
            }
            const bool due = heap.count > 0 && heap_top(&heap)->at <= until;
            assert_int_equal(wheel_pop(&wheel, until, &popped), due);
            if (due) {
                const struct event expected = heap_pop(&heap);
                assert_int_equal(popped.at, expected.at);
                assert_int_equal(popped.order, expected.order);
                now = popped.at;
            } else {
                now = until;
            }
            if (heap.count == 0 && !due) /* an open wheel may be about to find out */
                assert_true(wheel_is_empty(&wheel));
        }
        wheel_fini(&wheel);
        heap_fini(&heap);
    }
}

/* A window is opened for a moment that nobody has an event for, and only up to there. */
static void wheel_wakes(void **state)
{
    (void)state;
    enum { WAKE = 1000000 };
    struct wheel wheel;
    wheel_init(&wheel);
    assert_true(wheel_is_empty(&wheel));
    wheel.wake = WAKE;
    assert_false(wheel_is_empty(&wheel));
    assert_false(wheel_open(&wheel, WAKE / 2));
    assert_true(wheel_open(&wheel, 2 * WAKE));
    assert_in_range(WAKE, wheel.base, wheel.bound);
    while (wheel_group(&wheel))
        assert_null(wheel_next(&wheel));
    wheel.wake = TIME_NEVER;
    assert_true(wheel_is_empty(&wheel));
    assert_false(wheel_open(&wheel, TIME_NEVER));
    wheel_fini(&wheel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wheel_wakes),
        cmocka_unit_test(hold_models_agree),
        cmocka_unit_test(wheel_is_a_heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
