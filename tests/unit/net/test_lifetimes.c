/* SPDX-License-Identifier: Apache-2.0
 * How long a switch holds frames, by hand. Fibre Channel: 32GFC, frames of 2108 B with their gap,
 * 620 ns. InfiniBand: EDR, 80 ps a byte. The host behind port 1 returns no credits. */
#include "base/drop.h"
#include "net/port/credits.h"
#include "net/switch/lifetimes.h"
#include "tests/unit/net/star.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { HOST = 1, FRAMES = 12, CREDITS = 8 };

static void presets(struct star *star, enum port_kind kind)
{
    star_presets(star);
    star->port.kind = (int64_t)kind;
    star->port.flow_control = PORT_FLOW_CREDITS;
    star->port.delay = PS_PER_NS;
    star->port.link_reset = 0;
    star->port.bb_credit = CREDITS;
    star->port.mtu = kind == PORT_FIBRE_CHANNEL ? 2112 : 2048;
    star->port.rate = kind == PORT_FIBRE_CHANNEL ? INT64_C(27200000000) : INT64_C(100000000000);
    /* the same eight frames of the largest size */
    star->port.lane_buffer = 35 * CREDIT_UNIT_BYTES * CREDITS;
    star->params.ecn_kmax = 0;
    star->hostile = true;
    star->pump_count = 3;
}

/* Pump 0 sends that many frames to the host, which keeps the credits of the first eight. */
static void send_frames(struct star *star, uint64_t frames)
{
    star_init(star);
    star->pumps[HOST].keeps = 0xff;
    star->pumps[0].bytes = 2084;
    star->pumps[0].to_send = frames;
    star_send(star, 0, HOST, 0);
}

static uint64_t discarded(const struct star *star)
{
    return star->swtch.counters.dropped[PROBE_DROP_LIFETIME];
}

/* All have arrived within 10 us: those that the host has no buffer for are discarded 220 ms
 * later. */
static void fibre_channel_limits_the_time_since_arrival(void **state)
{
    (void)state;
    struct star star;
    presets(&star, PORT_FIBRE_CHANNEL);
    send_frames(&star, FRAMES);
    star_run(&star, MS(220));
    assert_int_equal(star.pumps[HOST].received, CREDITS);
    assert_int_equal(discarded(&star), 0);
    star_run(&star, MS(220) + 10 * PS_PER_US);
    assert_int_equal(discarded(&star), FRAMES - CREDITS);
    assert_int_equal(star.swtch.ports[HOST].credits->expired, FRAMES - CREDITS);
    assert_int_equal(star.last_drop.port, 0);
    assert_int_equal(star.last_drop.egress, HOST);
    /* twelve frames of 620 ns; the last one left the wire 24 B before the end of its gap */
    assert_in_range(star.last_drop.at, MS(220) + 12 * 620000 - 8000, MS(220) + 12 * 620000 + 1000);
    star_fini(&star);
}

/* The buffers of discarded frames return their credits: the sender continues. */
static void discarded_frames_return_their_credits(void **state)
{
    (void)state;
    struct star star;
    presets(&star, PORT_FIBRE_CHANNEL);
    send_frames(&star, 100);
    star_run(&star, MS(100));
    assert_int_equal(star.pumps[0].sent, 2 * CREDITS);
    star_run(&star, MS(221));
    assert_int_equal(discarded(&star), CREDITS);
    assert_int_equal(star.pumps[0].sent, 3 * CREDITS);
    star_run(&star, MS(441));
    assert_int_equal(discarded(&star), 2 * CREDITS);
    /* credits from the host: the frames that wait are delivered */
    star.pumps[HOST].keeps = 0;
    for (int i = 0; i < CREDITS; i++)
        port_return_credits(&star.pumps[HOST].port, 0, 2084, MS(441));
    star_run(&star, MS(442));
    assert_int_equal(star.pumps[HOST].received, 100 - 2 * CREDITS);
    star_fini(&star);
}

static void zero_holds_frames_for_ever(void **state)
{
    (void)state;
    struct star star;
    presets(&star, PORT_FIBRE_CHANNEL);
    star.params.edge_hold_time = star.params.hold_time = 0;
    send_frames(&star, FRAMES);
    star_run(&star, MS(5000));
    assert_null(star.swtch.lifetimes);
    assert_int_equal(discarded(&star), 0);
    star_fini(&star);
}

/* 2^10 x 4.096 us = 4.194304 ms as the first of the lane: one packet after the other, in contrast
 * to Fibre Channel. The port has credits for one packet less than the buffer, because it starts a
 * packet only if it has credits for the largest (2174 B, 34 blocks; 2084 B are 33). */
static void infiniband_limits_the_time_at_the_head(void **state)
{
    enum { HOQ = 10 };
    const time_ps life = INT64_C(4096000) << HOQ;
    (void)state;
    struct star star;
    presets(&star, PORT_INFINIBAND);
    star.params.leaf_hoq_life = HOQ;
    send_frames(&star, FRAMES);
    star_run(&star, life);
    assert_int_equal(star.pumps[HOST].received, CREDITS);
    assert_int_equal(discarded(&star), 0);
    for (int64_t i = 1; i <= FRAMES - CREDITS; i++) {
        star_run(&star, i * life + 10 * PS_PER_US);
        assert_int_equal(discarded(&star), i);
        /* the ninth has arrived after nine packets of 2084 B, 80 ps a byte, and 1 ns */
        assert_in_range(star.last_drop.at - i * life, 9 * 2084 * 80, 9 * 2084 * 80 + 2000);
    }
    star_run(&star, 10 * life);
    assert_int_equal(discarded(&star), FRAMES - CREDITS);
    star_fini(&star);
}

/* All wait equally long in the switch, so its own limit discards them all. */
static void infiniband_limits_the_time_in_the_switch(void **state)
{
    (void)state;
    struct star star;
    presets(&star, PORT_INFINIBAND);
    star.params.leaf_hoq_life = 20;
    star.params.packet_life = 8;
    send_frames(&star, FRAMES);
    const time_ps life = INT64_C(4096000) << 8;
    star_run(&star, life);
    assert_int_equal(discarded(&star), 0);
    star_run(&star, life + 10 * PS_PER_US);
    assert_int_equal(discarded(&star), FRAMES - CREDITS);
    star_fini(&star);
}

static void limits_of_the_field(void **state)
{
    struct switch_params params;
    (void)state;
    switch_presets(&params);
    assert_int_equal(lifetime_of(&params, PORT_FIBRE_CHANNEL, true).in_switch, MS(220));
    assert_int_equal(lifetime_of(&params, PORT_FIBRE_CHANNEL, false).in_switch, MS(500));
    assert_int_equal(lifetime_of(&params, PORT_INFINIBAND, true).as_first, 268435456000);
    assert_int_equal(lifetime_of(&params, PORT_INFINIBAND, false).as_first, 1073741824000);
    assert_int_equal(lifetime_of(&params, PORT_INFINIBAND, false).in_switch, 1073741824000);
    const struct lifetime none = lifetime_of(&params, PORT_ETHERNET, true);
    assert_int_equal(lifetime_least(&none), TIME_NEVER);
    params.leaf_hoq_life = params.packet_life = 20;
    const struct lifetime endless = lifetime_of(&params, PORT_INFINIBAND, true);
    assert_int_equal(lifetime_least(&endless), TIME_NEVER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fibre_channel_limits_the_time_since_arrival),
        cmocka_unit_test(discarded_frames_return_their_credits),
        cmocka_unit_test(zero_holds_frames_for_ever),
        cmocka_unit_test(infiniband_limits_the_time_at_the_head),
        cmocka_unit_test(infiniband_limits_the_time_in_the_switch),
        cmocka_unit_test(limits_of_the_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
