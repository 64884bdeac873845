/* SPDX-License-Identifier: Apache-2.0
 * packet - the fields common to all frames of a queue pair.
 * In addition to the wire fields: `content` is the tag of the bulk data; a blob has the real bytes
 * at the start of the payload, frame.length of them in a SEND (which has no RETH), otherwise the
 * whole payload. */
#ifndef STORMGLASS_RNIC_QP_PACKET_H
#define STORMGLASS_RNIC_QP_PACKET_H

#include "rnic/host/rnic.h"

/* A frame's head as one word, for copying or comparing at once. */
static inline uint64_t packet_word(struct frame_head head)
{
    uint64_t word;
    static_assert(sizeof head == sizeof word, "a head is a word");
    memcpy(&word, &head, sizeof word);
    return word;
}

/* The fields that identify the kind of a packet, for comparing at once: its size and opcode, and
 * that it is intact; not its class, nor flags that vary within a kind. */
static inline uint64_t packet_kind(struct frame_head head)
{
    const struct frame_head shared = {
        .bytes = UINT16_MAX, .opcode = UINT8_MAX, .flags = FRAME_CORRUPT, .payload = UINT16_MAX};
    return packet_word(head) & packet_word(shared);
}

static inline bool packet_is_ack(const struct frame *frame)
{
    const struct frame_head ack = {.bytes = WIRE_ROCE_BYTES + WIRE_AETH_BYTES,
                                   .opcode = FRAME_RC_ACKNOWLEDGE};
    return packet_kind(frame->head) == packet_kind(ack);
}

static inline bool packet_is_response(const struct frame *frame)
{
    return frame->opcode >= FRAME_RC_READ_RESPONSE_FIRST &&
           frame->opcode <= FRAME_RC_READ_RESPONSE_ONLY;
}

static inline void packet_set_head(struct frame *frame, struct frame_head head)
{
    const uint64_t word = packet_word(head);
    memcpy(&frame->head, &word, sizeof word);
}

/* Sets the fields common to all frames of a queue pair except the head, and zeros in the rest.
 * Field by field, because gcc would write a frame assigned as a whole twice, first with zeros. */
static inline void packet_dress(struct frame *frame, const struct qp *qp)
{
    frame->ttl = qp->ttl;
    frame->flow = qp->flow;
    frame->aeth = 0;
    frame->address = 0;
    frame->rkey = 0;
    frame->length = 0;
    frame->content = 0;
}

/* Bytes of a queue pair's packet: headers, extension and padded payload. */
static inline uint16_t packet_bytes(const struct qp *qp, uint8_t opcode, uint32_t payload)
{
    return (uint16_t)(frame_roce_bytes(opcode, payload) + qp->data.bytes - qp->mtu -
                      WIRE_ROCE_BYTES);
}

/* Returns the packet's telemetry in the ACK. */
static inline void packet_return_telemetry(const struct frame_pool *frames,
                                           const struct frame *packet, struct frame *ack)
{
    ack->flags |= FRAME_TELEMETRY;
    ack->bytes += TELEMETRY_BYTES;
    *frame_telemetry(frames, ack) = *frame_telemetry(frames, packet);
}

static inline uint32_t packet_start(struct rnic *rnic, const struct qp *qp, uint8_t opcode,
                                    struct packet_class class, struct frame **made)
{
    const uint32_t handle = frame_take(rnic->port.frames);
    struct frame *frame = frame_at(rnic->port.frames, handle);
    packet_dress(frame, qp);
    frame->head =
        (struct frame_head){.opcode = opcode, .priority = class.priority, .tos = class.tos};
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
