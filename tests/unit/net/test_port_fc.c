/* SPDX-License-Identifier: Apache-2.0
 * Links of Fibre Channel by hand: 32GFC, frames of 2048 B of data. With SOF, header, CRC, EOF and
 * six fill words such a frame takes 2108 B, 620 ns. Expected figures are from the length of a
 * round trip, not from the code. */
#include "net/port/credits.h"
#include "tests/unit/net/port_pair.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { DATA = 2048, BYTES = DATA + 36, GAP = 24, RATE_MBPS = 27200 };
#define FRAME_PS ((time_ps)(BYTES + GAP) * 8 * 1000000 / RATE_MBPS)
#define WORD_PS  ((time_ps)4 * 8 * 1000000 / RATE_MBPS)

static struct port_params params_of(int64_t credits, time_ps delay)
{
    struct port_params params = pair_params(100, 0);
    params.kind = PORT_FIBRE_CHANNEL;
    params.flow_control = PORT_FLOW_CREDITS;
    params.rate = (int64_t)RATE_MBPS * 1000000;
    params.mtu = 2112;
    params.delay = delay;
    params.bb_credit = credits;
    params.bb_sc_n = 0;
    params.link_reset = 100 * PS_PER_MS;
    return params;
}

static void make_with(struct pair *pair, const struct port_params *params)
{
    pair_init_ports(pair, params, params);
    pair->a.bytes = BYTES;
    pair->a.tos = 0;
}

static void make(struct pair *pair, int64_t credits, time_ps delay)
{
    const struct port_params params = params_of(credits, delay);
    make_with(pair, &params);
}

static struct credit_lane *lane_of(const struct pump *pump)
{
    return &pump->port.credits->lanes[0];
}

static void a_frame_has_36_bytes_and_a_gap_of_six_words(void **state)
{
    (void)state;
    struct pair pair;
    make(&pair, 100, PS_PER_US);
    pair.a.to_send = 10;
    pump_start(&pair.a, 0);
    engine_run(&pair.engine, PS_PER_MS);
    const time_ps apart = pair.b.last_arrival - pair.b.first_arrival;
    assert_int_equal(pair.b.received, 10);
    assert_in_range(apart, 9 * FRAME_PS - 10, 9 * FRAME_PS + 10);
    assert_in_range(pair.b.first_arrival, PS_PER_US + FRAME_PS - 6 * WORD_PS - 10,
                    PS_PER_US + FRAME_PS - 6 * WORD_PS + 10);
    assert_int_equal(lane_of(&pair.a)->updates_rx, 10);
    assert_int_equal(lane_of(&pair.b)->updates_tx, 10);
    pair_fini(&pair);
}

/* As many frames as credits leave in each round trip: half of the goodput for half of the frame,
 * which is what distinguishes these credits from those of InfiniBand. 5 us/km each way. */
static void credits_limit_the_rate_over_distance(void **state)
{
    static const struct {
        int64_t km, credits, data;
    } rows[] = {{10, 8, 2048}, {10, 40, 2048}, {10, 160, 2048}, {10, 40, 1024},
                {1, 16, 2048}, {1, 8, 2048},   {50, 400, 2048}, {50, 2047, 2048}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pair pair;
        const time_ps delay = rows[i].km * 5 * PS_PER_US, span = 20 * PS_PER_MS;
        make(&pair, rows[i].credits, delay);
        pair.a.bytes = (uint16_t)(rows[i].data + 36);
        pump_start(&pair.a, 0);
        engine_run(&pair.engine, span);
        const time_ps frame = (rows[i].data + 60) * 8 * 1000000 / RATE_MBPS;
        const time_ps round = 2 * delay + frame - 5 * WORD_PS;
        const int64_t by_wire = (span - delay) / frame;
        const int64_t by_credits = (span - delay) * rows[i].credits / round;
        const int64_t expected = by_wire < by_credits ? by_wire : by_credits;
        assert_in_range(pair.b.received, expected * 99 / 100, expected + rows[i].credits);
        const bool stops = pair.a.port.pauses[0].blocked_ps > 100 * PS_PER_US;
        assert_int_equal(stops, by_credits < by_wire);
        pair_fini(&pair);
    }
}

/* The peer's R_RDYs use fill words, so that frames in both directions leave at the full rate. */
static void r_rdys_replace_fill_words(void **state)
{
    (void)state;
    struct pair pair;
    make(&pair, 100, PS_PER_US);
    pair.a.to_send = pair.b.to_send = 1000;
    pair.b.bytes = BYTES;
    pump_start(&pair.a, 0);
    pump_start(&pair.b, 0);
    engine_run(&pair.engine, PS_PER_MS);
    assert_int_equal(pair.a.received, 1000);
    assert_int_equal(pair.b.received, 1000);
    assert_in_range(pair.b.last_arrival - pair.b.first_arrival, 999 * FRAME_PS - 1000,
                    999 * FRAME_PS + 1000);
    pair_fini(&pair);
}

/* Every third frame or R_RDY is lost; the credits are used up, and link resets bring them back. */
static void a_link_reset_restores_lost_credits(void **state)
{
    (void)state;
    for (int side = 0; side < 2; side++) {
        struct pair pair;
        struct port_fault fault = {.drop_every = 3, .frames = PORT_FAULT_ALL};
        make(&pair, 10, PS_PER_US);
        pair.a.to_send = 60;
        port_set_fault(side == 0 ? &pair.a.port : &pair.b.port, &fault);
        pump_start(&pair.a, 0);
        engine_run(&pair.engine, 90 * PS_PER_MS);
        assert_true(pair.a.to_send > 0);
        assert_int_equal(credits_left(lane_of(&pair.a)), 0);
        assert_int_equal(lane_of(&pair.a)->link_resets, 0);
        port_set_fault(side == 0 ? &pair.a.port : &pair.b.port, NULL);
        engine_run(&pair.engine, 150 * PS_PER_MS);
        assert_int_equal(lane_of(&pair.a)->link_resets, 1);
        assert_int_equal(lane_of(&pair.a)->recovered, 10);
        assert_int_equal(pair.a.to_send, 0);
        assert_int_equal(credits_left(lane_of(&pair.a)), 10);
        assert_int_equal(lane_of(&pair.b)->free, 10);
        assert_in_range(pair.a.port.pauses[0].blocked_longest, 100 * PS_PER_MS,
                        100 * PS_PER_MS + 3 * PS_PER_US);
        pair_fini(&pair);
    }
}

/* With checkpoints after every four frames the same losses stop nothing for long. */
static void checkpoints_restore_lost_credits(void **state)
{
    (void)state;
    for (int side = 0; side < 2; side++) {
        struct pair pair;
        struct port_fault fault = {.drop_every = 9, .frames = PORT_FAULT_ALL};
        struct port_params params = params_of(20, PS_PER_US);
        params.bb_sc_n = 2;
        make_with(&pair, &params);
        pair.a.to_send = 2000;
        port_set_fault(side == 0 ? &pair.a.port : &pair.b.port, &fault);
        pump_start(&pair.a, 0);
        engine_run(&pair.engine, 90 * PS_PER_MS);
        assert_int_equal(pair.a.to_send, 0);
        assert_int_equal(lane_of(&pair.a)->link_resets, 0);
        assert_true(lane_of(&pair.a)->recovered > 100 || side == 0);
        assert_true(credits_left(lane_of(&pair.a)) >= 20 - 4);
        pair_fini(&pair);
    }
}

/* A buffer that is full is no loss: resets find nothing to restore and take nothing. */
static void a_reset_of_a_full_buffer_restores_nothing(void **state)
{
    (void)state;
    struct pair pair;
    make(&pair, 10, PS_PER_US);
    pair.b.keeps = 1;
    pump_start(&pair.a, 0);
    engine_run(&pair.engine, 350 * PS_PER_MS);
    assert_int_equal(pair.b.received, 10);
    assert_int_equal(lane_of(&pair.a)->link_resets, 3);
    assert_int_equal(lane_of(&pair.a)->recovered, 0);
    port_return_credits(&pair.b.port, 0, BYTES, 350 * PS_PER_MS);
    engine_run(&pair.engine, 351 * PS_PER_MS);
    assert_int_equal(pair.b.received, 11);
    pair_fini(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_has_36_bytes_and_a_gap_of_six_words),
        cmocka_unit_test(credits_limit_the_rate_over_distance),
        cmocka_unit_test(r_rdys_replace_fill_words),
        cmocka_unit_test(a_link_reset_restores_lost_credits),
        cmocka_unit_test(checkpoints_restore_lost_credits),
        cmocka_unit_test(a_reset_of_a_full_buffer_restores_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
