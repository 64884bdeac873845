/* SPDX-License-Identifier: Apache-2.0
 * The transport between two hosts back to back: sizes, sequence numbers, acknowledgments and
 * congestion control. */
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

/* ------------------------------------------------------------------ sizes and segmentation */

static void test_write_segments(void **state)
{
    (void)state;
    struct pair *pair = pair_of(1024, 256);
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
    pair_expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE);
    assert_int_equal(pair->ends[1].wc_count, 0);
    pair_free(pair);
}

/* doorbell 300 ns, 146 + 8 bytes' preamble at 80 ps/B, cable 3 m, 300 ns to the completion. */
static void test_send_timing_and_bytes(void **state)
{
    (void)state;
    struct pair *pair = pair_of(4096, 256);
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
    pair_expect_wc(pair, 1, 0, IBV_WC_SUCCESS, IBV_WC_RECV);
    assert_string_equal((const char *)to->bytes, "a capsule");
    pair_run(pair, PS_PER_US);
    pair_expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_SEND);
    pair_free(pair);
}

/* 64 real bytes and 4096 of bulk at path MTU 4096 and 1024, as an NVMe write with its data
 * travels. */
static void test_capsule_with_data(void **state)
{
    (void)state;
    for (int64_t mtu = 1024; mtu <= 4096; mtu *= 4) {
        struct pair *pair = pair_of(mtu, 256);
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
    struct pair *pair = pair_of(1024, 256);
    struct verbs_mr *to = pair_mr(pair, 0, 2500, VERBS_BYTES);
    struct verbs_mr *from = pair_mr(pair, 1, 2500, VERBS_BYTES);
    for (int i = 0; i < 2500; i++)
        from->bytes[i] = (unsigned char)(i * 7 + i / 256);
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
    pair_expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_RDMA_READ);
    pair_expect_wc(pair, 0, 1, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE);
    /* The WRITE's ACK waits for the READ's responses. */
    const struct pair_frame *ack = pair_nth(pair, 1, FRAME_RC_ACKNOWLEDGE, 0);
    assert_true(ack->at > pair_nth(pair, 1, FRAME_RC_READ_RESPONSE_LAST, 0)->at);
    assert_int_equal(pair->rnics[0]->counters.retransmitted_packets, 0);
    pair_free(pair);
}

static void test_empty_messages(void **state)
{
    (void)state;
    struct pair *pair = pair_of(4096, 256);
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
        struct pair *pair = pair_of(rows[i].mtu, 256);
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

/* ------------------------------------------------------------------ acknowledgments */

static void test_ack_interval(void **state)
{
    static const struct {
        int64_t interval;
        unsigned acks;
    } rows[] = {{1, 20}, {4, 5}, {8, 3}, {256, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pair *pair = pair_of(1024, rows[i].interval);
        struct verbs_mr *from = pair_mr(pair, 0, 20 * 1024, VERBS_BULK);
        struct verbs_mr *to = pair_mr(pair, 1, 20 * 1024, VERBS_BULK);
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
        pair_run(pair, 20 * PS_PER_US);
        assert_int_equal(pair_count(pair, 1, FRAME_RC_ACKNOWLEDGE), rows[i].acks);
        pair_free(pair);
    }
}

/* Twenty packets of ten WRITEs, an ACK for each eight: at packets 8, 16 and 20. A READ has the
 * WRITE before it acknowledged. */
static void test_acks_across_messages(void **state)
{
    (void)state;
    for (int64_t each = 0; each <= 1; each++) {
        struct pair_params params;
        pair_presets(&params);
        params.rnic.path_mtu = 1024;
        params.rnic.ack_interval = 8;
        params.rnic.ack_each_message = each;
        struct pair *pair = pair_make(&params);
        pair_connect(pair);
        struct verbs_mr *from = pair_mr(pair, 0, 2048, VERBS_BULK);
        struct verbs_mr *to = pair_mr(pair, 1, 2048, VERBS_BULK);
        pair->log_count = pair->ends[0].wc_count = 0;
        for (int i = 0; i < 10; i++)
            assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
        pair_run(pair, 20 * PS_PER_US);
        assert_int_equal(pair->ends[0].wc_count, 10);
        assert_int_equal(pair_count(pair, 1, FRAME_RC_ACKNOWLEDGE), each ? 10 : 3);
        pair->log_count = 0;
        for (int i = 0; i < 3; i++)
            assert_int_equal(pair_post(pair, 0, i == 1 ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE, from,
                                       to, SIGNALED),
                             0);
        pair_run(pair, 20 * PS_PER_US);
        assert_int_equal(pair->ends[0].wc_count, 13);
        assert_int_equal(pair_count(pair, 1, FRAME_RC_ACKNOWLEDGE), 2);
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

/* While an answer waits for the wire, the next one takes its place, but a NAK stays where the other
 * acknowledges less. */
static void test_answers_that_wait(void **state)
{
    (void)state;
    enum { NAK = 0x60, PSN = 1000 };
    static const struct {
        uint32_t acknowledged; /* behind a NAK for PSN */
        bool nak_first;
        uint32_t syndrome, psn; /* of what leaves */
    } rows[] = {
        {PSN - 1, true, NAK, PSN},   {PSN - 300, true, NAK, PSN}, {PSN, true, 0, PSN},
        {PSN + 1, true, 0, PSN + 1}, {PSN - 1, false, NAK, PSN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pair *pair = pair_of(1024, 256);
        struct rnic *rnic = pair->rnics[1];
        struct qp *qp = pair->ends[1].conn->qp;
        struct verbs_mr *from = pair_mr(pair, 1, 8, VERBS_BULK),
                        *to = pair_mr(pair, 0, 8, VERBS_BULK);
        if (rows[i].nak_first)
            responder_nak(rnic, qp, PSN);
        responder_acknowledge(rnic, qp, rows[i].acknowledged);
        if (!rows[i].nak_first)
            responder_nak(rnic, qp, PSN);
        assert_int_equal(pair_post(pair, 1, IBV_WR_RDMA_WRITE, from, to, 0), 0); /* wakes it */
        pair_run(pair, 10 * PS_PER_US);
        assert_int_equal(pair_count(pair, 1, FRAME_RC_ACKNOWLEDGE), 1);
        const struct pair_frame *answer = pair_nth(pair, 1, FRAME_RC_ACKNOWLEDGE, 0);
        assert_int_equal(answer->psn, rows[i].psn);
        assert_int_equal(answer->aeth >> 24 & NAK, rows[i].syndrome);
        const bool dropped = rows[i].nak_first && rows[i].syndrome == NAK;
        assert_int_equal(rnic->counters.acks_merged, !dropped);
        assert_int_equal(rnic->counters.naks_sent, 1);
        pair_free(pair);
    }
}

/* Behind two READs: without coalescing each WRITE has its own ACK when the last response has left,
 * and what an answer counts (MSN) ends with its own request, though more has come. */
static void test_acks_behind_reads(void **state)
{
    (void)state;
    enum { READS = 2, WRITES = 9, PACKETS = 4 };
    struct pair_params params;
    pair_presets(&params);
    params.rnic.ack_coalescing = false;
    params.rnic.path_mtu = 1024;
    params.rnic.read_delay = 50 * PS_PER_US;
    struct pair *pair = pair_make(&params);
    pair_connect(pair);
    struct verbs_mr *here = pair_mr(pair, 0, 1024 * PACKETS, VERBS_BULK);
    struct verbs_mr *there = pair_mr(pair, 1, 1024 * PACKETS, VERBS_BULK);
    struct verbs_mr *small[2] = {pair_mr(pair, 0, 8, VERBS_BULK), pair_mr(pair, 1, 8, VERBS_BULK)};
    for (int i = 0; i < READS; i++)
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_READ, here, there, SIGNALED), 0);
    for (int i = 0; i < WRITES; i++)
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, small[0], small[1], SIGNALED), 0);
    pair_run(pair, 20 * PS_PER_US);
    assert_int_equal(pair_count(pair, 0, FRAME_RC_WRITE_ONLY),
                     WRITES); /* all came, no answer yet */
    assert_int_equal(pair_count(pair, 1, FRAME_RC_ACKNOWLEDGE), 0);
    pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->ends[0].wc_count, READS + WRITES);
    assert_int_equal(pair_count(pair, 1, FRAME_RC_ACKNOWLEDGE), WRITES);
    for (unsigned i = 0; i < READS; i++) {
        const uint32_t psn = pair_nth(pair, 1, FRAME_RC_READ_RESPONSE_LAST, i)->psn;
        assert_int_equal(pair_nth(pair, 1, FRAME_RC_READ_RESPONSE_FIRST, i)->aeth & PSN_MASK,
                         i + 1);
        assert_int_equal(pair_nth(pair, 1, FRAME_RC_READ_RESPONSE_LAST, i)->aeth & PSN_MASK, i + 1);
        assert_true(psn_diff(pair_nth(pair, 1, FRAME_RC_ACKNOWLEDGE, 0)->psn, psn) > 0);
    }
    for (unsigned i = 0; i < WRITES; i++)
        assert_int_equal(pair_nth(pair, 1, FRAME_RC_ACKNOWLEDGE, i)->aeth & PSN_MASK,
                         READS + i + 1);
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

/* 100 Gb/s and 1,000 ppm: frames follow each other, gap included, in 80 / 1.001 ps a byte. */
static void test_a_fast_clock_sends_faster(void **state)
{
    (void)state;
    struct pair_params params;
    pair_presets(&params);
    params.rnic.clock_offset = 1000;
    struct pair *pair = pair_make(&params);
    pair_connect(pair);
    pair->log_count = 0;
    struct verbs_mr *from = pair_mr(pair, 0, 64 * 4096, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 64 * 4096, VERBS_BULK);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
    pair_run(pair, 100 * PS_PER_US);
    assert_int_equal(pair->ends[0].wc_count, 1);
    const struct pair_frame *first = pair_nth(pair, 0, FRAME_RC_WRITE_MIDDLE, 0);
    const struct pair_frame *later = pair_nth(pair, 0, FRAME_RC_WRITE_MIDDLE, 50);
    const time_ps exact = (time_ps)50 * 4178 * 80;
    assert_in_range(later->at - first->at, exact * 1000 / 1001, exact * 1000 / 1001 + 1);
    pair_free(pair);
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
        cmocka_unit_test(test_acks_across_messages),
        cmocka_unit_test(test_ack_coalescing),
        cmocka_unit_test(test_answers_that_wait),
        cmocka_unit_test(test_acks_behind_reads),
        cmocka_unit_test(test_dcqcn_spacing),
        cmocka_unit_test(test_a_fast_clock_sends_faster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
