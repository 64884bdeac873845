/* SPDX-License-Identifier: Apache-2.0
 * rnic - reception, events, creation and audit. */
#include "rnic/host/rnic.h"

#include "fc/fc.h"
#include "net/port/credits.h"
#include "rnic/cm/cm_conn.h"
#include "rnic/host/arbiter.h"
#include "rnic/host/lag.h"
#include "rnic/host/notification.h"
#include "rnic/host/overrun.h"
#include "rnic/pipeline/cq.h"
#include "rnic/pipeline/pipeline.h"
#include "rnic/qp/completer.h"
#include "rnic/qp/packet.h"
#include "rnic/qp/reaction.h"
#include "rnic/qp/requester.h"
#include "rnic/qp/responder.h"
#include "rnic/qp/selective.h"
#include "rnic/qp/srq.h"
#include "rnic/soft/soft.h"
#include "tcp/tcp.h"

#include <string.h>

enum { COMPLETIONS_MAX = 1 << 18 };

static struct qp *qp_at(const struct rnic *rnic, uint32_t index)
{
    return &rnic->qp_slots[index];
}

void rnic_send_control(struct rnic *rnic, uint32_t handle)
{
    if (UNLIKELY(rnic->soft != NULL)) {
        soft_send(rnic, handle);
        return;
    }
    port_append(&rnic->port, handle, frame_at(rnic->port.frames, handle));
    if ((*rnic->ready_ports & RNIC_HOST_BUSY) != 0)
        rnic_want_dequeue(rnic);
    else
        port_dequeue(&rnic->port, rnic_now(rnic));
}

/* ------------------------------------------------------------------ receiving */

void rnic_return_credits(struct rnic *rnic, struct frame_head frame, time_ps now)
{
    if (rnic->port.credits != NULL)
        port_return_credits(&rnic->port, frame.priority, frame.bytes, now);
}

/* Dispatches a packet to the part of its queue pair that handles it. */
static void take_packet(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now)
{
    if (frame->opcode == FRAME_RC_ACKNOWLEDGE) {
        if (UNLIKELY(rnic->becn_in_acks && (frame->flags & FRAME_BECN) != 0))
            notification_becn(rnic, qp, now);
        completer_on_ack(rnic, qp, frame, now);
    } else if (packet_is_response(frame)) {
        completer_on_response(rnic, qp, frame, now);
    } else if (UNLIKELY(frame->opcode == FRAME_CNP)) {
        rnic->counters.cnps_handled++;
        notification_becn(rnic, qp, now);
    } else {
        responder_receive(rnic, qp, frame, now);
    }
}

/* A packet for no queue pair, or for one that does not accept it: passed to the connection manager,
 * or dropped. */
static void stray(struct rnic *rnic, uint32_t handle, const struct frame *frame, time_ps now)
{
    if (frame->opcode == FRAME_UD_SEND_ONLY) {
        rnic_post(rnic, now + rnic->params.rx_delay, RNIC_EVENT_MAD, handle);
        return;
    }
    rnic->counters.stray++;
    frame_give(rnic->port.frames, handle);
}

static bool takes_packets(const struct qp *qp)
{
    return qp->state == IBV_QPS_RTS || qp->state == IBV_QPS_RTR;
}

static NOINLINE void receive_other(struct rnic *rnic, uint32_t handle, uint8_t opcode, time_ps now)
{
    if (opcode == FRAME_TCP && rnic->tcp != NULL) {
        tcp_receive(rnic->tcp, handle, now);
    } else if (opcode == FRAME_FC && rnic->fc != NULL) {
        fc_receive(rnic->fc, handle, now);
    } else {
        rnic->counters.stray++;
        frame_give(rnic->port.frames, handle);
    }
}

void rnic_transport(struct rnic *rnic, uint32_t handle, time_ps now)
{
    const struct frame *frame = frame_at(rnic->port.frames, handle);
    if (UNLIKELY(frame->opcode >= FRAME_FC)) {
        receive_other(rnic, handle, frame->opcode, now);
        return;
    }
    struct qp *qp = rnic_find_qp(rnic, frame->qpn);
    if (UNLIKELY(qp == NULL && rnic->lag != NULL)) {
        rnic = lag_owner(rnic, frame->qpn);
        qp = rnic_find_qp(rnic, frame->qpn);
    }
    if (UNLIKELY(qp == NULL || !takes_packets(qp) || qp->flow.destination != frame->source)) {
        stray(rnic, handle, frame, now);
        return;
    }
    if (UNLIKELY((frame->tos & ECN_CE) == ECN_CE))
        notification_send(rnic, qp, frame, now);
    take_packet(rnic, qp, frame, now);
    frame_give(rnic->port.frames, handle);
}

/* ------------------------------------------------------------------ completions and events */

void rnic_complete(struct rnic *rnic, struct qp *qp, const struct ibv_wc *wc, time_ps now)
{
    const uint32_t index = slab_take(&rnic->completions);
    struct rnic_completion *completion = slab_at(&rnic->completions, index);
    *completion = (struct rnic_completion){.wc = *wc, .conn = qp->conn};
    completion->wc.qp_num = qp->qpn;
    if (wc->status != IBV_WC_SUCCESS && wc->status != IBV_WC_WR_FLUSH_ERR)
        rnic->counters.completion_errors++;
    qp->conn->undelivered++;
    if (UNLIKELY(rnic->soft != NULL)) {
        soft_complete(rnic, qp, index);
        return;
    }
    if (UNLIKELY(rnic->pipeline != NULL))
        pipeline_complete(rnic, now);
    rnic_post(rnic, now + rnic->params.rx_delay, (enum rnic_event)rnic->completion_event, index);
}

void rnic_deliver(struct rnic *rnic, uint32_t index)
{
    const struct rnic_completion completion =
        *(const struct rnic_completion *)slab_at(&rnic->completions, index);
    struct verbs_conn *conn = completion.conn;
    const struct ibv_wc *wc = &completion.wc;
    slab_give(&rnic->completions, index);
    node_digest(rnic->port.node, (uint64_t)wc->qp_num << 40 ^ (uint64_t)wc->status << 36 ^
                                     (uint64_t)wc->opcode << 32 ^ wc->byte_len);
    if (!conn->destroyed && conn->user.on_completion != NULL)
        conn->user.on_completion(conn->user.self, conn, wc);
    cm_delivered(conn);
}

static void on_doorbell(struct rnic *rnic, uint64_t argument, time_ps now)
{
    struct qp *qp = rnic_find_qp(rnic, (uint32_t)(argument >> 32));
    const uint32_t tail = (uint32_t)argument;
    if (qp == NULL || qp->state != IBV_QPS_RTS)
        return;
    CHECK((int32_t)(tail - qp->sq_visible) > 0);
    qp->sq_visible = tail;
    arbiter_schedule(rnic, qp, now);
}

static void on_timeout(struct rnic *rnic, uint32_t qpn, time_ps now)
{
    struct qp *qp = rnic_find_qp(rnic, qpn);
    if (qp != NULL)
        requester_on_timeout(rnic, qp, now);
}

static void on_reaction(struct rnic *rnic, uint32_t qpn, time_ps now)
{
    struct qp *qp = rnic_find_qp(rnic, qpn);
    if (qp != NULL)
        reaction_on_event(rnic, qp, now);
}

static void on_mad(struct rnic *rnic, uint32_t handle)
{
    const struct frame *frame = frame_at(rnic->port.frames, handle);
    cm_receive(rnic, frame, frame_blob(rnic->port.frames, frame));
    frame_give(rnic->port.frames, handle);
}

void rnic_on_event(struct rnic *rnic, const struct event *event)
{
    switch ((enum rnic_event)event->kind) {
    case RNIC_EVENT_DOORBELL:
        on_doorbell(rnic, event->argument, event->at);
        return;
    case RNIC_EVENT_WAKE:
        arbiter_wake(rnic, (uint32_t)(event->argument >> 32), event->at);
        return;
    case RNIC_EVENT_TIMEOUT:
        on_timeout(rnic, (uint32_t)event->argument, event->at);
        return;
    case RNIC_EVENT_COMPLETION:
        rnic_deliver(rnic, (uint32_t)event->argument);
        return;
    case RNIC_EVENT_STALL:
        rx_buffer_on_stall(rnic, (uint8_t)event->argument, event->at);
        return;
    case RNIC_EVENT_TRANSMIT:
        soft_on_transmit(rnic, event->at);
        return;
    case RNIC_EVENT_ENGINE:
        pipeline_on_engine(rnic, (uint32_t)event->argument, event->at);
        return;
    case RNIC_EVENT_REACTION:
        on_reaction(rnic, (uint32_t)event->argument, event->at);
        return;
    case RNIC_EVENT_SRQ_LIMIT:
        srq_on_limit(rnic, (uint32_t)event->argument);
        return;
    case RNIC_EVENT_TX_ENGINE:
        pipeline_on_tx(rnic, event->at);
        return;
    case RNIC_EVENT_CQE:
        cq_add(rnic, (uint32_t)event->argument, event->at);
        return;
    case RNIC_EVENT_CQ:
        cq_on_event(rnic, event->argument, event->at);
        return;
    case RNIC_EVENT_CQ_ERROR:
        overrun_on_event(rnic, (uint32_t)event->argument, event->at);
        return;
    case RNIC_EVENT_LAST_WQE:
        srq_on_left(rnic, event->argument);
        return;
    case RNIC_EVENT_MAD:
        on_mad(rnic, (uint32_t)event->argument);
        return;
    case RNIC_EVENT_DATA_CAME:
        cm_on_data_came(rnic, (uint32_t)event->argument);
        return;
    case RNIC_EVENT_DRAIN: /* handled by host.c */
    case RNIC_EVENT_FIRST_OWN:
        break;
    }
    CHECK(false); /* not an event of an RNIC */
}

/* ------------------------------------------------------------------ creation and audit */

/* Class selector precedence, RFC 2474 4.2.2. InfiniBand: the SL to VL table, by default a lane for
 * each of the first eight service levels. */
void rnic_map_dscp(const struct rnic_params *params, const uint8_t *own, uint8_t map[DSCPS])
{
    if (params->link != PORT_ETHERNET) {
        for (unsigned level = 0; level < DSCPS; level++)
            map[level] = own == NULL ? (uint8_t)(level % PRIORITIES) : own[level];
        return;
    }
    for (unsigned dscp = 0; dscp < DSCPS; dscp++)
        map[dscp] = (uint8_t)(dscp >> 3);
    map[params->cnp_dscp] = (uint8_t)params->cnp_priority;
    if (params->ack_dscp != RNIC_AUTO && params->ack_priority != RNIC_AUTO)
        map[params->ack_dscp] = (uint8_t)params->ack_priority;
    map[params->dscp] = (uint8_t)params->priority;
    for (unsigned dscp = 0; own != NULL && dscp < DSCPS; dscp++)
        if (own[dscp] != RNIC_DSCP_UNSAID)
            map[dscp] = own[dscp];
}

/* Before the first queue pair exists, lookups use a dummy slot that never matches, which saves a
 * check. */
void rnic_place_qps(struct rnic *rnic)
{
    static struct qp none;
    const struct pool *qps = &rnic->qps;
    rnic->qp_slots = qps->limit == 0 ? &none : (struct qp *)(void *)qps->items;
    rnic->qp_mask = qps->limit == 0 ? 0 : qps->limit - 1;
    for (uint32_t i = 0; i < qps->used; i++) {
        struct qp *qp = qp_at(rnic, i);
        if (qp->qpn == 0)
            continue;
        qp->conn->qp = qp;
        if (qp->soft != NULL)
            qp->soft->qp = qp;
    }
}

static void init_classes(struct rnic *rnic, const struct rnic_params *params)
{
    enum { WEIGHT_BYTES = 512 };
    rnic->cnp_priority = (uint8_t)params->cnp_priority;
    rnic->cnp_tos = rnic_tos(params->cnp_dscp);
    if (params->link == PORT_INFINIBAND) {
        const struct packet_class cnp = rnic_sl_class(rnic, params->cnp_priority);
        rnic->cnp_tos = cnp.tos;
        rnic->cnp_priority = cnp.priority;
    }
    rnic->ecn = rnic->cc_site.ops->wants_ecn ? ECN_ECT0 : ECN_NOT_ECT;
    for (unsigned i = 0; i < PRIORITIES; i++) {
        rnic->classes[i] = (struct rnic_class){
            .ready = {POOL_NONE, POOL_NONE},
            .answers = {POOL_NONE, POOL_NONE},
            .quantum = (int32_t)params->weight[i] * WEIGHT_BYTES,
        };
        rnic->strict |= (uint8_t)((params->weight[i] == 0) << i);
    }
}

static void init_cc(struct rnic *rnic, const struct rnic_site *site)
{
    CHECK(site->cc->params_bytes <= CC_PARAMS_MAX);
    if (site->cc->params_bytes > 0)
        memcpy(rnic->cc_params, site->cc_params, site->cc->params_bytes);
    rnic->cc_site = (struct cc_site){
        .ops = site->cc, .line_bps = rnic->port.rate.bps, .params = rnic->cc_params};
    rnic->cnp_interval =
        site->cc->cnp_interval == NULL ? TIME_NEVER : site->cc->cnp_interval(rnic->cc_params);
    rnic->becn_in_acks =
        site->cc->becn_in_acks != NULL && site->cc->becn_in_acks(rnic->cc_params);
    if (site->cc->on_ack != NULL || rnic->recovery->selective)
        rnic->ack_interval = 1;
    rnic_set_rx_odd(rnic, RNIC_RX_HEARS, site->cc->on_ack != NULL);
}

static struct port_params with_clock(const struct rnic_site *site)
{
    struct port_params params = *site->port_params;
    params.rate += params.rate / PPM * site->params->clock_offset;
    return params;
}

void rnic_init(struct rnic *rnic, const struct rnic_site *site)
{
    const struct port_params port_params = with_clock(site);
    *rnic = (struct rnic){
        .endpoint = site->endpoint,
        .ack_interval = (uint16_t)site->params->ack_interval,
        .ttl = (uint8_t)site->params->ttl,
        .recovery = recovery_list[site->params->loss_recovery],
        .ack_coalescing = site->params->ack_coalescing != 0,
        .ack_each_message = site->params->ack_each_message != 0,
        .ready_ports = site->ready_ports,
        .env = site->env,
        .params = *site->params,
        .completion_event = RNIC_EVENT_COMPLETION,
        .qpn_base = (uint32_t)(hash_mix(hash_text(site->node->name, site->index)) & PSN_MASK),
    };
    port_init(&rnic->port, site->node, site->index, &port_params, site->frames, site->env->probe,
              arbiter_next);
    rnic->arbitrates = true;
    rnic_set_rx_odd(rnic, RNIC_RX_CREDITS, rnic->port.credits != NULL);
    pool_init_few(&rnic->qps, "queue pairs of an RNIC", sizeof(struct qp), RNIC_QP_MAX,
                  RNIC_QP_FEW);
    rnic_place_qps(rnic);
    slab_init(&rnic->completions, "completions under way at an RNIC",
              sizeof(struct rnic_completion), COMPLETIONS_MAX);
    mr_table_init(&rnic->own_mrs);
    rnic->mrs = &rnic->own_mrs;
    rnic->timers = env_stream(site->env, "timers");
    init_cc(rnic, site);
    rnic_set_rx_odd(rnic, RNIC_RX_REACTS, reaction_is_wanted(rnic));
    if (site->priority_of_dscp == NULL)
        rnic_map_dscp(site->params, NULL, rnic->priority_of_dscp);
    else
        memcpy(rnic->priority_of_dscp, site->priority_of_dscp, DSCPS);
    for (unsigned dscp = 0; dscp < DSCPS; dscp++)
        frame_classify(rnic->priority_of_tos, dscp, rnic->priority_of_dscp[dscp]);
    init_classes(rnic, site->params);
    cm_init(rnic);
    if (site->params->soft.software && site->machine != NULL)
        soft_init(rnic, site->machine);
    else if (pipeline_is_on(&site->params->pipeline) && site->card != NULL)
        pipeline_join(rnic, site->card);
    else if (pipeline_is_on(&site->params->pipeline))
        pipeline_init(rnic);
    rx_buffer_init(rnic);
    if (rnic->soft == NULL && site->params->pipeline.completions != RNIC_COMPLETIONS_POLLING)
        cq_init(rnic);
}

void rnic_fini(struct rnic *rnic)
{
    if (rnic->tcp != NULL)
        tcp_destroy(rnic->tcp);
    cm_fini(rnic);
    if (rnic->soft != NULL)
        soft_fini(rnic);
    if (rnic->pipeline != NULL)
        pipeline_fini(rnic);
    if (rnic->cqs != NULL)
        cq_fini(rnic);
    mr_table_fini(&rnic->own_mrs);
    slab_fini(&rnic->completions);
    selective_fini(rnic);
    reaction_fini(rnic);
    srq_fini(rnic);
    pool_fini(&rnic->qps);
    port_fini(&rnic->port);
}

/* CHECKs that a list has its members once, in their class and flagged; returns their number. */
static uint32_t audit_ready(const struct rnic *rnic, uint8_t priority)
{
    const struct rnic_list *list = &rnic->classes[priority].ready;
    uint32_t count = 0;
    for (uint32_t at = list->head; at != POOL_NONE; at = qp_at(rnic, at)->next_ready) {
        const struct qp *qp = qp_at(rnic, at);
        CHECK((qp->flags & QP_LISTED) != 0 && qp->data.priority == priority);
        CHECK((qp->next_ready == POOL_NONE) == (at == list->tail));
        CHECK(count++ < rnic->qps.used);
    }
    return count;
}

static uint32_t audit_answers(const struct rnic *rnic, uint8_t priority)
{
    const struct rnic_list *list = &rnic->classes[priority].answers;
    uint32_t count = 0;
    for (uint32_t at = list->head; at != POOL_NONE; at = qp_at(rnic, at)->next_answer) {
        const struct qp *qp = qp_at(rnic, at);
        CHECK((qp->rx_flags & QP_RX_LISTED) != 0 && qp->ack.priority == priority);
        CHECK((qp->next_answer == POOL_NONE) == (at == list->tail));
        CHECK(count++ < rnic->qps.used);
    }
    return count;
}

static void audit_classes(const struct rnic *rnic, uint32_t ready, uint32_t answers)
{
    for (uint8_t i = 0; i < PRIORITIES; i++) {
        ready -= audit_ready(rnic, i);
        answers -= audit_answers(rnic, i);
        CHECK(!arbiter_has_more(rnic, i) || (rnic->port.ready & 1u << i) != 0);
        CHECK(rnic->classes[i].credit <= rnic->classes[i].quantum);
    }
    CHECK(ready == 0 && answers == 0);
}

/* A few queue pairs are audited after each event; of many, each is audited once in a number of
 * events, selected pseudo-randomly by the node's digest. */
static bool is_audit_turn(const struct rnic *rnic, uint32_t number, uint32_t count)
{
    enum { FEW = 64 };
    const uint64_t turns = count / FEW + 1;
    return (number + (rnic->port.node->digest >> 32)) % turns == 0;
}

static void audit_qps(const struct rnic *rnic)
{
    uint64_t sends = 0, receives = srq_posted(rnic);
    uint32_t ready = 0, answers = 0;
    for (uint32_t i = 0; i < rnic->qps.used; i++) {
        const struct qp *qp = qp_at(rnic, i);
        if (qp->qpn == 0)
            continue;
        if (is_audit_turn(rnic, i, rnic->qps.used))
            qp_audit(rnic, qp);
        ready += (qp->flags & QP_LISTED) != 0;
        answers += (qp->rx_flags & QP_RX_LISTED) != 0;
        sends += qp->sq_tail - qp->sq_head;
        receives += qp->rq_tail - qp->rq_head;
    }
    audit_classes(rnic, ready, answers);
    CHECK(rnic->counters.posted_sends == rnic->counters.finished_sends + sends);
    CHECK(rnic->counters.posted_receives == rnic->counters.finished_receives + receives);
}

void rnic_audit(const struct rnic *rnic)
{
    port_audit(&rnic->port);
    rx_buffer_audit(rnic);
    if (rnic->tcp != NULL)
        tcp_audit(rnic->tcp);
    if (rnic->soft != NULL)
        soft_audit(rnic);
    if (rnic->cqs != NULL)
        cq_audit(rnic);
    if (rnic->pipeline != NULL)
        pipeline_audit(rnic);
    audit_qps(rnic);
    if (is_audit_turn(rnic, 0, rnic->cm.conns.used))
        cm_conn_audit(&rnic->cm);
}
