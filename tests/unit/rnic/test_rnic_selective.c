/* SPDX-License-Identifier: Apache-2.0
 * Selective repeat between two hosts back to back: what is kept, what is sent again, the window and
 * the timeouts. */
#include "tests/unit/rnic/rnic_pair.h"

#include "rnic/qp/selective.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { MTU = 1024 };

/* Loses the frames of an opcode whose number, from 0, has its bit in lose_state. */
static bool lose_bits(struct pair *pair, const struct pair_frame *frame)
{
    if (frame->opcode != pair->lose_state >> 56)
        return false;
    const uint32_t n = pair->seen++;
    return n < 56 && (pair->lose_state >> n & 1) != 0;
}

static void set_loss(struct pair *pair, uint8_t opcode, uint64_t bits)
{
    pair->lose = lose_bits;
    pair->seen = 0;
    pair->lose_state = (uint64_t)opcode << 56 | bits;
}

static struct pair *selective_pair(int64_t cap)
{
    struct pair_params params;
    pair_presets(&params);
    params.rnic.path_mtu = MTU;
    params.rnic.loss_recovery = RECOVERY_selective_repeat;
    params.rnic.bdp_cap = cap;
    struct pair *pair = pair_make(&params);
    pair_connect(pair);
    pair_set_psn(pair, 0xFFFFF0); /* wraps in the middle */
    return pair;
}

static void fill(struct verbs_mr *mr, int bytes)
{
    for (int k = 0; k < bytes; k++)
        mr->bytes[k] = (unsigned char)(k * 13 + k / 256 + k / 65536);
}

/* Of 40 packets of a WRITE these are lost: exactly they are sent again. */
static void test_only_what_is_missing_is_sent_again(void **state)
{
    enum { BYTES = 40 * MTU };
    static const struct {
        uint64_t lost;
        unsigned again;
    } rows[] = {{1, 1}, {1 << 19, 1}, {0xF0, 4}, {0x11111, 5}, {0xFFFFFFF, 28}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pair *pair = selective_pair(1 << 20);
        struct verbs_mr *from = pair_mr(pair, 0, BYTES, VERBS_BYTES);
        struct verbs_mr *to = pair_mr(pair, 1, BYTES, VERBS_BYTES);
        fill(from, BYTES);
        set_loss(pair, FRAME_RC_WRITE_MIDDLE, rows[i].lost);
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, IBV_SEND_SIGNALED), 0);
        pair_run(pair, 80 * PS_PER_US);
        const struct rnic_counters *a = &pair->rnics[0]->counters, *b = &pair->rnics[1]->counters;
        assert_int_equal(a->retransmitted_packets, rows[i].again);
        assert_int_equal(a->timeouts, 0);
        assert_int_equal(b->duplicate_requests, 0);
        assert_int_equal(b->naks_sent, b->out_of_sequence);
        assert_int_equal(b->received_bytes, BYTES);
        assert_memory_equal(to->bytes, from->bytes, BYTES);
        assert_int_equal(pair->ends[0].wc_count, 1);
        pair_expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE);
        assert_int_equal(selective_of(pair->rnics[1], pair->ends[1].conn->qp)->count, 0);
        pair_free(pair);
    }
}

/* Loses requests by their number, whatever they are. */
static bool lose_numbers(struct pair *pair, const struct pair_frame *frame)
{
    if (frame->side != 0 || frame->opcode >= FRAME_RC_ACKNOWLEDGE)
        return false;
    const uint32_t n = pair->seen++;
    return n < 56 && (pair->lose_state >> n & 1) != 0;
}

/* A round lasts until all that was out when it began is acknowledged, and not longer; how long ago
 * the last one was is nothing to it. */
static void test_a_round_ends_with_its_last_packet(void **state)
{
    enum { PACKETS = 5 };
    (void)state;
    struct pair *pair = selective_pair(1 << 20);
    struct verbs_mr *from = pair_mr(pair, 0, PACKETS * MTU, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, PACKETS * MTU, VERBS_BULK);
    const struct qp *qp = pair->ends[0].conn->qp;
    struct selective *own = selective_of(pair->rnics[0], qp);
    own->recovery_psn = psn_add(qp->una_psn, 1000); /* 16 million packets ago */
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, IBV_SEND_SIGNALED), 0);
    pair_run(pair, 20 * PS_PER_US);
    assert_int_equal(pair->ends[0].wc_count, 1);
    assert_false(own->recovering);
    own->recovery_psn = qp->una_psn;
    pair->lose = lose_numbers;
    pair->seen = 0;
    pair->lose_state = 1 << 2 | 1 << 4; /* the third and the last */
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, IBV_SEND_SIGNALED), 0);
    pair_run(pair, 50 * PS_PER_US);
    assert_int_equal(psn_diff(own->recovery_psn, qp->una_psn), 1);
    assert_true(own->recovering);
    pair_run(pair, 100 * PS_PER_US); /* a timeout, and all is there */
    assert_int_equal(pair->ends[0].wc_count, 2);
    assert_int_equal(own->recovery_psn, qp->una_psn);
    assert_false(own->recovering);
    pair_free(pair);
}

/* SENDs behind a lost one take their receives in order. */
static void test_sends_stay_in_order(void **state)
{
    (void)state;
    struct pair *pair = selective_pair(1 << 20);
    struct verbs_mr *to = pair_mr(pair, 1, 200, VERBS_BYTES);
    set_loss(pair, FRAME_RC_SEND_ONLY, 0x5);
    for (int i = 0; i < 8; i++)
        assert_int_equal(pair_recv(pair, 1, to), 0);
    for (uint32_t i = 0; i < 8; i++) {
        struct verbs_mr *from = pair_mr(pair, 0, 100 + i, VERBS_BYTES);
        fill(from, 100);
        assert_int_equal(pair_post(pair, 0, IBV_WR_SEND, from, NULL, IBV_SEND_SIGNALED), 0);
    }
    pair_run(pair, 50 * PS_PER_US);
    assert_int_equal(pair->rnics[0]->counters.retransmitted_packets, 2);
    assert_int_equal(pair->ends[0].wc_count, 8);
    assert_int_equal(pair->ends[1].wc_count, 8);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(pair->ends[1].wcs[i].byte_len, 100 + i);
    pair_free(pair);
}

/* Few packets are out: the short timeout, which sends what is outstanding again. */
static void test_last_packet_lost(void **state)
{
    (void)state;
    struct pair *pair = selective_pair(1 << 20);
    struct verbs_mr *from = pair_mr(pair, 0, 10 * MTU, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 10 * MTU, VERBS_BULK);
    set_loss(pair, FRAME_RC_WRITE_LAST, 1);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, IBV_SEND_SIGNALED), 0);
    pair_run(pair, 100 * PS_PER_US); /* it was the oldest a few us after it was posted */
    assert_int_equal(pair->ends[0].wc_count, 0);
    pair_run(pair, 20 * PS_PER_US);
    assert_int_equal(pair->ends[0].wc_count, 1);
    assert_int_equal(pair->rnics[0]->counters.timeouts, 1);
    assert_int_equal(pair->rnics[0]->counters.retransmitted_packets, 1);
    assert_int_equal(pair->rnics[1]->counters.duplicate_requests, 0);
    assert_int_equal(pair->ends[0].conn->qp->retry_left, 7);
    pair_free(pair);
}

static bool lose_requests(struct pair *pair, const struct pair_frame *frame)
{
    (void)pair;
    return frame->side == 0 && frame->opcode < FRAME_RC_ACKNOWLEDGE;
}

/* Short timeouts are no retries: it gives up after the eight of 67.1 ms that go-back-N has. */
static void test_gives_up_no_sooner(void **state)
{
    (void)state;
    struct pair *pair = selective_pair(1 << 20);
    struct verbs_mr *from = pair_mr(pair, 0, 100, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 100, VERBS_BULK);
    pair->lose = lose_requests;
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, 0), 0);
    pair_run(pair, 536 * PS_PER_MS);
    assert_int_equal(pair->ends[0].wc_count, 0);
    pair_run(pair, 3 * PS_PER_MS);
    pair_expect_wc(pair, 0, 0, IBV_WC_RETRY_EXC_ERR, IBV_WC_RDMA_WRITE);
    assert_in_range(pair->rnics[0]->counters.timeouts, 5300, 5400);
    pair_free(pair);
}

/* NAKs lost: later ones say the same, and all of them lost: the timeout does. */
static void test_naks_lost(void **state)
{
    (void)state;
    for (int all = 0; all < 2; all++) {
        struct pair *pair = selective_pair(1 << 20);
        struct verbs_mr *from = pair_mr(pair, 0, 40 * MTU, VERBS_BULK);
        struct verbs_mr *to = pair_mr(pair, 1, 40 * MTU, VERBS_BULK);
        set_loss(pair, FRAME_RC_ACKNOWLEDGE, all ? UINT64_C(0xFFFFFFFFFFFFFF) : 0x7 << 20);
        pair->lose = lose_bits;
        struct qp *qp = pair->ends[0].conn->qp;
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, IBV_SEND_SIGNALED), 0);
        pair_run(pair, 100 * PS_PER_MS);
        assert_int_equal(pair->ends[0].wc_count, 1);
        assert_int_equal(pair->rnics[0]->counters.timeouts, all);
        assert_int_equal(qp->una_psn, qp->high_psn);
        pair_free(pair);
    }
}

/* No more packets are out, and none more are kept, than fit the window. */
static void test_window(void **state)
{
    enum { WINDOW = 2, BYTES = 40 * MTU };
    (void)state;
    struct pair *pair = selective_pair(WINDOW * (MTU + WIRE_ROCE_BYTES));
    struct verbs_mr *from = pair_mr(pair, 0, BYTES, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, BYTES, VERBS_BULK);
    const struct qp *qp = pair->ends[0].conn->qp;
    set_loss(pair, FRAME_RC_WRITE_MIDDLE, 1 << 9);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, IBV_SEND_SIGNALED), 0);
    int most = 0;
    for (int i = 0; i < 1000; i++) {
        pair_run(pair, 100 * PS_PER_NS);
        const int out = psn_diff(qp->high_psn, qp->una_psn);
        most = out > most ? out : most;
        qp_audit(pair->rnics[0], qp);
        qp_audit(pair->rnics[1], pair->ends[1].conn->qp);
    }
    assert_int_equal(most, WINDOW);
    assert_int_equal(pair->ends[0].wc_count, 1);
    assert_int_equal(pair->rnics[0]->counters.retransmitted_packets, 1);
    pair_free(pair);
}

/* Of a READ's responses the missing ones alone are asked for and sent again. */
static void test_read(void **state)
{
    enum { BYTES = 40 * MTU - 100 };
    static const struct {
        uint8_t opcode;
        uint64_t lost;
        unsigned again;
    } rows[] = {
        {FRAME_RC_READ_RESPONSE_FIRST, 1, 1},
        {FRAME_RC_READ_RESPONSE_MIDDLE, 1 << 9, 1},
        {FRAME_RC_READ_RESPONSE_MIDDLE, 0xF0F0, 8},
        {FRAME_RC_READ_RESPONSE_LAST, 1, 1},
        {FRAME_RC_READ_REQUEST, 1, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pair *pair = selective_pair(1 << 20);
        struct verbs_mr *to = pair_mr(pair, 0, BYTES, VERBS_BYTES);
        struct verbs_mr *from = pair_mr(pair, 1, BYTES, VERBS_BYTES);
        fill(from, BYTES);
        set_loss(pair, rows[i].opcode, rows[i].lost);
        for (int k = 0; k < 2; k++)
            assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_READ, to, from, IBV_SEND_SIGNALED), 0);
        pair_run(pair, PS_PER_MS);
        assert_int_equal(pair->ends[0].wc_count, 2);
        assert_int_equal(pair->ends[0].wcs[1].status, IBV_WC_SUCCESS);
        assert_memory_equal(to->bytes, from->bytes, BYTES);
        const unsigned sent = pair_count(pair, 1, FRAME_RC_READ_RESPONSE_FIRST) +
                              pair_count(pair, 1, FRAME_RC_READ_RESPONSE_MIDDLE) +
                              pair_count(pair, 1, FRAME_RC_READ_RESPONSE_LAST) +
                              pair_count(pair, 1, FRAME_RC_READ_RESPONSE_ONLY);
        assert_int_equal(sent, 2 * 40 + rows[i].again);
        assert_int_equal(pair->rnics[0]->counters.received_bytes, 2 * BYTES);
        assert_int_equal(pair->rnics[0]->counters.timeouts, 0);
        pair_free(pair);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_what_is_missing_is_sent_again),
        cmocka_unit_test(test_a_round_ends_with_its_last_packet),
        cmocka_unit_test(test_sends_stay_in_order),
        cmocka_unit_test(test_last_packet_lost),
        cmocka_unit_test(test_gives_up_no_sooner),
        cmocka_unit_test(test_naks_lost),
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
