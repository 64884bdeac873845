/* SPDX-License-Identifier: Apache-2.0
 * Serialisation and PFC timing of one link, to the picosecond (V05). */
#include "pump.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct pair {
    struct engine engine;
    struct frame_pool frames;
    struct pump a, b;
};

static struct port_params params_of(int64_t gbps, int64_t response)
{
    struct port_params params;
    opt_presets(port_opts, &params);
    params.rate = gbps * 1000000000;
    params.pfc_response = response;
    return params;
}

static void pair_init(struct pair *pair, int64_t gbps, int64_t response)
{
    const struct port_params params = params_of(gbps, response);
    engine_init(&pair->engine, 1);
    pair->engine.hostile = true;
    frame_pool_init(&pair->frames);
    pump_init(&pair->a, &pair->engine, "a", &params, &pair->frames);
    pump_init(&pair->b, &pair->engine, "b", &params, &pair->frames);
    port_join(&pair->a.port, pump_ingress, &pair->b.port, pump_ingress);
    engine_start(&pair->engine);
}

static void pair_fini(struct pair *pair)
{
    engine_fini(&pair->engine);
    frame_pool_fini(&pair->frames);
}

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

/* A PAUSE of n quanta that nobody refreshes; returns how long the transmitter was silent. */
static time_ps silence(int64_t gbps, uint16_t quanta, time_ps response)
{
    struct pair pair;
    pair_init(&pair, gbps, response);
    pair.b.port.params.pfc_quanta = quanta;
    pair.b.port.params.pfc_refresh = PS_PER_S;
    pump_start(&pair.a, 0);
    engine_run(&pair.engine, 50 * PS_PER_US);
    const struct probe_pause why = {.at = 50 * PS_PER_US, .priority = 3, .xoff = true};
    port_pfc_assert(&pair.b.port, 3, &why);
    engine_run(&pair.engine, 20 * PS_PER_MS);
    const struct port_pauses *pauses = &pair.a.port.pauses[3];
    assert_int_equal(pauses->rx_xoff, 1);
    assert_int_equal(pauses->blocked_since, TIME_NEVER);
    assert_int_equal(pair.b.out_of_order, 0);
    const time_ps blocked = pauses->blocked_ps;
    pair_fini(&pair);
    return blocked;
}

static void pause_lasts_its_quanta(void **state)
{
    (void)state;
    const int64_t rates[] = {10, 25, 40, 100, 200, 400, 800};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        const time_ps quantum = 512 * 1000 / rates[i]; /* ps: 512 bit times */
        assert_int_equal(silence(rates[i], 65535, 0), 65535 * quantum);
        assert_int_equal(silence(rates[i], 1000, 394 * quantum), 1000 * quantum);
    }
}

/* Bytes withheld by a full pause are 4 194 240 at every rate. */
static void pause_withholds_the_same_bytes(void **state)
{
    (void)state;
    const int64_t rates[] = {10, 40, 100, 400};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        assert_int_equal(
            units_bytes_in(silence(rates[i], 65535, 0), (uint64_t)rates[i] * 1000000000), 4194240);
}

/* XOFF at 0, XON at 10 us: silent from response after one to response after the other, at frame
 * boundaries. */
static void resume_ends_a_pause(void **state)
{
    (void)state;
    struct pair pair;
    pair_init(&pair, 100, 2 * PS_PER_US);
    pump_start(&pair.a, 0);
    engine_run(&pair.engine, 50 * PS_PER_US);
    struct probe_pause why = {.at = 50 * PS_PER_US, .priority = 3, .xoff = true};
    port_pfc_assert(&pair.b.port, 3, &why);
    engine_run(&pair.engine, 60 * PS_PER_US);
    why = (struct probe_pause){.at = 60 * PS_PER_US, .priority = 3};
    port_pfc_release(&pair.b.port, 3, &why);
    engine_run(&pair.engine, PS_PER_MS);
    assert_int_equal(pair.a.port.pauses[3].blocked_ps, 10 * PS_PER_US);
    assert_int_equal(pair.a.port.pauses[3].rx_xon, 1);
    assert_int_equal(pair.b.port.pauses[3].asserted_ps, 10 * PS_PER_US);
    pair_fini(&pair);
}

static void refresh_keeps_a_pause(void **state)
{
    (void)state;
    struct pair pair;
    pair_init(&pair, 100, 0);
    pump_start(&pair.a, 0);
    const struct probe_pause why = {.at = 0, .priority = 3, .xoff = true};
    port_pfc_assert(&pair.b.port, 3, &why);
    engine_run(&pair.engine, 5 * PS_PER_MS);
    const struct port_pauses *pauses = &pair.a.port.pauses[3];
    assert_true((pair.a.port.paused & 1 << 3) != 0);
    assert_int_equal(pauses->blocked_ps, 0);  /* never resumed in between */
    assert_in_range(pauses->rx_xoff, 29, 31); /* each 167.8 us, 335.5 us last */
    assert_true(pair.b.received <= 2);
    pair_fini(&pair);
}

static void other_priorities_go_on(void **state)
{
    (void)state;
    struct pair pair;
    pair_init(&pair, 100, 0);
    pair.a.tos = 48 << 2;
    pump_start(&pair.a, 0);
    const struct probe_pause why = {.at = 0, .priority = 3, .xoff = true};
    port_pfc_assert(&pair.b.port, 3, &why);
    engine_run(&pair.engine, PS_PER_MS);
    assert_int_equal(pair.b.received, (PS_PER_MS - 15150 - 1526 * 80) / (1538 * 80) + 1);
    pair_fini(&pair);
}

static void ask(struct pair *pair, uint8_t priority, bool xoff, time_ps at)
{
    engine_run(&pair->engine, at);
    const struct probe_pause why = {.at = at, .priority = priority, .xoff = xoff};
    if (xoff)
        port_pfc_assert(&pair->b.port, priority, &why);
    else
        port_pfc_release(&pair->b.port, priority, &why);
}

static void ignore(struct pair *pair, bool on, time_ps at)
{
    engine_run(&pair->engine, at);
    port_ignore_pauses(&pair->a.port, 3, on, at);
}

/* Held from 10 us (and 64 + 8 bytes and the cable later) to 60 us likewise, ignored from 30 us to
 * 40 us and again when it has ended. */
static void pauses_can_be_ignored(void **state)
{
    (void)state;
    struct pair pair;
    pair_init(&pair, 100, 0);
    const struct port_pauses *pauses = &pair.a.port.pauses[3];
    const time_ps heard = 72 * 80 + 15150;
    pump_start(&pair.a, 0);
    ask(&pair, 3, true, 10 * PS_PER_US);
    ignore(&pair, true, 30 * PS_PER_US);
    assert_int_equal(pauses->blocked_ps, 20 * PS_PER_US - heard);
    assert_int_equal(port_held_ps(&pair.a.port, 3, 30 * PS_PER_US), 20 * PS_PER_US - heard);
    const uint64_t before = pair.a.sent;
    ignore(&pair, false, 40 * PS_PER_US);
    assert_int_equal(pair.a.sent - before, 10 * PS_PER_US / (1538 * 80)); /* one went at once */
    assert_int_equal(pair.a.port.paused, 1 << 3);
    engine_run(&pair.engine, 50 * PS_PER_US);
    assert_int_equal(pair.a.sent - before, 10 * PS_PER_US / (1538 * 80)); /* one went at once */
    ask(&pair, 3, false, 60 * PS_PER_US);
    ignore(&pair, true, 70 * PS_PER_US);
    ask(&pair, 3, true, 80 * PS_PER_US);
    engine_run(&pair.engine, 90 * PS_PER_US);
    assert_int_equal(pauses->rx_xoff, 2);
    assert_int_equal(pauses->blocked_ps, 20 * PS_PER_US - heard + 20 * PS_PER_US + heard);
    assert_int_equal(port_held_ps(&pair.a.port, 3, 90 * PS_PER_US),
                     50 * PS_PER_US + 10 * PS_PER_US - heard);
    assert_int_equal(pair.a.port.paused, 0);
    ask(&pair, 3, false, 90 * PS_PER_US);
    ignore(&pair, false, 100 * PS_PER_US);
    assert_int_equal(pair.a.port.paused, 0);
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
        cmocka_unit_test(pause_lasts_its_quanta),
        cmocka_unit_test(pause_withholds_the_same_bytes),
        cmocka_unit_test(resume_ends_a_pause),
        cmocka_unit_test(refresh_keeps_a_pause),
        cmocka_unit_test(other_priorities_go_on),
        cmocka_unit_test(pauses_can_be_ignored),
        cmocka_unit_test(giants_are_dropped_and_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
