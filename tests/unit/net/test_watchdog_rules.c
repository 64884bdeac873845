/* SPDX-License-Identifier: Apache-2.0
 * What the PFC watchdog takes for a storm, condition by condition, and its times. */
#include "net/switch/watchdog.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define MS(n) ((time_ps)(n)*PS_PER_MS)

/* A second sample that every rule takes for a storm after the first, all zero but held. */
static const struct watchdog_sample before = {.held_since = MS(1)};
static const struct watchdog_sample stormy = {
    .waiting = 1, .rx_pauses = 1, .paused_ps = MS(200), .held_since = MS(1)};

static bool rule_holds(enum watchdog_rule rule, struct watchdog_sample now)
{
    return watchdog_is_storm(rule, &before, &now, MS(200), MS(200));
}

static void all_conditions_make_a_storm(void **state)
{
    (void)state;
    for (enum watchdog_rule rule = 0; rule < WATCHDOG_RULES; rule++)
        assert_true(rule_holds(rule, stormy));
}

/* Each condition is needed: with it alone missing, there is no storm. */
static void each_condition_is_needed(void **state)
{
    (void)state;
    struct watchdog_sample empty = stormy, moving = stormy, pauseless = stormy, short_of = stormy;
    struct watchdog_sample again = stormy, over = stormy;
    empty.waiting = 0;
    moving.tx_frames = 1;
    pauseless.rx_pauses = 0;
    short_of.paused_ps = MS(200) / 100 * 99;
    again.held_since = MS(2);
    over.held_since = TIME_NEVER;
    const struct {
        struct watchdog_sample sample;
        bool holds[WATCHDOG_RULES]; /* mellanox, mellanox-2024, mellanox-2023, broadcom */
    } rows[] = {
        {empty, {false, false, true, true}}, /* 2023: nothing waits, but paused for long */
        {moving, {false, false, false, true}},  {pauseless, {true, true, false, false}},
        {short_of, {false, false, true, true}}, {again, {true, true, true, false}},
        {over, {true, true, true, false}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (enum watchdog_rule rule = 0; rule < WATCHDOG_RULES; rule++)
            assert_int_equal(rule_holds(rule, rows[i].sample), rows[i].holds[rule]);
}

/* 99 % and 80 % are exceeded, not reached; the first of the time that passed, the second of the
 * interval as it is configured. */
static void shares_of_the_interval(void **state)
{
    (void)state;
    struct watchdog_sample now = stormy;
    now.paused_ps = MS(198) + 1;
    assert_true(rule_holds(WATCHDOG_MELLANOX, now));
    assert_false(watchdog_is_storm(WATCHDOG_MELLANOX, &before, &now, MS(201), MS(200)));
    now.waiting = 0;
    now.paused_ps = MS(160);
    assert_false(rule_holds(WATCHDOG_MELLANOX_2023, now));
    now.paused_ps++;
    assert_true(rule_holds(WATCHDOG_MELLANOX_2023, now));
    assert_true(watchdog_is_storm(WATCHDOG_MELLANOX_2023, &before, &now, MS(300), MS(200)));
    now.tx_frames = 1;
    assert_false(rule_holds(WATCHDOG_MELLANOX_2023, now));
}

static void times_grow_with_the_ports(void **state)
{
    (void)state;
    const struct {
        int64_t ports, ms, poll_ms;
    } rows[] = {{1, 200, 200},  {32, 200, 200},  {33, 400, 400},    {64, 400, 400},
                {65, 600, 600}, {128, 800, 800}, {512, 3200, 1000}, {1024, 5000, 1000}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct switch_params params;
        switch_presets(&params);
        params.watchdog = WATCHDOG_DROP;
        params.ports = rows[i].ports;
        struct watchdog *watchdog = watchdog_new(&params, 2);
        assert_int_equal(watchdog->detection, MS(rows[i].ms));
        assert_int_equal(watchdog->poll, MS(rows[i].poll_ms));
        if (rows[i].ports <= 512)
            assert_int_equal(watchdog->restoration, MS(rows[i].ms));
        watchdog_free(watchdog);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_conditions_make_a_storm),
        cmocka_unit_test(each_condition_is_needed),
        cmocka_unit_test(shares_of_the_interval),
        cmocka_unit_test(times_grow_with_the_ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
