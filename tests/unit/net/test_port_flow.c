/* SPDX-License-Identifier: Apache-2.0
 * Flow control of a port beyond one class: global pause, several classes, the carrier, and laws
 * that hold for any sequence of wishes. */
#include "tests/unit/net/port_pair.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void pair_init_kinds(struct pair *pair, enum port_flow_control a, enum port_flow_control b)
{
    struct port_params params = pair_params(100, PS_PER_US);
    params.flow_control = a;
    struct port_params other = params;
    other.flow_control = b;
    pair_init_ports(pair, &params, &other);
    pair->a.every_priority = true;
}

/* ------------------------------------------------------------------ global pause */

/* From the first class asserted to the last released, all eight stop, by two frames. */
static void a_global_pause_stops_all(void **state)
{
    (void)state;
    struct pair pair;
    pair_init_kinds(&pair, PORT_FLOW_GLOBAL, PORT_FLOW_GLOBAL);
    pump_start(&pair.a, 0);
    pair_ask(&pair, 3, true, 50 * PS_PER_US);
    pair_ask(&pair, 5, true, 60 * PS_PER_US);
    pair_ask(&pair, 3, false, 70 * PS_PER_US);
    pair_ask(&pair, 5, false, 80 * PS_PER_US);
    engine_run(&pair.engine, PS_PER_MS);
    assert_int_equal(pair.b.port.global.tx_xoff, 1);
    assert_int_equal(pair.b.port.global.tx_xon, 1);
    assert_int_equal(pair.b.port.global.asserted_ps, 30 * PS_PER_US);
    assert_int_equal(pair.a.port.global.rx_xoff, 1);
    assert_int_equal(pair.a.port.global.rx_xon, 1);
    for (unsigned i = 0; i < PRIORITIES; i++) {
        assert_int_equal(pair.a.port.pauses[i].blocked_ps, 30 * PS_PER_US);
        assert_int_equal(pair.a.port.pauses[i].rx_xoff, 0);
        assert_int_equal(pair.edges[i].xoff, 1);
        assert_int_equal(pair.edges[i].xon, 1);
        assert_int_equal(pair.edges[i].wrong, 0);
    }
    assert_in_range(pair.b.longest_gap, 30 * PS_PER_US, 30 * PS_PER_US + 2 * 1538 * 80);
    pair_fini(&pair);
}

static void a_global_pause_is_refreshed(void **state)
{
    (void)state;
    struct pair pair;
    pair_init_kinds(&pair, PORT_FLOW_GLOBAL, PORT_FLOW_GLOBAL);
    pump_start(&pair.a, 0);
    pair_ask(&pair, 3, true, 0);
    pair_ask(&pair, 4, true, 0);
    engine_run(&pair.engine, 5 * PS_PER_MS);
    assert_int_equal(pair.a.port.paused, 0xff);
    assert_int_equal(pair.a.port.pauses[0].blocked_ps, 0);
    assert_int_equal(pair.b.port.global.tx_xoff, 1 + 5 * PS_PER_MS / (65535 * INT64_C(5120) / 2));
    pair_fini(&pair);
}

/* A paused port still pauses its peer. */
static void mac_control_is_never_paused(void **state)
{
    (void)state;
    struct pair pair;
    pair_init_kinds(&pair, PORT_FLOW_GLOBAL, PORT_FLOW_GLOBAL);
    pump_start(&pair.a, 0);
    pair_ask(&pair, 3, true, 0);
    engine_run(&pair.engine, 10 * PS_PER_US);
    const struct probe_pause why = {.at = 10 * PS_PER_US, .priority = 0, .xoff = true};
    port_pfc_assert(&pair.a.port, 0, &why);
    engine_run(&pair.engine, 20 * PS_PER_US);
    assert_int_equal(pair.a.port.paused, 0xff);
    assert_int_equal(pair.b.port.paused, 0xff);
    pair_fini(&pair);
}

/* One end sends the kind that the other does not know: it is counted and changes nothing. */
static void the_other_kind_is_ignored(void **state)
{
    (void)state;
    static const struct {
        enum port_flow_control a, b;
        uint64_t sent, ignored;
    } rows[] = {
        {PORT_FLOW_PFC, PORT_FLOW_GLOBAL, 2, 2},    {PORT_FLOW_GLOBAL, PORT_FLOW_PFC, 2, 2},
        {PORT_FLOW_NONE, PORT_FLOW_PFC, 2, 2},      {PORT_FLOW_NONE, PORT_FLOW_GLOBAL, 2, 2},
        {PORT_FLOW_PFC, PORT_FLOW_NONE, 0, 0},      {PORT_FLOW_GLOBAL, PORT_FLOW_NONE, 0, 0},
        {PORT_FLOW_GLOBAL, PORT_FLOW_GLOBAL, 2, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pair pair;
        pair_init_kinds(&pair, rows[i].a, rows[i].b);
        pump_start(&pair.a, 0);
        pair_ask(&pair, 3, true, 10 * PS_PER_US);
        pair_ask(&pair, 3, false, 20 * PS_PER_US);
        engine_run(&pair.engine, 50 * PS_PER_US);
        const bool obeyed = rows[i].sent > rows[i].ignored;
        assert_int_equal(pair.b.port.pfc_frames_tx, rows[i].sent);
        assert_int_equal(pair.a.port.pfc_frames_rx, rows[i].sent);
        assert_int_equal(pair.a.port.pfc_frames_ignored, rows[i].ignored);
        assert_int_equal(pair.a.port.pauses[3].blocked_ps, obeyed ? 10 * PS_PER_US : 0);
        assert_int_equal(pair.frames.frames.taken, pair.frames.frames.taken & 1); /* in flight */
        pair_fini(&pair);
    }
}

/* ------------------------------------------------------------------ several classes */

/* The wire is busy while four edges come: one frame names four classes, two stop and two resume. */
static void one_frame_carries_all_classes(void **state)
{
    (void)state;
    struct pair pair;
    pair_init(&pair, 100, 0);
    pair_ask(&pair, 1, true, 0);
    pair_ask(&pair, 2, true, PS_PER_US);
    pair.b.to_send = 1;
    pump_start(&pair.b, 2 * PS_PER_US);
    engine_run(&pair.engine, 2 * PS_PER_US);
    pair_ask(&pair, 1, false, 2 * PS_PER_US + 1);
    pair_ask(&pair, 2, false, 2 * PS_PER_US + 2);
    pair_ask(&pair, 6, true, 2 * PS_PER_US + 3);
    pair_ask(&pair, 7, true, 2 * PS_PER_US + 4);
    pair_ask(&pair, 0, true, 2 * PS_PER_US + 5); /* comes and goes: the peer never hears of it */
    pair_ask(&pair, 0, false, 2 * PS_PER_US + 6);
    engine_run(&pair.engine, 5 * PS_PER_US);
    assert_int_equal(pair.b.port.pfc_frames_tx, 3);
    assert_int_equal(pair.a.port.paused, 1 << 6 | 1 << 7);
    for (unsigned i = 0; i < PRIORITIES; i++) {
        const bool stopped = i == 1 || i == 2 || i == 6 || i == 7;
        assert_int_equal(pair.a.port.pauses[i].rx_xoff, stopped);
        assert_int_equal(pair.a.port.pauses[i].rx_xon, i == 1 || i == 2);
        assert_int_equal(pair.edges[i].wrong, 0);
    }
    pair_fini(&pair);
}

/* Each priority is paused for a time of its own while the others send by turns. */
static void priorities_are_independent(void **state)
{
    (void)state;
    struct pair pair;
    pair_init(&pair, 100, 0);
    pair.a.every_priority = true;
    pump_start(&pair.a, 0);
    for (uint8_t i = 0; i < PRIORITIES; i++) {
        const time_ps from = 100 * PS_PER_US * (i + 1);
        pair_ask(&pair, i, true, from);
        engine_run(&pair.engine, from + 10 * PS_PER_US);
        uint64_t before[PRIORITIES];
        for (unsigned n = 0; n < PRIORITIES; n++)
            before[n] = pair.b.received_of[n];
        engine_run(&pair.engine, from + 50 * PS_PER_US);
        for (unsigned n = 0; n < PRIORITIES; n++) {
            const uint64_t got = pair.b.received_of[n] - before[n];
            const uint64_t share = 40 * PS_PER_US / (7 * 1538 * 80);
            assert_in_range(got, n == i ? 0 : share - 1, n == i ? 0 : share + 1);
        }
        pair_ask(&pair, i, false, from + 50 * PS_PER_US);
    }
    engine_run(&pair.engine, PS_PER_MS);
    for (unsigned i = 0; i < PRIORITIES; i++)
        assert_int_equal(pair.a.port.pauses[i].blocked_ps, 50 * PS_PER_US);
    pair_fini(&pair);
}

/* ------------------------------------------------------------------ carrier and setting */

/* A pause does not survive its link; when the link is back, what is still wanted is told at once.
 */
static void link_down_ends_a_pause(void **state)
{
    (void)state;
    struct pair pair;
    pair_init(&pair, 100, PS_PER_US);
    const struct port_pauses *pauses = &pair.a.port.pauses[3];
    const time_ps heard = pair_heard_ps(&pair);
    pump_start(&pair.a, 0);
    pair_ask(&pair, 3, true, 10 * PS_PER_US);
    pair_set_up(&pair, false, 30 * PS_PER_US);
    assert_int_equal(pair.a.port.paused, 0);
    assert_int_equal(pauses->blocked_ps, 20 * PS_PER_US - heard);
    engine_run(&pair.engine, 400 * PS_PER_US); /* past a refresh and the old quanta's end */
    assert_int_equal(pauses->rx_xoff, 1);
    assert_int_equal(pair.b.port.pauses[3].tx_xoff, 1);
    pair_set_up(&pair, true, 500 * PS_PER_US);
    pair_ask(&pair, 3, false, 510 * PS_PER_US);
    engine_run(&pair.engine, PS_PER_MS);
    assert_int_equal(pair.b.port.pauses[3].tx_xoff, 2);
    assert_int_equal(pauses->blocked_ps, 20 * PS_PER_US - heard + 10 * PS_PER_US);
    assert_int_equal(pair.edges[3].wrong, 0);
    pair_fini(&pair);
}

/* What is released while the link is down needs no XON, and what is asserted then waits for it. */
static void wishes_without_a_carrier(void **state)
{
    (void)state;
    struct pair pair;
    pair_init(&pair, 100, 0);
    pump_start(&pair.a, 0);
    pair_ask(&pair, 3, true, 10 * PS_PER_US);
    pair_set_up(&pair, false, 20 * PS_PER_US);
    pair_ask(&pair, 3, false, 30 * PS_PER_US);
    pair_ask(&pair, 4, true, 40 * PS_PER_US);
    pair_set_up(&pair, true, 50 * PS_PER_US);
    engine_run(&pair.engine, 60 * PS_PER_US);
    assert_int_equal(pair.b.port.pfc_frames_tx, 2);
    assert_int_equal(pair.a.port.pauses[3].rx_xon, 0);
    assert_int_equal(pair.a.port.paused, 1 << 4);
    pair_fini(&pair);
}

/* The frame is here, its response is not over, and the link goes, and comes back in time. */
static void a_flap_forgets_what_was_heard(void **state)
{
    (void)state;
    struct pair pair;
    pair_init(&pair, 100, 2 * PS_PER_US);
    pump_start(&pair.a, 0);
    pair_ask(&pair, 3, true, 10 * PS_PER_US);
    pair_ask(&pair, 3, false, 10 * PS_PER_US + 500 * PS_PER_NS);
    pair_set_up(&pair, false, 11 * PS_PER_US);
    pair_set_up(&pair, true, 11 * PS_PER_US + 100 * PS_PER_NS);
    engine_run(&pair.engine, 50 * PS_PER_US);
    assert_int_equal(pair.a.port.pauses[3].rx_xoff, 1);
    assert_int_equal(pair.edges[3].blocks, 0);
    assert_int_equal(pair.frames.frames.taken, pair.frames.frames.taken & 1); /* in flight */
    pair_fini(&pair);
}

/* The link is down when the PAUSE arrives: it is dropped. */
static void a_pause_into_a_dead_link(void **state)
{
    (void)state;
    struct pair pair;
    pair_init(&pair, 100, 0);
    pair_ask(&pair, 3, true, 10 * PS_PER_US);
    pair_set_up(&pair, false, 10 * PS_PER_US + PS_PER_NS);
    engine_run(&pair.engine, 50 * PS_PER_US);
    assert_int_equal(pair.a.port.pfc_frames_rx, 0);
    assert_int_equal(pair.a.port.paused, 0);
    assert_int_equal(pair.frames.frames.taken, 0);
    pair_fini(&pair);
}

/* The sender's PFC is switched off: no XON, no refresh, the peer's quanta run out; switched on
 * again, it tells what it still wants. */
static void switching_the_sender_off(void **state)
{
    (void)state;
    struct pair pair;
    pair_init(&pair, 100, 0);
    const time_ps heard = pair_heard_ps(&pair), quanta = 65535 * INT64_C(5120);
    pump_start(&pair.a, 0);
    pair_ask(&pair, 3, true, 10 * PS_PER_US);
    engine_run(&pair.engine, 20 * PS_PER_US);
    port_enable_pauses(&pair.b.port, 0, 20 * PS_PER_US);
    engine_run(&pair.engine, PS_PER_MS);
    assert_int_equal(pair.a.port.pauses[3].blocked_ps, quanta);
    assert_int_equal(pair.b.port.pfc_frames_tx, 1);
    assert_int_equal(pair.b.port.pauses[3].asserted_ps, 10 * PS_PER_US);
    port_enable_pauses(&pair.b.port, 0xff, PS_PER_MS);
    pair_ask(&pair, 3, false, PS_PER_MS + 10 * PS_PER_US);
    engine_run(&pair.engine, 2 * PS_PER_MS);
    assert_int_equal(pair.a.port.pauses[3].blocked_ps, quanta + 10 * PS_PER_US);
    assert_int_equal(pair.edges[3].wrong, 0);
    assert_true(heard < 10 * PS_PER_US);
    pair_fini(&pair);
}

/* The receiver's PFC is switched off: it goes on at once. */
static void switching_the_receiver_off(void **state)
{
    (void)state;
    struct pair pair;
    pair_init(&pair, 100, 0);
    pump_start(&pair.a, 0);
    pair_ask(&pair, 3, true, 10 * PS_PER_US);
    engine_run(&pair.engine, 20 * PS_PER_US);
    port_enable_pauses(&pair.a.port, 0xf7, 20 * PS_PER_US);
    assert_int_equal(pair.a.port.paused, 0);
    assert_int_equal(pair.a.port.pauses[3].blocked_ps, 10 * PS_PER_US - pair_heard_ps(&pair));
    pair_fini(&pair);
}

/* PFC is off at the receiver: each frame that would have stopped something counts, an XON does not,
 * nor does the XOFF of a class that is obeyed. */
static void xoffs_that_nothing_obeys_are_counted(void **state)
{
    (void)state;
    static const struct {
        enum port_flow_control kind;
        uint8_t enabled;
        uint64_t unheeded; /* of an XOFF and an XON of class 3 */
    } rows[] = {
        {PORT_FLOW_PFC, 0xff, 0}, {PORT_FLOW_PFC, 1 << 3, 0},  {PORT_FLOW_PFC, 0xf7, 1},
        {PORT_FLOW_PFC, 0, 1},    {PORT_FLOW_GLOBAL, 0xff, 0}, {PORT_FLOW_GLOBAL, 0, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pair pair;
        pair_init_kinds(&pair, rows[i].kind, rows[i].kind);
        port_enable_pauses(&pair.a.port, rows[i].enabled, 0);
        pair_ask(&pair, 3, true, 10 * PS_PER_US);
        pair_ask(&pair, 3, false, 20 * PS_PER_US);
        engine_run(&pair.engine, 50 * PS_PER_US);
        assert_int_equal(pair.a.port.pfc_frames_rx, 2);
        assert_int_equal(pair.a.port.xoffs_unheeded, rows[i].unheeded);
        pair_fini(&pair);
    }
}

/* ------------------------------------------------------------------ laws */

static uint64_t draw(struct rng *rng, uint64_t below)
{
    return rng_below(rng, below);
}

/* Any wishes at any moment, both ends sending: edges alternate, no pause outlives its cause by more
 * than the time that a frame of b keeps the XON off the wire, and in the end nothing is paused. */
static void pauses_end_with_their_cause(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct rng rng = rng_stream(seed, "wishes", "test");
        struct pair pair;
        const bool global = seed % 4 == 0;
        pair_init_kinds(&pair, global ? PORT_FLOW_GLOBAL : PORT_FLOW_PFC,
                        global ? PORT_FLOW_GLOBAL : PORT_FLOW_PFC);
        pair.a.tos = pair.b.tos = 0;
        pump_start(&pair.a, 0);
        pump_start(&pair.b, 0);
        time_ps now = 0;
        for (int i = 0; i < 400; i++) {
            now += (time_ps)draw(&rng, 2 * PS_PER_US);
            pair_ask(&pair, (uint8_t)draw(&rng, PRIORITIES), draw(&rng, 2) == 0, now);
        }
        for (uint8_t i = 0; i < PRIORITIES; i++)
            pair_ask(&pair, i, false, now);
        engine_run(&pair.engine, now + 10 * PS_PER_US);
        assert_int_equal(pair.a.port.held | pair.a.port.paused, 0);
        for (unsigned i = 0; i < PRIORITIES; i++) {
            const struct pair_edges *edges = &pair.edges[i];
            const struct port_asserted *cause =
                global ? &pair.b.port.global : &pair.b.port.pauses[i].frames;
            const time_ps wait = (1538 + 84) * 80; /* a frame, and a PAUSE that just left */
            assert_int_equal(edges->wrong, 0);
            assert_int_equal(edges->xoff, edges->xon);
            assert_int_equal(edges->blocks, edges->unblocks);
            assert_true(edges->blocks <= edges->xoff);
            assert_true(pair.a.port.pauses[i].blocked_ps <=
                        cause->asserted_ps + (time_ps)edges->blocks * wait);
            assert_int_equal(pair.a.port.pauses[i].blocked_ps, pair.a.port.pauses[i].held_ps);
        }
        pair_fini(&pair);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_global_pause_stops_all),
        cmocka_unit_test(a_global_pause_is_refreshed),
        cmocka_unit_test(mac_control_is_never_paused),
        cmocka_unit_test(the_other_kind_is_ignored),
        cmocka_unit_test(one_frame_carries_all_classes),
        cmocka_unit_test(priorities_are_independent),
        cmocka_unit_test(link_down_ends_a_pause),
        cmocka_unit_test(wishes_without_a_carrier),
        cmocka_unit_test(a_flap_forgets_what_was_heard),
        cmocka_unit_test(a_pause_into_a_dead_link),
        cmocka_unit_test(switching_the_sender_off),
        cmocka_unit_test(switching_the_receiver_off),
        cmocka_unit_test(xoffs_that_nothing_obeys_are_counted),
        cmocka_unit_test(pauses_end_with_their_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
