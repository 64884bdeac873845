/* SPDX-License-Identifier: Apache-2.0
 * cm_send - sends each message in one frame. */
#include "rnic/cm/cm_send.h"

#include "rnic/cm/cm_conn.h"
#include "rnic/host/rnic.h"

void cm_send(struct rnic *rnic, const struct cm_peer *peer, const struct cm_mad *mad)
{
    const bool ip = rnic_has_ip(&rnic->params, peer->class.tos);
    const uint32_t handle = frame_take(rnic->port.frames);
    struct frame *frame = frame_at(rnic->port.frames, handle);
    *frame = (struct frame){
        .bytes = (uint16_t)(rnic_frame_bytes(&rnic->params, peer->class.tos) +
                            frame_extension_bytes(FRAME_UD_SEND_ONLY) + CM_MAD_BYTES),
        .payload = CM_MAD_BYTES,
        .opcode = FRAME_UD_SEND_ONLY,
        .priority = peer->class.priority,
        .tos = peer->class.tos,
        .ttl = ip ? rnic->ttl : UINT8_MAX,
        .entropy = qp_entropy(rnic_ip(rnic->endpoint), rnic_ip(peer->endpoint),
                              ip ? qp_udp_source_of(rnic, 1, 1, peer->flow_label) : 0),
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
