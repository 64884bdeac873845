/* rnic - the port's source, events, and the way in.                SPDX-License-Identifier: Apache-2.0
 *
 *   ready[priority] -> QP -> QP -> ...      one packet from the first, which goes to the end if it has more
 *   answers         -> QP -> QP             QPs with an ACK or NAK, before the data of that priority
 *   the port's own queues                   CNPs and CM messages, before both
 *
 * A QP that has to wait (pacing, RNR, PCIe) is on no list; one wake-up event brings it back.  Wake-ups are not
 * taken back: one whose time is not the QP's wake_at does nothing. */
#include "rnic/rnic.h"

#include "rnic/completer.h"
#include "rnic/packet.h"
#include "rnic/requester.h"
#include "rnic/responder.h"

#include <string.h>

enum { COMPLETIONS_MAX = 1 << 22 };
#define ACK_TIMEOUT_UNIT (4096 * PS_PER_NS)

static struct rnic *of_port(struct port *port)
{
    return (struct rnic *)(void *)port;
}

static struct qp *qp_at(const struct rnic *rnic, uint32_t index)
{
    return pool_at(&rnic->qps, index);
}

struct qp *rnic_find_qp(const struct rnic *rnic, uint32_t qpn)
{
    const uint32_t index = (qpn ^ rnic->qpn_base) & (RNIC_QP_MAX - 1);
    if (UNLIKELY(index >= rnic->qps.used))
        return NULL;
    struct qp *qp = qp_at(rnic, index);
    return LIKELY(qp->qpn == qpn) ? qp : NULL;
}

/* ------------------------------------------------------------------ lists */

static void set_ready(struct rnic *rnic, uint8_t priority)
{
    rnic->port.ready |= (uint8_t)(1u << priority);
    rnic_want_kick(rnic);
}

static void push_ready(struct rnic *rnic, struct qp *qp)
{
    struct rnic_list *list = &rnic->ready[qp->priority];
    const uint32_t index = rnic_qp_index(rnic, qp);
    qp->next_ready = POOL_NONE;
    qp->flags |= QP_LISTED;
    if (list->head == POOL_NONE)
        list->head = index;
    else
        qp_at(rnic, list->tail)->next_ready = index;
    list->tail = index;
    set_ready(rnic, qp->priority);
}

void rnic_list_answer(struct rnic *rnic, struct qp *qp)
{
    const uint32_t index = rnic_qp_index(rnic, qp);
    CHECK((qp->rx_flags & QP_RX_LISTED) == 0);
    qp->next_answer = POOL_NONE;
    qp->rx_flags |= QP_RX_LISTED;
    if (rnic->answers.head == POOL_NONE)
        rnic->answers.head = index;
    else
        qp_at(rnic, rnic->answers.tail)->next_answer = index;
    rnic->answers.tail = index;
    set_ready(rnic, rnic->ack_priority);
}

static void unlist_ready(struct rnic *rnic, const struct qp *qp)
{
    struct rnic_list *list = &rnic->ready[qp->priority];
    const uint32_t index = rnic_qp_index(rnic, qp);
    uint32_t before = POOL_NONE;
    for (uint32_t at = list->head; at != index; at = qp_at(rnic, at)->next_ready)
        before = at;
    if (before == POOL_NONE)
        list->head = qp->next_ready;
    else
        qp_at(rnic, before)->next_ready = qp->next_ready;
    if (list->tail == index)
        list->tail = before;
}

static void unlist_answer(struct rnic *rnic, const struct qp *qp)
{
    const uint32_t index = rnic_qp_index(rnic, qp);
    uint32_t before = POOL_NONE;
    for (uint32_t at = rnic->answers.head; at != index; at = qp_at(rnic, at)->next_answer)
        before = at;
    if (before == POOL_NONE)
        rnic->answers.head = qp->next_answer;
    else
        qp_at(rnic, before)->next_answer = qp->next_answer;
    if (rnic->answers.tail == index)
        rnic->answers.tail = before;
}

void rnic_unlist(struct rnic *rnic, struct qp *qp)
{
    if ((qp->flags & QP_LISTED) != 0)
        unlist_ready(rnic, qp);
    if ((qp->rx_flags & QP_RX_LISTED) != 0)
        unlist_answer(rnic, qp);
    qp->flags &= (uint16_t)~QP_LISTED;
    qp->rx_flags &= (uint8_t)~QP_RX_LISTED;
}

void rnic_send_control(struct rnic *rnic, uint32_t handle)
{
    port_append(&rnic->port, handle);
    if ((*rnic->host_kicks & RNIC_HOST_BUSY) != 0)
        rnic_want_kick(rnic);
    else
        port_kick(&rnic->port, rnic_now(rnic));
}

/* ------------------------------------------------------------------ whose turn */

/* When the requester may send; clears an RNR wait that is over. */
static time_ps requester_due(struct qp *qp, time_ps now)
{
    if (!requester_ready(qp))
        return TIME_NEVER;
    if ((qp->flags & QP_RNR_WAIT) == 0)
        return now;
    if (qp->rnr_until > now)
        return qp->rnr_until;
    qp->flags &= (uint16_t)~QP_RNR_WAIT;
    return now;
}

/* When the QP may next send something; at or before now: at once. */
static time_ps due(struct rnic *rnic, struct qp *qp, time_ps now)
{
    time_ps at = requester_due(qp, now);
    if ((qp->flags & QP_RESPOND) != 0 && responder_due(qp) < at)
        at = responder_due(qp);
    if (at == TIME_NEVER || (qp->flags & QP_LIMITED) == 0)
        return at;
    const time_ps paced = rnic->cc->next_send(qp->cc, &rnic->cc_site, now);
    return paced > at ? paced : at;
}

void rnic_schedule(struct rnic *rnic, struct qp *qp, time_ps now)
{
    if ((qp->flags & QP_LISTED) != 0)
        return;
    const time_ps at = due(rnic, qp, now);
    if (at <= now) {
        push_ready(rnic, qp);
    } else if (at < qp->wake_at) {
        qp->wake_at = at;
        rnic_post(rnic, at, RNIC_EVENT_WAKE, qp->qpn);
    }
}

/* Requests and READ responses take turns. */
static uint32_t take_turn(struct rnic *rnic, struct qp *qp, time_ps now)
{
    if (LIKELY((qp->flags & QP_RESPOND) == 0))
        return requester_next(rnic, qp, now);
    const bool request = requester_due(qp, now) <= now;
    const bool respond = responder_due(qp) <= now;
    if (respond && (!request || (qp->flags & QP_TURN) != 0)) {
        qp->flags &= (uint16_t)~QP_TURN;
        return responder_next_response(rnic, qp, now);
    }
    qp->flags |= QP_TURN;
    return request ? requester_next(rnic, qp, now) : POOL_NONE;
}

static void charge(struct rnic *rnic, struct qp *qp, uint32_t handle, time_ps now)
{
    const struct frame *frame = frame_at(rnic->port.frames, handle);
    if (!rnic->cc->on_sent(qp->cc, &rnic->cc_site, frame->bytes, now))
        qp->flags &= (uint16_t)~QP_LIMITED;
}

static bool may_send(struct rnic *rnic, struct qp *qp, time_ps now)
{
    const unsigned slow = QP_RNR_WAIT | QP_LIMITED | QP_RESPOND;
    return LIKELY((qp->flags & slow) == 0) ? requester_ready(qp) : due(rnic, qp, now) <= now;
}

static uint32_t next_data(struct rnic *rnic, uint8_t priority, time_ps now)
{
    struct rnic_list *list = &rnic->ready[priority];
    while (list->head != POOL_NONE) {
        struct qp *qp = qp_at(rnic, list->head);
        uint32_t handle = POOL_NONE;
        list->head = qp->next_ready;
        qp->flags &= (uint16_t)~QP_LISTED;
        if (may_send(rnic, qp, now))
            handle = take_turn(rnic, qp, now);
        if (UNLIKELY((qp->flags & QP_LIMITED) != 0) && handle != POOL_NONE)
            charge(rnic, qp, handle, now);
        rnic_schedule(rnic, qp, now);
        if (handle != POOL_NONE)
            return handle;
    }
    return POOL_NONE;
}

static uint32_t next_answer(struct rnic *rnic)
{
    while (rnic->answers.head != POOL_NONE) {
        struct qp *qp = qp_at(rnic, rnic->answers.head);
        rnic->answers.head = qp->next_answer;
        qp->rx_flags &= (uint8_t)~QP_RX_LISTED;
        const uint32_t handle = responder_answer(rnic, qp);
        if (handle != POOL_NONE)
            return handle;
    }
    return POOL_NONE;
}

static uint32_t next_of(struct rnic *rnic, uint8_t priority, time_ps now)
{
    if (UNLIKELY(rnic->port.queues[priority].head != POOL_NONE))
        return port_shift(&rnic->port, priority);
    if (priority == rnic->ack_priority && rnic->answers.head != POOL_NONE) {
        const uint32_t handle = next_answer(rnic);
        if (handle != POOL_NONE)
            return handle;
    }
    return next_data(rnic, priority, now);
}

static bool has_more(const struct rnic *rnic, uint8_t priority)
{
    return rnic->ready[priority].head != POOL_NONE ||
           rnic->port.queues[priority].head != POOL_NONE ||
           (priority == rnic->ack_priority && rnic->answers.head != POOL_NONE);
}

/* The port's source: strict by priority. */
static uint32_t next(struct port *port, uint8_t allowed, time_ps now)
{
    struct rnic *rnic = of_port(port);
    for (unsigned mask = port->ready & allowed; mask != 0; mask = port->ready & allowed) {
        const uint8_t priority = (uint8_t)(31 - __builtin_clz(mask));
        const uint32_t handle = next_of(rnic, priority, now);
        if (has_more(rnic, priority))
            port->ready |= (uint8_t)(1u << priority);
        else
            port->ready &= (uint8_t) ~(1u << priority);
        if (handle != POOL_NONE)
            return handle;
    }
    return POOL_NONE;
}

/* ------------------------------------------------------------------ the way in */

/* The notification point: a CNP to the sender of a marked packet, not too often. */
static void notify(struct rnic *rnic, struct qp *qp, time_ps now)
{
    rnic->counters.ecn_marked++;
    if (rnic->cnp_interval == TIME_NEVER || now < qp->cnp_next)
        return;
    const struct packet_class class = {rnic->cnp_priority, rnic->cnp_tos};
    struct frame *frame;
    const uint32_t handle = packet_start(rnic, qp, FRAME_CNP, class, &frame);
    frame->bytes = frame_roce_bytes(FRAME_CNP, 0);
    frame->psn = 0;
    frame->flags = FRAME_BECN;
    qp->cnp_next = now + rnic->cnp_interval;
    rnic->counters.cnps_sent++;
    rnic_send_control(rnic, handle);
}

static void on_cnp(struct rnic *rnic, struct qp *qp, time_ps now)
{
    rnic->counters.cnps_handled++;
    if (rnic->cc->on_cnp(qp->cc, &rnic->cc_site, now))
        qp->flags |= QP_LIMITED;
}

static bool takes_packets(const struct qp *qp, const struct frame *frame)
{
    return (qp->state == IBV_QPS_RTS || qp->state == IBV_QPS_RTR) && qp->peer == frame->source;
}

static void on_packet(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now)
{
    if (UNLIKELY((frame->tos & ECN_CE) == ECN_CE))
        notify(rnic, qp, now);
    if (frame->opcode == FRAME_RC_ACKNOWLEDGE)
        completer_on_ack(rnic, qp, frame, now);
    else if (frame->opcode >= FRAME_RC_READ_RESPONSE_FIRST &&
             frame->opcode <= FRAME_RC_READ_RESPONSE_ONLY)
        completer_on_response(rnic, qp, frame, now);
    else if (UNLIKELY(frame->opcode == FRAME_CNP))
        on_cnp(rnic, qp, now);
    else
        responder_receive(rnic, qp, frame, now);
}

void rnic_transport(struct rnic *rnic, uint32_t handle, time_ps now)
{
    const struct frame *frame = frame_at(rnic->port.frames, handle);
    if (UNLIKELY(frame->opcode == FRAME_UD_SEND_ONLY)) {
        rnic_post(rnic, now + rnic->params.rx_delay, RNIC_EVENT_MAD, handle);
        return;
    }
    struct qp *qp = rnic_find_qp(rnic, frame->qpn);
    if (LIKELY(qp != NULL && takes_packets(qp, frame)))
        on_packet(rnic, qp, frame, now);
    else
        rnic->counters.stray++;
    frame_give(rnic->port.frames, handle);
}

void rnic_receive(struct rnic *rnic, uint32_t handle, time_ps now)
{
    if (LIKELY(!rnic->rx.slow))
        rnic_transport(rnic, handle, now);
    else
        rx_buffer_add(rnic, handle, now);
}

/* ------------------------------------------------------------------ completions and events */

void rnic_complete(struct rnic *rnic, struct qp *qp, const struct ibv_wc *wc, time_ps now)
{
    const uint32_t index = pool_take(&rnic->completions);
    struct rnic_completion *completion = pool_at(&rnic->completions, index);
    *completion = (struct rnic_completion){.wc = *wc, .conn = qp->conn};
    completion->wc.qp_num = qp->qpn;
    if (wc->status != IBV_WC_SUCCESS && wc->status != IBV_WC_WR_FLUSH_ERR)
        rnic->counters.completion_errors++;
    qp->conn->undelivered++;
    rnic_post(rnic, now + rnic->params.rx_delay, RNIC_EVENT_COMPLETION, index);
}

static void deliver(struct rnic *rnic, uint32_t index)
{
    const struct rnic_completion completion =
        *(const struct rnic_completion *)pool_at(&rnic->completions, index);
    struct verbs_conn *conn = completion.conn;
    const struct ibv_wc *wc = &completion.wc;
    pool_give(&rnic->completions, index);
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
    rnic_schedule(rnic, qp, now);
}

static void on_wake(struct rnic *rnic, uint32_t qpn, time_ps now)
{
    struct qp *qp = rnic_find_qp(rnic, qpn);
    if (qp == NULL || qp->wake_at != now)
        return;
    qp->wake_at = TIME_NEVER;
    rnic_schedule(rnic, qp, now);
}

static void on_timeout(struct rnic *rnic, uint32_t qpn, time_ps now)
{
    struct qp *qp = rnic_find_qp(rnic, qpn);
    if (qp != NULL)
        requester_on_timeout(rnic, qp, now);
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
        on_wake(rnic, (uint32_t)event->argument, event->at);
        return;
    case RNIC_EVENT_TIMEOUT:
        on_timeout(rnic, (uint32_t)event->argument, event->at);
        return;
    case RNIC_EVENT_COMPLETION:
        deliver(rnic, (uint32_t)event->argument);
        return;
    case RNIC_EVENT_DRAIN:
        rx_buffer_on_drain(rnic, event->at);
        return;
    case RNIC_EVENT_MAD:
        on_mad(rnic, (uint32_t)event->argument);
        return;
    case RNIC_EVENT_DATA_CAME:
        cm_on_data_came(rnic, (uint32_t)event->argument);
        return;
    case RNIC_EVENT_FIRST_OWN:
        break;
    }
    CHECK(false); /* no RNIC's event */
}

/* ------------------------------------------------------------------ making and checking */

static uint8_t tos(int64_t dscp, enum frame_ecn ecn)
{
    return (uint8_t)(dscp << 2 | ecn);
}

static void init_classes(struct rnic *rnic, const struct rnic_params *params)
{
    rnic->ack_priority = (uint8_t)params->ack_priority;
    rnic->ack_tos = tos(params->ack_dscp, ECN_NOT_ECT);
    rnic->cnp_priority = (uint8_t)params->cnp_priority;
    rnic->cnp_tos = tos(params->cnp_dscp, ECN_NOT_ECT);
    rnic->data_priority = (uint8_t)params->priority;
    rnic->data_tos = tos(params->dscp, rnic->cc->wants_ecn ? ECN_ECT0 : ECN_NOT_ECT);
}

static void init_cc(struct rnic *rnic, const struct rnic_site *site)
{
    CHECK(site->cc->params_bytes <= CC_PARAMS_MAX);
    rnic->cc = site->cc;
    if (site->cc->params_bytes > 0)
        memcpy(rnic->cc_params, site->cc_params, site->cc->params_bytes);
    rnic->cc_site = (struct cc_site){.line_bps = rnic->port.rate.bps, .params = rnic->cc_params};
    rnic->cnp_interval = rnic->cc->cnp_interval(rnic->cc_params);
}

void rnic_init(struct rnic *rnic, const struct rnic_site *site)
{
    *rnic = (struct rnic){
        .endpoint = site->endpoint,
        .ack_interval = (uint32_t)site->params->ack_interval,
        .ttl = (uint8_t)site->params->ttl,
        .go_back_0 = site->params->loss_recovery == RNIC_GO_BACK_0,
        .ack_coalescing = site->params->ack_coalescing != 0,
        .host_kicks = site->host_kicks,
        .answers = {POOL_NONE, POOL_NONE},
        .env = site->env,
        .params = *site->params,
        .qpn_base = (uint32_t)(hash_mix(hash_text(site->node->name, site->index)) & PSN_MASK),
    };
    for (unsigned i = 0; i < PRIORITIES; i++)
        rnic->ready[i] = (struct rnic_list){POOL_NONE, POOL_NONE};
    if (site->params->timeout > 0)
        rnic->ack_timeout = ACK_TIMEOUT_UNIT << site->params->timeout;
    port_init(&rnic->port, site->node, site->index, site->port_params, site->frames,
              site->env->probe, next);
    pool_init(&rnic->qps, "queue pairs of an RNIC", sizeof(struct qp), RNIC_QP_MAX);
    pool_init(&rnic->completions, "completions under way at an RNIC",
              sizeof(struct rnic_completion), COMPLETIONS_MAX);
    mr_table_init(&rnic->mrs);
    init_cc(rnic, site);
    init_classes(rnic, site->params);
    rx_buffer_init(rnic);
    cm_init(rnic);
}

void rnic_fini(struct rnic *rnic)
{
    cm_fini(rnic);
    mr_table_fini(&rnic->mrs);
    pool_fini(&rnic->completions);
    pool_fini(&rnic->qps);
}

static void audit_qps(const struct rnic *rnic)
{
    uint64_t sends = 0, receives = 0;
    for (uint32_t i = 0; i < rnic->qps.used; i++) {
        const struct qp *qp = qp_at(rnic, i);
        if (qp->qpn == 0)
            continue;
        qp_audit(rnic, qp);
        sends += qp->sq_tail - qp->sq_head;
        receives += qp->rq_tail - qp->rq_head;
    }
    CHECK(rnic->counters.posted_sends == rnic->counters.finished_sends + sends);
    CHECK(rnic->counters.posted_receives == rnic->counters.finished_receives + receives);
}

void rnic_audit(const struct rnic *rnic)
{
    port_audit(&rnic->port);
    rx_buffer_audit(rnic);
    audit_qps(rnic);
    for (uint8_t i = 0; i < PRIORITIES; i++)
        CHECK(!has_more(rnic, i) || (rnic->port.ready & 1u << i) != 0);
}
