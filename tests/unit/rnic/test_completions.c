/* SPDX-License-Identifier: Apache-2.0
 * Every status with which a work request can complete, reached by the fault that causes it: at the
 * requester, and at the receive that was posted at the other end. */
#include "tests/unit/rnic/rnic_pair.h"

#include "rnic/host/verbs_sim.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { SIZE = 3000, LONG = 64000, NOTHING = -1 };

/* Two hosts, a buffer at each, and what may be wrong between them. */
struct bench {
    struct pair *pair;
    struct verbs_mr *near, *far; /* far: `far_length` */
};

static bool lose_all(struct pair *pair, const struct pair_frame *frame)
{
    (void)pair, (void)frame;
    return true;
}

static void post(struct bench *bench, enum ibv_wr_opcode opcode, const struct verbs_mr *remote)
{
    struct verbs_mr *local = opcode == IBV_WR_LOCAL_INV ? NULL : bench->near;
    assert_int_equal(pair_post(bench->pair, 0, opcode, local, remote, IBV_SEND_SIGNALED), 0);
}

static void receive(struct bench *bench)
{
    assert_int_equal(pair_recv(bench->pair, 1, bench->far), 0);
}

static void all_is_well(struct bench *bench)
{
    receive(bench);
    post(bench, IBV_WR_SEND, NULL);
}

static void the_receive_is_shorter(struct bench *bench)
{
    bench->far = pair_mr(bench->pair, 1, SIZE - 1, VERBS_BULK);
    all_is_well(bench);
}

static void the_key_is_not_valid(struct bench *bench)
{
    receive(bench);
    struct verbs_mr other = *bench->far;
    other.rkey ^= 1;
    post(bench, IBV_WR_RDMA_WRITE, &other);
}

static void there_is_no_right_to_read(struct bench *bench)
{
    receive(bench);
    struct verbs_mr *own =
        verbs_sim.reg_mr(bench->pair->ends[1].device, SIZE, IBV_ACCESS_LOCAL_WRITE, VERBS_BULK);
    post(bench, IBV_WR_RDMA_READ, own);
}

static void no_receive_is_posted(struct bench *bench)
{
    post(bench, IBV_WR_SEND, NULL);
}

static void nobody_answers(struct bench *bench)
{
    receive(bench);
    bench->pair->lose = lose_all;
    post(bench, IBV_WR_RDMA_WRITE, bench->far);
}

static void path_mtus_differ(struct bench *bench)
{
    receive(bench);
    bench->pair->ends[1].conn->qp->mtu = 256;
    post(bench, IBV_WR_RDMA_READ, bench->far);
}

static void more_reads_than_are_served(struct bench *bench)
{
    receive(bench);
    bench->pair->ends[1].conn->qp->read_resources = 0;
    post(bench, IBV_WR_RDMA_READ, bench->far);
}

static void what_is_invalidated_is_invalid(struct bench *bench)
{
    struct verbs_mr other = *bench->near;
    other.rkey ^= 1;
    receive(bench);
    post(bench, IBV_WR_LOCAL_INV, &other);
}

static void what_is_invalidated_there_is_invalid(struct bench *bench)
{
    struct verbs_mr other = *bench->far;
    other.rkey ^= 1;
    receive(bench);
    post(bench, IBV_WR_SEND_WITH_INV, &other);
}

static void its_memory_is_given_back(struct bench *bench)
{
    receive(bench);
    post(bench, IBV_WR_RDMA_WRITE, bench->far);
    verbs_sim.dereg_mr(bench->pair->ends[0].device, bench->near);
}

static void the_receives_memory_is_given_back(struct bench *bench)
{
    all_is_well(bench);
    verbs_sim.dereg_mr(bench->pair->ends[1].device, bench->far);
}

/* The peer is within a message. */
static bool is_writing(const struct qp *there)
{
    return there->rx_next.opcode != QP_RX_IDLE && there->rx_offset > 0;
}

static bool is_answering(const struct qp *there)
{
    return there->reads != NULL && there->reads[there->read_head & there->read_mask].begun;
}

/* Many packets of the far buffer are to be written or read, and some have been. */
static void get_within(struct bench *bench, enum ibv_wr_opcode opcode)
{
    const struct qp *there = bench->pair->ends[1].conn->qp;
    receive(bench);
    bench->near = pair_mr(bench->pair, 0, LONG, VERBS_BULK);
    bench->far = pair_mr(bench->pair, 1, LONG, VERBS_BULK);
    struct ibv_sge sge = {bench->near->addr, bench->near->length, bench->near->lkey};
    struct ibv_send_wr *bad, wr = {.opcode = opcode, .sg_list = &sge, .num_sge = 1};
    wr.send_flags = IBV_SEND_SIGNALED;
    wr.wr.rdma.remote_addr = bench->far->addr;
    wr.wr.rdma.rkey = bench->far->rkey;
    assert_int_equal(verbs_sim.post_send(bench->pair->ends[0].conn, &wr, &bad), 0);
    for (int i = 0; i < 1000; i++) {
        if (opcode == IBV_WR_RDMA_READ ? is_answering(there) : is_writing(there))
            return;
        pair_run(bench->pair, 10 * PS_PER_NS);
    }
    fail_msg("no packet came");
}

static void give_back(struct bench *bench)
{
    verbs_sim.dereg_mr(bench->pair->ends[1].device, bench->far);
}

static void the_written_memory_is_given_back(struct bench *bench)
{
    get_within(bench, IBV_WR_RDMA_WRITE);
    give_back(bench);
}

static void the_memory_of_a_write_with_immediate_is_given_back(struct bench *bench)
{
    get_within(bench, IBV_WR_RDMA_WRITE_WITH_IMM);
    give_back(bench);
}

/* Another one has its place and its keys, before the last packet. */
static void the_written_memory_is_another(struct bench *bench)
{
    get_within(bench, IBV_WR_RDMA_WRITE);
    const uint32_t key = bench->far->rkey;
    give_back(bench);
    assert_int_equal(pair_mr(bench->pair, 1, LONG, VERBS_BULK)->rkey, key);
}

static void the_read_memory_is_given_back(struct bench *bench)
{
    get_within(bench, IBV_WR_RDMA_READ);
    give_back(bench);
}

static void the_key_is_invalidated(struct bench *bench)
{
    get_within(bench, IBV_WR_RDMA_WRITE);
    assert_int_equal(pair_post(bench->pair, 1, IBV_WR_LOCAL_INV, NULL, bench->far, 0), 0);
}

static void the_connection_ends(struct bench *bench)
{
    receive(bench);
    post(bench, IBV_WR_RDMA_WRITE, bench->far);
    verbs_sim.disconnect(bench->pair->ends[0].conn);
}

static const struct {
    void (*fault)(struct bench *bench);
    int here, there; /* enum ibv_wc_status; NOTHING: nothing completes */
} rows[] = {
    {all_is_well, IBV_WC_SUCCESS, IBV_WC_SUCCESS},
    {the_receive_is_shorter, IBV_WC_REM_INV_REQ_ERR, IBV_WC_LOC_LEN_ERR},
    {the_key_is_not_valid, IBV_WC_REM_ACCESS_ERR, IBV_WC_WR_FLUSH_ERR},
    {there_is_no_right_to_read, IBV_WC_REM_ACCESS_ERR, IBV_WC_WR_FLUSH_ERR},
    {no_receive_is_posted, IBV_WC_RNR_RETRY_EXC_ERR, NOTHING},
    {nobody_answers, IBV_WC_RETRY_EXC_ERR, NOTHING},
    {path_mtus_differ, IBV_WC_BAD_RESP_ERR, NOTHING},
    {more_reads_than_are_served, IBV_WC_REM_INV_REQ_ERR, IBV_WC_WR_FLUSH_ERR},
    {what_is_invalidated_is_invalid, IBV_WC_LOC_QP_OP_ERR, NOTHING},
    {what_is_invalidated_there_is_invalid, IBV_WC_RETRY_EXC_ERR, IBV_WC_REM_INV_REQ_ERR},
    {its_memory_is_given_back, IBV_WC_LOC_PROT_ERR, NOTHING},
    {the_receives_memory_is_given_back, IBV_WC_REM_OP_ERR, IBV_WC_LOC_PROT_ERR},
    {the_written_memory_is_given_back, IBV_WC_REM_ACCESS_ERR, IBV_WC_WR_FLUSH_ERR},
    {the_memory_of_a_write_with_immediate_is_given_back, IBV_WC_REM_ACCESS_ERR,
     IBV_WC_LOC_ACCESS_ERR},
    {the_written_memory_is_another, IBV_WC_REM_ACCESS_ERR, IBV_WC_WR_FLUSH_ERR},
    {the_read_memory_is_given_back, IBV_WC_REM_ACCESS_ERR, IBV_WC_WR_FLUSH_ERR},
    {the_key_is_invalidated, IBV_WC_REM_ACCESS_ERR, IBV_WC_WR_FLUSH_ERR},
    {the_connection_ends, IBV_WC_WR_FLUSH_ERR, IBV_WC_WR_FLUSH_ERR},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static struct bench make(void)
{
    struct pair_params params;
    pair_presets(&params);
    params.rnic.path_mtu = 1024;
    params.rnic.timeout = 5;
    params.rnic.rnr_retry = 2;
    params.rnic.min_rnr_timer = 1;
    struct pair *pair = pair_make(&params);
    pair_connect(pair);
    return (struct bench){pair, pair_mr(pair, 0, SIZE, VERBS_BULK),
                          pair_mr(pair, 1, SIZE, VERBS_BULK)};
}

static void expect_first(const struct pair_end *end, int status)
{
    assert_int_equal(end->wc_count, status == NOTHING ? 0 : 1);
    if (status != NOTHING)
        assert_int_equal(end->wcs[0].status, status);
}

static void test_each_fault(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        struct bench bench = make();
        rows[i].fault(&bench);
        pair_run(bench.pair, 50 * PS_PER_MS);
        expect_first(&bench.pair->ends[0], rows[i].here);
        expect_first(&bench.pair->ends[1], rows[i].there);
        for (int side = 0; side < 2; side++) {
            const int own = side == 0 ? rows[i].here : rows[i].there;
            if (own != NOTHING)
                assert_int_equal(bench.pair->ends[side].conn->qp->state,
                                 own == IBV_WC_SUCCESS ? IBV_QPS_RTS : IBV_QPS_ERR);
            rnic_audit(bench.pair->rnics[side]);
        }
        /* What is posted behind it is flushed. */
        if (rows[i].here != IBV_WC_SUCCESS) {
            struct verbs_mr *more = pair_mr(bench.pair, 0, SIZE, VERBS_BULK);
            assert_int_equal(pair_post(bench.pair, 0, IBV_WR_SEND, more, NULL, 0), 0);
            pair_run(bench.pair, PS_PER_MS);
            assert_int_equal(bench.pair->ends[0].wcs[1].status, IBV_WC_WR_FLUSH_ERR);
        }
        pair_free(bench.pair);
    }
}

enum where { NONE, REQUESTER, RECEIVE, BOTH };

static bool is_among(int status, bool there)
{
    for (int i = 0; i < ROWS; i++)
        if ((there ? rows[i].there : rows[i].here) == status)
            return true;
    return false;
}

/* Each status of the list occurs where the list says, and nowhere else; none is missing. */
static void test_the_list_of_statuses(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int status;
        enum where where;
    } list[] = {
#define WC_STATUS(name, where, text, fault) {#name, IBV_WC_##name, where},
#include "rnic/qp/wc_status.def"
#undef WC_STATUS
    };
    enum { COUNT = sizeof list / sizeof list[0] };
    assert_int_equal(COUNT, IBV_WC_TM_RNDV_INCOMPLETE + 1);
    for (int i = 0; i < COUNT; i++) {
        const bool here = list[i].where == REQUESTER || list[i].where == BOTH;
        const bool there = list[i].where == RECEIVE || list[i].where == BOTH;
        assert_int_equal(list[i].status, i);
        if (is_among(i, false) != here || is_among(i, true) != there)
            fail_msg("%s is not reached where the list says so", list[i].name);
    }
}

/* What went before a request without memory is complete, what comes behind it is flushed. */
static void test_memory_given_back_in_turn(void **state)
{
    (void)state;
    static const enum ibv_wc_status expected[] = {IBV_WC_SUCCESS, IBV_WC_SUCCESS,
                                                  IBV_WC_LOC_PROT_ERR, IBV_WC_WR_FLUSH_ERR};
    struct bench bench = make();
    struct verbs_mr *other = pair_mr(bench.pair, 0, SIZE, VERBS_BULK);
    post(&bench, IBV_WR_RDMA_WRITE, bench.far);
    post(&bench, IBV_WR_RDMA_READ, bench.far);
    assert_int_equal(
        pair_post(bench.pair, 0, IBV_WR_RDMA_READ, other, bench.far, IBV_SEND_SIGNALED), 0);
    post(&bench, IBV_WR_RDMA_WRITE, bench.far);
    verbs_sim.dereg_mr(bench.pair->ends[0].device, other);
    pair_run(bench.pair, PS_PER_MS);
    assert_int_equal(bench.pair->ends[0].wc_count, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(bench.pair->ends[0].wcs[i].status, expected[i]);
    rnic_audit(bench.pair->rnics[0]);
    pair_free(bench.pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_fault),
        cmocka_unit_test(test_the_list_of_statuses),
        cmocka_unit_test(test_memory_given_back_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
