/* SPDX-License-Identifier: Apache-2.0
 * cm - connecting and disconnecting.
 *
 * active                         passive
 *   REQ_SENT      -- REQ  ->       REQ_RECEIVED   CONNECT_REQUEST; the ULP accepts: QP to RTS
 *   QP to RTS     <- REP  --       REP_SENT
 *   ESTABLISHED   -- RTU  ->       ESTABLISHED    (or the first data packet)
 *   DREQ_SENT     -- DREQ ->       CLOSED         QP to ERR, DISCONNECTED
 *   CLOSED        <- DREP --                      QP to ERR, DISCONNECTED */
#include "rnic/cm/cm.h"

#include "base/memory.h"
#include "rnic/cm/cm_conn.h"
#include "rnic/cm/cm_send.h"
#include "rnic/host/rnic.h"
#include "rnic/qp/responder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RESPONSE_TIMEOUT = 20, /* Linux cma.c CMA_CM_RESPONSE_TIMEOUT */
    EPHEMERAL_FIRST = 49152,
    EPHEMERAL_COUNT = 16384,
};

static uint8_t least(int64_t a, int64_t b)
{
    return (uint8_t)(a < b ? a : b);
}

static void on_timer(void *self, time_ps now);

static void report_event(struct verbs_conn *conn, enum rdma_cm_event_type type, int status,
                         const struct cm_mad *mad)
{
    struct verbs_event event = {
        .type = type, .status = status, .peer_ip = rnic_ip(conn->peer.endpoint)};
    if (mad != NULL) {
        /* As the peer wrote them; rdma_cm would swap the two on the passive side. */
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
    const struct rnic *rnic = conn->rnic;
    env_timer_set(rnic->env, &conn->timer, rnic_now(rnic) + rnic->params.cm_timeout);
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
    responder_reset(conn->qp);
    qp_to_error(conn->rnic, conn->qp, rnic_now(conn->rnic));
}

static void close_conn(struct verbs_conn *conn, enum rdma_cm_event_type type, int status,
                       const struct cm_mad *mad)
{
    stop_timer(conn);
    conn->state = CM_CLOSED;
    end_qp(conn);
    report_event(conn, type, status, mad);
}

static void on_timer(void *self, time_ps now)
{
    struct verbs_conn *conn = self;
    (void)now;
    if (conn->tries < conn->rnic->params.cm_retries) {
        conn->tries++;
        conn->rnic->cm.retries++;
        cm_send(conn->rnic, &conn->peer, conn->mine);
        set_timer(conn);
        return;
    }
    if (conn->state == CM_DREQ_SENT)
        close_conn(conn, RDMA_CM_EVENT_DISCONNECTED, 0, NULL);
    else
        close_conn(conn, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT, NULL);
}

/* ------------------------------------------------------------------ what the ULP asks for */

int cm_listen(struct rnic *rnic, uint16_t port, const struct verbs_user *user)
{
    struct cm *cm = &rnic->cm;
    for (uint32_t i = 0; i < cm->listener_count; i++)
        if (cm->listeners[i].port == port)
            return EADDRINUSE;
    if (cm->listener_count == cm->listener_room) {
        cm->listener_room = cm->listener_room == 0 ? 4 : cm->listener_room * 2;
        cm->listeners = memory_resized(cm->listeners, cm->listener_room, sizeof *cm->listeners);
    }
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

static uint8_t copy_private(struct cm_mad *mad, const void *data, uint8_t length, uint8_t room)
{
    const uint8_t kept = least(length, room);
    if (kept > 0)
        memcpy(mad->private_data, data, kept);
    return kept;
}

/* What the programs at both ends told each other before, by a connection of their own. */
static const struct rnic_params *params_of_peer(const struct verbs_conn *conn)
{
    const struct rnic *rnic = conn->rnic;
    return rnic->peers == NULL ? NULL : &rnic->peers[conn->peer.endpoint]->params;
}

static void make_req(struct verbs_conn *conn, uint16_t port, const struct rdma_conn_param *param)
{
    struct rnic *rnic = conn->rnic;
    const struct rnic_params *own = &rnic->params;
    const uint32_t id = cm_conn_id(conn);
    struct cm_mad req = {
        .attribute = CM_REQ,
        .tid = conn->tid,
        .local_id = id,
        .qpn = conn->qp->qpn,
        .starting_psn = (uint32_t)rng_next(&rnic->cm.psns) & PSN_MASK,
        .ca_guid = rnic->cm.guid,
        .responder_resources = least(param->responder_resources, own->max_rd_atomic),
        .initiator_depth = least(param->initiator_depth, own->max_rd_atomic),
        .retry_count = least(param->retry_count, own->retry_count),
        .rnr_retry = least(param->rnr_retry_count, own->rnr_retry),
        .service_id = CM_SERVICE_ID(port),
        .source_ip = rnic_ip(rnic->endpoint),
        .destination_ip = rnic_ip(conn->peer.endpoint),
        .source_port = (uint16_t)(EPHEMERAL_FIRST + id % EPHEMERAL_COUNT),
        .mtu = (uint8_t)qp_mtu_code((uint32_t)rnic_asked_mtu(own, params_of_peer(conn))),
        .packet_rate = (uint8_t)cm_packet_rate(rnic->port.rate.bps),
        .traffic_class = conn->peer.class.tos,
        .hop_limit = rnic->ttl,
        .service_level = conn->peer.class.priority,
        .ack_timeout = (uint8_t)own->timeout,
        .response_timeout = RESPONSE_TIMEOUT,
        .max_retries = (uint8_t)own->cm_retries,
    };
    req.private_len =
        copy_private(&req, param->private_data, param->private_data_len, VERBS_REQ_PRIVATE_MAX);
    cm_mad_keep(&conn->mine, &req);
}

/* ECN is no part of a connection's class: its packets are marked as the congestion control wants.
 */
static struct packet_class class_of(const struct rnic *rnic, const struct verbs_class *wanted)
{
    const uint8_t tos = wanted->tos_set ? wanted->tos & TOS_DSCP : rnic_tos(rnic->params.dscp);
    return (struct packet_class){
        .priority = wanted->priority_set ? wanted->priority : rnic->priority_of_dscp[tos >> 2],
        .tos = tos,
    };
}

struct verbs_conn *cm_connect(struct rnic *rnic, const struct verbs_peer *peer,
                              const struct ibv_qp_cap *cap, const struct rdma_conn_param *param,
                              const struct verbs_user *user)
{
    if (peer->ip < RNIC_FIRST_IP)
        return NULL;
    struct verbs_conn *conn = cm_conn_take(rnic, user, on_timer);
    conn->peer = (struct cm_peer){peer->ip - RNIC_FIRST_IP, class_of(rnic, &peer->class)};
    conn->tid = rnic->cm.guid ^ ++rnic->cm.tids;
    conn->qp = qp_create(rnic, cap, conn);
    conn->state = CM_REQ_SENT;
    make_req(conn, peer->port, param);
    cm_send(rnic, &conn->peer, conn->mine);
    set_timer(conn);
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
    const struct cm_mad *mine = conn->mine, *req = conn->passive ? theirs : mine;
    const struct rnic_params *own = &conn->rnic->params;
    const int64_t asked = qp_mtu_bytes((enum ibv_mtu)req->mtu);
    const struct qp_connection with = {
        .peer = conn->peer.endpoint,
        .peer_qpn = theirs->qpn,
        .send_psn = theirs->starting_psn, /* with which its receiver begins, IBTA Vol 1 12.7.31 */
        .receive_psn = mine->starting_psn,
        .mtu = (uint32_t)(conn->passive ? rnic_taken_mtu(own, asked) : asked),
        .read_limit = least(mine->initiator_depth, theirs->responder_resources),
        .read_resources = least(mine->responder_resources, theirs->initiator_depth),
        .retry_count = least(req->retry_count, own->retry_count),
        .rnr_retry = least(theirs->rnr_retry, own->rnr_retry),
        .first_data_establishes = conn->passive,
    };
    conn->remote_qpn = theirs->qpn;
    qp_connect(conn->rnic, conn->qp, &with);
}

int cm_accept(struct verbs_conn *conn, const struct rdma_conn_param *param)
{
    struct rnic *rnic = conn->rnic;
    const int64_t most = rnic->params.max_rd_atomic;
    const struct cm_mad *req = conn->theirs;
    if (conn->state != CM_REQ_RECEIVED || conn->qp == NULL ||
        qp_mtu_bytes((enum ibv_mtu)req->mtu) == 0)
        return EINVAL;
    struct cm_mad rep = {
        .attribute = CM_REP,
        .tid = conn->tid,
        .local_id = cm_conn_id(conn),
        .remote_id = conn->remote_id,
        .qpn = conn->qp->qpn,
        .starting_psn = (uint32_t)rng_next(&rnic->cm.psns) & PSN_MASK,
        .ca_guid = rnic->cm.guid,
        .responder_resources = least(least(param->responder_resources, req->initiator_depth), most),
        .initiator_depth = least(least(param->initiator_depth, req->responder_resources), most),
        .rnr_retry = least(param->rnr_retry_count, rnic->params.rnr_retry),
    };
    rep.private_len =
        copy_private(&rep, param->private_data, param->private_data_len, VERBS_REP_PRIVATE_MAX);
    cm_mad_keep(&conn->mine, &rep);
    connect_qp(conn, req);
    cm_mad_keep(&conn->theirs, NULL);
    conn->state = CM_REP_SENT;
    cm_send(rnic, &conn->peer, conn->mine);
    set_timer(conn);
    return 0;
}

int cm_reject(struct verbs_conn *conn, const void *private_data, uint8_t private_len)
{
    if (conn->state != CM_REQ_RECEIVED)
        return EINVAL;
    struct cm_mad rej = {
        .attribute = CM_REJ,
        .tid = conn->tid,
        .local_id = cm_conn_id(conn),
        .remote_id = conn->remote_id,
        .reason = CM_REJ_CONSUMER,
    };
    rej.private_len = copy_private(&rej, private_data, private_len, VERBS_REJ_PRIVATE_MAX);
    cm_send(conn->rnic, &conn->peer, &rej);
    conn->state = CM_CLOSED;
    return 0;
}

void cm_disconnect(struct verbs_conn *conn)
{
    if (conn->state == CM_REQ_SENT) {
        stop_timer(conn);
        conn->state = CM_CLOSED;
        end_qp(conn);
    }
    if (conn->state != CM_ESTABLISHED && conn->state != CM_REP_SENT)
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
    if (conn->state == CM_ESTABLISHED || conn->state == CM_REP_SENT)
        cm_send_short(conn, CM_DREQ);
    if (conn->state == CM_REQ_RECEIVED)
        cm_reject(conn, NULL, 0);
    stop_timer(conn);
    if (conn->qp != NULL)
        qp_destroy(conn->rnic, conn->qp);
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

/* ------------------------------------------------------------------ what the peer says */

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

static void on_req(struct rnic *rnic, const struct cm_peer *back, const struct cm_mad *req)
{
    struct verbs_conn *conn = cm_conn_of_request(rnic, back->endpoint, req->local_id);
    if (conn != NULL) { /* sent again: so is the answer, if there is one */
        if (conn->mine != NULL && conn->mine->attribute == CM_REP && conn->state != CM_CLOSED)
            cm_send(rnic, &conn->peer, conn->mine);
        return;
    }
    const struct cm_listener *listener = listener_of(&rnic->cm, req->service_id);
    const bool refused = rnic_refuses_mtu(&rnic->params, qp_mtu_bytes((enum ibv_mtu)req->mtu));
    if (listener == NULL || refused) {
        refuse_request(rnic, back, req,
                       listener == NULL ? CM_REJ_INVALID_SERVICE_ID : CM_REJ_INVALID_MTU);
        return;
    }
    conn = cm_conn_take(rnic, &listener->user, on_timer);
    conn->peer.endpoint = back->endpoint;
    conn->peer.class.tos = rnic->params.accept_dscp == RNIC_AUTO
                               ? req->traffic_class & TOS_DSCP
                               : rnic_tos(rnic->params.accept_dscp);
    conn->peer.class.priority = rnic->priority_of_dscp[conn->peer.class.tos >> 2];
    conn->remote_id = req->local_id;
    cm_conn_enter(conn);
    conn->tid = req->tid;
    cm_mad_keep(&conn->theirs, req);
    conn->state = CM_REQ_RECEIVED;
    report_event(conn, RDMA_CM_EVENT_CONNECT_REQUEST, 0, req);
}

static void on_rep(struct verbs_conn *conn, const struct cm_mad *rep)
{
    if (conn->state == CM_ESTABLISHED && !conn->passive)
        cm_send_short(conn, CM_RTU); /* the first one was lost */
    if (conn->state != CM_REQ_SENT)
        return;
    stop_timer(conn);
    conn->remote_id = rep->local_id;
    connect_qp(conn, rep);
    cm_mad_keep(&conn->mine, NULL); /* a REP that comes again needs no more than an RTU */
    conn->state = CM_ESTABLISHED;
    cm_send_short(conn, CM_RTU);
    report_event(conn, RDMA_CM_EVENT_ESTABLISHED, 0, rep);
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
    cm_send(rnic, back, &drep); /* also for a connection that is gone, so that the peer can end */
    if (conn != NULL && (conn->state == CM_ESTABLISHED || conn->state == CM_REP_SENT ||
                         conn->state == CM_DREQ_SENT))
        close_conn(conn, RDMA_CM_EVENT_DISCONNECTED, 0, NULL);
}

void cm_receive(struct rnic *rnic, const struct frame *frame, const uint8_t *bytes)
{
    struct cm_mad mad;
    if (!cm_mad_decode(bytes, &mad)) {
        rnic->counters.stray++;
        return;
    }
    /* What answers no connection goes back as it came (Linux ib_init_ah_attr_from_wc). */
    const struct cm_peer back = {frame->source, {frame->priority, frame->tos & TOS_DSCP}};
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

/* ------------------------------------------------------------------ life */

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
