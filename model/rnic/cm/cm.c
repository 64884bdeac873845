/* SPDX-License-Identifier: Apache-2.0
 * cm - connecting and disconnecting.
 *   active                         passive
 *   REQ_SENT      -- REQ  ->       REQ_RECEIVED   CONNECT_REQUEST; the ULP accepts: QP to RTS
 *   QP to RTS     <- REP  --       REP_SENT
 *   ESTABLISHED   -- RTU  ->       ESTABLISHED    (or the first data packet)
 *   DREQ_SENT     -- DREQ ->       CLOSED         QP to ERR, DISCONNECTED
 *   CLOSED        <- DREP --                      QP to ERR, DISCONNECTED
 * Set-up work that takes time before a message (cm_setup.h) is a state that ends with a timer:
 * RESOLVING and CREATING before the REQ, ACCEPTING before the REP, CONNECTING before the RTU. */
#include "rnic/cm/cm.h"

#include "base/memory.h"
#include "rnic/cm/cm_conn.h"
#include "rnic/cm/cm_format.h"
#include "rnic/cm/cm_send.h"
#include "rnic/cm/cm_setup.h"
#include "rnic/host/lag.h"
#include "rnic/host/rnic.h"
#include "rnic/qp/responder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static void on_timer(void *self, time_ps now);
static void step_on(struct verbs_conn *conn);

static void report_event(struct verbs_conn *conn, enum rdma_cm_event_type type, int status,
                         const struct cm_mad *mad)
{
    struct verbs_event event = {
        .type = type, .status = status, .peer_ip = rnic_ip(conn->peer.endpoint)};
    if (mad != NULL) {
        /* As the peer sent them; rdma_cm would swap the two on the passive side. */
        event.responder_resources = mad->responder_resources;
        event.initiator_depth = mad->initiator_depth;
        event.private_data = mad->private_data;
        event.private_len = mad->private_len;
    }
    if (!conn->destroyed && conn->user.on_cm != NULL)
        conn->user.on_cm(conn->user.self, conn, &event);
}

static void set_timer(struct verbs_conn *conn)
{
    env_timer_set(conn->rnic->env, &conn->timer, rnic_now(conn->rnic) + conn->patience);
}

static void stop_timer(struct verbs_conn *conn)
{
    env_timer_cancel(conn->rnic->env, &conn->timer);
    conn->tries = 0;
}

static void end_qp(struct verbs_conn *conn)
{
    if (conn->qp == NULL || conn->qp->state == IBV_QPS_ERR)
        return;
    responder_reset(conn->rnic, conn->qp);
    qp_to_error(conn->rnic, conn->qp, rnic_now(conn->rnic));
}

static void close_conn(struct verbs_conn *conn, enum rdma_cm_event_type type, int status,
                       const struct cm_mad *mad)
{
    const bool connects = conn->state != CM_REP_SENT && conn->state != CM_DREQ_SENT;
    if (status == -ETIMEDOUT && connects)
        cm_setup_note_timeout(conn, type == RDMA_CM_EVENT_ADDR_ERROR);
    stop_timer(conn);
    conn->state = CM_CLOSED;
    end_qp(conn);
    report_event(conn, type, status, mad);
}

static void retransmit(struct verbs_conn *conn)
{
    if (conn->tries < conn->tries_most) {
        conn->tries++;
        conn->rnic->cm.retries++;
        cm_send(conn->rnic, &conn->peer, conn->mine);
        set_timer(conn);
        return;
    }
    /* Linux, drivers/infiniband/core/cma.c, cma_ib_handler: a DREQ without a DREP ends like one
     * with it, but says that the time was up. */
    const bool disconnects = conn->state == CM_DREQ_SENT;
    close_conn(conn, disconnects ? RDMA_CM_EVENT_DISCONNECTED : RDMA_CM_EVENT_UNREACHABLE,
               -ETIMEDOUT, NULL);
}

/* The connection's present step ends at `done`. */
static void step_on_at(struct verbs_conn *conn, time_ps done)
{
    if (done > rnic_now(conn->rnic))
        env_timer_set(conn->rnic->env, &conn->timer, done);
    else
        step_on(conn);
}

static void on_timer(void *self, time_ps now)
{
    struct verbs_conn *conn = self;
    (void)now;
    if (conn->state >= CM_RESOLVING)
        step_on(conn);
    else
        retransmit(conn);
}

/* ------------------------------------------------------------------ calls of the ULP */

int cm_listen(struct rnic *rnic, uint16_t port, const struct verbs_user *user)
{
    struct cm *cm = &rnic->cm;
    for (uint32_t i = 0; i < cm->listener_count; i++)
        if (cm->listeners[i].port == port)
            return EADDRINUSE;
    cm->listeners =
        memory_grown(cm->listeners, cm->listener_count, &cm->listener_room, sizeof *cm->listeners);
    cm->listeners[cm->listener_count++] = (struct cm_listener){.port = port, .user = *user};
    return 0;
}

void cm_unlisten(struct rnic *rnic, uint16_t port)
{
    struct cm *cm = &rnic->cm;
    for (uint32_t i = 0; i < cm->listener_count; i++)
        if (cm->listeners[i].port == port)
            cm->listeners[i--] = cm->listeners[--cm->listener_count];
}

/* ECN is not part of a connection's class: the congestion control decides about it. */
static struct packet_class class_of(const struct rnic *rnic, const struct verbs_class *wanted)
{
    const uint8_t tos = wanted->tos_set ? wanted->tos & TOS_DSCP : rnic_tos(rnic->params.dscp);
    if (rnic->params.link == PORT_INFINIBAND)
        return rnic_ib_class(rnic, wanted);
    const uint8_t by_dscp = rnic->priority_of_dscp[tos >> 2];
    return rnic_class(&rnic->params, wanted->priority_set ? wanted->priority : by_dscp, tos);
}

struct verbs_conn *cm_connect(struct rnic *rnic, const struct verbs_peer *peer,
                              const struct ibv_qp_cap *cap, const struct rdma_conn_param *param,
                              const struct verbs_user *user)
{
    if (peer->ip < RNIC_FIRST_IP)
        return NULL;
    /* Uses the member of a link aggregate selected by the connection's ports. */
    const uint64_t tid = rnic->cm.guid ^ ++rnic->cm.tids;
    const uint32_t label = cm_flow_label(cm_port_of_tid(rnic, tid), peer->port);
    rnic = lag_choose(rnic, peer->ip, label, rnic->params.roce_version == 1);
    struct verbs_conn *conn = cm_conn_take(rnic, user, on_timer);
    conn->tid = tid;
    conn->patience = rnic->params.cm_timeout;
    conn->tries_most = (uint8_t)rnic->params.cm_retries;
    conn->peer = (struct cm_peer){peer->ip - RNIC_FIRST_IP, class_of(rnic, &peer->class),
                                  cm_flow_label(cm_source_port(conn), peer->port)};
    conn->polled = peer->polled;
    conn->qp = qp_create(rnic, cap, conn);
    conn->state = CM_RESOLVING;
    cm_format_req(conn, peer->port, param);
    step_on_at(conn, cm_setup_resolved(rnic, rnic_now(rnic)));
    return conn;
}

int cm_prepare(struct verbs_conn *conn, const struct ibv_qp_cap *cap, const struct verbs_user *user)
{
    if (conn->state != CM_REQ_RECEIVED || conn->qp != NULL)
        return EINVAL;
    conn->user = *user;
    conn->qp = qp_create(conn->rnic, cap, conn);
    return 0;
}

static void connect_qp(struct verbs_conn *conn, const struct cm_mad *theirs)
{
    const struct qp_connection with = cm_format_terms(conn, theirs);
    conn->remote_qpn = theirs->qpn;
    qp_connect(conn->rnic, conn->qp, &with);
}

int cm_accept(struct verbs_conn *conn, const struct rdma_conn_param *param)
{
    if (conn->state != CM_REQ_RECEIVED || conn->qp == NULL ||
        qp_mtu_bytes((enum ibv_mtu)conn->theirs->mtu) == 0)
        return EINVAL;
    cm_format_rep(conn, param);
    conn->state = CM_ACCEPTING;
    step_on_at(conn, cm_setup_accepted(conn->rnic, rnic_now(conn->rnic)));
    return 0;
}

int cm_reject(struct verbs_conn *conn, const void *private_data, uint8_t private_len)
{
    if (conn->state != CM_REQ_RECEIVED)
        return EINVAL;
    cm_send_rej(conn, private_data, private_len);
    conn->state = CM_CLOSED;
    return 0;
}

/* The peer does not know of the connection yet, or waits for an answer. */
static bool is_begun(const struct verbs_conn *conn)
{
    return conn->state == CM_RESOLVING || conn->state == CM_CREATING ||
           conn->state == CM_REQ_SENT || conn->state == CM_ACCEPTING;
}

static bool is_made(const struct verbs_conn *conn)
{
    return conn->state == CM_ESTABLISHED || conn->state == CM_REP_SENT ||
           conn->state == CM_CONNECTING;
}

void cm_disconnect(struct verbs_conn *conn)
{
    if (is_begun(conn)) {
        stop_timer(conn);
        if (conn->state == CM_ACCEPTING)
            cm_send_rej(conn, NULL, 0);
        conn->state = CM_CLOSED;
        end_qp(conn);
    }
    if (!is_made(conn))
        return;
    stop_timer(conn);
    end_qp(conn);
    conn->state = CM_DREQ_SENT;
    cm_send_short(conn, CM_DREQ);
    set_timer(conn);
}

void cm_destroy(struct verbs_conn *conn)
{
    CHECK(conn->taken && !conn->destroyed);
    if (is_made(conn))
        cm_send_short(conn, CM_DREQ);
    if (conn->state == CM_REQ_RECEIVED || conn->state == CM_ACCEPTING)
        cm_send_rej(conn, NULL, 0);
    stop_timer(conn);
    if (conn->qp != NULL) {
        qp_destroy(conn->rnic, conn->qp);
        cm_setup_destroyed(conn->rnic, rnic_now(conn->rnic));
    }
    conn->qp = NULL;
    conn->state = CM_CLOSED;
    conn->destroyed = true;
    if (conn->undelivered == 0)
        cm_conn_give(conn);
}

void cm_delivered(struct verbs_conn *conn)
{
    CHECK(conn->undelivered > 0);
    conn->undelivered--;
    if (conn->destroyed && conn->undelivered == 0)
        cm_conn_give(conn);
}

/* ------------------------------------------------------------------ messages of the peer */

static const struct cm_listener *listener_of(const struct cm *cm, uint64_t service_id)
{
    for (uint32_t i = 0; i < cm->listener_count; i++)
        if (CM_SERVICE_ID(cm->listeners[i].port) == service_id)
            return &cm->listeners[i];
    return NULL;
}

static void refuse_request(struct rnic *rnic, const struct cm_peer *back, const struct cm_mad *req,
                           enum cm_reject_reason reason)
{
    const struct cm_mad rej = {.attribute = CM_REJ,
                               .tid = req->tid,
                               .remote_id = req->local_id,
                               .reason = (uint16_t)reason};
    cm_send(rnic, back, &rej);
}

/* In the RoCE version of the REQ. RoCE v1 and InfiniBand have a service level, not a DSCP. */
static struct packet_class class_of_accepted(const struct rnic *rnic, const struct cm_peer *back,
                                             const struct cm_mad *req)
{
    const int64_t own = rnic->params.accept_dscp;
    if (rnic->params.link == PORT_INFINIBAND)
        return rnic_sl_class(rnic, req->service_level);
    const uint8_t tos = own == RNIC_AUTO ? req->traffic_class & TOS_DSCP : rnic_tos(own);
    if (!frame_is_v1(back->class.tos))
        return (struct packet_class){rnic->priority_of_dscp[tos >> 2], tos};
    const uint8_t priority =
        own == RNIC_AUTO ? req->service_level % PRIORITIES : rnic->priority_of_dscp[own];
    return (struct packet_class){priority, frame_v1_tos(rnic->params.priority_tag != 0, priority)};
}

static void on_req(struct rnic *rnic, const struct cm_peer *back, const struct cm_mad *req)
{
    struct verbs_conn *conn = cm_conn_of_request(rnic, back->endpoint, req->local_id);
    if (conn != NULL) { /* retransmitted by the peer: so is the answer, if there is one */
        if (conn->mine != NULL && conn->mine->attribute == CM_REP && conn->state != CM_CLOSED &&
            conn->state != CM_ACCEPTING)
            cm_send(rnic, &conn->peer, conn->mine);
        return;
    }
    const struct cm_listener *listener = listener_of(&lag_lead(rnic)->cm, req->service_id);
    const bool refused = rnic_refuses_mtu(&rnic->params, qp_mtu_bytes((enum ibv_mtu)req->mtu));
    if (listener == NULL || refused) {
        refuse_request(rnic, back, req,
                       listener == NULL ? CM_REJ_INVALID_SERVICE_ID : CM_REJ_INVALID_MTU);
        return;
    }
    conn = cm_conn_take(rnic, &listener->user, on_timer);
    conn->peer.endpoint = back->endpoint;
    conn->peer.flow_label = req->flow_label;
    conn->peer.class = class_of_accepted(rnic, back, req);
    conn->remote_id = req->local_id;
    cm_conn_enter(conn);
    conn->patience = cm_response_time(req->response_timeout);
    conn->tries_most = req->max_retries;
    conn->tid = req->tid;
    cm_mad_keep(&conn->theirs, req);
    conn->state = CM_REQ_RECEIVED;
    report_event(conn, RDMA_CM_EVENT_CONNECT_REQUEST, 0, req);
}

static void on_rep(struct verbs_conn *conn, const struct cm_mad *rep)
{
    if (conn->state == CM_ESTABLISHED && !conn->passive)
        cm_send_short(conn, CM_RTU); /* the first RTU was lost */
    if (conn->state != CM_REQ_SENT)
        return;
    stop_timer(conn);
    conn->remote_id = rep->local_id;
    conn->remote_qpn = rep->qpn;
    cm_mad_keep(&conn->theirs, rep);
    conn->state = CM_CONNECTING;
    step_on_at(conn, cm_setup_connected(conn->rnic, rnic_now(conn->rnic)));
}

static void send_mine(struct verbs_conn *conn, enum cm_state state)
{
    conn->state = state;
    cm_send(conn->rnic, &conn->peer, conn->mine);
    set_timer(conn);
}

/* `theirs` is the REP; the protocol may read it during the callback. */
static void finish_active(struct verbs_conn *conn)
{
    struct cm_mad *rep = conn->theirs;
    connect_qp(conn, rep);
    cm_mad_keep(&conn->mine, NULL); /* a repeated REP is only answered by an RTU */
    conn->theirs = NULL;
    conn->state = CM_ESTABLISHED;
    cm_send_short(conn, CM_RTU);
    report_event(conn, RDMA_CM_EVENT_ESTABLISHED, 0, rep);
    cm_mad_keep(&rep, NULL);
}

static void resolve_address(struct verbs_conn *conn)
{
    struct rnic *rnic = conn->rnic;
    const time_ps now = rnic_now(rnic), again = cm_setup_address(conn, now);
    if (again == TIME_NEVER) {
        close_conn(conn, RDMA_CM_EVENT_ADDR_ERROR, -ETIMEDOUT, NULL);
        return;
    }
    if (again == now) {
        conn->state = CM_CREATING;
        conn->tries = 0;
        step_on_at(conn, cm_setup_created(rnic, now));
        return;
    }
    env_timer_set(rnic->env, &conn->timer, again);
}

/* Continues when a timed set-up step has ended. */
static void step_on(struct verbs_conn *conn)
{
    switch (conn->state) {
    case CM_RESOLVING:
        resolve_address(conn);
        return;
    case CM_CREATING:
        send_mine(conn, CM_REQ_SENT);
        return;
    case CM_ACCEPTING:
        connect_qp(conn, conn->theirs);
        cm_mad_keep(&conn->theirs, NULL);
        send_mine(conn, CM_REP_SENT);
        return;
    case CM_CONNECTING:
        finish_active(conn);
        return;
    default:
        CHECK(false);
    }
}

static void establish(struct verbs_conn *conn)
{
    stop_timer(conn);
    conn->state = CM_ESTABLISHED;
    conn->qp->rx_flags &= (uint8_t)~QP_RX_FIRST_DATA;
    report_event(conn, RDMA_CM_EVENT_ESTABLISHED, 0, NULL);
}

void cm_on_first_data(struct verbs_conn *conn, time_ps now)
{
    if (conn->state == CM_REP_SENT)
        rnic_post(conn->rnic, now + conn->rnic->params.rx_delay, RNIC_EVENT_DATA_CAME,
                  cm_conn_id(conn));
}

void cm_on_data_came(struct rnic *rnic, uint32_t id)
{
    struct verbs_conn *conn = cm_conn_of_id(rnic, id);
    if (conn != NULL && conn->state == CM_REP_SENT)
        establish(conn);
}

static void on_rej(struct verbs_conn *conn, const struct cm_mad *rej)
{
    if (conn->state == CM_REQ_SENT || conn->state == CM_REP_SENT)
        close_conn(conn, RDMA_CM_EVENT_REJECTED, rej->reason, rej);
}

static void on_dreq(struct rnic *rnic, const struct cm_peer *back, struct verbs_conn *conn,
                    const struct cm_mad *dreq)
{
    const struct cm_mad drep = {
        .attribute = CM_DREP,
        .tid = dreq->tid,
        .local_id = dreq->remote_id,
        .remote_id = dreq->local_id,
    };
    cm_send(rnic, back, &drep); /* even if the connection no longer exists: the peer has to end */
    if (conn != NULL && (is_made(conn) || conn->state == CM_DREQ_SENT))
        close_conn(conn, RDMA_CM_EVENT_DISCONNECTED, 0, NULL);
}

void cm_receive(struct rnic *rnic, const struct frame *frame, const uint8_t *bytes)
{
    struct cm_mad mad;
    if (!cm_mad_decode(bytes, &mad)) {
        rnic->counters.stray++;
        return;
    }
    rnic = cm_conn_member(rnic, frame, &mad);
    /* A reply that belongs to no connection uses the addressing of the request (Linux
     * ib_init_ah_attr_from_wc). */
    const struct cm_peer back = {frame->source,
                                 {frame->priority, frame_class_tos(frame->tos)},
                                 mad.attribute == CM_REQ ? mad.flow_label : 0};
    if (mad.attribute == CM_REQ) {
        on_req(rnic, &back, &mad);
        return;
    }
    struct verbs_conn *conn = cm_conn_of_id(rnic, mad.remote_id);
    if (conn != NULL && conn->peer.endpoint != frame->source)
        conn = NULL;
    if (mad.attribute == CM_DREQ)
        on_dreq(rnic, &back, conn, &mad);
    else if (conn == NULL)
        rnic->counters.stray++;
    else if (mad.attribute == CM_REP)
        on_rep(conn, &mad);
    else if (mad.attribute == CM_REJ)
        on_rej(conn, &mad);
    else if (mad.attribute == CM_RTU && conn->state == CM_REP_SENT)
        establish(conn);
    else if (mad.attribute == CM_DREP && conn->state == CM_DREQ_SENT)
        close_conn(conn, RDMA_CM_EVENT_DISCONNECTED, 0, NULL);
}

/* ------------------------------------------------------------------ creation and end */

void cm_init(struct rnic *rnic)
{
    struct cm *cm = &rnic->cm;
    const uint64_t name = hash_text(rnic->port.node->name, rnic->port.index);
    char purpose[40];
    cm_conn_init(cm);
    cm->id_base = (uint32_t)hash_mix(name + 1);
    cm->guid = hash_mix(name + 2);
    snprintf(purpose, sizeof purpose, "starting PSNs of port %u", (unsigned)rnic->port.index);
    cm->psns = env_stream(rnic->env, purpose);
    cm->port_seed = cm_port_seed(rnic);
}

void cm_fini(struct rnic *rnic)
{
    for (uint32_t i = 0; i < rnic->cm.conns.used; i++) {
        struct verbs_conn *conn = slab_at(&rnic->cm.conns, i);
        if (conn->taken && conn->qp != NULL)
            qp_destroy(rnic, conn->qp);
    }
    cm_conn_fini(&rnic->cm);
    free(rnic->cm.listeners);
}
