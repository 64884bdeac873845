/* SPDX-License-Identifier: Apache-2.0
 * TCP retransmits segments that were late, not lost: what finds it out, what is restored, and how
 * much is sent again.  All times by hand: 10 segments, one way 50 us, timeout rto-min + srtt. */
#include "tests/unit/tcp/tcp_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FIRST = 10, MSS = 1448, MSS_PLAIN = 1460 };
#define DELAY (50 * PS_PER_US)
#define SPIKE (300 * PS_PER_MS)
#define SPACE (10 * PS_PER_US)

static const struct tcp_counters *counters(const struct tcp_pair *pair)
{
    return tcp_counters(pair->sides[0].tcp);
}

static time_ps spike_from;

/* All data frames of side 0 that are sent in the spike arrive at its end, one by one, in order. */
static struct tcp_pair_fate hold(struct tcp_pair *pair, const struct tcp_pair_frame *frame)
{
    struct tcp_pair_fate fate = {0};
    if (frame->side == 0 && frame->payload > 0 && frame->at < spike_from + SPIKE)
        fate.late = spike_from + SPIKE + pair->seen++ * SPACE - frame->at;
    return fate;
}

static struct tcp_pair *spiky(bool timestamps, bool frto)
{
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    for (int i = 0; i < 2; i++) {
        pair->sides[i].params.timestamps = timestamps;
        pair->sides[i].params.tlp = 0;
        pair->sides[i].params.congestion_control = TCP_CC_newreno; /* no HyStart */
    }
    pair->sides[0].params.frto = frto;
    pair->sides[0].params.send_buffer = pair->sides[0].params.send_buffer_max = 8 << 20;
    pair->sides[1].params.receive_buffer = 6 << 20;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_MS);
    pair->log_count = 0;
    pair->fate = hold;
    spike_from = pair->engine.now;
    return pair;
}

/* Without timestamps.  The timeout retransmits the first segment.  Its ACK leads to new segments,
 * and the next ACK, for a segment that was sent once, ends it: one retransmission. */
static void test_frto(void **state)
{
    (void)state;
    struct tcp_pair *pair = spiky(false, true);
    tcp_pair_send(pair, 0, 60 * MSS_PLAIN, 5);
    tcp_pair_run(pair, SPIKE - PS_PER_MS);
    assert_int_equal(tcp_pair_conn(pair, 0)->recovery, TCP_LOSS);
    assert_int_equal(tcp_pair_info(pair, 0).cwnd, 1);
    tcp_pair_run(pair, 20 * PS_PER_MS);
    const struct tcp_counters *c = counters(pair);
    assert_int_equal(pair->sides[1].got, 60 * MSS_PLAIN);
    assert_int_equal(c->timeouts, 1);
    assert_int_equal(c->retrans_segs, 1);
    assert_int_equal(c->spurious_rtos, 1);
    assert_int_equal(c->loss_undo, 1);
    assert_int_equal(c->sack_recovery, 0);
    /* In order: 10 segments, the retransmission, then only new ones. */
    for (unsigned i = 0; i < FIRST; i++)
        assert_int_equal(tcp_pair_nth(pair, 0, true, i)->seq, 1 + i * MSS_PLAIN);
    assert_int_equal(tcp_pair_nth(pair, 0, true, FIRST)->seq, 1);
    for (unsigned i = FIRST + 1; i < 61; i++)
        assert_int_equal(tcp_pair_nth(pair, 0, true, i)->seq, 1 + (i - 1) * MSS_PLAIN);
    assert_true(tcp_pair_info(pair, 0).cwnd >= FIRST);
    assert_int_equal(tcp_pair_info(pair, 0).ssthresh, UINT32_MAX);
    assert_int_equal(tcp_pair_conn(pair, 0)->recovery, TCP_OPEN);
    tcp_pair_free(pair);
}

/* Without F-RTO all of the ten are sent again, and D-SACKs say so too late. */
static void test_go_back(void **state)
{
    (void)state;
    struct tcp_pair *pair = spiky(false, false);
    tcp_pair_send(pair, 0, 60 * MSS_PLAIN, 5);
    tcp_pair_run(pair, SPIKE + 20 * PS_PER_MS);
    const struct tcp_counters *c = counters(pair);
    assert_int_equal(pair->sides[1].got, 60 * MSS_PLAIN);
    assert_int_equal(c->timeouts, 1);
    assert_true(c->retrans_segs > 2);
    assert_int_equal(c->spurious_rtos, 0);
    tcp_pair_free(pair);
}

/* With timestamps the first ACK already echoes the original: Eifel. */
static void test_eifel(void **state)
{
    (void)state;
    struct tcp_pair *pair = spiky(true, true);
    tcp_pair_send(pair, 0, 60 * MSS, 5);
    tcp_pair_run(pair, SPIKE + 20 * PS_PER_MS);
    const struct tcp_counters *c = counters(pair);
    assert_int_equal(pair->sides[1].got, 60 * MSS);
    assert_int_equal(c->timeouts, 1);
    assert_int_equal(c->retrans_segs, 1);
    assert_int_equal(c->loss_undo, 1);
    assert_int_equal(c->spurious_rtos, 0);
    assert_int_equal(tcp_pair_info(pair, 0).ssthresh, UINT32_MAX);
    tcp_pair_free(pair);
}

/* Nothing new to send: F-RTO cannot decide, and the second segment is sent again. */
static void test_nothing_new(void **state)
{
    (void)state;
    struct tcp_pair *pair = spiky(false, true);
    pair->sides[1].params.quick_acks = 16;
    tcp_pair_send(pair, 0, FIRST * MSS_PLAIN, 5);
    tcp_pair_run(pair, SPIKE + 20 * PS_PER_MS);
    assert_int_equal(pair->sides[1].got, FIRST * MSS_PLAIN);
    assert_int_equal(counters(pair)->timeouts, 1);
    assert_true(counters(pair)->retrans_segs > 1);
    tcp_pair_free(pair);
}

static struct tcp_pair_fate lose_first(struct tcp_pair *pair, const struct tcp_pair_frame *frame)
{
    struct tcp_pair_fate fate = {0};
    if (frame->side == 0 && frame->payload > 0)
        fate.lose = pair->seen++ < FIRST;
    return fate;
}

/* All ten are lost: the ACK of the first retransmission lets two new segments leave, whose SACKs
 * say that the timeout was right. */
static void test_real_loss(void **state)
{
    (void)state;
    for (int timestamps = 0; timestamps < 2; timestamps++) {
        struct tcp_pair *pair = spiky(timestamps == 1, true);
        const uint32_t mss = timestamps == 1 ? MSS : MSS_PLAIN;
        pair->fate = lose_first;
        tcp_pair_send(pair, 0, 60 * (uint64_t)mss, 5);
        tcp_pair_run(pair, SPIKE);
        const struct tcp_counters *c = counters(pair);
        assert_int_equal(pair->sides[1].got, 60 * mss);
        assert_int_equal(c->timeouts, 1);
        assert_int_equal(c->retrans_segs, FIRST);
        assert_int_equal(c->spurious_rtos + c->loss_undo, 0);
        assert_int_equal(tcp_pair_nth(pair, 0, true, FIRST)->seq, 1);
        assert_int_equal(tcp_pair_nth(pair, 0, true, FIRST + 1)->seq, 1 + FIRST * mss);
        assert_int_equal(tcp_pair_nth(pair, 0, true, FIRST + 2)->seq, 1 + (FIRST + 1) * mss);
        assert_int_equal(tcp_pair_nth(pair, 0, true, FIRST + 3)->seq, 1 + mss);
        assert_int_equal(tcp_pair_info(pair, 0).ssthresh, FIRST / 2);
        tcp_pair_free(pair);
    }
}

/* One segment is 7 ms late of a round trip of 10: it is sent again at 10 ms, arrives at 12 ms, and
 * its ACK echoes a time before 10 ms. */
static struct tcp_pair_fate delay_one(struct tcp_pair *pair, const struct tcp_pair_frame *frame)
{
    struct tcp_pair_fate fate = {0};
    if (frame->side == 0 && frame->payload > 0 && pair->seen++ == 3)
        fate.late = 7 * PS_PER_MS;
    return fate;
}

static void late_segment(unsigned segments, bool full)
{
    struct tcp_pair *pair = tcp_pair_new(5 * PS_PER_MS);
    pair->sides[0].params.congestion_control = TCP_CC_newreno;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, 100 * PS_PER_MS);
    pair->fate = delay_one;
    tcp_pair_send(pair, 0, segments * (uint64_t)MSS, 5);
    tcp_pair_run(pair, 500 * PS_PER_MS);
    const struct tcp_counters *c = counters(pair);
    assert_int_equal(pair->sides[1].got, segments * MSS);
    assert_int_equal(c->sack_recovery, 1);
    assert_int_equal(c->retrans_segs, 1);
    assert_int_equal(c->full_undo, full ? 1 : 0);
    assert_int_equal(c->partial_undo, full ? 0 : 1);
    assert_int_equal(c->ts_reorder, full ? 0 : 1);
    assert_int_equal(c->dsack_undo, 0);
    assert_int_equal(tcp_pair_info(pair, 0).ssthresh, UINT32_MAX);
    assert_int_equal(tcp_pair_conn(pair, 0)->recovery, TCP_OPEN);
    tcp_pair_free(pair);
}

static void test_late_segment(void **state)
{
    (void)state;
    late_segment(FIRST, true);
    late_segment(100, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frto),      cmocka_unit_test(test_go_back),
        cmocka_unit_test(test_eifel),     cmocka_unit_test(test_nothing_new),
        cmocka_unit_test(test_real_loss), cmocka_unit_test(test_late_segment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
