/* SPDX-License-Identifier: Apache-2.0
 * Receiver not ready, limits, errors and the receive buffer between two hosts back to back. */
#include "base/drop.h"
#include "tests/unit/rnic/rnic_pair.h"

#include "rnic/host/verbs_sim.h"
#include "rnic/qp/requester.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SIGNALED IBV_SEND_SIGNALED

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
    pair_expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_SEND);
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
    pair_expect_wc(pair, 0, 0, IBV_WC_RNR_RETRY_EXC_ERR, IBV_WC_SEND);
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
    struct pair *pair = pair_of(4096, 256);
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
        struct pair *pair = pair_of(1024, 256);
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
    struct pair *pair = pair_of(4096, 256);
    struct verbs_mr *near = pair_mr(pair, 0, 100, VERBS_BULK);
    struct verbs_mr *far = pair_mr(pair, 1, 100, VERBS_BULK);
    const uint32_t rkey = far->rkey;
    assert_int_equal(pair_recv(pair, 1, far), 0);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, near, far, 0), 0);
    assert_int_equal(pair_post(pair, 0, IBV_WR_SEND_WITH_INV, near, far, SIGNALED), 0);
    assert_int_equal(pair_post(pair, 0, IBV_WR_LOCAL_INV, NULL, near, SIGNALED), 0);
    pair_run(pair, 20 * PS_PER_US);
    assert_int_equal(pair_nth(pair, 0, FRAME_RC_SEND_ONLY_INV, 0)->bytes, 66 + 100);
    pair_expect_wc(pair, 1, 0, IBV_WC_SUCCESS, IBV_WC_RECV);
    assert_int_equal(pair->ends[1].wcs[0].wc_flags, IBV_WC_WITH_INV);
    assert_int_equal(pair->ends[1].wcs[0].invalidated_rkey, rkey);
    pair_expect_wc(pair, 0, 1, IBV_WC_SUCCESS, IBV_WC_LOCAL_INV);
    /* A fresh key works, the old one does not. */
    verbs_sim.renew_rkey(pair->ends[1].conn, far, far->length);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, near, far, SIGNALED), 0);
    pair_run(pair, 20 * PS_PER_US);
    pair_expect_wc(pair, 0, 2, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE);
    struct verbs_mr old = *far;
    old.rkey = rkey;
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, near, &old, SIGNALED), 0);
    pair_run(pair, 20 * PS_PER_US);
    pair_expect_wc(pair, 0, 3, IBV_WC_REM_ACCESS_ERR, IBV_WC_RDMA_WRITE);
    pair_free(pair);
}

static void test_refused_posts(void **state)
{
    (void)state;
    struct pair *pair = pair_of(4096, 256);
    struct verbs_mr *near = pair_mr(pair, 0, 100, VERBS_BULK);
    struct verbs_mr wrong = *near;
    wrong.lkey += 1 << 16;
    assert_int_not_equal(pair_post(pair, 0, IBV_WR_SEND, &wrong, NULL, 0), 0);
    assert_int_not_equal(pair_post(pair, 0, IBV_WR_ATOMIC_CMP_AND_SWP, near, NULL, 0), 0);
    wrong = *near;
    wrong.length++;
    assert_int_not_equal(pair_recv(pair, 0, &wrong), 0);
    for (int i = 0; i < 64; i++)
        assert_int_equal(pair_recv(pair, 0, near), 0);
    assert_int_not_equal(pair_recv(pair, 0, near), 0);
    pair_free(pair);
}

/* Bytes may go before bulk, but not behind it: a packet's bytes are its first ones. */
static void test_pieces_of_a_request(void **state)
{
    enum { BYTES, BULK };
    static const struct {
        int memories[3], count;
        bool good;
    } rows[] = {
        {{BYTES}, 0, true},        {{BYTES}, 1, true},
        {{BULK}, 1, true},         {{BYTES, BULK}, 2, true},
        {{BULK, BULK}, 2, true},   {{BYTES, BYTES}, 2, true},
        {{BULK, BYTES}, 2, false}, {{BYTES, BYTES, BYTES}, 3, false},
        {{BYTES}, -1, false},
    };
    (void)state;
    struct pair *pair = pair_of(4096, 256);
    const struct verbs_mr *mrs[] = {pair_mr(pair, 0, 100, VERBS_BYTES),
                                    pair_mr(pair, 0, 100, VERBS_BULK)};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ibv_sge sges[3];
        for (int k = 0; k < 3; k++)
            sges[k] = (struct ibv_sge){.addr = mrs[rows[i].memories[k]]->addr,
                                       .length = 100,
                                       .lkey = mrs[rows[i].memories[k]]->lkey};
        struct ibv_send_wr wr = {.sg_list = sges, .num_sge = rows[i].count, .opcode = IBV_WR_SEND};
        struct ibv_recv_wr receive = {.sg_list = sges, .num_sge = rows[i].count};
        struct ibv_send_wr *bad = NULL;
        struct ibv_recv_wr *bad_receive = NULL;
        struct verbs_conn *conn = pair->ends[0].conn;
        assert_int_equal(verbs_sim.post_send(conn, &wr, &bad) == 0, rows[i].good);
        assert_ptr_equal(bad, rows[i].good ? NULL : &wr);
        assert_int_equal(verbs_sim.post_recv(conn, &receive, &bad_receive) == 0, rows[i].good);
        assert_ptr_equal(bad_receive, rows[i].good ? NULL : &receive);
    }
    pair_free(pair);
}

static void post_writes(struct pair *pair, struct verbs_mr *from, const struct verbs_mr *to,
                        unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
}

/* A ring that goes round in a few slots keeps its order when it has to grow in the middle. */
static void test_rings_grow(void **state)
{
    (void)state;
    struct pair *pair = pair_of(4096, 256);
    struct verbs_mr *from = pair_mr(pair, 0, 5000, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 5000, VERBS_BULK);
    post_writes(pair, from, to, 3);
    pair_run(pair, 100 * PS_PER_US);
    const uint32_t few = pair->ends[0].conn->qp->sq_mask;
    post_writes(pair, from, to, 2);
    pair_run(pair, PS_PER_US / 5);
    post_writes(pair, from, to, 62);
    assert_int_not_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
    assert_true(few < 63 && pair->ends[0].conn->qp->sq_mask == 63);
    pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->ends[0].wc_count, 67);
    for (unsigned i = 0; i < 67; i++)
        assert_int_equal(pair->ends[0].wcs[i].wr_id, i);
    assert_int_equal(pair->rnics[1]->counters.received_bytes, 67 * 5000);
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
    struct pair *pair = pair_of(4096, 256);
    slow_receiver(pair);
    const struct rx_buffer *rx = &pair->rnics[1]->rx;
    assert_true(pair->pauses > 5);
    assert_true(rx->peak > rx->xoff && rx->peak <= rx->size);
    assert_int_equal(pair->drops[PROBE_DROP_RX_BUFFER], 0);
    assert_int_equal(pair->ends[0].wc_count, 0); /* 4 MiB take 3.4 ms */
    const uint64_t drained = pair->rnics[1]->port.prios[3].rx_bytes - (uint64_t)rx->held;
    assert_true(drained > 2400000 && drained < 2520000);
    rnic_set_drain(pair->rnics[1], RNIC_UNLIMITED, pair->engine.now);
    pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->ends[0].wc_count, 1);
    assert_int_equal(pair->rnics[1]->rx_odd, 0);
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
    struct pair *pair = pair_of(4096, 256);
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
    struct pair *pair = pair_of(4096, 256);
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

/* Behind a registration nothing leaves before all that was sent is acknowledged, if it fences; a
 * message without one goes at once, and the fence is of the one behind it alone. */
static void test_registration_fence(void **state)
{
    (void)state;
    enum { MESSAGES = 4, REGISTERED = 2 };
    for (int fence = 0; fence < 2; fence++) {
        struct pair_params params;
        pair_presets(&params);
        params.rnic.pipeline.register_fence = fence;
        struct pair *pair = pair_make(&params);
        pair_connect(pair);
        pair_run(pair, PS_PER_MS);
        struct verbs_mr *from = pair_mr(pair, 0, 64, VERBS_BULK);
        struct verbs_mr *to = pair_mr(pair, 1, 64, VERBS_BULK);
        for (unsigned i = 0; i < MESSAGES; i++) {
            if (i == REGISTERED)
                verbs_sim.renew_rkey(pair->ends[0].conn, from, 64);
            assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
        }
        pair_run(pair, 50 * PS_PER_US);
        assert_int_equal(pair->ends[0].wc_count, MESSAGES);
        const struct pair_frame *ack = pair_nth(pair, 1, FRAME_RC_ACKNOWLEDGE, REGISTERED - 1);
        time_ps at[MESSAGES];
        for (unsigned i = 0; i < MESSAGES; i++) {
            at[i] = pair_nth(pair, 0, FRAME_RC_WRITE_ONLY, i)->at;
            assert_int_equal(at[i] > ack->at, fence && i >= REGISTERED);
        }
        assert_true(at[3] - at[2] < 200 * PS_PER_NS);
        rnic_audit(pair->rnics[0]);
        pair_free(pair);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rnr),
        cmocka_unit_test(test_rnr_retries_exceeded),
        cmocka_unit_test(test_read_limit),
        cmocka_unit_test(test_fence),
        cmocka_unit_test(test_remote_errors),
        cmocka_unit_test(test_invalidate),
        cmocka_unit_test(test_refused_posts),
        cmocka_unit_test(test_pieces_of_a_request),
        cmocka_unit_test(test_rings_grow),
        cmocka_unit_test(test_slow_receiver),
        cmocka_unit_test(test_slow_receiver_without_pfc),
        cmocka_unit_test(test_stopped_receiver),
        cmocka_unit_test(test_storm),
        cmocka_unit_test(test_registration_fence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
