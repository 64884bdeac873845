/* SPDX-License-Identifier: Apache-2.0
 * The transport between two hosts back to back: sizes, sequence numbers, losses, limits, errors. */
#include "rnic_pair.h"

#include "rnic/requester.h"
#include "rnic/verbs_sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SIGNALED IBV_SEND_SIGNALED

static struct pair *make(int64_t path_mtu, int64_t ack_interval)
{
    struct pair_params params;
    pair_presets(&params);
    params.rnic.path_mtu = path_mtu;
    params.rnic.ack_interval = ack_interval;
    struct pair *pair = pair_make(&params);
    pair_connect(pair);
    pair->log_count = 0;
    return pair;
}

/* One completion of the status came to the side since it last looked. */
static void expect_wc(struct pair *pair, int side, unsigned n, enum ibv_wc_status status,
                      enum ibv_wc_opcode opcode)
{
    assert_true(pair->ends[side].wc_count > n);
    assert_int_equal(pair->ends[side].wcs[n].status, status);
    assert_int_equal(pair->ends[side].wcs[n].opcode, opcode);
}

/* ------------------------------------------------------------------ sizes and segmentation */

static void test_write_segments(void **state)
{
    (void)state;
    struct pair *pair = make(1024, 256);
    struct verbs_mr *from = pair_mr(pair, 0, 3 * 1024 + 10, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 3 * 1024 + 10, VERBS_BULK);
    from->content = 77;
    pair_set_psn(pair, 100);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
    pair_run(pair, 20 * PS_PER_US);
    static const struct {
        uint8_t opcode, flags;
        uint16_t bytes, payload;
    } rows[] = {
        {FRAME_RC_WRITE_FIRST, 0, 78 + 1024, 1024},
        {FRAME_RC_WRITE_MIDDLE, 0, 62 + 1024, 1024},
        {FRAME_RC_WRITE_MIDDLE, 0, 62 + 1024, 1024},
        {FRAME_RC_WRITE_LAST, FRAME_ACK_REQUEST, 62 + 12, 10},
        {FRAME_RC_ACKNOWLEDGE, 0, 66, 0},
    };
    assert_int_equal(pair->log_count, 5);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(pair->log[i].opcode, rows[i].opcode);
        assert_int_equal(pair->log[i].flags, rows[i].flags);
        assert_int_equal(pair->log[i].bytes, rows[i].bytes);
        assert_int_equal(pair->log[i].payload, rows[i].payload);
        assert_int_equal(pair->log[i].psn, i < 4 ? 100 + i : 103);
    }
    assert_int_equal(pair->log[0].length, 3 * 1024 + 10);
    assert_int_equal(pair->log[4].aeth, 0x1F000001); /* no credits, one message */
    assert_int_equal(pair->log[0].tos, 26 << 2);
    assert_int_equal(to->content, 77);
    assert_int_equal(pair->ends[0].wc_count, 1);
    expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE);
    assert_int_equal(pair->ends[1].wc_count, 0);
    pair_free(pair);
}

/* doorbell 300 ns, 146 + 8 bytes' preamble at 80 ps/B, cable 3 m, 300 ns to the completion. */
static void test_send_timing_and_bytes(void **state)
{
    (void)state;
    struct pair *pair = make(4096, 256);
    struct verbs_mr *from = pair_mr(pair, 0, 64, VERBS_BYTES);
    struct verbs_mr *to = pair_mr(pair, 1, 4096, VERBS_BYTES);
    memcpy(from->bytes, "a capsule", 10);
    assert_int_equal(pair_recv(pair, 1, to), 0);
    const time_ps posted = pair->engine.now;
    assert_int_equal(pair_post(pair, 0, IBV_WR_SEND, from, NULL, SIGNALED), 0);
    const time_ps last_bit = (62 + 64 + 8) * 80 + 15150;
    pair_run(pair, 600 * PS_PER_NS + last_bit - 1);
    assert_int_equal(pair->ends[1].wc_count, 0);
    pair_run(pair, 1);
    assert_int_equal(pair->ends[1].wc_count, 1);
    assert_int_equal(pair->log[0].at, posted + 300 * PS_PER_NS);
    assert_int_equal(pair->ends[1].wcs[0].byte_len, 64);
    assert_int_equal(pair->ends[1].wcs[0].wr_id, 1000);
    expect_wc(pair, 1, 0, IBV_WC_SUCCESS, IBV_WC_RECV);
    assert_string_equal((const char *)to->bytes, "a capsule");
    pair_run(pair, PS_PER_US);
    expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_SEND);
    pair_free(pair);
}

/* 64 real bytes and 4096 of bulk at path MTU 4096 and 1024, as an NVMe write with its data
 * travels. */
static void test_capsule_with_data(void **state)
{
    (void)state;
    for (int64_t mtu = 1024; mtu <= 4096; mtu *= 4) {
        struct pair *pair = make(mtu, 256);
        struct verbs_mr *head = pair_mr(pair, 0, 64, VERBS_BYTES);
        struct verbs_mr *bulk = pair_mr(pair, 0, 4096, VERBS_BULK);
        struct verbs_mr *head_to = pair_mr(pair, 1, 64, VERBS_BYTES);
        struct verbs_mr *bulk_to = pair_mr(pair, 1, 8192, VERBS_BULK);
        memset(head->bytes, 0xC7, 64);
        bulk->content = 5;
        struct ibv_sge to[2] = {{head_to->addr, 64, head_to->lkey},
                                {bulk_to->addr, 8192, bulk_to->lkey}};
        struct ibv_recv_wr *bad_recv, recv = {.sg_list = to, .num_sge = 2};
        assert_int_equal(verbs_sim.post_recv(pair->ends[1].conn, &recv, &bad_recv), 0);
        struct ibv_sge from[2] = {{head->addr, 64, head->lkey}, {bulk->addr, 4096, bulk->lkey}};
        struct ibv_send_wr *bad, wr = {.opcode = IBV_WR_SEND, .sg_list = from, .num_sge = 2};
        assert_int_equal(verbs_sim.post_send(pair->ends[0].conn, &wr, &bad), 0);
        pair_run(pair, 20 * PS_PER_US);
        assert_int_equal(pair_count(pair, 0, FRAME_RC_SEND_MIDDLE), mtu == 1024 ? 3 : 0);
        assert_int_equal(pair_nth(pair, 0, FRAME_RC_SEND_LAST, 0)->payload, 64);
        assert_int_equal(pair->ends[1].wcs[0].byte_len, 4160);
        assert_memory_equal(head_to->bytes, head->bytes, 64);
        assert_int_equal(bulk_to->content, 5);
        assert_int_equal(pair->ends[0].wc_count, 0); /* not signalled */
        pair_free(pair);
    }
}

static void test_read(void **state)
{
    (void)state;
    struct pair *pair = make(1024, 256);
    struct verbs_mr *to = pair_mr(pair, 0, 2500, VERBS_BYTES);
    struct verbs_mr *from = pair_mr(pair, 1, 2500, VERBS_BYTES);
    for (int i = 0; i < 2500; i++)
        from->bytes[i] = (unsigned char)(i * 7);
    pair_set_psn(pair, 0xFFFFFE);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_READ, to, from, SIGNALED), 0);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, to, from, SIGNALED), 0);
    pair_run(pair, 20 * PS_PER_US);
    static const uint8_t opcodes[] = {FRAME_RC_READ_RESPONSE_FIRST, FRAME_RC_READ_RESPONSE_MIDDLE,
                                      FRAME_RC_READ_RESPONSE_LAST};
    static const uint16_t bytes[] = {66 + 1024, 62 + 1024, 66 + 452};
    assert_int_equal(pair_nth(pair, 0, FRAME_RC_READ_REQUEST, 0)->psn, 0xFFFFFE);
    assert_int_equal(pair_nth(pair, 0, FRAME_RC_READ_REQUEST, 0)->bytes, 78);
    for (unsigned i = 0; i < 3; i++) {
        const struct pair_frame *frame = pair_nth(pair, 1, opcodes[i], 0);
        assert_non_null(frame);
        assert_int_equal(frame->psn, (0xFFFFFE + i) & 0xFFFFFF);
        assert_int_equal(frame->bytes, bytes[i]);
    }
    /* The request after a READ takes the PSN after its last response. */
    assert_int_equal(pair_nth(pair, 0, FRAME_RC_WRITE_FIRST, 0)->psn, 1);
    assert_memory_equal(to->bytes, from->bytes, 2500);
    assert_int_equal(pair->ends[0].wc_count, 2);
    expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_RDMA_READ);
    expect_wc(pair, 0, 1, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE);
    /* The WRITE's ACK waits for the READ's responses. */
    const struct pair_frame *ack = pair_nth(pair, 1, FRAME_RC_ACKNOWLEDGE, 0);
    assert_true(ack->at > pair_nth(pair, 1, FRAME_RC_READ_RESPONSE_LAST, 0)->at);
    assert_int_equal(pair->rnics[0]->counters.retransmitted_packets, 0);
    pair_free(pair);
}

static void test_empty_messages(void **state)
{
    (void)state;
    struct pair *pair = make(4096, 256);
    struct verbs_mr *mr = pair_mr(pair, 1, 16, VERBS_BULK);
    assert_int_equal(pair_recv(pair, 1, mr), 0);
    assert_int_equal(pair_post(pair, 0, IBV_WR_SEND, NULL, NULL, SIGNALED), 0);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, NULL, mr, SIGNALED), 0);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_READ, NULL, mr, SIGNALED), 0);
    pair_run(pair, 20 * PS_PER_US);
    assert_int_equal(pair->ends[0].wc_count, 3);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(pair->ends[0].wcs[i].status, IBV_WC_SUCCESS);
    assert_int_equal(pair->ends[1].wcs[0].byte_len, 0);
    assert_int_equal(pair_count(pair, 1, FRAME_RC_READ_RESPONSE_ONLY), 1);
    pair_free(pair);
}

/* Goodput of one long WRITE is the share of payload on the wire: 1024 -> 92.59 Gb/s, 4096 ->
 * 98.04. */
static void test_goodput(void **state)
{
    (void)state;
    static const struct {
        int64_t mtu;
        double gbps;
    } rows[] = {{256, 75.74}, {512, 86.20}, {1024, 92.59}, {2048, 96.15}, {4096, 98.04}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pair *pair = make(rows[i].mtu, 256);
        struct verbs_mr *from = pair_mr(pair, 0, 4 << 20, VERBS_BULK);
        struct verbs_mr *to = pair_mr(pair, 1, 4 << 20, VERBS_BULK);
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
        pair_run(pair, 1 * PS_PER_MS);
        assert_int_equal(pair->ends[0].wc_count, 1);
        const struct pair_frame *first = pair_nth(pair, 0, FRAME_RC_WRITE_FIRST, 0);
        const struct pair_frame *last = pair_nth(pair, 0, FRAME_RC_WRITE_LAST, 0);
        const double bits = 8.0 * (double)((4 << 20) - last->payload);
        const double gbps = bits / (double)(last->at - first->at) * 1000;
        assert_true(gbps > rows[i].gbps - 0.05 && gbps < rows[i].gbps + 0.05);
        pair_free(pair);
    }
}

/* ------------------------------------------------------------------ acknowledgements */

static void test_ack_interval(void **state)
{
    static const struct {
        int64_t interval;
        unsigned acks;
    } rows[] = {{1, 20}, {4, 5}, {8, 3}, {256, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pair *pair = make(1024, rows[i].interval);
        struct verbs_mr *from = pair_mr(pair, 0, 20 * 1024, VERBS_BULK);
        struct verbs_mr *to = pair_mr(pair, 1, 20 * 1024, VERBS_BULK);
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
        pair_run(pair, 20 * PS_PER_US);
        assert_int_equal(pair_count(pair, 1, FRAME_RC_ACKNOWLEDGE), rows[i].acks);
        pair_free(pair);
    }
}

/* With the way back taken by data, ACKs that wait are merged; without coalescing each one leaves.
 * */
static void test_ack_coalescing(void **state)
{
    (void)state;
    for (int64_t on = 0; on <= 1; on++) {
        struct pair_params params;
        pair_presets(&params);
        params.rnic.ack_coalescing = on;
        params.rnic.path_mtu = 4096;
        struct pair *pair = pair_make(&params);
        pair_connect(pair);
        struct verbs_mr *big[2], *small[2];
        for (int i = 0; i < 2; i++) {
            big[i] = pair_mr(pair, i, 400000, VERBS_BULK);
            small[i] = pair_mr(pair, i, 8, VERBS_BULK);
        }
        assert_int_equal(pair_post(pair, 1, IBV_WR_RDMA_WRITE, big[1], big[0], SIGNALED), 0);
        for (int i = 0; i < 50; i++)
            assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, small[0], small[1], SIGNALED),
                             0);
        pair_run(pair, 100 * PS_PER_US);
        assert_int_equal(pair->ends[0].wc_count, 50);
        const unsigned acks = pair_count(pair, 1, FRAME_RC_ACKNOWLEDGE);
        assert_true(on ? acks < 10 : acks == 50);
        assert_int_equal(pair->rnics[1]->counters.acks_sent, acks);
        assert_int_equal(acks + pair->rnics[1]->counters.acks_merged, 50);
        pair_free(pair);
    }
}

/* ------------------------------------------------------------------ losses */

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
    struct pair *pair = make(1024, 256);
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
    expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE);
    assert_int_equal(b->received_bytes, 40 * 1024);
    assert_int_equal(pair->ends[0].conn->qp->retry_left, 7);
    pair_free(pair);
}

static void test_lost_last_packet(void **state)
{
    (void)state;
    struct pair *pair = make(1024, 256);
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

static void test_lost_ack(void **state)
{
    (void)state;
    struct pair *pair = make(1024, 256);
    struct verbs_mr *from = pair_mr(pair, 0, 100, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 100, VERBS_BULK);
    set_loss(pair, FRAME_RC_ACKNOWLEDGE, 0);
    assert_int_equal(pair_recv(pair, 1, to), 0);
    assert_int_equal(pair_post(pair, 0, IBV_WR_SEND, from, NULL, SIGNALED), 0);
    pair_run(pair, 70 * PS_PER_MS);
    expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_SEND);
    assert_int_equal(pair->ends[1].wc_count, 1); /* the duplicate is not received again */
    assert_int_equal(pair->rnics[1]->counters.duplicate_requests, 1);
    pair_free(pair);
}

static void test_lost_read_response(void **state)
{
    static const uint8_t lost[] = {FRAME_RC_READ_RESPONSE_FIRST, FRAME_RC_READ_RESPONSE_MIDDLE,
                                   FRAME_RC_READ_RESPONSE_LAST, FRAME_RC_READ_REQUEST};
    (void)state;
    for (size_t i = 0; i < sizeof lost; i++) {
        struct pair *pair = make(1024, 256);
        struct verbs_mr *to = pair_mr(pair, 0, 5000, VERBS_BYTES);
        struct verbs_mr *from = pair_mr(pair, 1, 5000, VERBS_BYTES);
        for (int k = 0; k < 5000; k++)
            from->bytes[k] = (unsigned char)(k * 13);
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

static void test_retries_exceeded(void **state)
{
    (void)state;
    struct pair *pair = make(1024, 256);
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
    expect_wc(pair, 0, 0, IBV_WC_RETRY_EXC_ERR, IBV_WC_RDMA_WRITE);
    expect_wc(pair, 0, 1, IBV_WC_WR_FLUSH_ERR, IBV_WC_RDMA_WRITE);
    expect_wc(pair, 0, 2, IBV_WC_WR_FLUSH_ERR, IBV_WC_RECV);
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
    (void)state;
    for (int64_t recovery = RNIC_GO_BACK_N; recovery <= RNIC_GO_BACK_0; recovery++) {
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
        assert_int_equal(pair->ends[0].wc_count, recovery == RNIC_GO_BACK_N);
        assert_int_equal(pair->ends[0].conn->qp->state, IBV_QPS_RTS);
        assert_int_equal(pair->rnics[0]->counters.timeouts, 0);
        if (recovery == RNIC_GO_BACK_0) { /* the link is full all the same */
            assert_true(pair->rnics[0]->port.tx[3].frames > 22000);
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
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct pair_params params;
        pair_presets(&params);
        params.seed = seed;
        params.rnic.path_mtu = 1024;
        params.rnic.timeout = 5; /* 131 us */
        params.rnic.min_rnr_timer = 1;
        params.rnic.ack_interval = 1 + (int64_t)seed % 4;
        params.rnic.loss_recovery = seed % 3 == 0 ? RNIC_GO_BACK_0 : RNIC_GO_BACK_N;
        params.rnic.ack_coalescing = seed % 2 == 0;
        struct pair *pair = pair_make(&params);
        pair_connect(pair);
        pair_set_psn(pair, 0xFFFFFF - 40);
        struct verbs_mr *near = pair_mr(pair, 0, 5000, VERBS_BYTES);
        struct verbs_mr *far = pair_mr(pair, 1, 5000, VERBS_BYTES);
        pair->lose = lose_some;
        pair->lose_state = seed;
        for (int k = 0; k < 5000; k++)
            far->bytes[k] = (unsigned char)(k * 31);
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

/* ------------------------------------------------------------------ receiver not ready, limits,
 * errors */

static void test_rnr(void **state)
{
    (void)state;
    struct pair_params params;
    pair_presets(&params);
    params.rnic.min_rnr_timer = 12; /* 0.64 ms */
    struct pair *pair = pair_make(&params);
    pair_connect(pair);
    struct verbs_mr *from = pair_mr(pair, 0, 10000, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 10000, VERBS_BULK);
    assert_int_equal(pair_post(pair, 0, IBV_WR_SEND, from, NULL, SIGNALED), 0);
    pair_run(pair, 100 * PS_PER_US);
    assert_int_equal(pair_nth(pair, 1, FRAME_RC_ACKNOWLEDGE, 0)->aeth >> 24, 0x20 | 12);
    assert_int_equal(pair_recv(pair, 1, to), 0);
    pair_run(pair, 500 * PS_PER_US);
    assert_int_equal(pair->ends[0].wc_count, 0);
    pair_run(pair, 100 * PS_PER_US);
    expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_SEND);
    assert_int_equal(pair->rnics[0]->counters.rnr_naks, 1);
    assert_int_equal(pair->rnics[0]->counters.naks, 0); /* what followed was dropped in silence */
    pair_free(pair);
}

static void test_rnr_retries_exceeded(void **state)
{
    (void)state;
    struct pair_params params;
    pair_presets(&params);
    params.rnic.min_rnr_timer = 1; /* 10 us */
    params.rnic.rnr_retry = 2;
    struct pair *pair = pair_make(&params);
    pair_connect(pair);
    struct verbs_mr *from = pair_mr(pair, 0, 100, VERBS_BULK);
    assert_int_equal(pair_post(pair, 0, IBV_WR_SEND, from, NULL, 0), 0);
    pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->rnics[0]->counters.rnr_naks, 3);
    expect_wc(pair, 0, 0, IBV_WC_RNR_RETRY_EXC_ERR, IBV_WC_SEND);
    pair_free(pair);
}

static bool watch_reads(struct pair *pair, const struct pair_frame *frame)
{
    const struct qp *qp = pair->ends[0].conn->qp;
    if (frame->opcode == FRAME_RC_READ_REQUEST && qp->reads_out > pair->lose_state)
        pair->lose_state = qp->reads_out;
    return false;
}

static void test_read_limit(void **state)
{
    (void)state;
    struct pair_params params;
    pair_presets(&params);
    params.rnic.max_rd_atomic = 3;
    struct pair *pair = pair_make(&params);
    pair_connect(pair);
    struct verbs_mr *to = pair_mr(pair, 0, 9000, VERBS_BULK);
    struct verbs_mr *from = pair_mr(pair, 1, 9000, VERBS_BULK);
    pair->lose = watch_reads;
    for (int i = 0; i < 20; i++)
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_READ, to, from, SIGNALED), 0);
    pair_run(pair, 100 * PS_PER_US);
    assert_int_equal(pair->ends[0].wc_count, 20);
    assert_int_equal(pair->lose_state, 3);
    pair_free(pair);
}

static void test_fence(void **state)
{
    (void)state;
    struct pair *pair = make(4096, 256);
    struct verbs_mr *near = pair_mr(pair, 0, 9000, VERBS_BULK);
    struct verbs_mr *far = pair_mr(pair, 1, 9000, VERBS_BULK);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_READ, near, far, 0), 0);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, near, far, SIGNALED | IBV_SEND_FENCE),
                     0);
    pair_run(pair, 20 * PS_PER_US);
    assert_int_equal(pair->ends[0].wc_count, 1);
    assert_true(pair_nth(pair, 0, FRAME_RC_WRITE_FIRST, 0)->at >
                pair_nth(pair, 1, FRAME_RC_READ_RESPONSE_LAST, 0)->at);
    pair_free(pair);
}

static void test_remote_errors(void **state)
{
    static const struct {
        enum ibv_wr_opcode opcode;
        bool wrong_key, too_long;
        enum ibv_wc_status status;
    } rows[] = {
        {IBV_WR_RDMA_WRITE, true, false, IBV_WC_REM_ACCESS_ERR},
        {IBV_WR_RDMA_READ, true, false, IBV_WC_REM_ACCESS_ERR},
        {IBV_WR_RDMA_WRITE, false, true, IBV_WC_REM_ACCESS_ERR},
        {IBV_WR_SEND, false, true, IBV_WC_REM_INV_REQ_ERR},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pair *pair = make(1024, 256);
        struct verbs_mr *near = pair_mr(pair, 0, 4000, VERBS_BULK);
        struct verbs_mr *far = pair_mr(pair, 1, rows[i].too_long ? 3999 : 4000, VERBS_BULK);
        struct verbs_mr named = *far;
        named.rkey += rows[i].wrong_key;
        assert_int_equal(pair_recv(pair, 1, far), 0);
        assert_int_equal(pair_post(pair, 0, rows[i].opcode, near, &named, 0), 0);
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, near, &named, 0), 0);
        pair_run(pair, 100 * PS_PER_US);
        assert_int_equal(pair->ends[0].wc_count, 2);
        assert_int_equal(pair->ends[0].wcs[0].status, rows[i].status);
        assert_int_equal(pair->ends[0].wcs[1].status, IBV_WC_WR_FLUSH_ERR);
        assert_int_equal(pair->ends[1].wc_count, 1);
        assert_int_equal(pair->ends[1].wcs[0].status,
                         rows[i].opcode == IBV_WR_SEND ? IBV_WC_LOC_LEN_ERR : IBV_WC_WR_FLUSH_ERR);
        for (int side = 0; side < 2; side++)
            assert_int_equal(pair->ends[side].conn->qp->state, IBV_QPS_ERR);
        pair_free(pair);
    }
}

static void test_invalidate(void **state)
{
    (void)state;
    struct pair *pair = make(4096, 256);
    struct verbs_mr *near = pair_mr(pair, 0, 100, VERBS_BULK);
    struct verbs_mr *far = pair_mr(pair, 1, 100, VERBS_BULK);
    const uint32_t rkey = far->rkey;
    assert_int_equal(pair_recv(pair, 1, far), 0);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, near, far, 0), 0);
    assert_int_equal(pair_post(pair, 0, IBV_WR_SEND_WITH_INV, near, far, SIGNALED), 0);
    assert_int_equal(pair_post(pair, 0, IBV_WR_LOCAL_INV, NULL, near, SIGNALED), 0);
    pair_run(pair, 20 * PS_PER_US);
    assert_int_equal(pair_nth(pair, 0, FRAME_RC_SEND_ONLY_INV, 0)->bytes, 66 + 100);
    expect_wc(pair, 1, 0, IBV_WC_SUCCESS, IBV_WC_RECV);
    assert_int_equal(pair->ends[1].wcs[0].wc_flags, IBV_WC_WITH_INV);
    assert_int_equal(pair->ends[1].wcs[0].invalidated_rkey, rkey);
    expect_wc(pair, 0, 1, IBV_WC_SUCCESS, IBV_WC_LOCAL_INV);
    /* A fresh key works, the old one does not. */
    verbs_sim.renew_rkey(pair->ends[1].device, far);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, near, far, SIGNALED), 0);
    pair_run(pair, 20 * PS_PER_US);
    expect_wc(pair, 0, 2, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE);
    struct verbs_mr old = *far;
    old.rkey = rkey;
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, near, &old, SIGNALED), 0);
    pair_run(pair, 20 * PS_PER_US);
    expect_wc(pair, 0, 3, IBV_WC_REM_ACCESS_ERR, IBV_WC_RDMA_WRITE);
    pair_free(pair);
}

static void test_refused_posts(void **state)
{
    (void)state;
    struct pair *pair = make(4096, 256);
    struct verbs_mr *near = pair_mr(pair, 0, 100, VERBS_BULK);
    struct verbs_mr wrong = *near;
    wrong.lkey += 1 << 16;
    assert_int_not_equal(pair_post(pair, 0, IBV_WR_SEND, &wrong, NULL, 0), 0);
    assert_int_not_equal(pair_post(pair, 0, IBV_WR_SEND_WITH_IMM, near, NULL, 0), 0);
    wrong = *near;
    wrong.length++;
    assert_int_not_equal(pair_recv(pair, 0, &wrong), 0);
    for (int i = 0; i < 64; i++)
        assert_int_equal(pair_recv(pair, 0, near), 0);
    assert_int_not_equal(pair_recv(pair, 0, near), 0);
    pair_free(pair);
}

/* ------------------------------------------------------------------ receive buffer and faults */

static void slow_receiver(struct pair *pair)
{
    struct verbs_mr *from = pair_mr(pair, 0, 4 << 20, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 4 << 20, VERBS_BULK);
    rnic_set_drain(pair->rnics[1], INT64_C(10000000000), pair->engine.now);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
    pair_run(pair, 2 * PS_PER_MS);
}

/* 10 Gb/s of drain below 100 Gb/s of wire: the peer is paused, nothing is lost, the rate is the
 * drain's. */
static void test_slow_receiver(void **state)
{
    (void)state;
    struct pair *pair = make(4096, 256);
    slow_receiver(pair);
    const struct rx_buffer *rx = &pair->rnics[1]->rx;
    assert_true(pair->pauses > 5);
    assert_true(rx->peak > rx->xoff && rx->peak <= rx->size);
    assert_int_equal(pair->drops[PROBE_DROP_RX_BUFFER], 0);
    assert_int_equal(pair->ends[0].wc_count, 0); /* 4 MiB take 3.4 ms */
    const uint64_t drained = pair->rnics[1]->port.rx[3].bytes - (uint64_t)rx->held;
    assert_true(drained > 2400000 && drained < 2520000);
    rnic_set_drain(pair->rnics[1], RNIC_UNLIMITED, pair->engine.now);
    pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->ends[0].wc_count, 1);
    assert_false(pair->rnics[1]->rx_slow);
    assert_int_equal(pair->rnics[1]->port.asserted, 0);
    pair_free(pair);
}

static void test_slow_receiver_without_pfc(void **state)
{
    (void)state;
    struct pair_params params;
    pair_presets(&params);
    params.rnic.pfc = 0;
    struct pair *pair = pair_make(&params);
    pair_connect(pair);
    slow_receiver(pair);
    assert_int_equal(pair->pauses, 0);
    assert_true(pair->drops[PROBE_DROP_RX_BUFFER] > 10);
    assert_int_equal(pair->rnics[1]->counters.rx_buffer_drops, pair->drops[PROBE_DROP_RX_BUFFER]);
    pair_free(pair);
}

static void test_stopped_receiver(void **state)
{
    (void)state;
    struct pair *pair = make(4096, 256);
    struct verbs_mr *from = pair_mr(pair, 0, 4 << 20, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 4 << 20, VERBS_BULK);
    rnic_set_drain(pair->rnics[1], RNIC_STOPPED, pair->engine.now);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
    pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->rnics[1]->counters.received_bytes, 0);
    assert_int_equal(pair->drops[PROBE_DROP_RX_BUFFER], 0);
    rnic_set_drain(pair->rnics[1], RNIC_UNLIMITED, pair->engine.now);
    pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->ends[0].wc_count, 1);
    pair_free(pair);
}

static void test_storm(void **state)
{
    (void)state;
    struct pair *pair = make(4096, 256);
    struct verbs_mr *from = pair_mr(pair, 0, 4096, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 4096, VERBS_BULK);
    rnic_set_storm(pair->rnics[1], 3, true, pair->engine.now);
    pair_run(pair, 10 * PS_PER_US);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
    pair_run(pair, 5 * PS_PER_MS); /* longer than one XOFF lasts */
    assert_int_equal(pair_count(pair, 0, FRAME_RC_WRITE_ONLY), 0);
    rnic_set_storm(pair->rnics[1], 3, false, pair->engine.now);
    pair_run(pair, 10 * PS_PER_US);
    assert_int_equal(pair->ends[0].wc_count, 1);
    pair_free(pair);
}

/* ------------------------------------------------------------------ congestion control */

/* Two data packets in a row: the second comes too soon for another CNP. */
static bool mark_some(struct pair *pair, const struct pair_frame *frame)
{
    return frame->payload > 0 && pair->seen++ < 2;
}

/* A CNP halves the rate at once, and the spacing of packets shows it. */
static void test_dcqcn_spacing(void **state)
{
    (void)state;
    struct pair_params params;
    pair_presets(&params);
    params.cc = "dcqcn";
    struct pair *pair = pair_make(&params);
    pair_connect(pair);
    struct verbs_mr *from = pair_mr(pair, 0, 1 << 20, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 1 << 20, VERBS_BULK);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
    pair_run(pair, 5 * PS_PER_US);
    pair->mark = mark_some;
    pair_run(pair, 30 * PS_PER_US);
    assert_int_equal(pair->rnics[1]->counters.ecn_marked, 2);
    assert_int_equal(pair->rnics[1]->counters.cnps_sent, 1);
    assert_int_equal(pair->rnics[0]->counters.cnps_handled, 1);
    const struct pair_frame *cnp = pair_nth(pair, 1, FRAME_CNP, 0);
    assert_int_equal(cnp->bytes, 78);
    assert_int_equal(cnp->tos, 48 << 2);
    assert_int_equal(cnp->flags, FRAME_BECN);
    const struct pair_frame *frame = pair_nth(pair, 0, FRAME_RC_WRITE_MIDDLE, 0);
    assert_int_equal(frame->tos & 3, ECN_ECT0);
    assert_int_equal(frame[1].at - frame->at, 4178 * 80);
    const struct pair_frame *last = &pair->log[pair->log_count - 1];
    assert_int_equal(last->opcode, FRAME_RC_WRITE_MIDDLE);
    assert_int_equal(last->at - last[-1].at, 4178 * 160); /* 50 Gb/s */
    pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->ends[0].wc_count, 1);
    pair_free(pair);
}

/* ------------------------------------------------------------------ determinism */

static struct digest play(uint64_t seed, bool hostile)
{
    struct pair_params params;
    pair_presets(&params);
    params.seed = seed;
    params.cc = "dcqcn";
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
    const struct digest once = play(1, true), again = play(1, false), other = play(2, true);
    assert_memory_equal(&once, &again, sizeof once);
    assert_memory_not_equal(&once, &other, sizeof once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write_segments),
        cmocka_unit_test(test_send_timing_and_bytes),
        cmocka_unit_test(test_capsule_with_data),
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_empty_messages),
        cmocka_unit_test(test_goodput),
        cmocka_unit_test(test_ack_interval),
        cmocka_unit_test(test_ack_coalescing),
        cmocka_unit_test(test_go_back_n),
        cmocka_unit_test(test_lost_last_packet),
        cmocka_unit_test(test_lost_ack),
        cmocka_unit_test(test_lost_read_response),
        cmocka_unit_test(test_retries_exceeded),
        cmocka_unit_test(test_go_back_0),
        cmocka_unit_test(test_laws_under_loss),
        cmocka_unit_test(test_rnr),
        cmocka_unit_test(test_rnr_retries_exceeded),
        cmocka_unit_test(test_read_limit),
        cmocka_unit_test(test_fence),
        cmocka_unit_test(test_remote_errors),
        cmocka_unit_test(test_invalidate),
        cmocka_unit_test(test_refused_posts),
        cmocka_unit_test(test_slow_receiver),
        cmocka_unit_test(test_slow_receiver_without_pfc),
        cmocka_unit_test(test_stopped_receiver),
        cmocka_unit_test(test_storm),
        cmocka_unit_test(test_dcqcn_spacing),
        cmocka_unit_test(test_digest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
