/* SPDX-License-Identifier: Apache-2.0
 * Serialisation of one link, to the picosecond. */
#include "port_pair.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* 3 m at 5.05 ns/m, then 8 + 1518 bytes at 80 ps; the gap comes after the frame. */
static void one_frame_by_hand(void **state)
{
    (void)state;
    struct pair pair;
    pair_init(&pair, 100, 0);
    pair.a.to_send = 3;
    pump_start(&pair.a, 1000);
    engine_run(&pair.engine, PS_PER_MS);
    assert_int_equal(pair.b.received, 3);
    assert_int_equal(pair.b.first_arrival, 1000 + 1526 * 80 + 15150);
    assert_int_equal(pair.b.last_arrival, pair.b.first_arrival + 2 * (1518 + 20) * 80);
    pair_fini(&pair);
}

static void giants_are_dropped_and_counted(void **state)
{
    (void)state;
    struct pair pair;
    pair_init(&pair, 100, 0);
    for (int i = 0; i < PRIORITIES; i++)
        pair.b.port.lanes[i].rx_limit = 1518;
    pair.a.bytes = 1519;
    pair.a.to_send = 5;
    pump_start(&pair.a, 0);
    engine_run(&pair.engine, PS_PER_MS);
    assert_int_equal(pair.b.received, 0);
    assert_int_equal(pair.b.port.giants, 5);
    assert_int_equal(pair.frames.frames.taken, 0);
    pair_fini(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_frame_by_hand),
        cmocka_unit_test(giants_are_dropped_and_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
