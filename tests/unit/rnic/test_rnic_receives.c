/* SPDX-License-Identifier: Apache-2.0
 * What takes a receive, and from where.  Immediate data: its 4 bytes on the wire, the receive that
 * it takes, and what a WRITE with it does where there is none.  Shared receive queues: who takes
 * which, the limit, and who is refused. */
#include "base/drop.h"
#include "tests/unit/rnic/rnic_pair.h"

#include "rnic/host/verbs_sim.h"

#include <endian.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { MTU = 1024, VALUE = 0x01020304 };

static int post_immediate(struct pair *pair, enum ibv_wr_opcode opcode, struct verbs_mr *from,
                          const struct verbs_mr *to)
{
    struct ibv_sge sge = {.addr = from->addr, .length = from->length, .lkey = from->lkey};
    struct ibv_send_wr wr = {
        .sg_list = &sge,
        .num_sge = 1,
        .opcode = opcode,
        .send_flags = IBV_SEND_SIGNALED,
        .imm_data = htobe32(VALUE),
        .wr.rdma = {.remote_addr = to->addr, .rkey = to->rkey},
    };
    struct ibv_send_wr *bad = NULL;
    return verbs_sim.post_send(pair->ends[0].conn, &wr, &bad);
}

static const struct {
    enum ibv_wr_opcode opcode;
    uint32_t length;
    uint8_t last; /* opcode of the packet that carries it */
    uint16_t bytes;
    enum ibv_wc_opcode here, there;
} rows[] = {
    /* IBTA Vol 1 table 35; 62 B of headers and checksums, RETH 16, immediate data 4, data */
    {IBV_WR_SEND_WITH_IMM, 100, 0x05, 62 + 4 + 100, IBV_WC_SEND, IBV_WC_RECV},
    {IBV_WR_SEND_WITH_IMM, 3 * MTU, 0x03, 62 + 4 + MTU, IBV_WC_SEND, IBV_WC_RECV},
    {IBV_WR_RDMA_WRITE_WITH_IMM, 101, 0x0B, 62 + 16 + 4 + 104, IBV_WC_RDMA_WRITE,
     IBV_WC_RECV_RDMA_WITH_IMM},
    {IBV_WR_RDMA_WRITE_WITH_IMM, 2 * MTU + 4, 0x09, 62 + 4 + 4, IBV_WC_RDMA_WRITE,
     IBV_WC_RECV_RDMA_WITH_IMM},
};

static void test_each_kind(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pair *pair = pair_of(MTU, 256);
        struct verbs_mr *from = pair_mr(pair, 0, rows[i].length, VERBS_BULK);
        struct verbs_mr *to = pair_mr(pair, 1, rows[i].length, VERBS_BULK);
        from->content = 77;
        assert_int_equal(pair_recv(pair, 1, to), 0);
        assert_int_equal(post_immediate(pair, rows[i].opcode, from, to), 0);
        pair_run(pair, 100 * PS_PER_US);
        assert_int_equal(pair_count(pair, 0, rows[i].last), 1);
        assert_int_equal(pair_nth(pair, 0, rows[i].last, 0)->bytes, rows[i].bytes);
        pair_expect_wc(pair, 0, 0, IBV_WC_SUCCESS, rows[i].here);
        pair_expect_wc(pair, 1, 0, IBV_WC_SUCCESS, rows[i].there);
        const struct ibv_wc *wc = &pair->ends[1].wcs[0];
        assert_int_equal(wc->wc_flags, IBV_WC_WITH_IMM);
        assert_int_equal(be32toh(wc->imm_data), VALUE);
        assert_int_equal(wc->byte_len, rows[i].length);
        assert_int_equal(to->content, 77);
        pair_free(pair);
    }
}

/* A WRITE moves its data at once; its last packet waits for a receive, and it alone comes again. */
static void test_write_waits_for_a_receive(void **state)
{
    (void)state;
    static const uint32_t lengths[] = {100, 3 * MTU};
    for (unsigned i = 0; i < 2; i++) {
        struct pair_params params;
        pair_presets(&params);
        params.rnic.path_mtu = MTU;
        params.rnic.min_rnr_timer = 12; /* 0.64 ms */
        struct pair *pair = pair_make(&params);
        pair_connect(pair);
        struct verbs_mr *from = pair_mr(pair, 0, lengths[i], VERBS_BULK);
        struct verbs_mr *to = pair_mr(pair, 1, lengths[i], VERBS_BULK);
        assert_int_equal(post_immediate(pair, IBV_WR_RDMA_WRITE_WITH_IMM, from, to), 0);
        pair_run(pair, 100 * PS_PER_US);
        assert_int_equal(pair->ends[0].wc_count + pair->ends[1].wc_count, 0);
        assert_int_equal(pair->rnics[0]->counters.rnr_naks, 1);
        assert_int_equal(pair_recv(pair, 1, to), 0);
        pair_run(pair, 2 * PS_PER_MS);
        pair_expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE);
        pair_expect_wc(pair, 1, 0, IBV_WC_SUCCESS, IBV_WC_RECV_RDMA_WITH_IMM);
        assert_in_range(pair->ends[0].wc_at[0], 640 * PS_PER_US, 700 * PS_PER_US);
        assert_int_equal(pair->rnics[0]->counters.retransmitted_packets, 1);
        assert_int_equal(pair->rnics[1]->counters.write_requests, 1);
        pair_free(pair);
    }
}

/* In waits for a receive the ACK timer of an RNIC stands still; that of a software RNIC runs on,
 * 4.19 ms from the first packet, and from what is sent after a timeout: in 100 ms it ends some 20
 * times, sends nothing before the wait is over, and takes the retries if they have an end. */
static void test_the_timer_in_waits(void **state)
{
    (void)state;
    static const struct {
        int64_t software, retries;
        unsigned least, most; /* timeouts */
        bool ends;
    } cases[] = {{0, 3, 0, 0, false}, {1, 7, 20, 24, false}, {1, 3, 4, 4, true}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct pair_params params;
        pair_presets(&params);
        params.rnic.soft.software = cases[i].software;
        params.rnic.min_rnr_timer = 12; /* 0.64 ms */
        params.rnic.timeout = 10;
        params.rnic.retry_count = cases[i].retries;
        struct pair *pair = pair_make(&params);
        pair_connect(pair);
        pair_run(pair, PS_PER_MS);
        struct verbs_mr *from = pair_mr(pair, 0, 100, VERBS_BULK);
        struct verbs_mr *to = pair_mr(pair, 1, 100, VERBS_BULK);
        assert_int_equal(pair_post(pair, 0, IBV_WR_SEND, from, NULL, IBV_SEND_SIGNALED), 0);
        pair_run(pair, 100 * PS_PER_MS);
        const struct rnic_counters *counters = &pair->rnics[0]->counters;
        assert_in_range(counters->timeouts, cases[i].least, cases[i].most);
        assert_int_equal(pair->ends[0].wc_count, cases[i].ends);
        if (cases[i].ends) {
            pair_expect_wc(pair, 0, 0, IBV_WC_RETRY_EXC_ERR, IBV_WC_SEND);
        } else {
            assert_in_range(counters->rnr_naks, 150, 157);
            assert_int_equal(pair_count(pair, 0, FRAME_RC_SEND_ONLY), counters->rnr_naks);
            assert_int_equal(pair_recv(pair, 1, to), 0);
            pair_run(pair, PS_PER_MS);
            pair_expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_SEND);
        }
        rnic_audit(pair->rnics[0]);
        pair_free(pair);
    }
}

/* A plain WRITE takes no receive, and says nothing at the other end. */
static void test_without(void **state)
{
    (void)state;
    struct pair *pair = pair_of(MTU, 256);
    struct verbs_mr *from = pair_mr(pair, 0, 100, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 100, VERBS_BULK);
    assert_int_equal(pair_recv(pair, 1, to), 0);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, IBV_SEND_SIGNALED), 0);
    pair_run(pair, 100 * PS_PER_US);
    assert_int_equal(pair->ends[0].wc_count, 1);
    assert_int_equal(pair->ends[1].wc_count, 0);
    pair_free(pair);
}

/* ------------------------------------------------------------------ shared receives */

/* Two connections whose passive ends share receives. */
struct sharing {
    struct pair *pair;
    struct verbs_srq *srq;
    struct verbs_conn *active[2], *passive[2];
    unsigned accepted, limits;
    unsigned left[2], left_after; /* by connection; completions before the last of them */
    uint64_t taken[16]; /* wr_ids, in the order of their completions, and by which connection */
    int by[16];
    enum ibv_wc_status statuses[16];
    unsigned count;
};

static void on_shared(void *self, struct verbs_conn *conn, const struct ibv_wc *wc)
{
    struct sharing *sharing = self;
    sharing->taken[sharing->count] = wc->wr_id;
    sharing->statuses[sharing->count] = wc->status;
    sharing->by[sharing->count++] = conn == sharing->passive[1];
}

static void on_left(void *self, struct verbs_conn *conn, enum ibv_event_type type)
{
    struct sharing *sharing = self;
    assert_int_equal(type, IBV_EVENT_QP_LAST_WQE_REACHED);
    sharing->left[conn == sharing->passive[1]]++;
    sharing->left_after = sharing->count;
}

static void on_limit(void *self)
{
    ((struct sharing *)self)->limits++;
}

static void on_request(void *self, struct verbs_conn *conn, const struct verbs_event *event)
{
    struct sharing *sharing = self;
    static const struct ibv_qp_cap cap = {.max_send_wr = 4, .max_recv_wr = 1};
    static const struct rdma_conn_param param = {.rnr_retry_count = 7};
    const struct verbs_user user = {
        .self = sharing, .on_completion = on_shared, .on_async = on_left, .srq = sharing->srq};
    if (event->type != RDMA_CM_EVENT_CONNECT_REQUEST)
        return;
    sharing->passive[sharing->accepted++] = conn;
    assert_int_equal(verbs_sim.prepare(conn, &cap, &user), 0);
    assert_int_equal(verbs_sim.accept(conn, &param), 0);
}

static void share(struct sharing *sharing, uint32_t max_wr)
{
    struct pair_params params;
    pair_presets(&params);
    params.rnic.path_mtu = MTU;
    params.rnic.min_rnr_timer = 12; /* 0.64 ms */
    struct pair *pair = pair_make(&params);
    *sharing = (struct sharing){.pair = pair};
    engine_start(&pair->engine);
    const struct verbs_srq_user about = {.self = sharing, .on_limit = on_limit};
    sharing->srq = verbs_sim.create_srq(pair->ends[1].device, max_wr, &about);
    const struct verbs_user server = {.self = sharing, .on_cm = on_request};
    assert_int_equal(verbs_sim.listen(pair->ends[1].device, PAIR_SERVICE, &server), 0);
    for (int i = 0; i < 2; i++) {
        static const struct ibv_qp_cap cap = {.max_send_wr = 8, .max_recv_wr = 1};
        static const struct rdma_conn_param param = {.retry_count = 7, .rnr_retry_count = 7};
        const struct verbs_peer peer = {RNIC_FIRST_IP + 1, PAIR_SERVICE, pair->class};
        const struct verbs_user user = {.self = &pair->ends[0]};
        sharing->active[i] = verbs_sim.connect(pair->ends[0].device, &peer, &cap, &param, &user);
        pair_run(pair, 20 * PS_PER_US);
    }
    assert_int_equal(sharing->accepted, 2);
}

static void end_sharing(struct sharing *sharing)
{
    for (int side = 0; side < 2; side++)
        rnic_audit(sharing->pair->rnics[side]);
    for (int i = 0; i < 2; i++)
        verbs_sim.destroy(sharing->passive[i]);
    verbs_sim.destroy_srq(sharing->srq);
    rnic_audit(sharing->pair->rnics[1]);
    pair_free(sharing->pair);
}

static int post_shared(struct sharing *sharing, struct verbs_mr *mr, uint64_t id)
{
    struct ibv_sge sge = {.addr = mr->addr, .length = mr->length, .lkey = mr->lkey};
    struct ibv_recv_wr wr = {.wr_id = id, .sg_list = &sge, .num_sge = 1};
    struct ibv_recv_wr *bad = NULL;
    return verbs_sim.post_srq_recv(sharing->srq, &wr, &bad);
}

static void send_by(struct sharing *sharing, int which, struct verbs_mr *mr)
{
    struct ibv_sge sge = {.addr = mr->addr, .length = mr->length, .lkey = mr->lkey};
    struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND};
    struct ibv_send_wr *bad = NULL;
    assert_int_equal(verbs_sim.post_send(sharing->active[which], &wr, &bad), 0);
    pair_run(sharing->pair, 20 * PS_PER_US);
}

/* In the order in which messages begin, whoever's they are. */
static void test_shared_receives(void **state)
{
    (void)state;
    struct sharing sharing;
    share(&sharing, 3);
    struct verbs_mr *from = pair_mr(sharing.pair, 0, 2 * MTU, VERBS_BULK);
    struct verbs_mr *to = pair_mr(sharing.pair, 1, 2 * MTU, VERBS_BULK);
    for (uint64_t id = 10; id < 14; id++)
        assert_int_equal(post_shared(&sharing, to, id), 0);
    assert_int_equal(post_shared(&sharing, to, 14), ENOMEM); /* rings have powers of two */
    struct ibv_recv_wr own = {.wr_id = 1}, *bad = NULL;
    assert_int_equal(verbs_sim.post_recv(sharing.passive[0], &own, &bad), EINVAL);
    assert_ptr_equal(bad, &own);
    static const int order[] = {1, 0, 0, 1};
    for (int i = 0; i < 4; i++)
        send_by(&sharing, order[i], from);
    assert_int_equal(sharing.count, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(sharing.taken[i], 10 + i);
        assert_int_equal(sharing.by[i], order[i]);
        assert_int_equal(sharing.statuses[i], IBV_WC_SUCCESS);
    }
    assert_int_equal(sharing.limits, 0); /* not armed */
    end_sharing(&sharing);
}

/* A receive that takes whatever comes: bytes are there to be read and are no bulk that arrived, of
 * bulk there is the tag. */
static void test_memory_for_either(void **state)
{
    (void)state;
    struct sharing sharing;
    share(&sharing, 4);
    enum { BYTES = 2 * MTU + 100 };
    struct verbs_mr *bytes = pair_mr(sharing.pair, 0, BYTES, VERBS_BYTES);
    struct verbs_mr *bulk = pair_mr(sharing.pair, 0, BYTES, VERBS_BULK);
    struct verbs_mr *to = pair_mr(sharing.pair, 1, BYTES, VERBS_EITHER);
    for (uint32_t i = 0; i < BYTES; i++)
        bytes->bytes[i] = (unsigned char)(i * 7);
    bulk->content = 77;
    assert_int_equal(post_shared(&sharing, to, 1), 0);
    send_by(&sharing, 0, bytes);
    assert_int_equal(sharing.statuses[0], IBV_WC_SUCCESS);
    assert_memory_equal(to->bytes, bytes->bytes, BYTES);
    assert_int_equal(sharing.passive[0]->bulk_taken, 0);
    assert_int_equal(post_shared(&sharing, to, 2), 0);
    send_by(&sharing, 0, bulk);
    assert_int_equal(sharing.count, 2);
    assert_int_equal(to->content, 77);
    assert_int_equal(sharing.passive[0]->bulk_taken, BYTES);
    end_sharing(&sharing);
}

/* Empty, it refuses both; the first that is posted serves who comes first after its wait. */
static void test_an_empty_one_refuses_all(void **state)
{
    (void)state;
    struct sharing sharing;
    share(&sharing, 4);
    struct verbs_mr *from = pair_mr(sharing.pair, 0, 100, VERBS_BULK);
    struct verbs_mr *to = pair_mr(sharing.pair, 1, 100, VERBS_BULK);
    send_by(&sharing, 0, from);
    send_by(&sharing, 1, from);
    assert_int_equal(sharing.pair->rnics[1]->counters.rnr_naks_sent, 2);
    assert_int_equal(post_shared(&sharing, to, 1), 0);
    pair_run(sharing.pair, PS_PER_MS);
    assert_int_equal(sharing.count, 1);
    assert_int_equal(sharing.by[0], 0);
    assert_int_equal(post_shared(&sharing, to, 2), 0);
    pair_run(sharing.pair, PS_PER_MS);
    assert_int_equal(sharing.count, 2);
    assert_int_equal(sharing.by[1], 1);
    end_sharing(&sharing);
}

/* Told once, when the second of four is taken; armed where fewer are left already, at once. */
static void test_the_limit(void **state)
{
    (void)state;
    struct sharing sharing;
    share(&sharing, 4);
    struct verbs_mr *from = pair_mr(sharing.pair, 0, 100, VERBS_BULK);
    struct verbs_mr *to = pair_mr(sharing.pair, 1, 100, VERBS_BULK);
    for (uint64_t id = 0; id < 4; id++)
        assert_int_equal(post_shared(&sharing, to, id), 0);
    verbs_sim.arm_srq(sharing.srq, 3);
    pair_run(sharing.pair, PS_PER_US);
    static const unsigned after[] = {0, 1, 1};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sharing.limits, i == 0 ? 0 : after[i - 1]);
        send_by(&sharing, i % 2, from);
    }
    assert_int_equal(sharing.limits, 1);
    verbs_sim.arm_srq(sharing.srq, 2);
    pair_run(sharing.pair, PS_PER_US);
    assert_int_equal(sharing.limits, 2);
    end_sharing(&sharing);
}

/* Of a connection that ends, what a message under way has taken is flushed, and nothing else. */
static void test_the_end_flushes_what_was_taken(void **state)
{
    (void)state;
    struct sharing sharing;
    share(&sharing, 4);
    struct verbs_mr *from = pair_mr(sharing.pair, 0, 1 << 20, VERBS_BULK);
    struct verbs_mr *to = pair_mr(sharing.pair, 1, 1 << 20, VERBS_BULK);
    for (uint64_t id = 0; id < 4; id++)
        assert_int_equal(post_shared(&sharing, to, id), 0);
    send_by(&sharing, 0, from); /* 84 us at 100 Gb/s: it is under way */
    verbs_sim.disconnect(sharing.passive[0]);
    pair_run(sharing.pair, 200 * PS_PER_US);
    assert_int_equal(sharing.count, 1);
    assert_int_equal(sharing.statuses[0], IBV_WC_WR_FLUSH_ERR);
    assert_int_equal(sharing.taken[0], 0);
    /* It is told once, behind what it had taken; of the other nothing is. */
    assert_int_equal(sharing.left[0], 1);
    assert_int_equal(sharing.left[1], 0);
    assert_int_equal(sharing.left_after, 1);
    send_by(&sharing, 1, pair_mr(sharing.pair, 0, 100, VERBS_BULK));
    assert_int_equal(sharing.count, 2);
    assert_int_equal(sharing.taken[1], 1);
    end_sharing(&sharing);
}

/* A queue pair that fails has nothing more to flush, and says so. */
static void test_the_last_one_is_told(void **state)
{
    (void)state;
    struct sharing sharing;
    share(&sharing, 4);
    struct verbs_mr *from = pair_mr(sharing.pair, 0, 200, VERBS_BULK);
    struct verbs_mr *shorter = pair_mr(sharing.pair, 1, 100, VERBS_BULK);
    assert_int_equal(post_shared(&sharing, shorter, 1), 0);
    send_by(&sharing, 1, from);
    assert_int_equal(sharing.statuses[0], IBV_WC_LOC_LEN_ERR);
    assert_int_equal(sharing.left[1], 1);
    assert_int_equal(sharing.left_after, 1);
    assert_int_equal(sharing.left[0], 0);
    end_sharing(&sharing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_kind),
        cmocka_unit_test(test_write_waits_for_a_receive),
        cmocka_unit_test(test_the_timer_in_waits),
        cmocka_unit_test(test_without),
        cmocka_unit_test(test_shared_receives),
        cmocka_unit_test(test_memory_for_either),
        cmocka_unit_test(test_an_empty_one_refuses_all),
        cmocka_unit_test(test_the_limit),
        cmocka_unit_test(test_the_end_flushes_what_was_taken),
        cmocka_unit_test(test_the_last_one_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
