/* SPDX-License-Identifier: Apache-2.0
 * Losses between two hosts back to back: recovery, retries, the laws under random loss,
 * determinism. */
#include "base/drop.h"
#include "tests/unit/rnic/rnic_pair.h"

#include "rnic/host/verbs_sim.h"
#include "rnic/qp/requester.h"
#include "rnic/qp/responder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SIGNALED IBV_SEND_SIGNALED

/* Loses the n-th (from 0) frame of an opcode: lose_state = opcode << 32 | n. */
static bool lose_one(struct pair *pair, const struct pair_frame *frame)
{
    if (frame->opcode != pair->lose_state >> 32)
        return false;
    return pair->seen++ == (uint32_t)pair->lose_state;
}

static void set_loss(struct pair *pair, uint8_t opcode, unsigned n)
{
    pair->lose = lose_one;
    pair->seen = 0;
    pair->lose_state = (uint64_t)opcode << 32 | n;
}

static void test_go_back_n(void **state)
{
    (void)state;
    struct pair *pair = pair_of(1024, 256);
    struct verbs_mr *from = pair_mr(pair, 0, 40 * 1024, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 40 * 1024, VERBS_BULK);
    pair_set_psn(pair, 0xFFFFF0); /* wraps in the middle */
    set_loss(pair, FRAME_RC_WRITE_MIDDLE, 19);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
    pair_run(pair, 50 * PS_PER_US);
    const struct rnic_counters *a = &pair->rnics[0]->counters, *b = &pair->rnics[1]->counters;
    const struct pair_frame *nak = pair_nth(pair, 1, FRAME_RC_ACKNOWLEDGE, 0);
    assert_int_equal(nak->aeth >> 24, 0x60);
    assert_int_equal(nak->psn, 4);                                  /* 0xFFFFF0 + 20 */
    assert_int_equal(pair_count(pair, 1, FRAME_RC_ACKNOWLEDGE), 2); /* one NAK, one ACK */
    assert_int_equal(a->naks, 1);
    assert_int_equal(a->timeouts, 0);
    assert_true(a->retransmitted_packets >= 2);
    assert_int_equal(a->retransmitted_packets, b->out_of_sequence + 1);
    assert_int_equal(pair->ends[0].wc_count, 1);
    pair_expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE);
    assert_int_equal(b->received_bytes, 40 * 1024);
    assert_int_equal(pair->ends[0].conn->qp->retry_left, 7);
    pair_free(pair);
}

static void test_lost_last_packet(void **state)
{
    (void)state;
    struct pair *pair = pair_of(1024, 256);
    struct verbs_mr *from = pair_mr(pair, 0, 4096, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 4096, VERBS_BULK);
    set_loss(pair, FRAME_RC_WRITE_LAST, 0);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
    pair_run(pair, 67 * PS_PER_MS); /* 4.096 us x 2^14 = 67.1 ms */
    assert_int_equal(pair->ends[0].wc_count, 0);
    pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->ends[0].wc_count, 1);
    assert_int_equal(pair->rnics[0]->counters.timeouts, 1);
    /* All four packets are unacknowledged; the ACK of the first duplicates spares the third. */
    assert_int_equal(pair->rnics[0]->counters.retransmitted_packets, 3);
    assert_int_equal(pair->rnics[1]->counters.duplicate_requests, 2);
    assert_int_equal(pair->rnics[1]->counters.received_bytes, 4096);
    pair_free(pair);
}

/* Without a local ACK timer nobody notices that the last packet was lost. */
static void test_no_timer(void **state)
{
    (void)state;
    struct pair_params params;
    pair_presets(&params);
    params.rnic.timeout = 0;
    params.rnic.ack_interval = 1;
    struct pair *pair = pair_make(&params);
    pair_connect(pair);
    struct verbs_mr *from = pair_mr(pair, 0, 64 * 1024, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 64 * 1024, VERBS_BULK);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
    pair_run(pair, 50 * PS_PER_US);
    pair_expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE);
    set_loss(pair, FRAME_RC_WRITE_LAST, 0);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
    pair_run(pair, 10 * PS_PER_S);
    assert_int_equal(pair->ends[0].wc_count, 1);
    assert_int_equal(pair->rnics[0]->counters.timeouts, 0);
    pair_free(pair);
}

static void test_lost_ack(void **state)
{
    (void)state;
    struct pair *pair = pair_of(1024, 256);
    struct verbs_mr *from = pair_mr(pair, 0, 100, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 100, VERBS_BULK);
    set_loss(pair, FRAME_RC_ACKNOWLEDGE, 0);
    assert_int_equal(pair_recv(pair, 1, to), 0);
    assert_int_equal(pair_post(pair, 0, IBV_WR_SEND, from, NULL, SIGNALED), 0);
    pair_run(pair, 70 * PS_PER_MS);
    pair_expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_SEND);
    assert_int_equal(pair->ends[1].wc_count, 1); /* the duplicate is not received again */
    assert_int_equal(pair->rnics[1]->counters.duplicate_requests, 1);
    pair_free(pair);
}

/* While a READ is still being answered, the requester asks again from a gap on: what was to come
 * from there is not sent twice, and another READ behind it is not forgotten. */
static void test_read_asked_again_while_it_is_answered(void **state)
{
    enum { BYTES = 400 * 1024, LOST = 50 };
    (void)state;
    struct pair *pair = pair_of(1024, 256);
    struct verbs_mr *to[2], *from[2];
    for (int i = 0; i < 2; i++) {
        to[i] = pair_mr(pair, 0, BYTES, VERBS_BYTES);
        from[i] = pair_mr(pair, 1, BYTES, VERBS_BYTES);
        for (int k = 0; k < BYTES; k++)
            from[i]->bytes[k] = (unsigned char)(k * 13 + k / 256 + k / 65536 + i * 101);
    }
    set_loss(pair, FRAME_RC_READ_RESPONSE_MIDDLE, LOST);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_READ, to[i], from[i], SIGNALED), 0);
    pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->ends[0].wc_count, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pair->ends[0].wcs[i].status, IBV_WC_SUCCESS);
        assert_memory_equal(to[i]->bytes, from[i]->bytes, BYTES);
    }
    const unsigned sent = pair_count(pair, 1, FRAME_RC_READ_RESPONSE_FIRST) +
                          pair_count(pair, 1, FRAME_RC_READ_RESPONSE_MIDDLE) +
                          pair_count(pair, 1, FRAME_RC_READ_RESPONSE_LAST);
    /* Once each, and those that were on the wire when the gap was seen. */
    assert_in_range(sent, 2 * BYTES / 1024 + 1, 2 * BYTES / 1024 + 40);
    assert_int_equal(pair->rnics[0]->counters.timeouts, 0);
    assert_int_equal(pair->rnics[0]->counters.implied_naks, 1);
    pair_free(pair);
}

/* Before a READ's first response has left, it is asked for again from its fourth packet on: three
 * packets are left of the first request, and no byte comes twice. */
static void test_read_asked_again_ahead_of_what_is_answered(void **state)
{
    enum { MTU = 1024, PACKETS = 8, FIRST = 3, BYTES = PACKETS * MTU - 100 };
    (void)state;
    struct pair_params params;
    pair_presets(&params);
    params.rnic.path_mtu = MTU;
    params.rnic.read_delay = 50 * PS_PER_US;
    struct pair *pair = pair_make(&params);
    pair_connect(pair);
    struct verbs_mr *to = pair_mr(pair, 0, BYTES, VERBS_BYTES);
    struct verbs_mr *from = pair_mr(pair, 1, BYTES, VERBS_BYTES);
    for (int k = 0; k < BYTES; k++)
        from->bytes[k] = (unsigned char)(k * 13 + k / 256);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_READ, to, from, SIGNALED), 0);
    pair_run(pair, 20 * PS_PER_US);
    struct qp *qp = pair->ends[1].conn->qp;
    const struct qp_read *first = &qp->reads[qp->read_head & qp->read_mask];
    assert_int_equal(qp->read_tail - qp->read_head, 1);
    assert_int_equal(first->packets, PACKETS);
    assert_int_equal(first->left, BYTES);
    const struct frame again = {.opcode = FRAME_RC_READ_REQUEST,
                                .psn = psn_add(first->response_psn, FIRST),
                                .address = from->addr + FIRST * MTU,
                                .rkey = from->rkey,
                                .length = BYTES - FIRST * MTU};
    responder_receive(pair->rnics[1], qp, &again, pair->engine.now);
    const struct qp_read *second = &qp->reads[(qp->read_head + 1) & qp->read_mask];
    assert_int_equal(qp->read_tail - qp->read_head, 2);
    assert_int_equal(first->packets, FIRST);
    assert_int_equal(first->left, FIRST * MTU);
    assert_int_equal(second->response_psn, again.psn);
    assert_int_equal(second->packets, PACKETS - FIRST);
    assert_int_equal(second->left, again.length);
    assert_int_equal(pair->rnics[1]->counters.duplicate_requests, 1);
    pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->ends[0].wc_count, 1);
    pair_expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_RDMA_READ);
    assert_memory_equal(to->bytes, from->bytes, BYTES);
    assert_int_equal(pair_count(pair, 1, FRAME_RC_READ_RESPONSE_FIRST), 2);
    assert_int_equal(pair_count(pair, 1, FRAME_RC_READ_RESPONSE_MIDDLE), PACKETS - 4);
    assert_int_equal(pair_count(pair, 1, FRAME_RC_READ_RESPONSE_LAST), 2);
    assert_int_equal(pair_nth(pair, 1, FRAME_RC_READ_RESPONSE_LAST, 0)->payload, MTU);
    assert_int_equal(pair_nth(pair, 1, FRAME_RC_READ_RESPONSE_LAST, 1)->payload, MTU - 100);
    pair_free(pair);
}

static void test_lost_read_response(void **state)
{
    static const uint8_t lost[] = {FRAME_RC_READ_RESPONSE_FIRST, FRAME_RC_READ_RESPONSE_MIDDLE,
                                   FRAME_RC_READ_RESPONSE_LAST, FRAME_RC_READ_REQUEST};
    (void)state;
    for (size_t i = 0; i < sizeof lost; i++) {
        struct pair *pair = pair_of(1024, 256);
        struct verbs_mr *to = pair_mr(pair, 0, 5000, VERBS_BYTES);
        struct verbs_mr *from = pair_mr(pair, 1, 5000, VERBS_BYTES);
        for (int k = 0; k < 5000; k++)
            from->bytes[k] = (unsigned char)(k * 13 + k / 256); /* no packet is like another */
        set_loss(pair, lost[i], 0);
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_READ, to, from, SIGNALED), 0);
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_READ, to, from, SIGNALED), 0);
        pair_run(pair, 70 * PS_PER_MS);
        assert_int_equal(pair->drops[PROBE_DROP_CORRUPT], 1);
        assert_int_equal(pair->ends[0].wc_count, 2);
        assert_int_equal(pair->ends[0].wcs[1].status, IBV_WC_SUCCESS);
        assert_memory_equal(to->bytes, from->bytes, 5000);
        /* The second READ's responses or the NAK tell of the loss at once: nothing waits for the
         * timer. */
        assert_int_equal(pair->rnics[0]->counters.timeouts, 0);
        assert_int_equal(pair->rnics[0]->counters.implied_naks, lost[i] != FRAME_RC_READ_REQUEST);
        assert_int_equal(pair->rnics[0]->counters.received_bytes, 10000);
        pair_free(pair);
    }
}

static bool lose_data(struct pair *pair, const struct pair_frame *frame)
{
    (void)pair;
    return frame->side == 0 && frame->opcode < FRAME_RC_ACKNOWLEDGE;
}

/* When the queue pair gives up after eight timeouts of 67.1 ms, in milliseconds. */
static int64_t gives_up_after(uint64_t seed, int64_t spread)
{
    struct pair_params params;
    pair_presets(&params);
    params.seed = seed;
    params.rnic.timeout_spread = spread;
    struct pair *pair = pair_make(&params);
    pair_connect(pair);
    struct verbs_mr *from = pair_mr(pair, 0, 100, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 100, VERBS_BULK);
    pair->lose = lose_data;
    const time_ps begun = pair->engine.now;
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, 0), 0);
    pair_run(pair, 3 * PS_PER_S);
    assert_int_equal(pair->rnics[0]->counters.timeouts, 8);
    pair_expect_wc(pair, 0, 0, IBV_WC_RETRY_EXC_ERR, IBV_WC_RDMA_WRITE);
    const time_ps span = pair->ends[0].wc_at[0] - begun;
    pair_free(pair);
    return span / PS_PER_MS;
}

/* Between T and 4T each, drawn anew: eight of them take neither the least nor the most. */
static void test_timers_are_late_as_far_as_they_may(void **state)
{
    (void)state;
    int64_t least = INT64_MAX, most = 0;
    assert_int_equal(gives_up_after(1, 0), 536);
    for (uint64_t seed = 1; seed <= 8; seed++) {
        const int64_t span = gives_up_after(seed, 3 * PPM);
        least = span < least ? span : least;
        most = span > most ? span : most;
        assert_in_range(gives_up_after(seed, PPM / 10), 537, 590);
        assert_int_equal(gives_up_after(seed, 3 * PPM), span);
    }
    assert_in_range(least, 700, most - 50);
    assert_in_range(most, 1000, 2100);
}

static void test_retries_exceeded(void **state)
{
    (void)state;
    struct pair *pair = pair_of(1024, 256);
    struct verbs_mr *from = pair_mr(pair, 0, 100, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 100, VERBS_BULK);
    pair->lose = lose_data;
    assert_int_equal(pair_recv(pair, 0, from), 0);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, 0), 0);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, 0), 0);
    pair_run(pair, 536 * PS_PER_MS); /* 8 x 67.1 ms = 536.9 ms */
    assert_int_equal(pair->ends[0].wc_count, 0);
    pair_run(pair, 2 * PS_PER_MS);
    assert_int_equal(pair->rnics[0]->counters.timeouts, 8);
    assert_int_equal(pair->rnics[0]->counters.retries_exceeded, 1);
    assert_int_equal(pair->rnics[0]->counters.qp_errors, 1);
    assert_int_equal(pair->ends[0].wc_count, 3); /* errors complete without being asked for */
    pair_expect_wc(pair, 0, 0, IBV_WC_RETRY_EXC_ERR, IBV_WC_RDMA_WRITE);
    pair_expect_wc(pair, 0, 1, IBV_WC_WR_FLUSH_ERR, IBV_WC_RDMA_WRITE);
    pair_expect_wc(pair, 0, 2, IBV_WC_WR_FLUSH_ERR, IBV_WC_RECV);
    assert_int_equal(pair->ends[0].conn->qp->state, IBV_QPS_ERR);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, 0), 0);
    pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->ends[0].wc_count, 4);
    pair_free(pair);
}

static bool lose_every_64th(struct pair *pair, const struct pair_frame *frame)
{
    return frame->side == 0 && frame->payload > 0 && ++pair->seen % 64 == 0;
}

/* A message of 400 packets with every 64th frame lost: go-back-n gets it through, go-back-0 never
 * does. */
static void test_go_back_0(void **state)
{
    static const int64_t recoveries[] = {RECOVERY_go_back_n, RECOVERY_go_back_0};
    (void)state;
    for (size_t i = 0; i < sizeof recoveries / sizeof *recoveries; i++) {
        const int64_t recovery = recoveries[i];
        struct pair_params params;
        pair_presets(&params);
        params.rnic.path_mtu = 1024;
        params.rnic.loss_recovery = recovery;
        struct pair *pair = pair_make(&params);
        pair_connect(pair);
        struct verbs_mr *from = pair_mr(pair, 0, 400 * 1024, VERBS_BULK);
        struct verbs_mr *to = pair_mr(pair, 1, 400 * 1024, VERBS_BULK);
        pair->lose = lose_every_64th;
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
        pair_run(pair, 2 * PS_PER_MS);
        assert_int_equal(pair->ends[0].wc_count, recovery == RECOVERY_go_back_n);
        assert_int_equal(pair->ends[0].conn->qp->state, IBV_QPS_RTS);
        assert_int_equal(pair->rnics[0]->counters.timeouts, 0);
        if (recovery == RECOVERY_go_back_0) { /* the link is full all the same */
            assert_true(pair->rnics[0]->port.prios[3].tx_frames > 22000);
            pair->lose = NULL;
            pair_run(pair, PS_PER_MS);
            assert_int_equal(pair->ends[0].wc_count, 1);
            assert_int_equal(pair->rnics[1]->counters.received_bytes, 400 * 1024);
        }
        pair_free(pair);
    }
}

/* One frame in 50 is lost on either way, whatever it is. */
static bool lose_some(struct pair *pair, const struct pair_frame *frame)
{
    (void)frame;
    pair->lose_state = pair->lose_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (pair->lose_state >> 33) % 50 == 0;
}

/* Under random losses every request completes once and in order, and the bytes are those that were
 * sent. */
static void test_laws_under_loss(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 18; seed++) {
        struct pair_params params;
        pair_presets(&params);
        params.seed = seed;
        params.rnic.path_mtu = 1024;
        params.rnic.timeout = 5; /* 131 us */
        params.rnic.min_rnr_timer = 1;
        params.rnic.ack_interval = 1 + (int64_t)seed % 4;
        params.rnic.loss_recovery = (int64_t)(seed / 2 % 3);
        params.rnic.ack_coalescing = seed % 2 == 0;
        struct pair *pair = pair_make(&params);
        pair_connect(pair);
        pair_set_psn(pair, 0xFFFFFF - 40);
        struct verbs_mr *near = pair_mr(pair, 0, 5000, VERBS_BYTES);
        struct verbs_mr *far = pair_mr(pair, 1, 5000, VERBS_BYTES);
        pair->lose = lose_some;
        pair->lose_state = seed;
        for (int k = 0; k < 5000; k++)
            far->bytes[k] = (unsigned char)(k * 31 + k / 256);
        uint64_t sent = 0;
        for (unsigned round = 0; round < 40; round++) {
            static const enum ibv_wr_opcode kinds[4] = {IBV_WR_RDMA_READ, IBV_WR_RDMA_WRITE,
                                                        IBV_WR_RDMA_READ, IBV_WR_SEND};
            assert_int_equal(pair_recv(pair, 1, far), 0);
            for (int k = 0; k < 4; k++)
                assert_int_equal(pair_post(pair, 0, kinds[k], near, far, SIGNALED), 0);
            sent += 4;
            pair_run(pair, 20 * PS_PER_MS);
            assert_int_equal(pair->ends[0].wc_count, sent);
            assert_memory_equal(near->bytes, far->bytes, 5000);
        }
        for (unsigned i = 0; i < sent; i++) {
            assert_int_equal(pair->ends[0].wcs[i].status, IBV_WC_SUCCESS);
            assert_int_equal(pair->ends[0].wcs[i].wr_id, i);
        }
        const struct rnic_counters *a = &pair->rnics[0]->counters, *b = &pair->rnics[1]->counters;
        assert_int_equal(pair->ends[1].wc_count, 40);
        assert_int_equal(b->received_messages, 80);
        assert_int_equal(b->received_bytes, 80 * 5000);
        assert_int_equal(a->message_bytes, 160 * 5000);
        assert_true(a->retransmitted_packets > 0 && pair->drops[PROBE_DROP_CORRUPT] > 10);
        assert_int_equal(pair->frames.frames.taken, 0);
        pair_free(pair);
    }
}

/* ------------------------------------------------------------------ determinism */

static struct digest play(uint64_t seed, bool hostile, int64_t recovery)
{
    struct pair_params params;
    pair_presets(&params);
    params.seed = seed;
    params.cc = "dcqcn";
    params.rnic.loss_recovery = recovery;
    struct pair *pair = pair_make(&params);
    pair->engine.hostile = hostile;
    pair_connect(pair);
    struct verbs_mr *near = pair_mr(pair, 0, 100000, VERBS_BULK);
    struct verbs_mr *far = pair_mr(pair, 1, 100000, VERBS_BULK);
    pair->lose = lose_some;
    for (int i = 0; i < 30; i++)
        pair_post(pair, i & 1, i % 3 ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_READ, i & 1 ? far : near,
                  i & 1 ? near : far, SIGNALED);
    pair_run(pair, 200 * PS_PER_MS);
    const struct digest digest = engine_digest(&pair->engine);
    pair_free(pair);
    return digest;
}

static void test_digest(void **state)
{
    (void)state;
    for (int64_t kind = 0; recovery_list[kind] != NULL; kind++) {
        const struct digest once = play(1, true, kind), again = play(1, false, kind),
                            other = play(2, true, kind);
        assert_memory_equal(&once, &again, sizeof once);
        assert_memory_not_equal(&once, &other, sizeof once);
    }
}

/* What does not fit its receive is refused in the middle, and nothing of the rest is taken. */
static void test_refused_within_a_message(void **state)
{
    (void)state;
    struct pair *pair = pair_of(1024, 256);
    struct verbs_mr *from = pair_mr(pair, 0, 64 * 1024, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 4096, VERBS_BULK);
    assert_int_equal(pair_recv(pair, 1, to), 0);
    assert_int_equal(pair_post(pair, 0, IBV_WR_SEND, from, NULL, SIGNALED), 0);
    pair_run(pair, PS_PER_MS);
    const struct qp *qp = pair->ends[1].conn->qp;
    assert_int_equal(qp->state, IBV_QPS_ERR);
    qp_audit(pair->rnics[1], qp);
    assert_int_equal(pair->rnics[1]->counters.received_messages, 0);
    assert_int_equal(pair->ends[0].wc_count, 1);
    pair_expect_wc(pair, 0, 0, IBV_WC_REM_INV_REQ_ERR, IBV_WC_SEND);
    pair_free(pair);
}

/* One end gives up in the middle of a message: nothing of it goes on there, whatever comes. */
static void test_error_within_a_message(void **state)
{
    (void)state;
    for (int side = 0; side < 2; side++) {
        struct pair *pair = pair_of(1024, 256);
        struct verbs_mr *from = pair_mr(pair, 0, 1 << 20, VERBS_BULK);
        struct verbs_mr *to = pair_mr(pair, 1, 1 << 20, VERBS_BULK);
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
        pair_run(pair, 20 * PS_PER_US);
        const struct qp *qp = pair->ends[side].conn->qp;
        assert_in_range(pair->ends[1].conn->qp->rx_offset, 1024, (1 << 20) - 1024);
        verbs_sim.disconnect(pair->ends[side].conn);
        assert_int_equal(qp->state, IBV_QPS_ERR);
        qp_audit(pair->rnics[side], qp);
        pair_run(pair, PS_PER_MS);
        assert_int_equal(pair->rnics[1]->counters.received_bytes, 0);
        assert_int_equal(pair->ends[0].wc_count, 1);
        pair_expect_wc(pair, 0, 0, IBV_WC_WR_FLUSH_ERR, IBV_WC_RDMA_WRITE);
        pair_free(pair);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_go_back_n),
        cmocka_unit_test(test_lost_last_packet),
        cmocka_unit_test(test_no_timer),
        cmocka_unit_test(test_lost_ack),
        cmocka_unit_test(test_read_asked_again_ahead_of_what_is_answered),
        cmocka_unit_test(test_lost_read_response),
        cmocka_unit_test(test_read_asked_again_while_it_is_answered),
        cmocka_unit_test(test_timers_are_late_as_far_as_they_may),
        cmocka_unit_test(test_retries_exceeded),
        cmocka_unit_test(test_go_back_0),
        cmocka_unit_test(test_refused_within_a_message),
        cmocka_unit_test(test_error_within_a_message),
        cmocka_unit_test(test_laws_under_loss),
        cmocka_unit_test(test_digest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
