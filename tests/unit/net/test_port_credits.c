/* SPDX-License-Identifier: Apache-2.0
 * Flow control by credits: the arithmetic, and one link by hand. A frame of 1472 B takes 23 credits
 * and 117.76 ns at 100 Gb/s; the largest, 2048 B and headers, 34. */
#include "net/port/credits.h"
#include "tests/unit/net/port_pair.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { BYTES = 23 * 64, FRAME_CREDITS = 23, LARGEST = 34, LANE = 3, UPDATE_PS = 8 * 80 };
static const time_ps frame_ps = (time_ps)BYTES * 80;

/* ------------------------------------------------------------------ arithmetic */

/* All counters, up to the largest window, against plain numbers. */
static void counters_wrap_at_4096(void **state)
{
    (void)state;
    for (uint32_t sent = 0; sent < CREDIT_COUNTERS; sent += 31)
        for (uint32_t left = 0; left <= CREDIT_WINDOW; left++) {
            const struct credit_lane lane = {.sent = (uint16_t)sent,
                                             .limit = credits_count((uint16_t)sent, (int32_t)left)};
            assert_true(credits_suffice(&lane, left));
            assert_false(credits_suffice(&lane, left + 1));
            assert_int_equal(credits_suffice(&lane, 66), left >= 66);
        }
}

/* A sender that is ahead of its limit, as after an update was reordered, has no credits. */
static void a_limit_that_is_behind_gives_no_credits(void **state)
{
    (void)state;
    for (uint32_t ahead = 1; ahead < CREDIT_WINDOW - LARGEST; ahead++) {
        const struct credit_lane lane = {.sent = credits_count(4000, (int32_t)ahead),
                                         .limit = 4000};
        assert_false(credits_suffice(&lane, 0));
        assert_false(credits_suffice(&lane, LARGEST));
    }
}

static void a_limit_is_what_came_and_what_is_free(void **state)
{
    static const struct {
        uint16_t received;
        int32_t free;
        uint16_t limit;
    } rows[] = {
        {0, 1024, 1024}, {4095, 1, 0},   {4000, 2048, 1952}, {4000, 5000, 1952},
        {100, 0, 100},   {100, -7, 100}, {2048, 2048, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct credit_lane lane = {.received = rows[i].received, .free = rows[i].free};
        assert_int_equal(credits_limit(&lane), rows[i].limit);
    }
    for (uint16_t sent = 0; sent < CREDIT_COUNTERS; sent++) {
        const uint32_t update = credits_encode(sent, (uint16_t)(4095 - sent));
        assert_int_equal(credits_decode_sent(update), sent);
        assert_int_equal(credits_decode_limit(update), 4095 - sent);
        assert_true(update < 1 << 24);
    }
}

static void a_credit_is_a_block_or_a_frame(void **state)
{
    (void)state;
    assert_int_equal(credits_of(64, 1), 1);
    assert_int_equal(credits_of(64, 64), 1);
    assert_int_equal(credits_of(64, 65), 2);
    assert_int_equal(credits_of(64, 4122), 65);
    assert_int_equal(credits_of(0, 36), 1);
    assert_int_equal(credits_of(0, 2148), 1);
}

/* ------------------------------------------------------------------ a link */

static struct port_params params_of(int64_t credits, time_ps delay)
{
    struct port_params params = pair_params(100, 0);
    params.kind = PORT_INFINIBAND;
    params.flow_control = PORT_FLOW_CREDITS;
    params.mtu = 2048;
    params.delay = delay;
    params.lane_buffer = credits * CREDIT_UNIT_BYTES;
    params.credit_interval = 20 * PS_PER_US;
    return params;
}

static void make(struct pair *pair, int64_t credits, time_ps delay)
{
    const struct port_params params = params_of(credits, delay);
    pair_init_ports(pair, &params, &params);
    pair->a.bytes = BYTES;
    pair->a.tos = LANE << 5;
}

/* Credits that a has left. */
static uint32_t left_of(const struct pair *pair)
{
    const struct credit_lane *lane = &pair->a.port.credits->lanes[LANE];
    return (uint32_t)(lane->limit - lane->sent) % CREDIT_COUNTERS;
}

/* 100 credits are enough to begin a largest frame three times: 34 of 100, 77 and 54; not of 31. The
 * space of two frames is enough for two more. */
static void a_sender_stops_without_credits(void **state)
{
    (void)state;
    struct pair pair;
    make(&pair, 100, PS_PER_US);
    pair.b.keeps = 1 << LANE;
    pump_start(&pair.a, 0);
    engine_run(&pair.engine, 10 * PS_PER_US);
    assert_int_equal(pair.b.received, 3);
    assert_int_equal(left_of(&pair), 100 - 3 * FRAME_CREDITS);
    assert_int_equal(pair.a.port.pauses[LANE].blocked_since, 3 * frame_ps);
    for (int i = 0; i < 2; i++)
        port_return_credits(&pair.b.port, LANE, BYTES, 10 * PS_PER_US);
    engine_run(&pair.engine, 20 * PS_PER_US);
    assert_int_equal(pair.b.received, 5);
    /* The first update left at once and says 23 more; the second followed it. */
    const time_ps resumed = 10 * PS_PER_US + UPDATE_PS + PS_PER_US;
    assert_int_equal(pair.a.port.pauses[LANE].blocked_ps, resumed - 3 * frame_ps);
    assert_int_equal(pair.edges[LANE].blocks, pair.edges[LANE].unblocks + 1);
    assert_int_equal(pair.edges[LANE].wrong, 0);
    pair_fini(&pair);
}

/* Neither preamble nor gap: frames follow each other. */
static void frames_have_no_gap(void **state)
{
    (void)state;
    struct pair pair;
    make(&pair, CREDIT_WINDOW, PS_PER_US);
    pair.a.to_send = 5;
    pump_start(&pair.a, 0);
    engine_run(&pair.engine, 10 * PS_PER_US);
    assert_int_equal(pair.b.first_arrival, frame_ps + PS_PER_US);
    assert_int_equal(pair.b.last_arrival, 5 * frame_ps + PS_PER_US);
    pair_fini(&pair);
}

/* 2048 credits are 128 KiB: the line rate up to a round trip of 10.5 us at 100 Gb/s. Beyond, the
 * frames that the credits allow pass once in each round trip. */
static void credits_limit_the_rate_over_distance(void **state)
{
    static const int64_t round_trips_us[] = {2, 9, 12, 21, 100};
    (void)state;
    for (size_t i = 0; i < sizeof round_trips_us / sizeof round_trips_us[0]; i++) {
        struct pair pair;
        const time_ps delay = round_trips_us[i] * PS_PER_US / 2, span = 10 * PS_PER_MS;
        make(&pair, CREDIT_WINDOW, delay);
        pump_start(&pair.a, 0);
        engine_run(&pair.engine, span);
        const int64_t window = (CREDIT_WINDOW - LARGEST) / FRAME_CREDITS + 1;
        const time_ps round = frame_ps + delay + UPDATE_PS + delay;
        const int64_t by_wire = span / frame_ps, by_credits = span / round * window;
        const int64_t expected = by_wire < by_credits ? by_wire : by_credits;
        assert_in_range(pair.b.received, expected * 995 / 1000 - 1, expected + window);
        assert_int_equal(pair.a.port.pauses[LANE].blocked_ps > PS_PER_MS, by_credits < by_wire);
        pair_fini(&pair);
    }
}

/* One lane is stuck, and the others are not. */
static void lanes_have_their_own_credits(void **state)
{
    (void)state;
    struct pair pair;
    make(&pair, 100, PS_PER_US / 10);
    pair.a.every_priority = true;
    pair.b.keeps = 1 << LANE;
    pump_start(&pair.a, 0);
    engine_run(&pair.engine, PS_PER_MS);
    for (unsigned i = 0; i < PRIORITIES; i++) {
        assert_int_equal(pair.edges[i].blocked && i == LANE, i == LANE);
        if (i == LANE)
            assert_int_equal(pair.b.received_of[i], 3);
        else
            assert_true(pair.b.received_of[i] > 1000);
    }
    pair_fini(&pair);
}

/* ------------------------------------------------------------------ losses */

/* Whatever is lost, when the link is quiet again no credit is missing. */
static void losses_cost_no_credits(void **state)
{
    static const enum port_fault_frames frames[] = {PORT_FAULT_ALL, PORT_FAULT_DATA};
    (void)state;
    for (size_t i = 0; i < 2; i++)
        for (int side = 0; side < 2; side++) {
            struct pair pair;
            struct port_fault fault = {.drop_every = 3, .frames = (uint8_t)frames[i]};
            make(&pair, 100, PS_PER_US);
            pair.a.to_send = 500;
            port_set_fault(side == 0 ? &pair.a.port : &pair.b.port, &fault);
            pump_start(&pair.a, 0);
            engine_run(&pair.engine, 50 * PS_PER_MS);
            assert_int_equal(pair.a.to_send, 0);
            assert_true(side == 1 || pair.b.received < 500);
            assert_true(side == 0 || pair.b.received == 500);
            port_set_fault(side == 0 ? &pair.a.port : &pair.b.port, NULL);
            engine_run(&pair.engine, 51 * PS_PER_MS);
            assert_int_equal(left_of(&pair), 100);
            assert_int_equal(pair.b.port.credits->lanes[LANE].free, 100);
            pair_fini(&pair);
        }
}

/* Frames from before are lost; counters begin again, and the buffer's content remains charged. */
static void a_link_comes_up_with_free_space_alone(void **state)
{
    (void)state;
    struct pair pair;
    make(&pair, 100, PS_PER_US);
    pair.b.keeps = 1 << LANE;
    pair.a.to_send = 1;
    pump_start(&pair.a, 0);
    pair_set_up(&pair, false, 10 * PS_PER_US);
    pair_set_up(&pair, true, 20 * PS_PER_US);
    assert_int_equal(left_of(&pair), 0);
    engine_run(&pair.engine, 30 * PS_PER_US);
    assert_int_equal(left_of(&pair), 100 - FRAME_CREDITS);
    assert_int_equal(pair.a.port.credits->lanes[LANE].sent, 0);
    port_return_credits(&pair.b.port, LANE, BYTES, 30 * PS_PER_US);
    engine_run(&pair.engine, 40 * PS_PER_US);
    assert_int_equal(left_of(&pair), 100);
    pair_fini(&pair);
}

/* A frame above the MTU is dropped, and occupies nothing. */
static void a_giant_returns_its_credits(void **state)
{
    (void)state;
    struct pair pair;
    make(&pair, 100, PS_PER_US);
    pair.a.bytes = 2048 + WIRE_IB_MOST + 1;
    pair.a.to_send = 20;
    pump_start(&pair.a, 0);
    engine_run(&pair.engine, PS_PER_MS);
    assert_int_equal(pair.b.received, 0);
    assert_int_equal(pair.b.port.giants, 20);
    assert_int_equal(left_of(&pair), 100);
    pair_fini(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_wrap_at_4096),
        cmocka_unit_test(a_limit_that_is_behind_gives_no_credits),
        cmocka_unit_test(a_limit_is_what_came_and_what_is_free),
        cmocka_unit_test(a_credit_is_a_block_or_a_frame),
        cmocka_unit_test(a_sender_stops_without_credits),
        cmocka_unit_test(frames_have_no_gap),
        cmocka_unit_test(credits_limit_the_rate_over_distance),
        cmocka_unit_test(lanes_have_their_own_credits),
        cmocka_unit_test(losses_cost_no_credits),
        cmocka_unit_test(a_link_comes_up_with_free_space_alone),
        cmocka_unit_test(a_giant_returns_its_credits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
