/* SPDX-License-Identifier: Apache-2.0
 * The PFC watchdog of a switch between pumps: timers, actions, restoration. */
#include "base/drop.h"
#include "tests/unit/net/star.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const struct watchdog_queue *queue_of(const struct star *star, int port)
{
    return &star->swtch.watchdog->queues[port * PRIORITIES + LOSSLESS];
}

#define MS(n) ((time_ps)(n)*PS_PER_MS)

/* ------------------------------------------------------------------ timers */

/* Whatever the phase: declared one to two times the detection time after the onset, restored one to
 * two restoration times after the end.  Every rule, 32 and 64 ports. */
static void storm_and_restoration_in_time(void **state)
{
    (void)state;
    for (int ports = 32; ports <= 64; ports += 32) {
        const time_ps unit = MS(200 * ports / 32);
        for (enum watchdog_rule rule = 0; rule < WATCHDOG_RULES; rule++) {
            const int step = ports == 32 ? 6 : 18;
            for (int phase = 1; phase < 20; phase += step) {
                const time_ps from = 2 * unit + unit * phase / 20, until = from + 4 * unit;
                struct star star;
                star_presets_watched(&star, WATCHDOG_DROP);
                star.params.watchdog_rule = rule;
                star.params.ports = ports;
                star.params.buffer = 32 << 20;
                star_init(&star);
                star_send(&star, 0, 1, LOSSLESS);
                star_storm(&star, true, from);
                star_storm(&star, false, until);
                star_run(&star, until + 3 * unit);
                assert_int_equal(star.storms, 1);
                assert_int_equal(star.restored, 1);
                assert_in_range(star.storm_at[0], from + unit, from + 2 * unit);
                assert_in_range(star.restored_at[0], until + unit, until + 2 * unit);
                char expected[120];
                snprintf(expected, sizeof expected,
                         "PFC watchdog: storm on leaf0:p1 priority 3 (watchdog-detection %lld ms, "
                         "watchdog-poll %lld ms)",
                         (long long)(unit / PS_PER_MS), (long long)(unit / PS_PER_MS));
                assert_string_equal(star.text, expected);
                star_fini(&star);
            }
        }
    }
}

/* A pause that comes back within the restoration time starts it anew. */
static void pauses_put_restoration_off(void **state)
{
    (void)state;
    struct star star;
    star_presets_watched(&star, WATCHDOG_DROP);
    star_init(&star);
    star_send(&star, 0, 1, LOSSLESS);
    star_storm(&star, true, MS(10));
    star_storm(&star, false, MS(510));
    assert_int_equal(star.storms, 1);
    for (int i = 0; i < 5; i++) {
        star_storm(&star, true, MS(650 + 150 * i));
        star_storm(&star, false, MS(650 + 150 * i) + PS_PER_US);
    }
    star_run(&star, MS(1250) + MS(200));
    assert_int_equal(star.restored, 0);
    star_run(&star, MS(1250) + MS(401));
    assert_int_equal(star.restored, 1);
    assert_int_equal(star.storms, 1);
    star_fini(&star);
}

/* Several polls make a time, and all of them must agree: one that does not starts it anew. */
static void times_of_several_polls(void **state)
{
    (void)state;
    struct star star;
    star_presets_watched(&star, WATCHDOG_DROP);
    star.params.watchdog_detection = MS(300);
    star.params.watchdog_restoration = MS(500);
    star.params.watchdog_poll = MS(100);
    star_init(&star);
    star_send(&star, 0, 1, LOSSLESS);
    star_storm(&star, true, MS(50));
    star_storm(&star, false, MS(350)); /* polls at 200 and 300 agree, the next does not */
    star_storm(&star, true, MS(350) + 100 * PS_PER_NS);
    star_run(&star, MS(450));
    star_storm(&star, false, MS(750)); /* 500, 600, 700 agree */
    assert_int_equal(star.storms, 1);
    assert_int_equal(star.storm_at[0], MS(700));
    star_storm(&star, true, MS(1150)); /* 900 to 1100 were quiet */
    star_storm(&star, false, MS(1150) + PS_PER_US);
    star_run(&star, MS(2000)); /* 1300 to 1700 are */
    assert_int_equal(star.restored, 1);
    assert_int_equal(star.restored_at[0], MS(1700));
    assert_int_equal(star.storms, 1);
    star_fini(&star);
}

/* A storm right after a restoration is declared after the whole detection time, not after what was
 * left of the restoration time. */
static void detection_begins_anew_after_a_restoration(void **state)
{
    (void)state;
    for (int forward = 0; forward < 2; forward++) {
        struct star star;
        star_presets_watched(&star, forward ? WATCHDOG_FORWARD : WATCHDOG_DROP);
        star.params.watchdog_detection = MS(300);
        star.params.watchdog_restoration = MS(500);
        star.params.watchdog_poll = MS(100);
        star_init(&star);
        star_send(&star, 0, 1, LOSSLESS);
        star_storm(&star, true, MS(50));   /* 200, 300 and 400 agree */
        star_storm(&star, false, MS(450)); /* 600 to 1000 are quiet */
        star_run(&star, MS(1050));
        assert_int_equal(star.storm_at[0], MS(400));
        assert_int_equal(star.restored_at[0], MS(1000));
        star_storm(&star, true, MS(1050)); /* 1100 records, 1200 to 1400 agree */
        star_run(&star, MS(1399));
        assert_int_equal(star.storms, 1);
        star_run(&star, MS(1450));
        assert_int_equal(star.storms, 2);
        assert_int_equal(star.storm_at[1], MS(1400));
        star_fini(&star);
    }
}

/* The last XON comes just before the poll that finds the storm: Mellanox's script has forgotten it
 * in the next, Broadcom's compares with it. */
static void a_storm_makes_the_last_sample_void(void **state)
{
    (void)state;
    for (int is_broadcom = 0; is_broadcom < 2; is_broadcom++) {
        struct star star;
        star_presets_watched(&star, WATCHDOG_DROP);
        star.params.watchdog_rule = is_broadcom ? WATCHDOG_BROADCOM : WATCHDOG_MELLANOX;
        star_init(&star);
        star_send(&star, 0, 1, LOSSLESS);
        star_storm(&star, true, MS(10));
        star_storm(&star, false, MS(400) - 300 * PS_PER_NS);
        star_run(&star, MS(1000));
        assert_int_equal(star.storm_at[0], MS(400));
        assert_int_equal(star.restored_at[0], is_broadcom ? MS(600) : MS(800));
        star_fini(&star);
    }
}

/* swss#4784: poll, detect and restore 400 ms, 2 s of storm and 2 s without, polls a little late.
 * Returns the largest deviation from 2 s of the time from detection to restoration. */
static time_ps deviation(enum watchdog_rule rule, uint64_t phase)
{
    time_ps worst = 0;
    struct star star;
    star_presets_watched(&star, WATCHDOG_DROP);
    star.params.watchdog_rule = rule;
    star.params.watchdog_detection = star.params.watchdog_restoration = MS(400);
    star.params.watchdog_poll = MS(400);
    star.params.watchdog_jitter = MS(3);
    star_init(&star);
    star_send(&star, 0, 1, LOSSLESS);
    for (int i = 0; i < 4; i++) {
        star_storm(&star, true, MS(4000 * i + 10) + (time_ps)phase);
        star_storm(&star, false, MS(4000 * i + 2010) + (time_ps)phase);
    }
    star_run(&star, MS(16000));
    assert_int_equal(star.storms, 4);
    assert_int_equal(star.restored, 4);
    for (int i = 0; i < 4; i++) {
        const time_ps span = star.restored_at[i] - star.storm_at[i] - MS(2000);
        worst = span > worst ? span : -span > worst ? -span : worst;
    }
    star_fini(&star);
    return worst;
}

static void late_polls_cost_a_round_without_tolerance(void **state)
{
    (void)state;
    time_ps old = 0;
    for (uint64_t phase = 0; phase < 380; phase += 180) {
        assert_in_range(deviation(WATCHDOG_MELLANOX, phase * PS_PER_MS), 0, MS(100));
        const time_ps without = deviation(WATCHDOG_MELLANOX_2024, phase * PS_PER_MS);
        old = without > old ? without : old;
    }
    assert_in_range(old, MS(390), MS(410)); /* one round late */
}

/* ------------------------------------------------------------------ no storms */

/* One frame leaves in each interval: the queue is slow, and no storm. */
static void a_frame_in_each_interval_is_no_storm(void **state)
{
    (void)state;
    for (enum watchdog_rule rule = 0; rule < WATCHDOG_RULES; rule++) {
        struct star star;
        star_presets_watched(&star, WATCHDOG_DROP);
        star.params.watchdog_rule = rule;
        star_init(&star);
        star_send(&star, 0, 1, LOSSLESS);
        star_storm(&star, true, MS(10));
        for (int i = 0; i < 10; i++) {
            const time_ps gap = MS(190 + 200 * i);
            const uint64_t sent = star.swtch.ports[1].prios[LOSSLESS].tx_frames;
            star_storm(&star, false, gap);
            star_storm(&star, true, gap + 100 * PS_PER_NS);
            star_run(&star, gap + 50 * PS_PER_US);
            assert_true(star.swtch.ports[1].prios[LOSSLESS].tx_frames > sent);
        }
        assert_int_equal(star.storms, 0);
        assert_true(star.swtch.buffer.used > 0);
        star_fini(&star);
    }
}

/* Nothing waits: only the rules that say so call it a storm. */
static void an_idle_queue(void **state)
{
    (void)state;
    static const int expected[WATCHDOG_RULES] = {0, 0, 1, 1};
    for (enum watchdog_rule rule = 0; rule < WATCHDOG_RULES; rule++) {
        struct star star;
        star_presets_watched(&star, WATCHDOG_DROP);
        star.params.watchdog_rule = rule;
        star_init(&star);
        star_storm(&star, true, MS(10));
        star_run(&star, MS(1000));
        assert_int_equal(star.storms, expected[rule]);
        star_fini(&star);
    }
}

/* A class that may drop, a port without PFC and one with 802.3x PAUSE are not looked at. */
static void only_lossless_queues_are_watched(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        struct star star;
        star_presets_watched(&star, WATCHDOG_DROP);
        if (how == 0)
            star.params.pfc_priorities = 1 << LOSSY;
        else if (how == 1)
            star.port.pfc_enabled = 1 << LOSSY;
        else
            star.port.flow_control = PORT_FLOW_GLOBAL;
        star_init(&star);
        star_send(&star, 0, 1, LOSSLESS);
        star_storm(&star, true, MS(10));
        star_run(&star, MS(1000));
        assert_int_equal(star.storms, 0);
        star_fini(&star);
    }
}

static void off_costs_no_event(void **state)
{
    (void)state;
    struct star star;
    star_presets_watched(&star, WATCHDOG_OFF);
    star_init(&star);
    star_run(&star, MS(10000));
    assert_int_equal(engine_events(&star.engine), 0);
    assert_null(star.swtch.watchdog);
    star_fini(&star);
}

/* Switches of other names poll at other times, each within one interval. */
static void phases_are_drawn(void **state)
{
    (void)state;
    struct star star;
    star_presets_watched(&star, WATCHDOG_DROP);
    star.params.watchdog_start = SWITCH_WATCHDOG_AUTO;
    star_init(&star);
    star_run(&star, MS(200));
    const time_ps first = star.swtch.watchdog->polled_at;
    assert_in_range(first, 1, MS(200));
    star_run(&star, MS(1200));
    assert_int_equal(star.swtch.watchdog->polled_at, first + MS(1000));
    star_fini(&star);
}

/* ------------------------------------------------------------------ actions */

/* The queue is emptied, its room given back, its senders go on; afterwards frames pass again. */
static void drop_frees_the_buffer(void **state)
{
    (void)state;
    struct star star;
    star_presets_watched(&star, WATCHDOG_DROP);
    star_init(&star);
    star.pumps[0].period = PS_PER_US; /* the buffer fills and pump 0 is paused */
    star_send(&star, 0, 1, LOSSLESS);
    star_run(&star, MS(9));
    const struct port *port = &star.swtch.ports[1];
    star_storm(&star, true, MS(10));
    star_run(&star, MS(399));
    assert_true((star.pumps[0].port.paused & 1 << LOSSLESS) != 0);
    const int64_t held = buffer_bytes(&star.swtch.buffer, star.swtch.buffer.used);
    assert_true(held > 100000);
    const uint64_t received = star.pumps[1].received;
    star_run(&star, MS(401));
    assert_int_equal(star.storms, 1);
    assert_int_equal(star.swtch.buffer.used, 0);
    assert_int_equal(port->prios[LOSSLESS].bytes, 0);
    assert_true((star.pumps[0].port.paused & 1 << LOSSLESS) == 0);
    assert_int_equal(star.pumps[1].received, received);
    assert_true(queue_of(&star, 1)->tx_dropped > (uint64_t)held / 1536);
    assert_int_equal(star.swtch.counters.dropped[PROBE_DROP_WATCHDOG],
                     queue_of(&star, 1)->tx_dropped);
    assert_int_equal(star.swtch.counters.dropped_lossless, 0);
    star_storm(&star, false, MS(700));
    assert_int_equal(star.pumps[1].received, received);
    star_run(&star, MS(1300));
    assert_int_equal(star.restored, 1);
    assert_true(star.pumps[1].received > received);
    assert_int_equal(queue_of(&star, 1)->tx_passed, 0);
    star_fini(&star);
}

/* What comes in by the port in the priority goes too; other priorities and ports do not suffer. */
static void drop_is_for_one_port_and_priority(void **state)
{
    (void)state;
    struct star star;
    star_presets_watched(&star, WATCHDOG_DROP);
    star_init(&star);
    star_send(&star, 0, 1, LOSSLESS);
    star_storm(&star, true, MS(10));
    star_run(&star, MS(410));
    assert_int_equal(star.storms, 1);
    const uint64_t at_2 = star.pumps[2].received;
    star_send(&star, 1, 2, LOSSLESS);
    star_run(&star, MS(450));
    assert_int_equal(star.pumps[2].received, at_2);
    assert_true(queue_of(&star, 1)->rx_dropped >= 40);
    star.pumps[1].tos = LOSSY << 5;
    star_run(&star, MS(460));
    assert_true(star.pumps[2].received >= at_2 + 9);
    star.pumps[0].destination = 2;
    const uint64_t dropped = star.swtch.counters.dropped[PROBE_DROP_WATCHDOG];
    star_run(&star, MS(470));
    assert_true(star.pumps[2].received >= at_2 + 28);
    assert_in_range(star.swtch.counters.dropped[PROBE_DROP_WATCHDOG], dropped, dropped + 1);
    star_fini(&star);
}

/* Frames leave although pauses come, and none is lost. */
static void forward_ignores_pauses(void **state)
{
    (void)state;
    struct star star;
    star_presets_watched(&star, WATCHDOG_FORWARD);
    star_init(&star);
    star_send(&star, 0, 1, LOSSLESS);
    star_storm(&star, true, MS(10));
    star_run(&star, MS(399));
    assert_in_range(star.pumps[1].received, 10, 11);
    star_run(&star, MS(700));
    assert_in_range(star.pumps[1].received, star.pumps[0].sent - 1, star.pumps[0].sent);
    star_storm(&star, false, MS(800));
    star_run(&star, MS(1500));
    assert_int_equal(star.storms, 1);
    assert_int_equal(star.restored, 1);
    assert_in_range(star.pumps[1].received, star.pumps[0].sent - 1, star.pumps[0].sent);
    assert_int_equal(star.pumps[1].out_of_order, 0);
    assert_int_equal(star.swtch.counters.dropped[PROBE_DROP_WATCHDOG], 0);
    assert_true(queue_of(&star, 1)->tx_passed > 700);
    star_fini(&star);
}

/* Told once, counted, and over in the first poll that sees frames leave. */
static void alert_only_tells(void **state)
{
    (void)state;
    struct star star;
    star_presets_watched(&star, WATCHDOG_ALERT);
    star_init(&star);
    star_send(&star, 0, 1, LOSSLESS);
    star_storm(&star, true, MS(10));
    star_storm(&star, false, MS(1510));
    assert_int_equal(star.storms, 1);
    assert_int_equal(star.restored, 0);
    assert_in_range(star.pumps[1].received, 10, 11);
    star_run(&star, MS(1650));
    assert_int_equal(star.storms, 1);
    assert_int_equal(star.restored, 1);
    assert_int_equal(star.restored_at[0], MS(1600));
    assert_int_equal(star.swtch.counters.dropped[PROBE_DROP_WATCHDOG], 0);
    star_fini(&star);
}

/* Only a detection time that ran out again makes the sample void once more. */
static void alert_sees_the_end_in_time(void **state)
{
    (void)state;
    struct star star;
    star_presets_watched(&star, WATCHDOG_ALERT);
    star.params.watchdog_detection = MS(500);
    star.params.watchdog_poll = MS(100);
    star_init(&star);
    star_send(&star, 0, 1, LOSSLESS);
    star_storm(&star, true, MS(10)); /* polls at 200 to 600 agree; 700 records */
    star_storm(&star, false, MS(850));
    star_run(&star, MS(1500));
    assert_int_equal(star.storm_at[0], MS(600));
    assert_int_equal(star.restored_at[0], MS(900));
    star_fini(&star);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(storm_and_restoration_in_time),
        cmocka_unit_test(pauses_put_restoration_off),
        cmocka_unit_test(times_of_several_polls),
        cmocka_unit_test(detection_begins_anew_after_a_restoration),
        cmocka_unit_test(a_storm_makes_the_last_sample_void),
        cmocka_unit_test(late_polls_cost_a_round_without_tolerance),
        cmocka_unit_test(a_frame_in_each_interval_is_no_storm),
        cmocka_unit_test(an_idle_queue),
        cmocka_unit_test(only_lossless_queues_are_watched),
        cmocka_unit_test(off_costs_no_event),
        cmocka_unit_test(phases_are_drawn),
        cmocka_unit_test(drop_frees_the_buffer),
        cmocka_unit_test(drop_is_for_one_port_and_priority),
        cmocka_unit_test(forward_ignores_pauses),
        cmocka_unit_test(alert_only_tells),
        cmocka_unit_test(alert_sees_the_end_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
