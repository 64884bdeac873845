/* SPDX-License-Identifier: Apache-2.0
 * TCP with losses, reordering, duplicates and marks: which recovery, when, and that every byte
 * arrives once and in order. */
#include "tests/unit/tcp/tcp_pair.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DELAY (50 * PS_PER_US)

static const struct tcp_counters *counters(const struct tcp_pair *pair, int side)
{
    return tcp_counters(pair->sides[side].tcp);
}

/* Loses the data frames of side 0 whose bits are set, the first one is bit 0. */
static struct tcp_pair_fate lose_bits(struct tcp_pair *pair, const struct tcp_pair_frame *frame)
{
    struct tcp_pair_fate fate = {0};
    if (frame->side == 0 && frame->payload > 0) {
        fate.lose = pair->seen < 64 && (pair->per_million >> pair->seen & 1) != 0;
        pair->seen++;
    }
    return fate;
}

static struct tcp_pair *losing(uint64_t bits)
{
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    pair->sides[0].params.send_buffer = pair->sides[0].params.send_buffer_max = 8 << 20;
    pair->sides[1].params.receive_buffer = 6 << 20;
    pair->fate = lose_bits;
    pair->per_million = bits;
    return pair;
}

static void connect_and_clear(struct tcp_pair *pair)
{
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_MS);
    pair->log_count = 0;
}

/* One of ten: SACKs of three others, one retransmission, no timeout; about two round trips. */
static void test_fast_retransmit(void **state)
{
    (void)state;
    struct tcp_pair *pair = losing(1 << 3);
    connect_and_clear(pair);
    const time_ps from = pair->engine.now;
    tcp_pair_send(pair, 0, 10 * 1448, 5);
    tcp_pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->sides[1].got, 10 * 1448);
    const struct tcp_counters *c = counters(pair, 0);
    assert_int_equal(c->sack_recovery, 1);
    assert_int_equal(c->fast_retrans, 1);
    assert_int_equal(c->retrans_segs, 1);
    assert_int_equal(c->timeouts + c->loss_probes, 0);
    const struct tcp_pair_frame *again = tcp_pair_nth(pair, 0, true, 10);
    assert_true(again->again && again->seq == 1 + 3 * 1448);
    /* The third SACK is the ACK of segment 6 (from 0): it leaves 7 segments after the first. */
    const time_ps wire = 1538 * 80, ack = DELAY + 110 * 80; /* 78 + 4 + 8 + 20 bytes */
    assert_true(again->at >= from + 6 * wire + DELAY + ack - PS_PER_US);
    assert_true(again->at <= from + 7 * wire + DELAY + ack + PS_PER_US);
    /* CUBIC: 0.7 of 10 segments and the three that slow start added. */
    assert_int_equal(tcp_pair_info(pair, 0).ssthresh, 9);
    assert_int_equal(tcp_pair_conn(pair, 0)->recovery, TCP_OPEN);
    tcp_pair_free(pair);
}

/* The last of eleven.  Nine are acknowledged, the tenth waits for a delayed ACK: with two in flight
 * the probe comes after 2 srtt + 2 ms.  If the tenth is acknowledged too, one is in flight, and
 * rto-min is part of the probe's time: it comes with the timeout (tcp_schedule_loss_probe). */
static void tail_loss(bool quick)
{
    struct tcp_pair *pair = losing(1 << 10);
    pair->sides[1].params.quick_acks = quick ? 16 : 0;
    connect_and_clear(pair);
    const time_ps from = pair->engine.now;
    tcp_pair_send(pair, 0, 11 * 1448, 5);
    const struct tcp_counters *c = counters(pair, 0);
    while (c->loss_probes == 0 && pair->engine.now < PS_PER_S)
        tcp_pair_run(pair, PS_PER_US);
    /* The probe is under way. It fills no place of cwnd: Linux sends it by __tcp_retransmit_skb,
     * which leaves retrans_out as it is. */
    const struct tcp_conn *conn = tcp_pair_conn(pair, 0);
    assert_int_equal(conn->retrans_out, 0);
    assert_int_equal(tcp_in_flight(conn), quick ? 1 : 2);
    tcp_pair_run(pair, 300 * PS_PER_MS);
    assert_int_equal(pair->sides[1].got, 11 * 1448);
    assert_int_equal(c->loss_probes, 1);
    assert_int_equal(c->timeouts, 0);
    const struct tcp_pair_frame *probe = tcp_pair_nth(pair, 0, true, 11);
    assert_true(probe->again && probe->seq == 1 + 10 * 1448);
    const time_ps least = quick ? 200 * PS_PER_MS : 2 * PS_PER_MS + 3 * 2 * DELAY;
    assert_in_range(probe->at - from, least, least + 20 * PS_PER_US + 4 * DELAY);
    tcp_pair_free(pair);
}

static void test_tail_loss(void **state)
{
    (void)state;
    tail_loss(false);
    tail_loss(true);
}

/* A lone segment: the probe comes with the floor of the timeout, 200 ms. */
static void test_lone_segment(void **state)
{
    (void)state;
    struct tcp_pair *pair = losing(1);
    connect_and_clear(pair);
    const time_ps from = pair->engine.now, rtt = tcp_pair_info(pair, 0).rtt;
    tcp_pair_send(pair, 0, 500, 5);
    tcp_pair_run(pair, 300 * PS_PER_MS);
    assert_int_equal(pair->sides[1].got, 500);
    const struct tcp_pair_frame *again = tcp_pair_nth(pair, 0, true, 1);
    assert_int_equal(again->at - from, 200 * PS_PER_MS + rtt);
    assert_int_equal(counters(pair, 0)->loss_probes, 1);
    tcp_pair_free(pair);
}

/* Without probes: timeouts at RTO, then doubled. */
static void test_timeouts_double(void **state)
{
    (void)state;
    struct tcp_pair *pair = losing(7);
    pair->sides[0].params.tlp = 0;
    connect_and_clear(pair);
    const time_ps from = pair->engine.now, rto = tcp_pair_info(pair, 0).rto;
    tcp_pair_send(pair, 0, 500, 5);
    tcp_pair_run(pair, 2000 * PS_PER_MS);
    assert_int_equal(tcp_pair_nth(pair, 0, true, 1)->at - from, rto);
    assert_int_equal(tcp_pair_nth(pair, 0, true, 2)->at - from, 3 * rto);
    assert_int_equal(tcp_pair_nth(pair, 0, true, 3)->at - from, 7 * rto);
    assert_int_equal(counters(pair, 0)->timeouts, 3);
    assert_int_equal(pair->sides[1].got, 500);
    assert_int_equal(tcp_pair_info(pair, 0).cwnd, 2); /* one, and slow start by its ACK */
    tcp_pair_free(pair);
}

static struct tcp_pair_fate lose_all(struct tcp_pair *pair, const struct tcp_pair_frame *frame)
{
    (void)frame;
    return (struct tcp_pair_fate){.lose = pair->seen++ >= (unsigned)pair->per_million};
}

static void test_gives_up(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    pair->sides[0].params.retries = 3;
    pair->sides[0].params.tlp = 0;
    pair->fate = lose_all;
    pair->per_million = 3; /* the handshake passes */
    connect_and_clear(pair);
    tcp_pair_send(pair, 0, 500, 5);
    tcp_pair_run(pair, 10 * PS_PER_S);
    assert_int_equal(pair->sides[0].closed, 1);
    assert_int_equal(pair->sides[0].error, ETIMEDOUT);
    assert_int_equal(tcp_pair_count(pair, 0, true), 4);
    tcp_pair_free(pair);
}

static void test_syn_lost(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    pair->sides[0].params.syn_retries = 2;
    pair->fate = lose_all;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, 20 * PS_PER_S);
    assert_int_equal(pair->log_count, 3);
    assert_int_equal(pair->log[1].at, PS_PER_S);
    assert_int_equal(pair->log[2].at, 3 * PS_PER_S);
    assert_int_equal(pair->sides[0].error, ETIMEDOUT);
    tcp_pair_free(pair);
}

/* Without SACK three duplicate ACKs, and each partial ACK, retransmit one segment. */
static void test_newreno(void **state)
{
    (void)state;
    struct tcp_pair *pair = losing(1 << 2 | 1 << 4);
    pair->sides[0].params.sack = 0;
    pair->sides[0].params.congestion_control = TCP_CC_newreno;
    connect_and_clear(pair);
    tcp_pair_send(pair, 0, 10 * 1448, 5);
    tcp_pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->sides[1].got, 10 * 1448);
    assert_int_equal(counters(pair, 0)->reno_recovery, 1);
    assert_int_equal(counters(pair, 0)->retrans_segs, 2);
    assert_int_equal(counters(pair, 0)->timeouts, 0);
    assert_int_equal(tcp_pair_info(pair, 0).ssthresh, 6); /* half of 10 and two more */
    tcp_pair_free(pair);
}

static struct tcp_pair_fate lose_twice(struct tcp_pair *pair, const struct tcp_pair_frame *frame)
{
    struct tcp_pair_fate fate = {0};
    if (frame->side == 0 && frame->payload > 0 && frame->seq == 1 + 3 * 1448)
        fate.lose = pair->seen++ < 2;
    return fate;
}

/* A retransmission that is lost again is found by what was sent after it. */
static void test_lost_retransmission(void **state)
{
    (void)state;
    struct tcp_pair *pair = losing(0);
    pair->fate = lose_twice;
    connect_and_clear(pair);
    tcp_pair_send(pair, 0, 60 * 1448, 5);
    tcp_pair_run(pair, 50 * PS_PER_MS);
    assert_int_equal(pair->sides[1].got, 60 * 1448);
    assert_int_equal(counters(pair, 0)->lost_retransmit, 1);
    assert_int_equal(counters(pair, 0)->timeouts, 0);
    tcp_pair_free(pair);
}

/* RFC 6937: at most one segment is sent for each that is delivered, and cwnd ends at ssthresh. */
static void test_prr(void **state)
{
    (void)state;
    struct tcp_pair *pair = losing(1 << 5);
    pair->sides[0].params.initial_window = 40;
    pair->sides[0].params.congestion_control = TCP_CC_newreno;
    connect_and_clear(pair);
    tcp_pair_send(pair, 0, 200 * 1448, 5);
    tcp_pair_run(pair, 180 * PS_PER_US); /* recovery has begun, one ACK in two sends */
    assert_int_equal(tcp_pair_conn(pair, 0)->recovery, TCP_RECOVERY);
    const struct tcp_conn *conn = tcp_pair_conn(pair, 0);
    assert_true(conn->prr_out > 1 && conn->prr_out <= conn->prr_delivered + 1);
    assert_true(tcp_in_flight(conn) <= conn->cc.ssthresh);
    tcp_pair_run(pair, 60 * PS_PER_US);
    const uint32_t half = tcp_pair_info(pair, 0).ssthresh;
    tcp_pair_run(pair, 40 * PS_PER_US);
    assert_true(half >= 20 && half <= 23);
    assert_true(tcp_pair_info(pair, 0).cwnd >= half && tcp_pair_info(pair, 0).cwnd <= half + 2);
    tcp_pair_run(pair, 10 * PS_PER_MS);
    assert_int_equal(pair->sides[1].got, 200 * 1448);
    assert_int_equal(counters(pair, 0)->retrans_segs, 1);
    tcp_pair_free(pair);
}

/* A segment that five others overtake is no loss for RACK once reordering was seen. */
static struct tcp_pair_fate delay_some(struct tcp_pair *pair, const struct tcp_pair_frame *frame)
{
    struct tcp_pair_fate fate = {0};
    if (frame->side == 0 && frame->payload > 0 && !frame->again && pair->seen++ % 20 == 10)
        fate.late = 10 * 1538 * 80;
    return fate;
}

static void test_reordering(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    pair->fate = delay_some;
    connect_and_clear(pair);
    tcp_pair_send(pair, 0, 2000 * 1448, 5);
    tcp_pair_run(pair, 50 * PS_PER_MS);
    assert_int_equal(pair->sides[1].got, 2000 * 1448);
    assert_true(counters(pair, 0)->sack_reorder > 0);
    assert_true(counters(pair, 0)->dsack_recv > 0);
    assert_true(counters(pair, 0)->retrans_segs < 10);
    assert_int_equal(counters(pair, 0)->timeouts, 0);
    tcp_pair_free(pair);
}

/* The retransmission was in vain: D-SACK restores the window. */
static struct tcp_pair_fate delay_one(struct tcp_pair *pair, const struct tcp_pair_frame *frame)
{
    struct tcp_pair_fate fate = {0};
    if (frame->side == 0 && frame->payload > 0 && pair->seen++ == 3)
        fate.late = 130 * PS_PER_US;
    return fate;
}

static void test_undo(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    pair->fate = delay_one;
    connect_and_clear(pair);
    tcp_pair_send(pair, 0, 100 * 1448, 5);
    tcp_pair_run(pair, 50 * PS_PER_MS);
    assert_int_equal(counters(pair, 0)->sack_recovery, 1);
    assert_int_equal(counters(pair, 0)->dsack_undo, 1);
    assert_int_equal(tcp_pair_info(pair, 0).ssthresh, UINT32_MAX);
    tcp_pair_free(pair);
}

/* ------------------------------------------------------------------ ECN */

static struct tcp_pair_fate mark_one(struct tcp_pair *pair, const struct tcp_pair_frame *frame)
{
    struct tcp_pair_fate fate = {0};
    if (frame->side == 0 && frame->payload > 0 && (frame->tos & 3) == ECN_ECT0)
        fate.mark = pair->seen++ == pair->per_million;
    return fate;
}

/* RFC 3168: ECE until CWR; one reduction; no retransmission. */
static void test_ecn(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    pair->sides[0].params.ecn = TCP_ECN_ON;
    pair->sides[0].params.congestion_control = TCP_CC_newreno;
    pair->sides[0].params.send_buffer = 1 << 20;
    pair->fate = mark_one;
    pair->per_million = 4;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->log[0].flags, SEGMENT_SYN | SEGMENT_ECE | SEGMENT_CWR);
    assert_int_equal(pair->log[1].flags, SEGMENT_SYN | SEGMENT_ACK | SEGMENT_ECE);
    pair->log_count = 0;
    tcp_pair_send(pair, 0, 60 * 1448, 5);
    tcp_pair_run(pair, 10 * PS_PER_MS);
    unsigned echoes = 0, reduced = 0;
    for (unsigned i = 0; i < pair->log_count; i++) {
        echoes += pair->log[i].side == 1 && (pair->log[i].flags & SEGMENT_ECE) != 0;
        reduced += pair->log[i].side == 0 && (pair->log[i].flags & SEGMENT_CWR) != 0;
    }
    assert_true(echoes > 1);
    assert_int_equal(reduced, 1);
    assert_int_equal(counters(pair, 0)->retrans_segs, 0);
    assert_int_equal(counters(pair, 1)->in_ce, 1);
    assert_true(tcp_pair_info(pair, 0).ssthresh <= 10);
    assert_int_equal(pair->sides[1].got, 60 * 1448);
    tcp_pair_free(pair);
}

static void test_ecn_refused(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    pair->sides[0].params.ecn = TCP_ECN_ON;
    pair->sides[1].params.ecn = TCP_ECN_OFF;
    connect_and_clear(pair);
    tcp_pair_send(pair, 0, 1448, 5);
    tcp_pair_run(pair, PS_PER_MS);
    assert_int_equal(tcp_pair_nth(pair, 0, true, 0)->tos & 3, ECN_NOT_ECT);
    tcp_pair_free(pair);
}

/* DCTCP echoes exactly the marked segment: one of 40 marked, alpha from 1 to 15/16 + 1/16 F. */
static void test_dctcp_echo(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    for (int i = 0; i < 2; i++)
        pair->sides[i].params.congestion_control = TCP_CC_dctcp;
    pair->fate = mark_one;
    pair->per_million = 4;
    connect_and_clear(pair);
    tcp_pair_send(pair, 0, 10 * 1448, 5);
    tcp_pair_run(pair, PS_PER_MS);
    unsigned echoes = 0;
    for (unsigned i = 0; i < pair->log_count; i++)
        echoes += pair->log[i].side == 1 && (pair->log[i].flags & SEGMENT_ECE) != 0;
    assert_int_equal(echoes, 1);
    assert_int_equal(tcp_pair_info(pair, 0).delivered_ce, 1);
    tcp_pair_free(pair);
}

/* ------------------------------------------------------------------ laws */

static struct tcp_pair_fate draw(struct tcp_pair *pair, const struct tcp_pair_frame *frame)
{
    struct tcp_pair_fate fate = {0};
    (void)frame;
    fate.lose = rng_chance(&pair->rng, pair->per_million, 1000000);
    fate.twice = !fate.lose && rng_chance(&pair->rng, pair->per_million / 2, 1000000);
    fate.mark = rng_chance(&pair->rng, pair->per_million, 1000000);
    if (rng_chance(&pair->rng, pair->per_million, 1000000))
        fate.late = (time_ps)rng_below(&pair->rng, 100 * PS_PER_US);
    return fate;
}

static void drawn_run(uint64_t seed, struct digest *digest)
{
    struct rng rng = rng_stream(seed, "laws", "tcp");
    struct tcp_pair *pair = tcp_pair_new((time_ps)(1 + rng_below(&rng, 200)) * PS_PER_US);
    pair->rng = rng_stream(seed, "fate", "tcp");
    pair->per_million = rng_below(&rng, 60000);
    pair->fate = draw;
    for (int i = 0; i < 2; i++) {
        struct tcp_params *params = &pair->sides[i].params;
        params->congestion_control = (int64_t)rng_below(&rng, TCP_CCS);
        params->sack = rng_below(&rng, 4) > 0;
        params->rack = rng_below(&rng, 4) > 0;
        params->tlp = (int64_t)rng_below(&rng, 2);
        params->timestamps = rng_below(&rng, 4) > 0;
        params->ecn = (int64_t)rng_below(&rng, TCP_ECN_ON_ACCURATE_PASSIVE + 1);
        params->ecn_option = (int64_t)rng_below(&rng, TCP_ECN_OPTION_EVERY + 1);
        params->pacing = rng_below(&rng, 3) == 0;
        params->rto_min = rng_below(&rng, 2) == 0 ? PS_PER_MS : 200 * PS_PER_MS;
        params->interrupt_delay = (time_ps)rng_below(&rng, 2) * 8 * PS_PER_US;
        params->tx_batch_cost = (time_ps)rng_below(&rng, 2) * PS_PER_US;
        params->rx_batch_cost = (time_ps)rng_below(&rng, 2) * PS_PER_US;
        params->tso_size = (int64_t)rng_below(&rng, 2) * 65536;
        params->cores = (int64_t)rng_below(&rng, 3);
        params->retries = 100;
    }
    connect_and_clear(pair);
    tcp_pair_run(pair, 10 * PS_PER_S);
    assert_int_equal(pair->sides[0].connected, 1);
    tcp_pair_send(pair, 0, 400000, 5);
    tcp_pair_send(pair, 1, 100000, 6);
    tcp_pair_run(pair, 600 * PS_PER_S);
    assert_int_equal(pair->sides[1].got, 400000);
    assert_int_equal(pair->sides[0].got, 100000);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tcp_pair_info(pair, i).unacked, 0);
        tcp_stream_ops.close(pair->sides[i].conn);
    }
    tcp_pair_run(pair, 600 * PS_PER_S);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pair->sides[i].closed, 1);
        assert_int_equal(pair->sides[i].error, 0);
        tcp_stream_ops.destroy(pair->sides[i].conn);
        assert_int_equal(tcp_connections(pair->sides[i].tcp), 0);
    }
    assert_int_equal(pair->frames.frames.taken, 0);
    *digest = engine_digest(&pair->engine);
    tcp_pair_free(pair);
}

static void test_laws(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct digest a, b;
        drawn_run(seed, &a);
        if (seed % 10 != 0)
            continue;
        drawn_run(seed, &b);
        assert_memory_equal(&a, &b, sizeof a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fast_retransmit),
        cmocka_unit_test(test_tail_loss),
        cmocka_unit_test(test_lone_segment),
        cmocka_unit_test(test_timeouts_double),
        cmocka_unit_test(test_gives_up),
        cmocka_unit_test(test_syn_lost),
        cmocka_unit_test(test_newreno),
        cmocka_unit_test(test_lost_retransmission),
        cmocka_unit_test(test_prr),
        cmocka_unit_test(test_reordering),
        cmocka_unit_test(test_undo),
        cmocka_unit_test(test_ecn),
        cmocka_unit_test(test_ecn_refused),
        cmocka_unit_test(test_dctcp_echo),
        cmocka_unit_test(test_laws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
