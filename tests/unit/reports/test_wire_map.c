/* SPDX-License-Identifier: Apache-2.0
 * The map of connections and commands: values of all keys while it grows. */
#include "reports/wire/wire_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { KEYS = 5000 };

/* Neighbors, and keys that differ only in their upper half. */
static uint64_t key_at(uint32_t index)
{
    return wire_map_pair(index % 7, index / 7);
}

static void each_key_keeps_its_value_while_the_map_grows(void **state)
{
    (void)state;
    struct wire_map map = {0};
    assert_int_equal(wire_map_get(&map, key_at(0)), WIRE_MAP_NONE);
    for (uint32_t count = 0; count < KEYS; count++) {
        assert_int_equal(wire_map_get(&map, key_at(count)), WIRE_MAP_NONE);
        wire_map_put(&map, key_at(count), 3 * count);
        if ((count & (count + 1)) == 0) /* the sizes next to those at which it grows */
            for (uint32_t i = 0; i <= count; i++)
                assert_int_equal(wire_map_get(&map, key_at(i)), 3 * i);
    }
    for (uint32_t i = 0; i < KEYS; i++)
        assert_int_equal(wire_map_get(&map, key_at(i)), 3 * i);
    wire_map_fini(&map);
}

static void a_later_value_replaces_the_earlier_one(void **state)
{
    (void)state;
    struct wire_map map = {0};
    for (uint32_t round = 0; round < 3; round++)
        for (uint32_t i = 0; i < 100; i++)
            wire_map_put(&map, key_at(i), 100 * round + i);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(wire_map_get(&map, key_at(i)), 200 + i);
    assert_int_equal(wire_map_get(&map, key_at(100)), WIRE_MAP_NONE);
    wire_map_fini(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_key_keeps_its_value_while_the_map_grows),
        cmocka_unit_test(a_later_value_replaces_the_earlier_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
