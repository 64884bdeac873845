/* SPDX-License-Identifier: Apache-2.0
 * A switch's timers come in the order of their time, then of their port. */
#include "net/port/dequeue_timers.h"

#include "base/rng.h"
#include "net/port/port.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>

#include <cmocka.h>

enum { PORTS = 40, STEPS = 20000 };

static bool before(struct dequeue_timer a, struct dequeue_timer b)
{
    return a.at < b.at || (a.at == b.at && a.port < b.port);
}

/* Against the least of a list in no order, with moments so few that many are the same. */
static void they_come_in_order(void **state)
{
    (void)state;
    static struct port ports[PORTS];
    struct rng rng = rng_stream(1, "timers", "test");
    struct dequeue_timers timers;
    dequeue_timers_init(&timers);
    struct dequeue_timer left[PORTS];
    uint32_t count = 0;
    time_ps now = 0;
    for (int step = 0; step < STEPS; step++) {
        if (count < PORTS && rng_below(&rng, 3) > 0) {
            const struct dequeue_timer timer = {now + (time_ps)rng_below(&rng, 20),
                                                &ports[rng_below(&rng, PORTS)]};
            if (dequeue_timers_are_full(&timers))
                dequeue_timers_make_room(&timers);
            dequeue_timers_add(&timers, timer.at, timer.port);
            left[count++] = timer;
            continue;
        }
        assert_int_equal(timers.end - timers.first, count);
        if (count == 0) {
            assert_true(dequeue_timers_due(&timers) == TIME_NEVER);
            continue;
        }
        uint32_t least = 0;
        for (uint32_t i = 1; i < count; i++)
            least = before(left[i], left[least]) ? i : least;
        assert_true(dequeue_timers_due(&timers) == left[least].at);
        const struct dequeue_timer first = *timers.first++;
        assert_true(first.at == left[least].at && first.port == left[least].port);
        now = first.at;
        left[least] = left[--count];
    }
    assert_true(timers.limit - timers.items <= 4 * PORTS);
    dequeue_timers_fini(&timers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(they_come_in_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
