/* SPDX-License-Identifier: Apache-2.0
 * The connection manager: bytes of its messages, and every way a connection begins and ends. */
#include "base/drop.h"
#include "tests/unit/base/fuzz_input.h"
#include "tests/unit/rnic/rnic_pair.h"

#include "rnic/cm/cm_mad.h"
#include "rnic/host/verbs_sim.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct cm_mad req = {
    .attribute = CM_REQ,
    .tid = 0x1122334455667788,
    .local_id = 0xA1B2C3D4,
    .qpn = 0x123456,
    .starting_psn = 0xABCDEF,
    .ca_guid = 0x0102030405060708,
    .responder_resources = 16,
    .initiator_depth = 3,
    .retry_count = 7,
    .rnr_retry = 5,
    .service_id = CM_SERVICE_ID(4420),
    .source_ip = 0x0A000001,
    .destination_ip = 0x0A000002,
    .source_port = 0xC123,
    .mtu = IBV_MTU_4096,
    .packet_rate = IBV_RATE_100_GBPS,
    .flow_label = 0xABCDE,
    .p_key = 0x8001,
    .flow_control = true,
    .traffic_class = 104,
    .hop_limit = 64,
    .service_level = 3,
    .ack_timeout = 14,
    .response_timeout = 20,
    .peer_response_timeout = 21,
    .max_retries = 15,
    .private_len = 2,
    .private_data = {0xEE, 0xFF},
};

struct field {
    unsigned at, bytes;
    uint64_t value;
};

static uint64_t big_endian(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value = value << 8 | at[i];
    return value;
}

/* Encodes, and keeps the message for a fuzz target: whole, to one side that listens, or with the
 * names of a connection that lives. */
static void encode(const struct cm_mad *mad, uint8_t bytes[CM_MAD_BYTES])
{
    cm_mad_encode(mad, bytes);
    for (uint8_t how = 0; how < 2; how++) {
        uint8_t input[2 + 2 + UINT8_MAX] = {how, how == 0 ? 0 : 0x0F, 7, UINT8_MAX};
        memcpy(input + 4, bytes, UINT8_MAX);
        fuzz_input("cm", input, sizeof input);
    }
}

/* Offsets from IBTA Vol 1 12.6.5 and annex A11, counted from the start of the 256 bytes. */
static void test_req_bytes(void **state)
{
    static const struct field fields[] = {
        {0, 1, 1},
        {1, 1, 7},
        {2, 1, 2},
        {3, 1, 3},
        {8, 8, 0x1122334455667788},
        {16, 2, 0x10},
        {24, 4, 0xA1B2C3D4},
        {24 + 8, 8, 0x0000000001061144},
        {24 + 16, 8, 0x0102030405060708},
        {24 + 32, 3, 0x123456},
        {24 + 35, 1, 16},
        {24 + 39, 1, 3},
        {24 + 43, 1, 21 << 3 | 1},
        {24 + 44, 3, 0xABCDEF},
        {24 + 47, 1, 20 << 3 | 7},
        {24 + 48, 2, 0x8001},
        {24 + 50, 1, 5 << 4 | 5},
        {24 + 51, 1, 15 << 4},
        {24 + 52, 4, 0xFFFFFFFF},
        {24 + 56, 8, 0},
        {24 + 64, 8, 0x0000FFFF0A000001},
        {24 + 80, 8, 0x0000FFFF0A000002},
        {24 + 88, 4, 0xABCDE010},
        {24 + 92, 1, 104},
        {24 + 93, 1, 64},
        {24 + 94, 1, 3 << 4},
        {24 + 95, 1, 14 << 3},
        {24 + 140, 2, 0x0040},
        {24 + 142, 2, 0xC123},
        {24 + 144 + 12, 4, 0x0A000001},
        {24 + 160 + 12, 4, 0x0A000002},
        {24 + 176, 2, 0xEEFF},
        {24 + 178, 2, 0},
    };
    uint8_t bytes[CM_MAD_BYTES];
    (void)state;
    encode(&req, bytes);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        assert_int_equal(big_endian(bytes + fields[i].at, fields[i].bytes), fields[i].value);
}

static void test_rep_rej_dreq_bytes(void **state)
{
    (void)state;
    uint8_t bytes[CM_MAD_BYTES];
    const uint8_t *b = bytes + CM_MAD_HEADER;
    const struct cm_mad rep = {.attribute = CM_REP,
                               .local_id = 5,
                               .remote_id = 6,
                               .qpn = 7,
                               .starting_psn = 8,
                               .responder_resources = 9,
                               .initiator_depth = 10,
                               .rnr_retry = 7,
                               .ack_delay = 15,
                               .flow_control = true,
                               .private_len = 1,
                               .private_data = {0x5A}};
    encode(&rep, bytes);
    assert_int_equal(big_endian(bytes + 16, 2), 0x13);
    assert_int_equal(big_endian(b, 8), 0x0000000500000006);
    assert_int_equal(big_endian(b + 12, 3), 7);
    assert_int_equal(big_endian(b + 20, 3), 8);
    assert_int_equal(big_endian(b + 24, 2), 0x090A);
    assert_int_equal(b[26], 15 << 3 | 1);
    assert_int_equal(b[27], 7 << 5);
    assert_int_equal(b[36], 0x5A);

    const struct cm_mad rej = {.attribute = CM_REJ,
                               .message_rejected = 1,
                               .reason = 28,
                               .private_len = 1,
                               .private_data = {0xA5}};
    encode(&rej, bytes);
    assert_int_equal(b[8], 0x40);
    assert_int_equal(big_endian(b + 10, 2), 28);
    assert_int_equal(b[84], 0xA5);

    const struct cm_mad dreq = {.attribute = CM_DREQ, .remote_qpn = 0xFEDCBA};
    encode(&dreq, bytes);
    assert_int_equal(big_endian(b + 8, 3), 0xFEDCBA);
}

static void test_round_trip(void **state)
{
    (void)state;
    uint8_t bytes[CM_MAD_BYTES], again[CM_MAD_BYTES];
    struct cm_mad back;
    encode(&req, bytes);
    assert_true(cm_mad_decode(bytes, &back));
    assert_int_equal(back.private_len, 56);
    cm_mad_encode(&back, again);
    assert_memory_equal(bytes, again, CM_MAD_BYTES);
    for (uint8_t about = 0; about <= 2; about++) { /* REQ, REP, none */
        const struct cm_mad rej = {.attribute = CM_REJ, .message_rejected = about, .reason = 28};
        encode(&rej, bytes);
        assert_true(cm_mad_decode(bytes, &back));
        assert_int_equal(back.message_rejected, about);
        assert_int_equal(back.reason, 28);
    }
    bytes[1] = 0x03; /* another management class */
    assert_false(cm_mad_decode(bytes, &back));
}

static struct pair *make(void)
{
    struct pair_params params;
    pair_presets(&params);
    return pair_make(&params);
}

/* hash_32 of linux/hash.h, its upper 14 bits: the remainder of a product by division. */
static uint16_t rxe_port(uint32_t qpn)
{
    const uint64_t word = UINT64_C(1) << 32;
    return (uint16_t)(0xC000 + qpn * UINT64_C(0x61C88647) % word / (word >> 14));
}

/* Alike in both directions but where the sender's number alone makes it; a REQ has the label of its
 * ports in any case. */
static void test_udp_source_ports(void **state)
{
    (void)state;
    for (int64_t rule = RNIC_UDP_QUEUE_PAIRS; rule <= RNIC_UDP_QUEUE_PAIR; rule++) {
        struct pair_params params;
        pair_presets(&params);
        params.rnic.udp_source_port = rule;
        struct pair *pair = pair_make(&params);
        pair_connect(pair);
        const struct qp *a = pair->ends[0].conn->qp, *b = pair->ends[1].conn->qp;
        const uint32_t label = pair->ends[0].conn->peer.flow_label;
        const uint16_t there = qp_entropy_port(a->flow.entropy, rnic_ip(0), rnic_ip(1));
        const uint16_t back = qp_entropy_port(b->flow.entropy, rnic_ip(1), rnic_ip(0));
        const uint16_t folded = (uint16_t)(((label & 0x3FFF) ^ label >> 14) | 0xC000);
        assert_int_equal((label + 0x100000 - PAIR_SERVICE) % 31, 0); /* of 20 bits */
        assert_int_equal(pair->ends[1].conn->peer.flow_label, label);
        assert_int_equal(there == back, rule != RNIC_UDP_QUEUE_PAIR);
        assert_int_equal(there == folded, rule == RNIC_UDP_FLOW_LABEL);
        if (rule == RNIC_UDP_QUEUE_PAIRS)
            assert_int_equal(there, qp_udp_source_port(a->qpn, b->qpn));
        if (rule == RNIC_UDP_QUEUE_PAIR) { /* each end's by its own number */
            assert_int_equal(there, rxe_port(a->qpn));
            assert_int_equal(back, rxe_port(b->qpn));
        }
        pair_free(pair);
    }
    /* A capture of Linux's rxe: its CM speaks from queue pair 1 by this port, with this label. */
    const struct rnic rxe = {.params.udp_source_port = RNIC_UDP_QUEUE_PAIR};
    assert_int_equal(qp_udp_source_of(&rxe, 1, 1, 0x58e50), 0xd872);
    assert_int_equal(cm_flow_label(45428, PAIR_SERVICE), 0x58e50);
}

static void test_connect(void **state)
{
    (void)state;
    struct pair *pair = make();
    pair_connect(pair);
    const struct pair_end *active = &pair->ends[0], *passive = &pair->ends[1];
    assert_int_equal(active->cm_count, 1);
    assert_int_equal(active->cms[0], RDMA_CM_EVENT_ESTABLISHED);
    assert_string_equal((const char *)active->private_data, "answer");
    assert_int_equal(passive->cm_count, 2);
    assert_int_equal(passive->cms[0], RDMA_CM_EVENT_CONNECT_REQUEST);
    assert_int_equal(passive->cms[1], RDMA_CM_EVENT_ESTABLISHED);
    assert_string_equal((const char *)passive->private_data, "question");
    const struct qp *a = active->conn->qp, *b = passive->conn->qp;
    assert_int_equal(a->state, IBV_QPS_RTS);
    assert_int_equal(b->state, IBV_QPS_RTS);
    assert_int_equal(a->flow.qpn, b->qpn);
    assert_int_equal(b->flow.qpn, a->qpn);
    assert_int_equal(a->next_psn, b->epsn);
    assert_int_equal(b->next_psn, a->epsn);
    assert_int_not_equal(a->next_psn, b->next_psn);
    assert_int_equal(a->mtu, 4096);
    assert_int_equal(a->read_limit, 16);
    assert_int_equal(b->read_resources, 16);
    assert_int_equal(pair->log_count, 3);
    assert_int_equal(pair->log[0].bytes, 326);
    /* The timers of the exchange find nothing to do. */
    pair_run(pair, 20 * PS_PER_S);
    assert_int_equal(pair->log_count, 3);
    pair_free(pair);
}

static void test_reject(void **state)
{
    (void)state;
    struct pair *pair = make();
    pair->refuse = true;
    pair_connect(pair);
    assert_int_equal(pair->ends[0].cms[0], RDMA_CM_EVENT_REJECTED);
    assert_int_equal(pair->ends[0].statuses[0], CM_REJ_CONSUMER);
    assert_string_equal((const char *)pair->ends[0].private_data, "no");
    assert_int_equal(pair->ends[0].conn->qp->state, IBV_QPS_ERR);
    verbs_sim.destroy(pair->ends[1].conn);
    verbs_sim.destroy(pair->ends[0].conn);
    pair_run(pair, PS_PER_MS);
    pair_free(pair);
}

static void test_nobody_listens(void **state)
{
    (void)state;
    struct pair *pair = make();
    pair_connect(pair);
    const struct ibv_qp_cap cap = {.max_send_wr = 1, .max_recv_wr = 1};
    const struct rdma_conn_param param = {0};
    const struct verbs_user user = pair->ends[0].conn->user;
    const struct verbs_peer peer = {.ip = RNIC_FIRST_IP + 1, .port = 99};
    assert_non_null(verbs_sim.connect(pair->ends[0].device, &peer, &cap, &param, &user));
    pair_run(pair, 10 * PS_PER_US);
    assert_int_equal(pair->ends[0].cms[1], RDMA_CM_EVENT_REJECTED);
    assert_int_equal(pair->ends[0].statuses[1], CM_REJ_INVALID_SERVICE_ID);
    assert_int_equal(verbs_sim.listen(pair->ends[1].device, PAIR_SERVICE, &user), EADDRINUSE);
    pair_free(pair);
}

static bool lose_nth(struct pair *pair, const struct pair_frame *frame)
{
    (void)frame;
    return pair->seen++ == pair->lose_state;
}

/* REQ, REP or RTU is lost once: the message is sent again after the CM's timeout and both end
 * established. */
static void test_lost_message(void **state)
{
    (void)state;
    for (unsigned lost = 0; lost < 3; lost++) {
        struct pair *pair = make();
        pair->lose = lose_nth;
        pair->lose_state = lost;
        pair_connect(pair);
        pair_run(pair, 7 * PS_PER_S);
        assert_int_equal(pair->drops[PROBE_DROP_CORRUPT], 1);
        assert_int_equal(pair->ends[0].cm_count, 1);
        assert_int_equal(pair->ends[0].cms[0], RDMA_CM_EVENT_ESTABLISHED);
        assert_int_equal(pair->ends[1].cm_count, 2);
        assert_int_equal(pair->ends[1].cms[1], RDMA_CM_EVENT_ESTABLISHED);
        pair_free(pair);
    }
}

static void test_data_establishes(void **state)
{
    (void)state;
    struct pair *pair = make();
    pair->lose = lose_nth;
    pair->lose_state = 2; /* the RTU */
    pair_connect(pair);
    assert_int_equal(pair->ends[1].cm_count, 1);
    struct verbs_mr *from = pair_mr(pair, 0, 64, VERBS_BULK),
                    *to = pair_mr(pair, 1, 64, VERBS_BULK);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, IBV_SEND_SIGNALED), 0);
    pair_run(pair, 10 * PS_PER_US);
    assert_int_equal(pair->ends[1].cms[1], RDMA_CM_EVENT_ESTABLISHED);
    assert_int_equal(pair->ends[0].wc_count, 1);
    pair_free(pair);
}

static bool lose_all(struct pair *pair, const struct pair_frame *frame)
{
    (void)pair, (void)frame;
    return true;
}

static void test_unreachable(void **state)
{
    (void)state;
    struct pair *pair = make();
    pair->lose = lose_all;
    pair_connect(pair);
    pair_run(pair, 97 * PS_PER_S); /* 16 x 6.144 s = 98.3 s */
    assert_int_equal(pair->ends[0].cm_count, 0);
    pair_run(pair, 2 * PS_PER_S);
    assert_int_equal(pair->ends[0].cms[0], RDMA_CM_EVENT_UNREACHABLE);
    assert_int_equal(pair->ends[0].statuses[0], -ETIMEDOUT);
    assert_int_equal(pair->log_count, 16);
    pair_free(pair);
}

static bool is_off(const void *self, uint32_t from, uint32_t to)
{
    (void)from, (void)to;
    return *(const bool *)self;
}

/* No address, no message; a way that comes back is found by the next ARP request. */
static void test_no_address(void **state)
{
    (void)state;
    for (int back = 0; back < 2; back++) {
        struct pair *pair = make();
        bool way = false;
        pair->rnics[0]->fabric = (struct rnic_fabric){&way, is_off};
        pair_connect(pair);
        pair_run(pair, 1500 * PS_PER_MS);
        assert_int_equal(pair->log_count, 0);
        way = back == 1;
        pair_run(pair, 2 * PS_PER_S);
        assert_int_equal(pair->ends[0].cms[0],
                         way ? RDMA_CM_EVENT_ESTABLISHED : RDMA_CM_EVENT_ADDR_ERROR);
        assert_int_equal(pair->ends[0].statuses[0], way ? 0 : -ETIMEDOUT);
        assert_int_equal(pair->rnics[0]->cm.retries, way ? 2 : 3);
        pair_free(pair);
    }
}

static void test_disconnect(void **state)
{
    (void)state;
    struct pair *pair = make();
    pair_connect(pair);
    struct verbs_mr *mr = pair_mr(pair, 1, 64, VERBS_BULK);
    assert_int_equal(pair_recv(pair, 1, mr), 0);
    verbs_sim.disconnect(pair->ends[0].conn);
    pair_run(pair, 10 * PS_PER_US);
    for (int i = 0; i < 2; i++) {
        const struct pair_end *end = &pair->ends[i];
        assert_int_equal(end->cms[end->cm_count - 1], RDMA_CM_EVENT_DISCONNECTED);
        assert_int_equal(end->conn->qp->state, IBV_QPS_ERR);
    }
    assert_int_equal(pair->ends[1].wc_count, 1);
    assert_int_equal(pair->ends[1].wcs[0].status, IBV_WC_WR_FLUSH_ERR);
    assert_int_equal(pair->ends[1].wcs[0].opcode, IBV_WC_RECV);
    /* After an error new requests are flushed too, each once. */
    assert_int_equal(pair_recv(pair, 1, mr), 0);
    pair_run(pair, 10 * PS_PER_US);
    assert_int_equal(pair->ends[1].wc_count, 2);
    pair_free(pair);
}

/* A DREQ that nobody answers is sent again as often as a REQ, and then the connection has ended all
 * the same: rdma_cm reports DISCONNECTED with -ETIMEDOUT. */
static void test_unanswered_disconnect(void **state)
{
    (void)state;
    struct pair *pair = make();
    pair_connect(pair);
    const uint64_t before = pair->rnics[0]->cm.retries;
    pair->lose = lose_all;
    verbs_sim.disconnect(pair->ends[0].conn);
    pair_run(pair, 600 * PS_PER_S);
    const struct pair_end *end = &pair->ends[0];
    assert_int_equal(end->cms[end->cm_count - 1], RDMA_CM_EVENT_DISCONNECTED);
    assert_int_equal(end->statuses[end->cm_count - 1], -ETIMEDOUT);
    assert_int_equal(pair->rnics[0]->cm.retries - before, pair->rnics[0]->params.cm_retries);
    pair_free(pair);
}

/* Slots are used again under other numbers, and destroying with completions under way is safe. */
static void test_destroy_and_reuse(void **state)
{
    (void)state;
    struct pair *pair = make();
    pair_connect(pair);
    const uint32_t first = verbs_sim.qp_num(pair->ends[0].conn);
    struct verbs_mr *mr = pair_mr(pair, 0, 64, VERBS_BULK);
    assert_int_equal(pair_recv(pair, 0, mr), 0);
    const struct verbs_user user = pair->ends[0].conn->user;
    verbs_sim.disconnect(pair->ends[0].conn); /* its flush is under way */
    verbs_sim.destroy(pair->ends[0].conn);
    pair_run(pair, 10 * PS_PER_US);
    assert_int_equal(pair->ends[0].wc_count, 0);
    assert_int_equal(pair->ends[1].cms[2], RDMA_CM_EVENT_DISCONNECTED);
    const struct ibv_qp_cap cap = {.max_send_wr = 1, .max_recv_wr = 1};
    const struct rdma_conn_param param = {.retry_count = 7};
    const struct verbs_peer peer = {.ip = RNIC_FIRST_IP + 1, .port = PAIR_SERVICE};
    pair->ends[0].conn = verbs_sim.connect(pair->ends[0].device, &peer, &cap, &param, &user);
    pair_run(pair, 10 * PS_PER_US);
    assert_int_equal(pair->ends[0].cms[1], RDMA_CM_EVENT_ESTABLISHED);
    assert_int_not_equal(verbs_sim.qp_num(pair->ends[0].conn), first);
    pair_run(pair, 10 * PS_PER_S);
    pair_free(pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_req_bytes),         cmocka_unit_test(test_rep_rej_dreq_bytes),
        cmocka_unit_test(test_round_trip),        cmocka_unit_test(test_udp_source_ports),
        cmocka_unit_test(test_connect),           cmocka_unit_test(test_reject),
        cmocka_unit_test(test_nobody_listens),    cmocka_unit_test(test_lost_message),
        cmocka_unit_test(test_data_establishes),  cmocka_unit_test(test_unreachable),
        cmocka_unit_test(test_no_address),        cmocka_unit_test(test_disconnect),
        cmocka_unit_test(test_destroy_and_reuse), cmocka_unit_test(test_unanswered_disconnect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
