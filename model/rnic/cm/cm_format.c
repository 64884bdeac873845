/* SPDX-License-Identifier: Apache-2.0
 * cm_format - the contents of connection messages, and the queue pair attributes that follow from
 * them. */
#include "rnic/cm/cm_format.h"

#include "base/hash.h"
#include "rnic/cm/cm_conn.h"
#include "rnic/cm/cm_send.h"
#include "rnic/host/lag.h"

#include <string.h>

enum {
    RESPONSE_TIMEOUT_MAX = 31, /* 5 bits */
    DEFAULT_P_KEY = 0xFFFF,
    EPHEMERAL_FIRST = 49152,
    EPHEMERAL_COUNT = 16384,
};

static uint16_t lid_of(const struct rnic_params *params, uint32_t endpoint)
{
    return params->link == PORT_INFINIBAND ? frame_lid(endpoint) : 0;
}

static uint8_t copy_private(struct cm_mad *mad, const void *data, uint8_t length, uint8_t room)
{
    const uint8_t kept = cm_least(length, room);
    if (kept > 0)
        memcpy(mad->private_data, data, kept);
    return kept;
}

/* The programs at both ends exchanged these by a connection of their own. */
static const struct rnic_params *params_of_peer(const struct verbs_conn *conn)
{
    const struct rnic *rnic = conn->rnic;
    return rnic->peers == NULL ? NULL : &rnic->peers[conn->peer.endpoint]->params;
}

uint64_t cm_port_seed(const struct rnic *rnic)
{
    struct rng own = env_stream(rnic->env, "source ports");
    return rnic->params.lag_seed == RNIC_AUTO ? rng_next(&own)
                                              : hash_mix((uint64_t)rnic->params.lag_seed);
}

uint16_t cm_port_of_tid(struct rnic *rnic, uint64_t tid)
{
    return (uint16_t)(EPHEMERAL_FIRST +
                      hash_mix(tid ^ lag_lead(rnic)->cm.port_seed) % EPHEMERAL_COUNT);
}

uint16_t cm_source_port(const struct verbs_conn *conn)
{
    return conn->rnic->lag != NULL
               ? cm_port_of_tid(conn->rnic, conn->tid)
               : (uint16_t)(EPHEMERAL_FIRST + cm_conn_id(conn) % EPHEMERAL_COUNT);
}

/* Linux cm.c cm_convert_to_ms takes 2^8 x 4.096 us for 1 ms, and no less; shorter times are for
 * scenarios that scale down the timeouts. */
time_ps cm_response_time(uint8_t code)
{
    return code < 8 ? (4096 * PS_PER_NS) << code : PS_PER_MS << (code - 8);
}

/* The longest within cm-timeout: code 20, CMA_CM_RESPONSE_TIMEOUT in Linux cma.c, for the default
 * of 6144 ms, where the rest is twice the packet life time. */
static uint8_t response_timeout(const struct rnic_params *params)
{
    uint8_t code = 0;
    while (code < RESPONSE_TIMEOUT_MAX &&
           cm_response_time((uint8_t)(code + 1)) <= params->cm_timeout)
        code++;
    return code;
}

void cm_format_req(struct verbs_conn *conn, uint16_t port, const struct rdma_conn_param *param)
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
        .responder_resources = cm_least(param->responder_resources, own->max_rd_atomic),
        .initiator_depth = cm_least(param->initiator_depth, own->max_rd_atomic),
        .retry_count = cm_least(param->retry_count, own->retry_count),
        .rnr_retry = cm_least(param->rnr_retry_count, own->rnr_retry),
        .service_id = CM_SERVICE_ID(port),
        .source_ip = rnic_ip(rnic->endpoint),
        .destination_ip = rnic_ip(conn->peer.endpoint),
        .source_lid = lid_of(own, rnic->endpoint),
        .destination_lid = lid_of(own, conn->peer.endpoint),
        .source_port = cm_source_port(conn),
        .mtu = (uint8_t)qp_mtu_code((uint32_t)rnic_asked_mtu(own, params_of_peer(conn))),
        .p_key = DEFAULT_P_KEY,
        .flow_label = conn->peer.flow_label,
        .packet_rate = IBV_RATE_MAX, /* rate of the port, Linux cma.c cma_resolve_iboe_route */
        .traffic_class = rnic_has_ip(own, conn->peer.class.tos) ? conn->peer.class.tos : 0,
        .hop_limit = rnic->ttl,
        /* Linux iboe_tos_to_sl: a plain interface has no traffic classes to map to. */
        .service_level = own->soft.software             ? 0
                         : own->link == PORT_INFINIBAND ? conn->peer.class.tos >> 2
                                                        : conn->peer.class.priority,
        .ack_timeout = (uint8_t)own->timeout,
        .response_timeout = response_timeout(own),
        .peer_response_timeout = response_timeout(own),
        .flow_control = param->flow_control != 0,
        .max_retries = (uint8_t)own->cm_retries,
        .srq = conn->user.srq != NULL,
    };
    req.private_len =
        copy_private(&req, param->private_data, param->private_data_len, VERBS_REQ_PRIVATE_MAX);
    cm_mad_keep(&conn->mine, &req);
}

void cm_format_rep(struct verbs_conn *conn, const struct rdma_conn_param *param)
{
    struct rnic *rnic = conn->rnic;
    const int64_t most = rnic->params.max_rd_atomic;
    const struct cm_mad *req = conn->theirs;
    struct cm_mad rep = {
        .attribute = CM_REP,
        .tid = conn->tid,
        .local_id = cm_conn_id(conn),
        .remote_id = conn->remote_id,
        .qpn = conn->qp->qpn,
        .starting_psn = (uint32_t)rng_next(&rnic->cm.psns) & PSN_MASK,
        .ca_guid = rnic->cm.guid,
        .responder_resources =
            cm_least(cm_least(param->responder_resources, req->initiator_depth), most),
        .initiator_depth =
            cm_least(cm_least(param->initiator_depth, req->responder_resources), most),
        .rnr_retry = cm_least(param->rnr_retry_count, rnic->params.rnr_retry),
        .ack_delay = (uint8_t)rnic->params.ca_ack_delay,
        .flow_control = param->flow_control != 0,
        .srq = conn->user.srq != NULL,
    };
    rep.private_len =
        copy_private(&rep, param->private_data, param->private_data_len, VERBS_REP_PRIVATE_MAX);
    cm_mad_keep(&conn->mine, &rep);
}

/* Timers and retries at both ends are those in the REQ, IBTA Vol 1 12.7.34; the RNR retry count of
 * each end is the one in the other's REQ or REP, 12.6.5 and 12.6.8. Linux cm.c: cm_req_handler,
 * cm_rep_handler, cm_init_qp_rts_attr. */
struct qp_connection cm_format_terms(const struct verbs_conn *conn, const struct cm_mad *theirs)
{
    const struct cm_mad *mine = conn->mine, *req = conn->passive ? theirs : mine;
    const struct rnic_params *own = &conn->rnic->params;
    const int64_t mtu = qp_mtu_bytes((enum ibv_mtu)req->mtu);
    const uint8_t timeout = req->ack_timeout;
    return (struct qp_connection){
        .peer = conn->peer.endpoint,
        .peer_qpn = theirs->qpn,
        .flow_label = conn->peer.flow_label,
        .send_psn = theirs->starting_psn, /* the receiver's first expected PSN, IBTA Vol 1
                                           * 12.7.31 */
        .receive_psn = mine->starting_psn,
        .mtu = (uint32_t)(conn->passive ? rnic_taken_mtu(own, mtu) : mtu),
        .read_limit = cm_least(mine->initiator_depth, theirs->responder_resources),
        .read_resources = cm_least(mine->responder_resources, theirs->initiator_depth),
        .ack_timeout = conn->passive ? rnic_accept_timeout(own, timeout) : timeout,
        .retry_count = req->retry_count,
        .rnr_retry = theirs->rnr_retry,
        .first_data_establishes = conn->passive,
    };
}

void cm_send_rej(struct verbs_conn *conn, const void *private_data, uint8_t private_len)
{
    struct cm_mad rej = {
        .attribute = CM_REJ,
        .tid = conn->tid,
        .local_id = cm_conn_id(conn),
        .remote_id = conn->remote_id,
        .reason = CM_REJ_CONSUMER,
    };
    rej.private_len = copy_private(&rej, private_data, private_len, VERBS_REJ_PRIVATE_MAX);
    cm_send(conn->rnic, &conn->peer, &rej);
}
