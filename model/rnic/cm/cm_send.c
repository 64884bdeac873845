/* SPDX-License-Identifier: Apache-2.0
 * cm_send - sends each message in one frame. */
#include "rnic/cm/cm_send.h"

#include "rnic/cm/cm_conn.h"
#include "rnic/host/rnic.h"

void cm_send(struct rnic *rnic, const struct cm_peer *peer, const struct cm_mad *mad)
{
    const bool v1 = frame_is_v1(peer->class.tos);
    const uint32_t handle = frame_take(rnic->port.frames);
    struct frame *frame = frame_at(rnic->port.frames, handle);
    *frame = (struct frame){
        .bytes = (uint16_t)(frame_roce_bytes(FRAME_UD_SEND_ONLY, CM_MAD_BYTES) +
                            frame_v1_more(peer->class.tos)),
        .payload = CM_MAD_BYTES,
        .opcode = FRAME_UD_SEND_ONLY,
        .priority = peer->class.priority,
        .tos = peer->class.tos,
        .ttl = v1 ? UINT8_MAX : rnic->ttl,
        .entropy = qp_entropy(rnic_ip(rnic->endpoint), rnic_ip(peer->endpoint),
                              v1 ? 0 : qp_udp_source_of(rnic, 1, 1, peer->flow_label)),
        .source = rnic->endpoint,
        .destination = peer->endpoint,
        .qpn = 1,
        .length = CM_MAD_BYTES,
        .blob = POOL_NONE,
    };
    cm_mad_encode(mad, frame_blob_take(rnic->port.frames, frame, CM_MAD_BYTES));
    rnic_send_control(rnic, handle);
}

void cm_send_short(struct verbs_conn *conn, enum cm_attribute attribute)
{
    const struct cm_mad mad = {
        .attribute = (uint16_t)attribute,
        .tid = conn->tid,
        .local_id = cm_conn_id(conn),
        .remote_id = conn->remote_id,
        .remote_qpn = conn->remote_qpn,
    };
    cm_send(conn->rnic, &conn->peer, &mad);
    if (attribute == CM_DREQ)
        cm_mad_keep(&conn->mine, &mad);
}
