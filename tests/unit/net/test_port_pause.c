/* SPDX-License-Identifier: Apache-2.0
 * PFC timing of one link, to the picosecond (V05): quanta, refresh, XON, lost frames. */
#include "tests/unit/net/port_pair.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const int64_t rates[] = {10, 25, 40, 50, 100, 200, 400, 800}; /* Gb/s */
enum { RATES = sizeof rates / sizeof *rates };
enum { FULL_QUANTA = 65535, FRAME = 1518, SLOT = FRAME + WIRE_GAP_BYTES };

static time_ps quanta_ps(int64_t gbps, int64_t quanta)
{
    return quanta * 512 * 1000 / gbps; /* exact at all these rates */
}

/* The last bit of the frame that was under way when the pause took effect has arrived. */
static time_ps last_before(const struct pair *pair, time_ps effect)
{
    const time_ps byte = pair->a.port.ps_per_byte;
    const time_ps start = (effect - 1) / (SLOT * byte) * SLOT * byte;
    return start + (FRAME + WIRE_PREAMBLE_BYTES) * byte + pair->a.port.propagation;
}

static time_ps first_after(const struct pair *pair, time_ps end)
{
    return end + (FRAME + WIRE_PREAMBLE_BYTES) * (time_ps)pair->a.port.ps_per_byte +
           pair->a.port.propagation;
}

static void assert_silent(const struct pair *pair, time_ps effect, time_ps end)
{
    const struct pump *b = &pair->b;
    assert_int_equal(pair->a.port.pauses[3].blocked_ps, end - effect);
    assert_int_equal(b->longest_gap_end, first_after(pair, end));
    assert_int_equal(b->longest_gap, first_after(pair, end) - last_before(pair, effect));
    assert_int_equal(b->out_of_order, 0);
}

/* V05: one PAUSE of 65535 that nobody refreshes; at each rate the same bytes are withheld. */
static void a_pause_lasts_its_quanta(void **state)
{
    (void)state;
    for (size_t i = 0; i < RATES; i++) {
        struct pair pair;
        pair_init(&pair, rates[i], quanta_ps(rates[i], 394));
        pair.b.port.params.pfc_refresh = PS_PER_S;
        pump_start(&pair.a, 0);
        pair_ask(&pair, 3, true, 50 * PS_PER_US);
        engine_run(&pair.engine, 20 * PS_PER_MS);
        const time_ps effect = 50 * PS_PER_US + pair_heard_ps(&pair);
        const time_ps silence = quanta_ps(rates[i], FULL_QUANTA);
        assert_silent(&pair, effect, effect + silence);
        assert_int_equal(units_bytes_in(silence, (uint64_t)rates[i] * 1000000000), 4194240);
        assert_int_equal(pair.a.port.pauses[3].rx_xoff, 1);
        assert_int_equal(pair.a.port.pauses[3].rx_transitions, 1);
        pair_fini(&pair);
    }
}

/* V05: XOFF, and a time of zero 10 us later: silent for 10 us, from one response after the one to
 * one response after the other. */
static void a_resume_ends_a_pause(void **state)
{
    (void)state;
    for (size_t i = 0; i < RATES; i++) {
        struct pair pair;
        pair_init(&pair, rates[i], 2 * PS_PER_US);
        pump_start(&pair.a, 0);
        pair_ask(&pair, 3, true, 50 * PS_PER_US);
        pair_ask(&pair, 3, false, 60 * PS_PER_US);
        engine_run(&pair.engine, PS_PER_MS);
        const time_ps heard = pair_heard_ps(&pair);
        assert_silent(&pair, 50 * PS_PER_US + heard, 60 * PS_PER_US + heard);
        assert_int_equal(pair.a.port.pauses[3].rx_xon, 1);
        assert_int_equal(pair.a.port.pauses[3].rx_transitions, 1);
        assert_int_equal(pair.b.port.pauses[3].asserted_ps, 10 * PS_PER_US);
        pair_fini(&pair);
    }
}

/* V05: the wire carries as much of another priority as without the pause. */
static void other_priorities_go_on(void **state)
{
    (void)state;
    for (size_t i = 0; i < RATES; i++) {
        struct pair pair;
        pair_init(&pair, rates[i], 0);
        pair.a.tos = 48 << 2;
        pump_start(&pair.a, 0);
        pair_ask(&pair, 3, true, 0);
        engine_run(&pair.engine, PS_PER_MS);
        const time_ps byte = pair.a.port.ps_per_byte;
        const time_ps first = (FRAME + WIRE_PREAMBLE_BYTES) * byte + pair.a.port.propagation;
        assert_int_equal(pair.b.received, (PS_PER_MS - first) / (SLOT * byte) + 1);
        pair_fini(&pair);
    }
}

static void refresh_keeps_a_pause(void **state)
{
    (void)state;
    struct pair pair;
    pair_init(&pair, 100, 0);
    pump_start(&pair.a, 0);
    pair_ask(&pair, 3, true, 0);
    engine_run(&pair.engine, 5 * PS_PER_MS);
    const struct port_pauses *pauses = &pair.a.port.pauses[3];
    assert_true((pair.a.port.paused & 1 << 3) != 0);
    assert_int_equal(pauses->blocked_ps, 0); /* never resumed in between */
    assert_int_equal(pauses->rx_xoff, 1 + 5 * PS_PER_MS / (quanta_ps(100, FULL_QUANTA) / 2));
    assert_true(pair.b.received <= 2);
    pair_fini(&pair);
}

/* Without XON the last XOFF's quanta run out. */
static void a_port_may_send_no_xon(void **state)
{
    (void)state;
    struct port_params params = pair_params(100, PS_PER_US);
    params.pfc_xon = false;
    struct pair pair;
    pair_init_ports(&pair, &params, &params);
    pump_start(&pair.a, 0);
    pair_ask(&pair, 3, true, 50 * PS_PER_US);
    pair_ask(&pair, 3, false, 60 * PS_PER_US);
    engine_run(&pair.engine, PS_PER_MS);
    const time_ps effect = 50 * PS_PER_US + pair_heard_ps(&pair);
    assert_silent(&pair, effect, effect + quanta_ps(100, FULL_QUANTA));
    assert_int_equal(pair.b.port.pauses[3].tx_xon, 0);
    assert_int_equal(pair.b.port.pauses[3].asserted_ps, 10 * PS_PER_US);
    pair_fini(&pair);
}

/* ------------------------------------------------------------------ faults */

/* The first frame of the kind that b sends is lost, and no other. */
static void lose_first(struct pair *pair, struct port_fault *fault, enum port_fault_frames frames)
{
    *fault = (struct port_fault){.drop_every = 1000, .frames = (uint8_t)frames, .seen = 999};
    port_set_fault(&pair->b.port, fault);
}

/* The refresh repairs it: one refresh later the transmitter stops. */
static void a_lost_pause_comes_again(void **state)
{
    (void)state;
    struct pair pair;
    struct port_fault fault;
    pair_init(&pair, 100, PS_PER_US);
    lose_first(&pair, &fault, PORT_FAULT_PAUSE);
    pump_start(&pair.a, 0);
    pair_ask(&pair, 3, true, 50 * PS_PER_US);
    const time_ps again = 50 * PS_PER_US + quanta_ps(100, FULL_QUANTA) / 2;
    pair_ask(&pair, 3, false, again + 10 * PS_PER_US);
    engine_run(&pair.engine, 2 * PS_PER_MS);
    const time_ps heard = pair_heard_ps(&pair);
    assert_silent(&pair, again + heard, again + 10 * PS_PER_US + heard);
    assert_int_equal(pair.b.port.pauses[3].tx_xoff, 2);
    assert_int_equal(pair.a.port.pauses[3].rx_xoff, 1);
    pair_fini(&pair);
}

/* Nobody repeats an XON: the transmitter goes on when the quanta have run out. */
static void a_lost_resume_costs_the_quanta(void **state)
{
    (void)state;
    struct pair pair;
    struct port_fault fault;
    pair_init(&pair, 100, PS_PER_US);
    lose_first(&pair, &fault, PORT_FAULT_RESUME);
    pump_start(&pair.a, 0);
    pair_ask(&pair, 3, true, 50 * PS_PER_US);
    pair_ask(&pair, 3, false, 60 * PS_PER_US);
    engine_run(&pair.engine, 2 * PS_PER_MS);
    const time_ps effect = 50 * PS_PER_US + pair_heard_ps(&pair);
    assert_silent(&pair, effect, effect + quanta_ps(100, FULL_QUANTA));
    assert_int_equal(pair.b.port.pauses[3].tx_xon, 1);
    assert_int_equal(pair.a.port.pauses[3].rx_xon, 0);
    pair_fini(&pair);
}

/* What each word counts of: XOFF in 3, then XOFF in 4 with XON in 3, then XON in 4, and one frame
 * with a payload. */
static void a_fault_takes_its_kind(void **state)
{
    (void)state;
    static const uint64_t lost[PORT_FAULT_KINDS] = {4, 1, 2, 1};
    for (unsigned kind = 0; kind < PORT_FAULT_KINDS; kind++) {
        struct pair pair;
        struct port_fault fault = {.drop_every = 1, .frames = (uint8_t)kind};
        pair_init(&pair, 100, 0);
        port_set_fault(&pair.b.port, &fault);
        pair.b.to_send = 1;
        pair_ask(&pair, 3, true, PS_PER_US);
        pump_start(&pair.b, 2 * PS_PER_US);
        engine_run(&pair.engine, 2 * PS_PER_US); /* its frame keeps both edges waiting */
        pair_ask(&pair, 4, true, 2 * PS_PER_US + PS_PER_NS);
        pair_ask(&pair, 3, false, 2 * PS_PER_US + PS_PER_NS);
        pair_ask(&pair, 4, false, 3 * PS_PER_US);
        engine_run(&pair.engine, 10 * PS_PER_US);
        assert_int_equal(pair.b.port.pfc_frames_tx, 3);
        assert_int_equal(fault.seen, lost[kind]);
        assert_int_equal(pair.a.received + pair.a.port.pfc_frames_rx, 4 - lost[kind]);
        assert_int_equal(pair.frames.frames.taken, 0);
        pair_fini(&pair);
    }
}

/* ------------------------------------------------------------------ heeded or not */

static void ignore(struct pair *pair, bool on, time_ps at)
{
    engine_run(&pair->engine, at);
    port_ignore_pauses(&pair->a.port, 3, on, at);
}

/* Asked for from 10 us to 60 us, and from 80 us; ignored from 30 us to 40 us and from 70 us. */
static void pauses_can_be_ignored(void **state)
{
    (void)state;
    struct pair pair;
    pair_init(&pair, 100, 0);
    const struct port_pauses *pauses = &pair.a.port.pauses[3];
    const time_ps heard = pair_heard_ps(&pair);
    pump_start(&pair.a, 0);
    pair_ask(&pair, 3, true, 10 * PS_PER_US);
    ignore(&pair, true, 30 * PS_PER_US);
    assert_int_equal(pauses->blocked_ps, 20 * PS_PER_US - heard);
    assert_int_equal(port_held_ps(&pair.a.port, 3, 30 * PS_PER_US), 20 * PS_PER_US - heard);
    const uint64_t before = pair.a.sent; /* one went at once */
    ignore(&pair, false, 40 * PS_PER_US);
    assert_int_equal(pair.a.sent - before, 10 * PS_PER_US / (SLOT * 80));
    assert_int_equal(pair.a.port.paused, 1 << 3);
    engine_run(&pair.engine, 50 * PS_PER_US);
    assert_int_equal(pair.a.sent - before, 10 * PS_PER_US / (SLOT * 80));
    pair_ask(&pair, 3, false, 60 * PS_PER_US);
    ignore(&pair, true, 70 * PS_PER_US);
    pair_ask(&pair, 3, true, 80 * PS_PER_US);
    engine_run(&pair.engine, 90 * PS_PER_US);
    assert_int_equal(pauses->rx_xoff, 2);
    assert_int_equal(pauses->blocked_ps, 40 * PS_PER_US);
    assert_int_equal(port_held_ps(&pair.a.port, 3, 90 * PS_PER_US), 60 * PS_PER_US - heard);
    assert_int_equal(pair.a.port.paused, 0);
    pair_ask(&pair, 3, false, 90 * PS_PER_US);
    ignore(&pair, false, 100 * PS_PER_US);
    assert_int_equal(pair.a.port.paused, 0);
    pair_fini(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pause_lasts_its_quanta),
        cmocka_unit_test(a_resume_ends_a_pause),
        cmocka_unit_test(other_priorities_go_on),
        cmocka_unit_test(refresh_keeps_a_pause),
        cmocka_unit_test(a_port_may_send_no_xon),
        cmocka_unit_test(a_lost_pause_comes_again),
        cmocka_unit_test(a_lost_resume_costs_the_quanta),
        cmocka_unit_test(a_fault_takes_its_kind),
        cmocka_unit_test(pauses_can_be_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
