/* SPDX-License-Identifier: Apache-2.0
 * The event queue against the plain heap: the same order, whatever the delays. */
#include "base/digest.h"
#include "base/memory.h"
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

/* Of 64 delays one is 50 us, 31 are 334.24 ns, 32 are 1 us; each has up to 1.05 us more. */
static time_ps held_for(struct rng *rng)
{
    const uint64_t draw = rng_next(rng), kind = draw % 64;
    const time_ps more = (time_ps)(draw / (UINT64_C(1) << 44));
    return more + (kind == 0 ? 50 * PS_PER_US : kind < 32 ? 334240 : PS_PER_US);
}

/* The model by itself: an array, gone through for the least. */
static void hold_is_what_it_says(void **state)
{
    enum { PENDING = 100, HOLDS = 3000 };
    (void)state;
    struct rng rng = rng_stream(7, "hold", "delay");
    struct {
        time_ps at;
        uint64_t order;
    } events[PENDING];
    uint64_t order = 0, sum = 0;
    for (; order < PENDING; order++) {
        events[order].at = held_for(&rng);
        events[order].order = order;
    }
    for (int i = 0; i < HOLDS; i++) {
        int least = 0;
        for (int k = 1; k < PENDING; k++)
            if (events[k].at < events[least].at ||
                (events[k].at == events[least].at && events[k].order < events[least].order))
                least = k;
        digest_chain(&sum, (uint64_t)events[least].at ^ events[least].order);
        events[least].at += held_for(&rng);
        events[least].order = order++;
    }
    assert_int_equal(hold_queues[0].run(PENDING, HOLDS, 7), sum);
    assert_int_equal(hold_queues[1].run(PENDING, HOLDS, 7), sum);
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

static void one_group(struct wheel *wheel, time_ps width)
{
    wheel_divide(wheel, &(struct wheel_division){&(uint32_t){0}, 1, 1}, width);
}

/* Takes the least event at or before `until`; false when there is none. */
static bool pop(struct wheel *wheel, time_ps until, struct event *event)
{
    const struct event *least;
    while ((least = wheel_peek(wheel)) == NULL)
        if (!(wheel->open && wheel_group(wheel)) &&
            !(wheel_open(wheel, until) && wheel_group(wheel)))
            return false;
    if (least->at > until)
        return false;
    *event = *wheel_next(wheel);
    return true;
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
        if (seed % 3 != 0)
            one_group(&wheel, (time_ps)2 << seed);
        time_ps now = 0;
        uint64_t order = 0;
        for (int step = 0; step < 20000; step++) {
            if (wheel.near == 0 && step == 20) /* what waits already joins it */
                one_group(&wheel, (time_ps)2 << seed);
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
            if (wheel.near == 0)
                continue;
            const bool due = heap.count > 0 && heap_top(&heap)->at <= until;
            assert_int_equal(pop(&wheel, until, &popped), due);
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

enum { NODES = 300, GROUPS = 100, DELAY = 50000, EVENTS = 40000 };

/* Three neighbors are a group. */
static uint32_t group_of(uint32_t node)
{
    return node / (NODES / GROUPS);
}

static void divide(struct wheel *wheel)
{
    uint32_t of[NODES];
    for (uint32_t node = 0; node < NODES; node++)
        of[node] = group_of(node);
    wheel_divide(wheel, &(struct wheel_division){of, NODES, GROUPS}, DELAY);
}

struct crowd {
    struct wheel wheel;
    struct rng rng;
    struct event last[GROUPS]; /* that each has executed */
    uint64_t pushed, taken;
};

/* From a node at that time: to its own group soon, to others DELAY later. */
static void push_any(struct crowd *crowd, uint32_t from, time_ps now)
{
    const uint32_t to = (uint32_t)rng_below(&crowd->rng, NODES);
    const time_ps delay = 1 + wild_delay(&crowd->rng) % (20 * DELAY);
    const struct event event = {.at = now + delay + (group_of(to) == group_of(from) ? 0 : DELAY),
                                .order = (uint64_t)from << ORDER_SEQUENCE_BITS | crowd->pushed,
                                .node = to};
    crowd->pushed++;
    wheel_push(&crowd->wheel, &event);
}

/* All of it is of one group, in its order, and of this window. */
static void take_turn(struct crowd *crowd)
{
    const struct event *event;
    const uint32_t group = group_of(wheel_any(&crowd->wheel)->node);
    while ((event = wheel_next(&crowd->wheel)) != NULL) {
        const struct event now = *event;
        assert_int_equal(group_of(now.node), group);
        assert_in_range(now.at, crowd->wheel.base, crowd->wheel.bound);
        assert_false(event_before(&now, &crowd->last[group]));
        crowd->last[group] = now;
        crowd->taken++;
        for (uint64_t n = rng_below(&crowd->rng, 4); n > 0 && crowd->pushed < EVENTS; n--)
            push_any(crowd, now.node, now.at);
    }
}

/* Groups take turns; now and then a window is cut. */
static void groups_keep_their_order(void **state)
{
    (void)state;
    static struct crowd crowd;
    crowd.rng = rng_stream(1, "test", "groups");
    wheel_init(&crowd.wheel);
    divide(&crowd.wheel);
    for (uint32_t node = 0; node < NODES; node++)
        push_any(&crowd, node, 0);
    for (time_ps until = 0; !wheel_is_empty(&crowd.wheel); until += 7 * DELAY / 3)
        while (wheel_open(&crowd.wheel, until))
            while (wheel_group(&crowd.wheel))
                take_turn(&crowd);
    assert_int_equal(crowd.taken, crowd.pushed);
    assert_in_range(crowd.taken, EVENTS, UINT64_MAX);
    wheel_fini(&crowd.wheel);
}

/* A window begins where the one before ends, and ends where its number does: of any width, early
 * and late, of windows in a row and after a leap. */
static void windows_join(void **state)
{
    (void)state;
    const time_ps widths[] = {2, 3, 7, 1000, 65537, 999999, WHEEL_WIDTH_MAX};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        for (time_ps start = 0; start < (time_ps)1 << 60; start = 9 * start + 1) {
            struct wheel wheel;
            wheel_init(&wheel);
            one_group(&wheel, widths[i]);
            for (int window = 0; window < 20; window++) {
                wheel.wake = window == 0 ? start : wheel.bound + 1;
                assert_true(wheel_open(&wheel, TIME_NEVER));
                assert_in_range(wheel.wake, wheel.base, wheel.bound);
                assert_int_equal(wheel_window(&wheel, wheel.base), wheel.open_window);
                assert_int_equal(wheel_window(&wheel, wheel.bound), wheel.open_window);
                assert_int_equal(wheel_window(&wheel, wheel.bound + 1), wheel.open_window + 1);
                assert_true(window == 0 || wheel.base == wheel.wake);
                assert_false(wheel_group(&wheel));
            }
            wheel_fini(&wheel);
        }
    }
}

/* What is left of a window that was cut comes before the next one: a wake-up alone, or an event. */
static void the_rest_comes_first(void **state)
{
    (void)state;
    enum { WIDTH = 1000, CUT = 3500, LATER = 3600, NEXT = 4100 };
    for (int has_event = 0; has_event < 2; has_event++) {
        struct wheel wheel;
        wheel_init(&wheel);
        one_group(&wheel, WIDTH);
        const struct event later = {.at = LATER}, next = {.at = NEXT};
        wheel_push(&wheel, &next);
        if (has_event)
            wheel_push(&wheel, &later);
        wheel.wake = has_event ? TIME_NEVER : LATER;
        assert_true(wheel_open(&wheel, CUT));
        while (wheel_group(&wheel))
            assert_null(wheel_next(&wheel));
        assert_false(wheel_open(&wheel, CUT));
        assert_true(wheel_open(&wheel, TIME_NEVER));
        assert_in_range(LATER, CUT + 1, wheel.bound);
        assert_in_range(wheel.bound, LATER, NEXT - 1);
        assert_int_equal(wheel_group(&wheel), has_event);
        if (has_event)
            assert_int_equal(wheel_next(&wheel)->at, LATER);
        wheel_fini(&wheel);
    }
}

/* A window is opened for a moment that nobody has an event for, and only up to there. */
static void wheel_wakes(void **state)
{
    (void)state;
    enum { WAKE = 1000000 };
    struct wheel wheel;
    wheel_init(&wheel);
    one_group(&wheel, WAKE);
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
        cmocka_unit_test(windows_join),
        cmocka_unit_test(wheel_wakes),
        cmocka_unit_test(the_rest_comes_first),
        cmocka_unit_test(hold_models_agree),
        cmocka_unit_test(hold_is_what_it_says),
        cmocka_unit_test(wheel_is_a_heap),
        cmocka_unit_test(groups_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
