/* SPDX-License-Identifier: Apache-2.0
 * Serialisation of one link, to the picosecond. */
#include "tests/unit/net/port_pair.h"

#include "net/switch/switch_carve.h"

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

/* Way through 100 m: 505 ns of fiber or 476 ns of twinax; FEC adds codewords of 5120 bits, as many
 * as are interleaved, and 42 ns or 37 ns of decoder. */
static void a_link_takes_its_time(void **state)
{
    (void)state;
    static const struct {
        int64_t gbps;
        enum port_cable cable;
        enum port_fec fec;
        time_ps delay, fec_latency, expected;
    } rows[] = {
        {100, PORT_CABLE_FIBRE, PORT_FEC_NONE, 0, -1, 505000},
        {100, PORT_CABLE_TWINAX, PORT_FEC_NONE, 0, -1, 476000},
        {100, PORT_CABLE_TWINAX, PORT_FEC_NONE, 7000, -1, 7000},
        {10, PORT_CABLE_FIBRE, PORT_FEC_AUTO, 0, -1, 505000},
        {25, PORT_CABLE_FIBRE, PORT_FEC_AUTO, 0, -1, 505000 + 204800 + 42000},
        {40, PORT_CABLE_FIBRE, PORT_FEC_AUTO, 0, -1, 505000},
        {50, PORT_CABLE_FIBRE, PORT_FEC_AUTO, 0, -1, 505000 + 102400 + 37000},
        {100, PORT_CABLE_FIBRE, PORT_FEC_AUTO, 0, -1, 505000 + 51200 + 42000},
        {100, PORT_CABLE_FIBRE, PORT_FEC_RS_544, 0, -1, 505000 + 51200 + 37000},
        {200, PORT_CABLE_FIBRE, PORT_FEC_AUTO, 0, -1, 505000 + 2 * 25600 + 37000},
        {400, PORT_CABLE_FIBRE, PORT_FEC_AUTO, 0, -1, 505000 + 2 * 12800 + 37000},
        {800, PORT_CABLE_FIBRE, PORT_FEC_AUTO, 7000, -1, 7000 + 4 * 6400 + 37000},
        {100, PORT_CABLE_FIBRE, PORT_FEC_AUTO, 0, 123000, 505000 + 123000},
        {100, PORT_CABLE_FIBRE, PORT_FEC_NONE, 0, 123000, 505000},
        {10, PORT_CABLE_FIBRE, PORT_FEC_AUTO, 0, 123000, 505000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct port_params params = pair_params(rows[i].gbps, 0);
        params.length = 100 * 1000;
        params.cable = rows[i].cable;
        params.fec = rows[i].fec;
        params.delay = rows[i].delay;
        params.fec_latency = rows[i].fec_latency;
        assert_int_equal(port_propagation(&params), rows[i].expected);
    }
}

/* FEC delays data and PFC alike, and headroom holds both. */
static void fec_delays_every_frame(void **state)
{
    (void)state;
    struct port_params params = pair_params(100, 0);
    const time_ps fec = 93200;
    const struct switch_params memory = {.cell = 1, .smallest_frame = HEADROOM_SMALLEST_FRAME};
    struct port bare = {.params = params, .rate = wire_rate(100000000000), .peer_mtu = params.mtu};
    struct port coded = bare;
    bare.propagation = port_propagation(&params);
    params.fec = PORT_FEC_AUTO;
    coded.propagation = port_propagation(&params);
    /* of the wire's bytes that are more, largest frames fill all but their preambles and gaps */
    const int64_t more = 2 * fec / 80 * (params.mtu + 18) / (params.mtu + 38);
    const struct headroom_link with = switch_link(&memory, &coded);
    const struct headroom_link without = switch_link(&memory, &bare);
    assert_in_range(headroom_auto(&with) - headroom_auto(&without), more, more + 1);
    struct pair pair;
    pair_init_ports(&pair, &params, &params);
    pump_start(&pair.a, 0);
    pair_ask(&pair, 3, true, 10 * PS_PER_US);
    engine_run(&pair.engine, 20 * PS_PER_US);
    assert_int_equal(pair.b.first_arrival, 1526 * 80 + 15150 + fec);
    assert_int_equal(pair.a.port.pauses[3].blocked_since, 10 * PS_PER_US + 72 * 80 + 15150 + fec);
    pair_fini(&pair);
}

static void giants_are_dropped_and_counted(void **state)
{
    (void)state;
    struct pair pair;
    pair_init(&pair, 100, 0);
    pair.b.port.largest = 1518;
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
        cmocka_unit_test(a_link_takes_its_time),
        cmocka_unit_test(fec_delays_every_frame),
        cmocka_unit_test(giants_are_dropped_and_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
