/* SPDX-License-Identifier: Apache-2.0
 * Hosts whose settings differ, and what their connections have: the path MTU by each kind of
 * agreement, and how messages of each size end where there is none; timers and retries, of which
 * both ends keep to what the REQ says, and of RNR NAKs each to what the other end asks of it; when
 * messages of the connection manager without an answer are repeated, and how often.
 * Source: IBTA Vol 1 12.6.5, 12.6.8, 12.7.27, 12.7.34; Linux cm.c, cm_init_qp_rts_attr,
 * cm_req_handler. */
#include "tests/unit/rnic/rnic_pair.h"

#include "rnic/cm/cm_conn.h"
#include "rnic/cm/cm_mad.h"
#include "rnic/host/verbs_sim.h"
#include "rnic/qp/recovery.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* ------------------------------------------------------------------ the path MTU */

/* End 0 connects. */
static struct pair *make(int agreement, int64_t active, int64_t passive)
{
    struct pair_params params;
    pair_presets(&params);
    params.rnic.path_mtu_agreement = agreement;
    params.rnic.path_mtu = active;
    struct pair *pair = pair_make(&params);
    pair->rnics[1]->params.path_mtu = passive;
    pair->rnics[0]->peers = pair->rnics[1]->peers = pair->rnics;
    pair_connect(pair);
    return pair;
}

static void test_agreements(void **state)
{
    (void)state;
    static const struct {
        int agreement;
        int64_t active, passive;
        uint16_t mtu[2]; /* 0: refused */
    } rows[] = {
        {RNIC_MTU_REQUEST, 4096, 1024, {4096, 4096}}, {RNIC_MTU_REQUEST, 1024, 4096, {1024, 1024}},
        {RNIC_MTU_SMALLER, 4096, 1024, {1024, 1024}}, {RNIC_MTU_SMALLER, 1024, 4096, {1024, 1024}},
        {RNIC_MTU_SMALLER, 2048, 2048, {2048, 2048}}, {RNIC_MTU_REFUSE, 4096, 1024, {0, 0}},
        {RNIC_MTU_REFUSE, 1024, 4096, {1024, 1024}},  {RNIC_MTU_REFUSE, 2048, 2048, {2048, 2048}},
        {RNIC_MTU_OWN, 4096, 1024, {4096, 1024}},     {RNIC_MTU_OWN, 1024, 4096, {1024, 4096}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pair *pair = make(rows[i].agreement, rows[i].active, rows[i].passive);
        const struct pair_end *end = &pair->ends[0];
        assert_int_equal(end->cm_count, 1);
        if (rows[i].mtu[0] == 0) {
            assert_int_equal(end->cms[0], RDMA_CM_EVENT_REJECTED);
            assert_int_equal(end->statuses[0], 26);
            assert_int_equal(pair->ends[1].cm_count, 0);
        } else {
            assert_int_equal(end->cms[0], RDMA_CM_EVENT_ESTABLISHED);
            assert_int_equal(end->conn->qp->mtu, rows[i].mtu[0]);
            assert_int_equal(pair->ends[1].conn->qp->mtu, rows[i].mtu[1]);
        }
        pair_free(pair);
    }
}

/* One message; what it ends with, and in how many packets it was sent. */
static void test_disagreement(void **state)
{
    (void)state;
    static const struct {
        int64_t active, passive;
        enum ibv_wr_opcode opcode;
        uint32_t length;
        enum ibv_wc_status status, there; /* there: of the receive that was posted */
    } rows[] = {
        {4096, 1024, IBV_WR_RDMA_WRITE, 1024, IBV_WC_SUCCESS, IBV_WC_SUCCESS},
        {4096, 1024, IBV_WR_RDMA_WRITE, 1025, IBV_WC_REM_INV_REQ_ERR, IBV_WC_WR_FLUSH_ERR},
        {4096, 1024, IBV_WR_RDMA_WRITE, 9000, IBV_WC_REM_INV_REQ_ERR, IBV_WC_WR_FLUSH_ERR},
        {4096, 1024, IBV_WR_SEND, 1024, IBV_WC_SUCCESS, IBV_WC_SUCCESS},
        {4096, 1024, IBV_WR_SEND, 1025, IBV_WC_REM_INV_REQ_ERR, IBV_WC_LOC_LEN_ERR},
        {4096, 1024, IBV_WR_RDMA_READ, 1024, IBV_WC_SUCCESS, IBV_WC_SUCCESS},
        {4096, 1024, IBV_WR_RDMA_READ, 1025, IBV_WC_BAD_RESP_ERR, IBV_WC_SUCCESS},
        {4096, 1024, IBV_WR_RDMA_READ, 9000, IBV_WC_BAD_RESP_ERR, IBV_WC_SUCCESS},
        {1024, 4096, IBV_WR_RDMA_WRITE, 1024, IBV_WC_SUCCESS, IBV_WC_SUCCESS},
        {1024, 4096, IBV_WR_RDMA_WRITE, 1025, IBV_WC_REM_INV_REQ_ERR, IBV_WC_WR_FLUSH_ERR},
        {1024, 4096, IBV_WR_SEND, 9000, IBV_WC_REM_INV_REQ_ERR, IBV_WC_LOC_LEN_ERR},
        {1024, 4096, IBV_WR_RDMA_READ, 1025, IBV_WC_BAD_RESP_ERR, IBV_WC_SUCCESS},
        {1024, 4096, IBV_WR_RDMA_READ, 9000, IBV_WC_BAD_RESP_ERR, IBV_WC_SUCCESS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pair *pair = make(RNIC_MTU_OWN, rows[i].active, rows[i].passive);
        struct verbs_mr *near = pair_mr(pair, 0, rows[i].length, VERBS_BULK);
        struct verbs_mr *far = pair_mr(pair, 1, rows[i].length, VERBS_BULK);
        assert_int_equal(pair_recv(pair, 1, far), 0);
        assert_int_equal(pair_post(pair, 0, rows[i].opcode, near, far, IBV_SEND_SIGNALED), 0);
        /* At once, and not after any timeout. */
        pair_run(pair, 20 * PS_PER_US);
        assert_int_equal(pair->ends[0].wc_count, 1);
        assert_int_equal(pair->ends[0].wcs[0].status, rows[i].status);
        assert_int_equal(pair->rnics[0]->counters.timeouts, 0);
        assert_int_equal(pair->ends[0].conn->qp->state,
                         rows[i].status == IBV_WC_SUCCESS ? IBV_QPS_RTS : IBV_QPS_ERR);
        const bool taken = rows[i].there != IBV_WC_SUCCESS || rows[i].opcode == IBV_WR_SEND;
        assert_int_equal(pair->ends[1].wc_count, taken);
        if (taken)
            assert_int_equal(pair->ends[1].wcs[0].status, rows[i].there);
        rnic_audit(pair->rnics[0]);
        rnic_audit(pair->rnics[1]);
        pair_free(pair);
    }
}

/* Both ways, many messages: the end comes in order, whatever is behind it. */
static void test_disagreement_with_more_behind(void **state)
{
    (void)state;
    static const int64_t mtus[][2] = {{4096, 256}, {256, 4096}, {2048, 1024}, {512, 1024}};
    for (size_t i = 0; i < sizeof mtus / sizeof mtus[0]; i++) {
        struct pair *pair = make(RNIC_MTU_OWN, mtus[i][0], mtus[i][1]);
        struct verbs_mr *mrs[2] = {pair_mr(pair, 0, 20000, VERBS_BULK),
                                   pair_mr(pair, 1, 20000, VERBS_BULK)};
        for (int n = 0; n < 4; n++)
            for (int side = 0; side < 2; side++)
                assert_int_equal(pair_post(pair, side,
                                           n % 2 == side ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE,
                                           mrs[side], mrs[!side], IBV_SEND_SIGNALED),
                                 0);
        pair_run(pair, PS_PER_S);
        for (int side = 0; side < 2; side++) {
            assert_int_equal(pair->ends[side].wc_count, 4);
            assert_int_not_equal(pair->ends[side].wcs[0].status, IBV_WC_SUCCESS);
            assert_int_equal(pair->ends[side].wcs[3].status, IBV_WC_WR_FLUSH_ERR);
            rnic_audit(pair->rnics[side]);
        }
        pair_free(pair);
    }
}

/* ------------------------------------------------------------------ timers and retries */

enum { SIGNALED = IBV_SEND_SIGNALED, ASKED = 6, OTHER = 9 }; /* codes: 262 us and 2.1 ms */

static const time_ps asked = (4096 * PS_PER_NS) << ASKED;

enum way { PLAIN, ADAPTIVE, SELECTIVE, WAYS };

/* Host 0, which connects, has the first of each; host 1, which accepts, the second. */
struct terms {
    int64_t timeout[2], retries[2], rnr_retries[2];
};

static struct pair *pair_with(const struct terms *terms, enum way way, int64_t accept)
{
    struct pair_params params;
    pair_presets(&params);
    params.rnic.path_mtu = 1024;
    params.rnic.min_rnr_timer = 1; /* 10 us */
    params.rnic.adaptive = way == ADAPTIVE;
    params.rnic.adaptive_timeout = 50 * PS_PER_US;
    params.rnic.rto_low = 10 * PS_PER_S; /* never sooner than the ACK timeout */
    for (int64_t i = 0; way == SELECTIVE; i++)
        if (recovery_list[i]->selective) {
            params.rnic.loss_recovery = i;
            break;
        }
    struct pair *pair = pair_make(&params);
    for (int i = 0; i < 2; i++) {
        pair->rnics[i]->params.timeout = terms->timeout[i];
        pair->rnics[i]->params.retry_count = terms->retries[i];
        pair->rnics[i]->params.rnr_retry = terms->rnr_retries[i];
    }
    pair->rnics[1]->params.accept_timeout = accept;
    pair_connect(pair);
    pair->log_count = 0;
    return pair;
}

static bool lose_writes(struct pair *pair, const struct pair_frame *frame)
{
    (void)pair;
    return frame->opcode == FRAME_RC_WRITE_ONLY;
}

/* Posts a WRITE that never arrives from that end. */
static void write_in_vain(struct pair *pair, int side)
{
    struct verbs_mr *from = pair_mr(pair, side, 100, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, !side, 100, VERBS_BULK);
    pair->lose = lose_writes;
    assert_int_equal(pair_post(pair, side, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
}

/* Of either end, whichever host has the shorter timer. */
static void the_timer_is_that_of_the_host_that_connects(void **state)
{
    (void)state;
    static const int64_t others[] = {OTHER, ASKED - 2, 0};
    for (int i = 0; i < 6; i++) {
        for (enum way way = PLAIN; way < WAYS; way += SELECTIVE) {
            const struct terms terms = {{ASKED, others[i / 2]}, {7, 7}, {7, 7}};
            struct pair *pair = pair_with(&terms, way, RNIC_AUTO);
            write_in_vain(pair, i % 2);
            pair_run(pair, 3 * PS_PER_MS);
            const struct pair_frame *first = pair_nth(pair, i % 2, FRAME_RC_WRITE_ONLY, 0);
            const struct pair_frame *again = pair_nth(pair, i % 2, FRAME_RC_WRITE_ONLY, 1);
            assert_non_null(again);
            assert_in_range(again->at - first->at, asked, asked + PS_PER_US);
            pair_free(pair);
        }
    }
}

/* A host that accepts may have a timer of its own. */
static void a_host_may_set_the_timer_of_what_it_accepts(void **state)
{
    (void)state;
    for (int side = 0; side < 2; side++) {
        const struct terms terms = {{OTHER, OTHER}, {7, 7}, {7, 7}};
        struct pair *pair = pair_with(&terms, PLAIN, ASKED);
        write_in_vain(pair, side);
        pair_run(pair, 3 * PS_PER_MS);
        const struct pair_frame *first = pair_nth(pair, side, FRAME_RC_WRITE_ONLY, 0);
        const struct pair_frame *again = pair_nth(pair, side, FRAME_RC_WRITE_ONLY, 1);
        const time_ps span = side == 0 ? asked << (OTHER - ASKED) : asked;
        assert_in_range(again->at - first->at, span, span + PS_PER_US);
        pair_free(pair);
    }
}

/* An adaptive timer starts as its own card's does, and doubles up to what the REQ says. */
static void adaptive_timers_grow_up_to_it(void **state)
{
    (void)state;
    for (int side = 0; side < 2; side++) {
        const struct terms terms = {{ASKED, OTHER}, {7, 7}, {7, 7}};
        struct pair *pair = pair_with(&terms, ADAPTIVE, RNIC_AUTO);
        write_in_vain(pair, side);
        pair_run(pair, 100 * PS_PER_US);
        const struct pair_frame *first = pair_nth(pair, side, FRAME_RC_WRITE_ONLY, 0);
        const struct pair_frame *again = pair_nth(pair, side, FRAME_RC_WRITE_ONLY, 1);
        assert_in_range(again->at - first->at, 50 * PS_PER_US, 51 * PS_PER_US);
        pair_run(pair, PS_PER_MS);
        assert_int_equal(pair->ends[side].conn->qp->timeout, asked);
        pair_run(pair, 2 * PS_PER_MS); /* seven times 262 us and one more */
        pair_expect_wc(pair, side, 0, IBV_WC_RETRY_EXC_ERR, IBV_WC_RDMA_WRITE);
        pair_free(pair);
    }
}

static void the_retries_are_those_of_the_host_that_connects(void **state)
{
    (void)state;
    static const int64_t counts[][2] = {{2, 7}, {7, 2}};
    for (int i = 0; i < 4; i++) {
        const struct terms terms = {{ASKED, ASKED}, {counts[i / 2][0], counts[i / 2][1]}, {7, 7}};
        struct pair *pair = pair_with(&terms, PLAIN, RNIC_AUTO);
        write_in_vain(pair, i % 2);
        pair_run(pair, 10 * PS_PER_MS);
        assert_int_equal(pair_count(pair, i % 2, FRAME_RC_WRITE_ONLY), terms.retries[0] + 1);
        pair_expect_wc(pair, i % 2, 0, IBV_WC_RETRY_EXC_ERR, IBV_WC_RDMA_WRITE);
        pair_free(pair);
    }
}

/* A SEND that finds no receive: its sender asks again as often as the host that says so wants. */
static void rnr_retries_are_those_of_the_receiver(void **state)
{
    (void)state;
    for (int side = 0; side < 2; side++) {
        const struct terms terms = {{ASKED, ASKED}, {7, 7}, {2, 4}};
        struct pair *pair = pair_with(&terms, PLAIN, RNIC_AUTO);
        struct verbs_mr *from = pair_mr(pair, side, 100, VERBS_BULK);
        assert_int_equal(pair_post(pair, side, IBV_WR_SEND, from, NULL, SIGNALED), 0);
        pair_run(pair, PS_PER_MS);
        assert_int_equal(pair->rnics[side]->counters.rnr_naks, terms.rnr_retries[!side] + 1);
        pair_expect_wc(pair, side, 0, IBV_WC_RNR_RETRY_EXC_ERR, IBV_WC_SEND);
        pair_free(pair);
    }
}

/* ------------------------------------------------------------------ messages without an answer */

static struct pair *make_usual(void)
{
    struct pair_params params;
    pair_presets(&params);
    return pair_make(&params);
}

static bool lose_all(struct pair *pair, const struct pair_frame *frame)
{
    (void)pair, (void)frame;
    return true;
}

static bool lose_nth(struct pair *pair, const struct pair_frame *frame)
{
    (void)frame;
    return pair->seen++ == pair->lose_state;
}

static bool lose_after_req(struct pair *pair, const struct pair_frame *frame)
{
    return frame->side == 0 && pair->seen++ > 0;
}

/* REPs and DREQs from `side` until it gives up: one and `retries` more, `interval` apart. */
static void expect_retries(struct pair *pair, int side, unsigned retries, time_ps interval,
                           enum rdma_cm_event_type end)
{
    const time_ps first = pair_nth(pair, side, FRAME_UD_SEND_ONLY, 0)->at;
    const unsigned events = pair->ends[side].cm_count;
    pair_run(pair, first + (retries + 1) * interval - PS_PER_US - pair->engine.now);
    assert_int_equal(pair->ends[side].cm_count, events);
    pair_run(pair, 2 * PS_PER_US);
    assert_int_equal(pair->ends[side].cm_count, events + 1);
    assert_int_equal(pair->ends[side].cms[events], end);
    assert_int_equal(pair_count(pair, side, FRAME_UD_SEND_ONLY), retries + 1);
    for (unsigned i = 1; i <= retries; i++)
        assert_int_equal(pair_nth(pair, side, FRAME_UD_SEND_ONLY, i)->at - first, i * interval);
}

/* The accepting side has the response timeout of the REQ, code 20 or 2^12 ms, and its retries. */
static void test_rep_is_repeated(void **state)
{
    (void)state;
    struct pair *pair = make_usual();
    pair->lose = lose_after_req; /* no RTU arrives */
    pair->rnics[0]->params.cm_retries = 9;
    pair->rnics[1]->params.cm_retries = 2;
    pair->rnics[1]->params.cm_timeout = PS_PER_S;
    pair_connect(pair);
    expect_retries(pair, 1, 9, 4096 * PS_PER_MS, RDMA_CM_EVENT_UNREACHABLE);
    assert_int_equal(pair_count(pair, 0, FRAME_UD_SEND_ONLY), 1 + 10); /* each REP has its RTU */
    pair_free(pair);
}

/* A connection manager that scales its timeout asks for a scaled one: 2^7 x 4.096 us of 800 us. */
static void test_response_timeout_is_scaled(void **state)
{
    (void)state;
    struct pair *pair = make_usual();
    pair->lose = lose_after_req;
    pair->rnics[0]->params.cm_timeout = 800 * PS_PER_US;
    pair_connect(pair);
    expect_retries(pair, 1, 15, 128 * 4096 * PS_PER_NS, RDMA_CM_EVENT_UNREACHABLE);
    pair_free(pair);
}

static void test_dreq_is_repeated(void **state)
{
    static const time_ps intervals[] = {6144 * PS_PER_MS, 4096 * PS_PER_MS};
    (void)state;
    for (int side = 0; side < 2; side++) {
        struct pair *pair = make_usual();
        pair_connect(pair);
        pair->lose = lose_all;
        pair->log_count = 0;
        verbs_sim.disconnect(pair->ends[side].conn);
        pair_run(pair, PS_PER_US);
        expect_retries(pair, side, 15, intervals[side], RDMA_CM_EVENT_DISCONNECTED);
        pair_free(pair);
    }
}

/* A DREQ whose DREP was lost is answered again, and ends the connection only once. */
static void test_repeated_dreq_is_answered(void **state)
{
    (void)state;
    struct pair *pair = make_usual();
    pair_connect(pair);
    pair->log_count = 0;
    pair->seen = 0;
    pair->lose = lose_nth;
    pair->lose_state = 1; /* the DREP */
    const unsigned events = pair->ends[1].cm_count;
    verbs_sim.disconnect(pair->ends[0].conn);
    pair_run(pair, 7 * PS_PER_S);
    assert_int_equal(pair_count(pair, 0, FRAME_UD_SEND_ONLY), 2);
    assert_int_equal(pair_count(pair, 1, FRAME_UD_SEND_ONLY), 2);
    assert_int_equal(pair->ends[1].cm_count, events + 1);
    assert_int_equal(pair->ends[0].cms[pair->ends[0].cm_count - 1], RDMA_CM_EVENT_DISCONNECTED);
    pair_free(pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agreements),
        cmocka_unit_test(test_disagreement),
        cmocka_unit_test(test_disagreement_with_more_behind),
        cmocka_unit_test(the_timer_is_that_of_the_host_that_connects),
        cmocka_unit_test(a_host_may_set_the_timer_of_what_it_accepts),
        cmocka_unit_test(adaptive_timers_grow_up_to_it),
        cmocka_unit_test(the_retries_are_those_of_the_host_that_connects),
        cmocka_unit_test(rnr_retries_are_those_of_the_receiver),
        cmocka_unit_test(test_rep_is_repeated),
        cmocka_unit_test(test_response_timeout_is_scaled),
        cmocka_unit_test(test_dreq_is_repeated),
        cmocka_unit_test(test_repeated_dreq_is_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
