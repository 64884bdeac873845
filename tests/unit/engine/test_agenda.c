/* SPDX-License-Identifier: Apache-2.0
 * The agenda against the plain heap: spread out, tied, crowded. */
#include "base/rng.h"
#include "engine/agenda.h"
#include "engine/heap.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { PLACES = 20000, TIME_BITS = 20, BASE = 1000000000 };

struct rig {
    struct event events[PLACES];
    uint32_t used;
    struct agenda agenda;
    struct heap heap;
    struct rng rng;
};

/* The place of an event of one of seven sources, `spread` picoseconds after `at` at most, but in
 * the window. */
static uint32_t make(struct rig *rig, time_ps at, uint64_t spread)
{
    const time_ps end = BASE + ((time_ps)1 << TIME_BITS) - 1;
    const time_ps then = at + (time_ps)rng_below(&rig->rng, spread + 1);
    const uint64_t rank = rng_below(&rig->rng, 7);
    struct event *event = &rig->events[rig->used];
    *event = (struct event){.at = then < end ? then : end,
                            .order = rank << ORDER_SEQUENCE_BITS | (PLACES - rig->used)};
    heap_push(&rig->heap, event);
    return rig->used++ * AGENDA_PLACE;
}

/* So many events, and while they are executed so many more. */
static void play(struct rig *rig, uint32_t listed, uint32_t guessed, uint64_t spread,
                 uint32_t added, uint64_t added_spread)
{
    struct agenda *agenda = &rig->agenda;
    rig->used = 0;
    agenda_begin(agenda, BASE, TIME_BITS, guessed);
    assert_null(agenda_peek(agenda));
    for (uint32_t i = 0; i < listed; i++) {
        const uint32_t place = make(rig, BASE, spread);
        agenda_put(agenda, agenda_event(agenda, place)->at, place);
    }
    agenda_settle(agenda);
    while (rig->heap.count > 0) {
        const struct event expected = heap_pop(&rig->heap);
        assert_non_null(agenda_peek(agenda));
        assert_int_equal(agenda_peek(agenda)->order, expected.order);
        assert_int_equal(agenda_next(agenda)->order, expected.order);
        for (uint64_t n = rng_below(&rig->rng, 3); n > 0 && added > 0; n--, added--) {
            const uint32_t place = make(rig, expected.at, added_spread);
            agenda_add(agenda, agenda_event(agenda, place)->at, place);
        }
    }
    assert_null(agenda_next(agenda));
}

static void agenda_is_a_heap(void **state)
{
    (void)state;
    static struct rig rig;
    rig.rng = rng_stream(1, "test", "agenda");
    agenda_init(&rig.agenda, rig.events);
    const uint64_t whole = (1u << TIME_BITS) - 1;
    for (uint32_t round = 0; round < 200; round++) {
        const uint32_t few = (uint32_t)rng_below(&rig.rng, 40);
        play(&rig, few, few, whole, few, whole / 8);
        play(&rig, few, few, whole, few, 0);            /* what comes is due at once */
        play(&rig, few, few, whole / 16, few, whole);   /* many in few slots */
        play(&rig, few, 0, whole, 10 * few, whole / 9); /* more than there are slots for */
    }
    play(&rig, 0, 0, whole, 0, 0);
    play(&rig, 300, 300, 0, 300, 0); /* a crowd: all at one time */
    play(&rig, 300, 300, 100, 5000, 100);
    play(&rig, 5000, 5000, whole, 5000, whole / 100);
    play(&rig, 9000, 9000, 1000, 1000, whole);
    play(&rig, 30, 30, whole, 300, 0); /* at the end of the window and of the slots */
    agenda_fini(&rig.agenda);
    heap_fini(&rig.heap);
}

static void all_are_seen_and_stay(void **state)
{
    (void)state;
    static struct rig rig;
    rig.rng = rng_stream(2, "test", "agenda");
    agenda_init(&rig.agenda, rig.events);
    for (uint32_t count = 0; count < 50; count++) {
        rig.used = 0;
        agenda_begin(&rig.agenda, BASE, TIME_BITS, count);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t place = make(&rig, BASE, (1u << TIME_BITS) - 1);
            agenda_put(&rig.agenda, agenda_event(&rig.agenda, place)->at, place);
        }
        agenda_settle(&rig.agenda);
        struct agenda_look look = {0};
        for (uint32_t i = 0; i < count; i++) {
            const struct event expected = heap_pop(&rig.heap);
            assert_int_equal(agenda_look(&rig.agenda, &look)->order, expected.order);
        }
        assert_null(agenda_look(&rig.agenda, &look));
        for (uint32_t i = 0; i < count; i++)
            assert_non_null(agenda_next(&rig.agenda));
    }
    agenda_fini(&rig.agenda);
    heap_fini(&rig.heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agenda_is_a_heap),
        cmocka_unit_test(all_are_seen_and_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
