/* SPDX-License-Identifier: Apache-2.0
 * Congestion controls of TCP: the rules for all of them, and the figures of their sources. */
#include "tests/unit/tcp/tcp_pair.h"

#include "tcp/tcp_cc_cubic.h"
#include "tcp/tcp_cc_dctcp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A flow of a congestion control with its presets. */
struct world {
    struct tcp_cc_flow flow;
    struct tcp_counters counters;
    alignas(8) unsigned char params[TCP_CC_PARAMS_MAX], state[TCP_CC_STATE_BYTES];
};

static void begin(struct world *world, const struct tcp_cc_ops *ops)
{
    *world = (struct world){.flow = {.cwnd = 10, .ssthresh = TCP_CC_INFINITE}};
    world->flow.params = world->params;
    world->flow.state = world->state;
    world->flow.counters = &world->counters;
    world->flow.cwnd_limited = true;
    world->flow.ecn = true;
    world->flow.min_rtt = TIME_NEVER;
    if (ops->opts != NULL)
        opt_presets(ops->opts, world->params);
    if (ops->init != NULL)
        ops->init(&world->flow, 0);
}

/* ------------------------------------------------------------------ rules for all */

static void check(const struct world *world)
{
    assert_in_range(world->flow.cwnd, 1, TCP_CC_INFINITE);
    assert_in_range(world->flow.ssthresh, 2, TCP_CC_INFINITE);
}

static void disturb(struct world *world, const struct tcp_cc_ops *ops, struct rng *rng, time_ps now)
{
    struct tcp_cc_flow *flow = &world->flow;
    const uint32_t acked = 1 + (uint32_t)rng_below(rng, 45);
    flow->una += acked * UINT64_C(1448);
    flow->nxt = flow->una + flow->cwnd * UINT64_C(1448);
    flow->delivered += acked;
    flow->delivered_ce += rng_below(rng, acked + 1);
    flow->cwnd_limited = rng_below(rng, 4) > 0;
    if (ops->on_rtt != NULL)
        ops->on_rtt(flow, (time_ps)(1 + rng_below(rng, PS_PER_MS)), now);
    if (ops->on_ack != NULL)
        ops->on_ack(flow, now);
    switch (rng_below(rng, 40)) {
    case 0:
        flow->ssthresh = ops->ssthresh(flow, rng_below(rng, 2) == 0, now);
        flow->cwnd = flow->ssthresh;
        break;
    case 1:
        flow->ssthresh = ops->ssthresh(flow, true, now);
        flow->cwnd = 1;
        if (ops->on_timeout != NULL)
            ops->on_timeout(flow);
        break;
    case 2:
        if (ops->on_event != NULL)
            ops->on_event(flow, TCP_CC_TX_START, now);
        break;
    default:
        ops->cong_avoid(flow, acked, now);
    }
}

static void test_all(void **state)
{
    (void)state;
    for (int i = 0; i < TCP_CCS; i++) {
        const struct tcp_cc_ops *ops = tcp_cc_list[i];
        assert_true(ops->params_bytes <= TCP_CC_PARAMS_MAX && ops->source != NULL);
        assert_true(ops->state_bytes <= TCP_CC_STATE_BYTES && ops->about != NULL);
        struct world world;
        struct rng rng = rng_stream(5, ops->name, "test");
        begin(&world, ops);
        time_ps now = 0;
        for (int step = 0; step < 20000; step++) {
            now += (time_ps)rng_below(&rng, 10 * PS_PER_MS);
            disturb(&world, ops, &rng, now);
            check(&world);
        }
        /* Slow start doubles in one window; without a limit by cwnd nothing grows. */
        begin(&world, ops);
        ops->cong_avoid(&world.flow, 10, PS_PER_MS);
        assert_int_equal(world.flow.cwnd, 20);
        world.flow.cwnd_limited = false;
        ops->cong_avoid(&world.flow, 20, 2 * PS_PER_MS);
        assert_int_equal(world.flow.cwnd, 20);
        /* A loss costs something, and never more than half. */
        world.flow.cwnd = 100;
        const uint32_t left = ops->ssthresh(&world.flow, true, 3 * PS_PER_MS);
        assert_in_range(left, 50, 99);
    }
}

/* ------------------------------------------------------------------ NewReno */

static void test_newreno(void **state)
{
    (void)state;
    struct world world;
    begin(&world, &tcp_cc_newreno);
    world.flow.ssthresh = 10;
    tcp_cc_newreno.cong_avoid(&world.flow, 9, 0);
    assert_int_equal(world.flow.cwnd, 10);
    tcp_cc_newreno.cong_avoid(&world.flow, 1, 0); /* a whole window: one segment more */
    assert_int_equal(world.flow.cwnd, 11);
    assert_int_equal(tcp_cc_newreno.ssthresh(&world.flow, true, 0), 5);
}

/* ------------------------------------------------------------------ CUBIC */

static void test_cube_root(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 3000; i++) {
        const uint64_t root = i * i * 977;
        const unsigned __int128 cube = (unsigned __int128)root * root * root;
        assert_int_equal(tcp_cc_cubic_root(cube), root);
        if (root > 0)
            assert_int_equal(tcp_cc_cubic_root(cube - 1), root - 1);
    }
}

/* RFC 9438 equations 1 and 2 with C = 0.4, beta = 0.7, W_max = 1000: K = cbrt(300 / 0.4) = 9.0856
 * seconds; W(0) = 700, W(1 s) = 788.6, W(K) = 1000, W(K + 5 s) = 1000 + 0.4 x 125 = 1050. */
static void test_cubic_window(void **state)
{
    (void)state;
    struct world world;
    begin(&world, &tcp_cc_cubic);
    struct tcp_cc_cubic *cubic = world.flow.state;
    const struct tcp_cc_cubic_params *params = world.flow.params;
    world.flow.cwnd = 1000;
    world.flow.ssthresh = tcp_cc_cubic.ssthresh(&world.flow, true, 0);
    assert_int_equal(world.flow.ssthresh, 700);
    world.flow.cwnd = 700;
    tcp_cc_cubic.cong_avoid(&world.flow, 1, PS_PER_S);
    assert_in_range(cubic->k, 9085 * PS_PER_MS, 9086 * PS_PER_MS);
    assert_in_range(tcp_cc_cubic_window(params, cubic, 0), 700, 701);
    assert_in_range(tcp_cc_cubic_window(params, cubic, PS_PER_S), 788, 789); /* 788.6 */
    assert_int_equal(tcp_cc_cubic_window(params, cubic, cubic->k), 1000);
    assert_in_range(tcp_cc_cubic_window(params, cubic, cubic->k + 5 * PS_PER_S), 1049, 1050);
    /* Fast convergence: the second reduction in a row gives way, (1 + beta) / 2. */
    assert_int_equal(tcp_cc_cubic.ssthresh(&world.flow, true, 2 * PS_PER_S), 490);
    assert_int_equal(cubic->last_max, 595);
}

/* cwnd follows W(t), with ACKs of one window for each round-trip time of 100 ms. */
static void test_cubic_follows(void **state)
{
    (void)state;
    struct world world;
    begin(&world, &tcp_cc_cubic);
    world.flow.cwnd = 1000;
    world.flow.ssthresh = tcp_cc_cubic.ssthresh(&world.flow, true, 0);
    world.flow.cwnd = world.flow.ssthresh;
    const time_ps rtt = 100 * PS_PER_MS;
    tcp_cc_cubic.on_rtt(&world.flow, rtt, 0);
    for (time_ps now = 0; now < 14 * PS_PER_S; now += rtt)
        for (uint32_t acked = world.flow.cwnd, i = 0; i < acked; i += 10)
            tcp_cc_cubic.cong_avoid(&world.flow, 10, now + rtt * i / acked);
    /* W(14.1 s) = 1000 + 0.4 * 5.01^3 = 1050 */
    assert_in_range(world.flow.cwnd, 1030, 1070);
}

/* RFC 9438 4.3: where windows are small and round trips short, it grows as Reno with
 * alpha = 3 (1 - beta) / (1 + beta) = 0.529. */
static void test_cubic_friendliness(void **state)
{
    (void)state;
    struct world world;
    begin(&world, &tcp_cc_cubic);
    world.flow.cwnd = 100;
    world.flow.ssthresh = tcp_cc_cubic.ssthresh(&world.flow, true, 0);
    world.flow.cwnd = world.flow.ssthresh;
    const time_ps rtt = 100 * PS_PER_US;
    tcp_cc_cubic.on_rtt(&world.flow, rtt, 0);
    for (int round = 0; round < 100; round++)
        for (uint32_t acked = world.flow.cwnd, i = 0; i < acked; i++)
            tcp_cc_cubic.cong_avoid(&world.flow, 1, round * rtt);
    assert_in_range(world.flow.cwnd, 118, 128); /* 70 + 0.529 * 100 = 123 */
}

/* ------------------------------------------------------------------ DCTCP */

/* RFC 8257: alpha from 1 with g = 1/16 and F = 1/4 each window: F + (1 - F)(15/16)^n. */
static void test_dctcp_alpha(void **state)
{
    (void)state;
    struct world world;
    begin(&world, &tcp_cc_dctcp);
    assert_int_equal(tcp_cc_dctcp.alpha_ppm(&world.flow), 1000000);
    for (int i = 0; i < 16; i++) {
        world.flow.una = world.flow.nxt + 1;
        world.flow.nxt = world.flow.una + 1;
        world.flow.delivered += 40;
        world.flow.delivered_ce += 10;
        tcp_cc_dctcp.on_ack(&world.flow, i * PS_PER_MS);
    }
    /* 0.25 + 0.75 * (15/16)^16 = 0.25 + 0.75 * 0.35607 */
    assert_in_range(tcp_cc_dctcp.alpha_ppm(&world.flow), 517000, 517100);
    world.flow.cwnd = 1000;
    assert_in_range(tcp_cc_dctcp.ssthresh(&world.flow, false, 0), 741, 742);
    assert_int_equal(tcp_cc_dctcp.ssthresh(&world.flow, true, 0), 500);
}

/* A flow at a queue that marks above K: full throughput, no loss, and a queue about K long
 * (Alizadeh et al., SIGCOMM 2010). */
static void test_dctcp_queue(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(10 * PS_PER_US);
    for (int i = 0; i < 2; i++)
        pair->sides[i].params.congestion_control = TCP_CC_dctcp;
    pair->rate = INT64_C(10000000000);
    pair->sides[0].mark_above = 65 * 1538;
    tcp_pair_connect(pair);
    pair->engine.hostile = false;
    tcp_pair_run(pair, PS_PER_MS);
    tcp_pair_send(pair, 0, UINT64_C(1) << 40, 1);
    tcp_pair_run(pair, 50 * PS_PER_MS);
    const uint64_t before = pair->sides[1].got;
    uint64_t most = 0, least = UINT64_MAX;
    for (int i = 0; i < 500; i++) {
        tcp_pair_run(pair, 100 * PS_PER_US);
        most = pair->sides[0].queued > most ? pair->sides[0].queued : most;
        least = pair->sides[0].queued < least ? pair->sides[0].queued : least;
    }
    const uint64_t full = 50 * PS_PER_MS / (1538 * 800) * 1448;
    assert_true(pair->sides[1].got - before > full / 1000 * 995);
    assert_in_range(most / 1538, 60, 130); /* a batch of 45 segments more */
    assert_true(least > 0);
    assert_int_equal(tcp_counters(pair->sides[0].tcp)->retrans_segs, 0);
    tcp_pair_free(pair);
}

/* ------------------------------------------------------------------ throughput under loss */

static struct tcp_pair_fate draw_loss(struct tcp_pair *pair, const struct tcp_pair_frame *frame)
{
    struct tcp_pair_fate fate = {0};
    fate.lose = frame->side == 0 && frame->payload > 0 &&
                rng_chance(&pair->rng, pair->per_million, 1000000);
    return fate;
}

/* Mathis et al., CCR 27(3), 1997: window = sqrt(3 / 2 p) segments without delayed ACKs; at 1 ms and
 * p = 10^-3 that is 38.7 segments in each round trip. */
static void test_mathis(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(500 * PS_PER_US);
    pair->sides[0].params.congestion_control = TCP_CC_newreno;
    pair->sides[0].params.send_buffer = pair->sides[0].params.send_buffer_max;
    pair->sides[1].params.receive_buffer = 6 << 20;
    pair->fate = draw_loss;
    pair->per_million = 1000;
    tcp_pair_connect(pair);
    pair->engine.hostile = false;
    tcp_pair_run(pair, 5 * PS_PER_MS);
    tcp_pair_send(pair, 0, UINT64_C(1) << 40, 1);
    tcp_pair_run(pair, PS_PER_S);
    const uint64_t before = pair->sides[1].got;
    tcp_pair_run(pair, 10 * PS_PER_S);
    const uint64_t window = (pair->sides[1].got - before) / 1448 / 10000; /* in each ms */
    assert_in_range(window, 30, 45);
    tcp_pair_free(pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),           cmocka_unit_test(test_newreno),
        cmocka_unit_test(test_cube_root),     cmocka_unit_test(test_cubic_window),
        cmocka_unit_test(test_cubic_follows), cmocka_unit_test(test_cubic_friendliness),
        cmocka_unit_test(test_dctcp_alpha),   cmocka_unit_test(test_dctcp_queue),
        cmocka_unit_test(test_mathis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
