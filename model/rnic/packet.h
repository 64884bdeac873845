/* SPDX-License-Identifier: Apache-2.0
 * packet - the fields that every frame of a queue pair has.
 * What travels beside the wire fields: `content` is the tag of the bulk data; a blob holds the
 * real bytes at the head of the payload, frame.length of them in a SEND (which has no RETH), the
 * whole payload otherwise. */
#ifndef STORMGLASS_RNIC_PACKET_H
#define STORMGLASS_RNIC_PACKET_H

#include "rnic/rnic.h"

/* Its head, what all frames of a queue pair have in common, and nothing in the rest.  Piece by
 * piece: gcc would fill a frame that is assigned as a whole twice, the first time with zeroes. */
static inline void packet_dress(struct frame *frame, const struct qp *qp, struct frame_head head)
{
    frame->head = head;
    frame->ttl = qp->ttl;
    frame->way = qp->way;
    frame->aeth = 0;
    frame->address = 0;
    frame->rkey = 0;
    frame->length = 0;
    frame->content = 0;
}

static inline uint32_t packet_start(struct rnic *rnic, const struct qp *qp, uint8_t opcode,
                                    struct packet_class class, struct frame **made)
{
    const uint32_t handle = frame_take(rnic->port.frames);
    struct frame *frame = frame_at(rnic->port.frames, handle);
    packet_dress(
        frame, qp,
        (struct frame_head){.opcode = opcode, .priority = class.priority, .tos = class.tos});
    *made = frame;
    return handle;
}

static inline struct packet_class packet_data_class(const struct qp *qp)
{
    return (struct packet_class){qp->data.priority, qp->data.tos};
}

static inline struct packet_class packet_ack_class(const struct qp *qp)
{
    return (struct packet_class){qp->ack.priority, qp->ack.tos};
}

#endif
