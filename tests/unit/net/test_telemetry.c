/* SPDX-License-Identifier: Apache-2.0
 * What a packet collects at the port that it leaves a switch by. */
#include "tests/unit/net/star.h"

#include "net/switch/switch.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { FRAME_BYTES = 1518, ON_WIRE = FRAME_BYTES + WIRE_GAP_BYTES };

static struct star star;

static void begin(bool tells)
{
    struct frame_pool *pools[] = {&star.frames};
    star_presets(&star);
    star_init(&star);
    frame_pool_use_telemetry(pools, 1);
    for (int i = 0; i < PUMPS; i++) {
        star.pumps[i].flags = FRAME_TELEMETRY;
        star.pumps[i].to_send = 1;
    }
    if (tells)
        port_tell_telemetry(&star.swtch.ports[1]);
}

/* One frame after the other, each alone. */
static void send_alone(int from, time_ps at)
{
    star_run(&star, at);
    star.pumps[from].to_send = 1;
    star_send(&star, from, 1, LOSSLESS);
    star_run(&star, at + 100 * PS_PER_US);
}

static void a_hop_is_what_the_port_has_sent_and_has_waiting(void **state)
{
    (void)state;
    begin(true);
    uint32_t path = 0;
    for (unsigned i = 0; i < 4; i++) {
        send_alone(i % 2 == 0 ? 0 : 2, MS(i + 1));
        const struct telemetry *heard = &star.pumps[1].heard;
        const time_ps bit = PS_PER_S / (star.port.rate / 8);
        assert_int_equal(star.pumps[1].received, i + 1);
        assert_int_equal(heard->hops, 1);
        assert_int_equal(heard->hop[0].line_bps, star.port.rate);
        assert_int_equal(heard->hop[0].wire_bytes, i * ON_WIRE);
        assert_int_equal(heard->hop[0].queue, 0);
        assert_int_equal(heard->hop[0].at, star.pumps[1].last_arrival - (FRAME_BYTES + 8) * bit -
                                               port_propagation(&star.port));
        assert_int_not_equal(heard->path, 0);
        assert_true(i == 0 || heard->path == path); /* the same port */
        path = heard->path;
    }
    star_fini(&star);
}

/* Two senders at line rate: what waits grows, and is what has come and not gone. */
static void what_waits_is_told_in_bytes(void **state)
{
    (void)state;
    begin(true);
    star.pumps[0].to_send = star.pumps[2].to_send = 20;
    star_send(&star, 0, 1, LOSSLESS);
    star_send(&star, 2, 1, LOSSY);
    uint64_t most = 0;
    for (time_ps at = 0; at < 10 * PS_PER_US; at += 50 * PS_PER_NS) {
        star_run(&star, at);
        const struct telemetry *heard = &star.pumps[1].heard;
        assert_int_equal(heard->hop[0].queue % FRAME_BYTES, 0);
        most = heard->hop[0].queue > most ? heard->hop[0].queue : most;
    }
    assert_int_equal(star.pumps[1].received, 40);
    assert_int_equal(star.pumps[1].heard.hop[0].wire_bytes, 39 * ON_WIRE);
    assert_int_equal(star.pumps[1].heard.hop[0].queue, 0);
    assert_in_range(most, 15 * FRAME_BYTES, 20 * FRAME_BYTES);
    star_fini(&star);
}

static void there_is_room_for_so_many_hops(void **state)
{
    (void)state;
    for (uint32_t hops = 0; hops <= TELEMETRY_HOPS; hops++) {
        begin(true);
        star.pumps[0].hops = hops;
        send_alone(0, MS(1));
        const uint32_t expected = hops < TELEMETRY_HOPS ? hops + 1 : TELEMETRY_HOPS;
        assert_int_equal(star.pumps[1].heard.hops, expected);
        assert_int_equal(star.pumps[1].heard.hop[expected - 1].line_bps,
                         hops < TELEMETRY_HOPS ? star.port.rate : 0);
        assert_int_equal(star.pumps[1].heard.path != 0, hops < TELEMETRY_HOPS);
        star_fini(&star);
    }
}

static void an_ack_only_carries_it_back(void **state)
{
    (void)state;
    begin(true);
    star.pumps[0].opcode = FRAME_RC_ACKNOWLEDGE;
    star.pumps[0].hops = 2;
    send_alone(0, MS(1));
    assert_int_equal(star.pumps[1].heard.hops, 2);
    assert_int_equal(star.pumps[1].heard.path, 0);
    star_fini(&star);
}

static void who_does_not_ask_or_does_not_tell_gets_nothing(void **state)
{
    (void)state;
    begin(true);
    star.pumps[0].flags = 0;
    send_alone(0, MS(1));
    assert_int_equal(star.pumps[1].received, 1);
    send_alone(2, MS(2)); /* who asks is told of those that did not */
    assert_int_equal(star.pumps[1].heard.hop[0].wire_bytes, ON_WIRE);
    star_fini(&star);
    begin(false);
    send_alone(0, MS(1));
    assert_int_equal(star.pumps[1].received, 1);
    assert_int_equal(star.pumps[1].heard.hops, 0);
    star_fini(&star);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hop_is_what_the_port_has_sent_and_has_waiting),
        cmocka_unit_test(what_waits_is_told_in_bytes),
        cmocka_unit_test(there_is_room_for_so_many_hops),
        cmocka_unit_test(an_ack_only_carries_it_back),
        cmocka_unit_test(who_does_not_ask_or_does_not_tell_gets_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
