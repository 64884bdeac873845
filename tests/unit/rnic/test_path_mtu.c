/* SPDX-License-Identifier: Apache-2.0
 * Hosts whose path MTUs differ: what each kind of agreement makes of it, and how messages of each
 * size end where there is none. */
#include "tests/unit/rnic/rnic_pair.h"

#include "rnic/cm/cm_mad.h"
#include "rnic/host/verbs_sim.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agreements),
        cmocka_unit_test(test_disagreement),
        cmocka_unit_test(test_disagreement_with_more_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
