/* SPDX-License-Identifier: Apache-2.0
 * packet - the fields that every frame of a queue pair has.
 * What travels beside the wire fields: `content` is the tag of the bulk data; a blob holds the
 * real bytes at the head of the payload, frame.length of them in a SEND (which has no RETH), the
 * whole payload otherwise. */
#ifndef STORMGLASS_RNIC_PACKET_H
#define STORMGLASS_RNIC_PACKET_H

#include "rnic/rnic.h"

static inline uint32_t packet_start(struct rnic *rnic, const struct qp *qp, uint8_t opcode,
                                    struct packet_class class, struct frame **made)
{
    const uint32_t handle = frame_take(rnic->port.frames);
    struct frame *frame = frame_at(rnic->port.frames, handle);
    frame->opcode = opcode;
    frame->priority = class.priority;
    frame->tos = class.tos;
    frame->flags = 0;
    frame->ttl = rnic->ttl;
    frame->entropy = qp->entropy;
    frame->source = rnic->endpoint;
    frame->destination = qp->peer;
    frame->qpn = qp->peer_qpn;
    frame->payload = 0;
    frame->aeth = 0;
    frame->address = 0;
    frame->rkey = 0;
    frame->length = 0;
    frame->content = 0;
    *made = frame;
    return handle;
}

static inline struct packet_class packet_data_class(const struct qp *qp)
{
    return (struct packet_class){qp->priority, qp->tos};
}

static inline struct packet_class packet_ack_class(const struct qp *qp)
{
    return (struct packet_class){qp->ack_priority, qp->ack_tos};
}

#endif
