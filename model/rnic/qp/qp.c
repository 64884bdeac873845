/* SPDX-License-Identifier: Apache-2.0
 * qp - creating, connecting and failing queue pairs. */
#include "rnic/qp/qp.h"

#include "base/memory.h"
#include "base/note_text.h"
#include "rnic/host/arbiter.h"
#include "rnic/host/lag.h"
#include "rnic/host/rnic_flight.h"
#include "rnic/qp/completer.h"
#include "rnic/qp/reaction.h"
#include "rnic/qp/responder.h"
#include "rnic/qp/selective.h"
#include "rnic/qp/srq.h"
#include "rnic/soft/soft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QPN_GSI = 1, QPN_GENERATION_BITS = 8, STATES = IBV_QPS_ERR + 1 };
#define QPN_MULTICAST UINT32_C(0xFFFFFF)

static_assert(RNIC_QP_BITS + QPN_GENERATION_BITS == 24, "a QPN is a slot and its generation");
static_assert(IBV_QPS_RESET == 0 && IBV_QPS_ERR == 6, "states index tables");

/* ------------------------------------------------------------------ states */

static const char *const state_names[STATES] = {
    [IBV_QPS_RESET] = "RESET", [IBV_QPS_INIT] = "INIT", [IBV_QPS_RTR] = "RTR",
    [IBV_QPS_RTS] = "RTS",     [IBV_QPS_SQD] = "SQD",   [IBV_QPS_SQE] = "SQE",
    [IBV_QPS_ERR] = "ERR",
};

static const bool edges[STATES][STATES] = {
#define EDGE(from, to, when) [IBV_QPS_##from][IBV_QPS_##to] = true,
#include "rnic/qp/qp_state.def"
#undef EDGE
};

bool qp_edge_is_legal(enum ibv_qp_state from, enum ibv_qp_state to)
{
    return (unsigned)from < STATES && (unsigned)to < STATES && edges[from][to];
}

const char *qp_state_name(enum ibv_qp_state state)
{
    return (unsigned)state < STATES ? state_names[state] : "UNKNOWN";
}

static void go(struct qp *qp, enum ibv_qp_state to)
{
    CHECK(qp_edge_is_legal((enum ibv_qp_state)qp->state, to));
    qp->state = (uint8_t)to;
}

/* ------------------------------------------------------------------ codes */

uint32_t qp_mtu_bytes(enum ibv_mtu mtu)
{
    return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096 ? UINT32_C(128) << mtu : 0;
}

enum ibv_mtu qp_mtu_code(uint32_t bytes)
{
    for (enum ibv_mtu code = IBV_MTU_256; code <= IBV_MTU_4096; code++)
        if (qp_mtu_bytes(code) == bytes)
            return code;
    return 0;
}

time_ps qp_rnr_time(unsigned code)
{
    static const uint32_t ten_us[32] = {65536, 1,    2,    3,     4,     6,     8,     12,
                                        16,    24,   32,   48,    64,    96,    128,   192,
                                        256,   384,  512,  768,   1024,  1536,  2048,  3072,
                                        4096,  6144, 8192, 12288, 16384, 24576, 32768, 49152};
    return 10 * PS_PER_US * ten_us[code & 31];
}

/* The Linux kernel's rdma_flow_label_to_udp_sport. */
uint16_t qp_port_of_label(uint32_t label)
{
    return (uint16_t)(((label & 0x3FFF) ^ (label & 0xFC000) >> 14) | 0xC000);
}

/* The Linux kernel's rdma_calc_flow_label. */
uint16_t qp_udp_source_port(uint32_t local_qpn, uint32_t remote_qpn)
{
    uint64_t v = (uint64_t)local_qpn * remote_qpn;
    v ^= v >> 20;
    v ^= v >> 40;
    return qp_port_of_label((uint32_t)v & 0xFFFFF);
}

/* Linux rxe_qp.c: hash_32 of linux/hash.h, 14 bits of it. */
static uint16_t port_of_qpn(uint32_t qpn)
{
    return (uint16_t)(0xC000 + ((qpn * 0x61C88647u) >> 18));
}

uint16_t qp_udp_source_of(const struct rnic *rnic, uint32_t local_qpn, uint32_t remote_qpn,
                          uint32_t flow_label)
{
    if (rnic->params.udp_source_port == RNIC_UDP_FLOW_LABEL && flow_label != 0)
        return qp_port_of_label(flow_label);
    if (rnic->params.udp_source_port == RNIC_UDP_QUEUE_PAIR)
        return port_of_qpn(local_qpn);
    return qp_udp_source_port(local_qpn, remote_qpn);
}

/* A hash of the addresses, XORed with two copies of the port, so that the port can be recovered
 * from the hash and the addresses. */
static uint32_t address_hash(uint32_t source_ip, uint32_t destination_ip)
{
    return (uint32_t)(hash_mix((uint64_t)source_ip << 32 | destination_ip) >> 32);
}

uint32_t qp_entropy(uint32_t source_ip, uint32_t destination_ip, uint16_t source_port)
{
    return address_hash(source_ip, destination_ip) ^ (source_port * 0x10001u);
}

uint16_t qp_entropy_port(uint32_t entropy, uint32_t source_ip, uint32_t destination_ip)
{
    return (uint16_t)(entropy ^ address_hash(source_ip, destination_ip));
}

/* ------------------------------------------------------------------ creation and end */

enum { RING_FIRST = 1 }; /* slots; most queue pairs of a large mesh need no more */

static uint32_t ring_slots(uint32_t wanted)
{
    uint32_t slots = 1;
    while (slots < wanted)
        slots *= 2;
    return slots;
}

static void *allocate_ring(uint32_t slots, size_t bytes)
{
    return memory_zeroed(slots, bytes);
}

/* Doubles a ring that is full, starting at `head`. */
static void *ring_grown(unsigned char *old, uint32_t *mask, uint32_t head, size_t bytes)
{
    const uint32_t slots = *mask + 1;
    unsigned char *grown = allocate_ring(2 * slots, bytes);
    for (uint32_t i = head; i != head + slots; i++)
        memcpy(grown + (i & (2 * slots - 1)) * bytes, old + (i & *mask) * bytes, bytes);
    free(old);
    *mask = 2 * slots - 1;
    return grown;
}

bool qp_may_post_send(struct qp *qp)
{
    const uint32_t posted = qp->sq_tail - qp->sq_head;
    if (posted >= qp->sq_room)
        return false;
    if (UNLIKELY(posted > qp->sq_mask))
        qp->sq = ring_grown((unsigned char *)qp->sq, &qp->sq_mask, qp->sq_head, sizeof *qp->sq);
    return true;
}

bool qp_may_post_receive(struct qp *qp)
{
    const uint32_t posted = qp->rq_tail - qp->rq_head;
    if (posted >= qp->rq_room)
        return false;
    if (UNLIKELY(posted > qp->rq_mask))
        qp->rq = ring_grown((unsigned char *)qp->rq, &qp->rq_mask, qp->rq_head, sizeof *qp->rq);
    return true;
}

/* 0 and 1 are management QPs, all ones is multicast. */
static uint32_t new_qpn(struct rnic *rnic, uint32_t index, uint8_t *generation)
{
    uint32_t qpn;
    do {
        const uint32_t slot = (uint32_t)++ * generation << RNIC_QP_BITS | index;
        qpn = (slot ^ rnic->qpn_base) & PSN_MASK;
    } while (qpn <= QPN_GSI || qpn == QPN_MULTICAST || lag_owner(rnic, qpn) != rnic);
    return qpn;
}

static void set_ib_ack_class(const struct rnic *rnic, struct qp *qp)
{
    const int64_t service_level = rnic->params.ack_priority;
    if (service_level == RNIC_AUTO)
        return;
    const struct packet_class class = rnic_sl_class(rnic, service_level);
    qp->ack.tos = class.tos;
    qp->ack.priority = class.priority;
}

/* Answers use the class of their queue pair unless the parameters specify another. */
static void set_class(const struct rnic *rnic, struct qp *qp, struct packet_class class)
{
    const int64_t ack_dscp = rnic->params.ack_dscp, ack_priority = rnic->params.ack_priority;
    const bool v1 = frame_is_v1(class.tos);
    qp->data =
        (struct frame_head){.priority = class.priority, .tos = class.tos | (v1 ? 0 : rnic->ecn)};
    qp->ack = (struct frame_head){
        .bytes = (uint16_t)(rnic_frame_bytes(&rnic->params, class.tos) + WIRE_AETH_BYTES),
        .opcode = FRAME_RC_ACKNOWLEDGE,
        .priority = class.priority,
        .tos = class.tos,
    };
    if ((rnic->strict & 1u << class.priority) == 0 || rnic->pipeline != NULL)
        qp->flags |= QP_ARBITRATED;
    if (rnic->params.link == PORT_INFINIBAND) {
        set_ib_ack_class(rnic, qp);
        return;
    }
    if (ack_dscp != RNIC_AUTO) {
        qp->ack.tos = rnic_tos(ack_dscp);
        qp->ack.priority = rnic->priority_of_dscp[ack_dscp];
    }
    if (ack_priority != RNIC_AUTO)
        qp->ack.priority = (uint8_t)ack_priority;
    if (v1)
        qp->ack.tos = frame_v1_tos((class.tos & FRAME_V1_TAGGED) != 0, qp->ack.priority);
}

static void set_timeout(struct qp *qp, uint8_t code)
{
    qp->ack_timeout = code;
    qp->timeout = qp_timeout_of(code);
    qp->timeout_pending = code == 0;
}

struct qp *qp_create(struct rnic *rnic, const struct ibv_qp_cap *cap, struct verbs_conn *conn)
{
    if (pool_make_room(&rnic->qps))
        rnic_place_qps(rnic);
    const uint32_t index = pool_take(&rnic->qps);
    struct qp *qp = pool_at(&rnic->qps, index);
    uint8_t generation = qp->generation;
    *qp = (struct qp){
        .qpn = new_qpn(rnic, index, &generation),
        .generation = generation,
        .state = IBV_QPS_RESET,
        .next_ready = POOL_NONE,
        .next_answer = POOL_NONE,
        .wake_at = TIME_NEVER,
        .rx_next = {.opcode = QP_RX_IDLE},
        .sq = allocate_ring(RING_FIRST, sizeof(struct qp_wqe)),
        .rq = allocate_ring(RING_FIRST, sizeof(struct qp_receive)),
        .sq_mask = RING_FIRST - 1,
        .rq_mask = RING_FIRST - 1,
        .sq_room = cap->max_send_wr,
        .rq_room = cap->max_recv_wr,
        .conn = conn,
    };
    set_timeout(qp, (uint8_t)rnic->params.timeout);
    set_class(rnic, qp, conn->peer.class);
    pacer_init(&qp->pacer, &rnic->cc_site,
               (uint32_t)WIRE_ROCE_BYTES); /* observers may access it from now on */
    if (rnic->soft != NULL)
        soft_qp_init(rnic, qp);
    go(qp, IBV_QPS_INIT);
    return qp;
}

void qp_destroy(struct rnic *rnic, struct qp *qp)
{
    const uint32_t index = rnic_qp_index(rnic, qp);
    arbiter_unlist(rnic, qp);
    responder_reset(rnic, qp);
    if (qp->soft != NULL)
        soft_qp_fini(qp);
    rnic->counters.finished_sends += qp->sq_tail - qp->sq_head;
    rnic->counters.finished_receives += qp->rq_tail - qp->rq_head;
    go(qp, IBV_QPS_RESET);
    if ((qp->flags & QP_SELECTIVE) != 0)
        selective_end(rnic, qp);
    if ((qp->flags & QP_REACTS) != 0)
        reaction_end(rnic, qp);
    free(qp->sq);
    free(qp->rq);
    free(qp->reads);
    held_acks_fini(&qp->held);
    pacer_fini(&qp->pacer, &rnic->cc_site);
    qp->sq = NULL;
    qp->rq = NULL;
    qp->reads = NULL;
    qp->qpn = 0;
    pool_give(&rnic->qps, index);
}

void qp_expect_reads(struct qp *qp)
{
    if (qp->reads == NULL)
        qp->reads = allocate_ring(qp->read_mask + 1, sizeof(struct qp_read));
}

void qp_connect(struct rnic *rnic, struct qp *qp, const struct qp_connection *with)
{
    const bool ip = rnic_has_ip(&rnic->params, qp->data.tos);
    const uint16_t port =
        ip ? qp_udp_source_of(rnic, qp->qpn, with->peer_qpn, with->flow_label) : 0;
    qp->flow = (struct flow_key){
        .entropy = qp_entropy(rnic_ip(rnic->endpoint), rnic_ip(with->peer), port),
        .source = rnic->endpoint,
        .destination = with->peer,
        .qpn = with->peer_qpn,
    };
    qp->reported_hold = QP_HOLD_UNREPORTED;
    qp->mtu = (uint16_t)with->mtu;
    qp->data.bytes = (uint16_t)(rnic_frame_bytes(&rnic->params, qp->data.tos) + with->mtu);
    qp->data.payload = qp->mtu;
    qp->rx_next.bytes = qp->data.bytes;
    qp->rx_next.payload = qp->mtu;
    qp->ttl = ip ? rnic->ttl : UINT8_MAX; /* a bridge does not touch the GRH's hop limit */
    qp->epsn = with->receive_psn & PSN_MASK;
    qp->read_resources = with->read_resources;
    qp->read_mask = ring_slots(with->read_resources) - 1;
    if (with->first_data_establishes)
        qp->rx_flags |= QP_RX_FIRST_DATA;
    go(qp, IBV_QPS_RTR);
    qp->next_psn = qp->high_psn = with->send_psn & PSN_MASK;
    qp->una_psn = qp->una_end = qp->next_psn;
    qp->read_limit = with->read_limit;
    set_timeout(qp, with->ack_timeout);
    qp->retry_left = qp->retry_count = with->retry_count;
    qp->rnr_left = qp->rnr_retry = with->rnr_retry;
    if (rnic->recovery->selective)
        selective_begin(rnic, qp);
    if (reaction_is_wanted(rnic))
        reaction_begin(rnic, qp);
    if (rnic->cc_site.ops->on_ack != NULL)
        rnic_flight_begin(rnic, qp, rnic_now(rnic));
    go(qp, IBV_QPS_RTS);
}

/* ------------------------------------------------------------------ failure */

/* ibv_wc_status_str would need libibverbs. */
static const char *const status_texts[] = {
#define WC_STATUS(name, where, text, fault) [IBV_WC_##name] = (text),
#include "rnic/qp/wc_status.def"
#undef WC_STATUS
};

static void flush_receives(struct rnic *rnic, struct qp *qp, time_ps now)
{
    for (; qp->rq_head != qp->rq_tail; qp->rq_head++) {
        const struct ibv_wc wc = {
            .wr_id = qp->rq[qp->rq_head & qp->rq_mask].wr_id,
            .status = IBV_WC_WR_FLUSH_ERR,
            .opcode = IBV_WC_RECV,
        };
        rnic->counters.finished_receives++;
        rnic_complete(rnic, qp, &wc, now);
    }
}

void qp_to_error(struct rnic *rnic, struct qp *qp, time_ps now)
{
    const bool failed_before = qp->state == IBV_QPS_ERR;
    go(qp, IBV_QPS_ERR);
    while (qp->sq_head != qp->sq_tail)
        completer_finish(rnic, qp, IBV_WC_WR_FLUSH_ERR, now);
    flush_receives(rnic, qp, now);
    qp->sq_cur = qp->sq_visible = qp->sq_tail;
    qp->una_psn = qp->una_end = qp->next_psn = qp->high_psn;
    qp->reads_out = 0;
    qp->rx_next.opcode = QP_RX_IDLE;
    qp->flags &=
        (uint16_t) ~(QP_TX_ACTIVE | QP_BLOCKED | QP_RNR_WAIT | QP_READ_GAP | QP_AGAIN | QP_FULL);
    if ((qp->flags & QP_FLIGHT) != 0)
        flight_clear(qp->pacer.flight);
    if ((qp->flags & QP_SELECTIVE) != 0)
        selective_drop(rnic, qp);
    if ((qp->flags & QP_REACTS) != 0)
        reaction_drop(rnic, qp);
    if (UNLIKELY(qp->conn->user.srq != NULL) && !failed_before)
        srq_left(rnic, qp, now);
}

/* Describes the expired timer and how its value is determined. */
static void describe_timer(const struct rnic *rnic, const struct qp *qp, enum ibv_wc_status status,
                           char *text, size_t size)
{
    const unsigned code = qp->ack_timeout;
    text[0] = '\0';
    if (status == IBV_WC_RNR_RETRY_EXC_ERR)
        snprintf(text, size, " (rnr-retry %u)", (unsigned)qp->rnr_retry);
    const bool own = qp->conn->passive && rnic->params.accept_timeout != RNIC_AUTO;
    if (status == IBV_WC_RETRY_EXC_ERR && code > 0)
        snprintf(text, size,
                 " (no response within %s; rnic.%s %u%s is 4.096 us x 2^%u; retry-count %u)",
                 note_time(qp_ack_timeout(qp)).text, own ? "accept-timeout" : "timeout", code,
                 qp->conn->passive && !own ? " of the peer" : "", code, (unsigned)qp->retry_count);
}

void qp_fail_send(struct rnic *rnic, struct qp *qp, enum ibv_wc_status status, time_ps now)
{
    char text[320], timer[160];
    describe_timer(rnic, qp, status, timer, sizeof timer);
    snprintf(text, sizeof text, "QP 0x%06x to 0x%06x at %s failed: %s%s", qp->qpn, qp->flow.qpn,
             note_ip(rnic_ip(qp->flow.destination)).text, status_texts[status], timer);
    rnic->env->probe->note(rnic->env->probe->self, now, rnic->env->owner, text);
    rnic->counters.qp_errors++;
    completer_finish(rnic, qp, status, now);
    responder_reset(rnic, qp);
    qp_to_error(rnic, qp, now);
}
