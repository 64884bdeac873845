/* SPDX-License-Identifier: Apache-2.0
 * A switch's kicks come in the order of their time, then of their port. */
#include "net/port/kicks.h"

#include "base/rng.h"
#include "net/port/port.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>

#include <cmocka.h>

enum { PORTS = 40, STEPS = 20000 };

static bool before(struct kick a, struct kick b)
{
    return a.at < b.at || (a.at == b.at && a.port < b.port);
}

/* Against the least of a list in no order, with moments so few that many are the same. */
static void they_come_in_order(void **state)
{
    (void)state;
    static struct port ports[PORTS];
    struct rng rng = rng_stream(1, "kicks", "test");
    struct kicks kicks;
    kicks_init(&kicks);
    struct kick left[PORTS];
    uint32_t count = 0;
    time_ps now = 0;
    for (int step = 0; step < STEPS; step++) {
        if (count < PORTS && rng_below(&rng, 3) > 0) {
            const struct kick kick = {now + (time_ps)rng_below(&rng, 20),
                                      &ports[rng_below(&rng, PORTS)]};
            if (kicks_are_full(&kicks))
                kicks_make_room(&kicks);
            kicks_add(&kicks, kick.at, kick.port);
            left[count++] = kick;
            continue;
        }
        assert_int_equal(kicks.end - kicks.first, count);
        if (count == 0) {
            assert_true(kicks_due(&kicks) == TIME_NEVER);
            continue;
        }
        uint32_t least = 0;
        for (uint32_t i = 1; i < count; i++)
            least = before(left[i], left[least]) ? i : least;
        assert_true(kicks_due(&kicks) == left[least].at);
        const struct kick first = *kicks.first++;
        assert_true(first.at == left[least].at && first.port == left[least].port);
        now = first.at;
        left[least] = left[--count];
    }
    assert_true(kicks.limit - kicks.items <= 4 * PORTS);
    kicks_fini(&kicks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(they_come_in_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
