/* SPDX-License-Identifier: Apache-2.0
 * straight - the way of nearly all packets: the middle of a message that is sent once, comes in
 * order and is acknowledged.
 * Each pair of functions asks whether that is what it has before it, in a few comparisons, and then
 * does what the requester, the responder or the completer would do, in fewer steps; whatever is odd
 * about a packet or its queue pair is theirs.  Inlined where packets leave and arrive.
 * Source: theirs. */
#ifndef STORMGLASS_RNIC_STRAIGHT_H
#define STORMGLASS_RNIC_STRAIGHT_H

#include "rnic/packet.h"
#include "rnic/requester.h"
#include "rnic/responder.h"
#include "rnic/turns.h"

/* ------------------------------------------------------------------ sending */

/* The queue pair is ready, and its next packet is neither the first nor the last of its message. */
static inline bool straight_may_send(const struct qp *qp, time_ps now)
{
    const unsigned odd =
        QP_RNR_WAIT | QP_RESPOND | QP_SOFT | QP_TX_BYTES | QP_PACE_AGAIN | QP_TX_ACTIVE;
    return (qp->flags & odd) == QP_TX_ACTIVE && qp->tx_length - qp->tx_offset > qp->mtu &&
           qp->next_psn == qp->high_psn && qp->paced_until <= now &&
           psn_diff(qp->next_psn, qp->una_psn) < PSN_WINDOW;
}

static inline uint32_t straight_send(struct rnic *rnic, struct qp *qp, time_ps now)
{
    const uint32_t handle = frame_take(rnic->port.frames), psn = qp->next_psn;
    const bool ask = ++qp->since_ack >= rnic->ack_interval;
    if (ask)
        qp->since_ack = 0;
    struct frame *frame = frame_at(rnic->port.frames, handle);
    packet_dress(frame, qp, qp->data);
    frame->flags = ask ? FRAME_ACK_REQUEST : 0;
    frame->psn = psn;
    frame->content = qp->tx_content;
    qp->tx_offset += qp->mtu;
    qp->next_psn = qp->high_psn = psn_add(psn, 1);
    if (psn == qp->una_psn)
        requester_start_timer(rnic, qp, now);
    return handle;
}

/* ------------------------------------------------------------------ receiving */

/* The packet goes on with the message under way, and nothing waits to be answered before it. */
static inline bool straight_may_take(const struct qp *qp, const struct frame *frame)
{
    const unsigned odd = QP_RX_NAKED | QP_RX_ANSWER | QP_RX_LISTED | QP_RX_FIRST_DATA;
    return frame->opcode == qp->rx_kind && frame->psn == qp->epsn && frame->payload == qp->mtu &&
           qp->rx_limit - qp->rx_offset >= qp->mtu && (qp->rx_flags & odd) == 0 &&
           (qp->flags & QP_RESPOND) == 0 && frame->blob == POOL_NONE;
}

/* The packet's frame becomes that of its ACK, with its PSN. */
static inline void straight_turn_round(struct rnic *rnic, const struct qp *qp, struct frame *frame)
{
    packet_dress(frame, qp, qp->ack);
    frame->aeth = (uint32_t)RESPONDER_ACK << 24 | qp->msn;
    rnic->counters.acks_sent++;
}

/* What does not wait has been in its queue all the same, for no time. */
static inline void straight_pass(struct port_lane *lane, const struct frame *frame)
{
    if (frame->bytes > lane->peak)
        lane->peak = frame->bytes;
}

/* At the end of an event (`last`) an ACK that may leave now leaves now. */
static inline void straight_answer(struct rnic *rnic, struct qp *qp, uint32_t handle,
                                   struct frame *frame, bool last, time_ps now)
{
    struct port *port = &rnic->port;
    if (last && LIKELY(turns_may_pass(rnic, qp->ack.priority, now))) {
        straight_turn_round(rnic, qp, frame);
        straight_pass(&port->lanes[frame->priority], frame);
        port_send(port, handle, frame, now);
    } else if (!rnic->ack_coalescing) {
        straight_turn_round(rnic, qp, frame);
        port_append(port, handle, frame);
        rnic_want_kick(rnic);
    } else {
        responder_acknowledge(rnic, qp, frame->psn);
        frame_give(port->frames, handle);
    }
}

/* Takes over the frame. */
static inline void straight_take(struct rnic *rnic, struct qp *qp, uint32_t handle,
                                 struct frame *frame, bool last, time_ps now)
{
    qp->rx_offset += qp->mtu;
    qp->epsn = psn_add(frame->psn, 1);
    if ((frame->flags & FRAME_ACK_REQUEST) != 0)
        straight_answer(rnic, qp, handle, frame, last, now);
    else
        frame_give(rnic->port.frames, handle);
}

/* ------------------------------------------------------------------ being acknowledged */

/* The ACK moves on within a message. */
static inline bool straight_may_acknowledge(const struct qp *qp, const struct frame *frame)
{
    const uint32_t upto = psn_add(frame->psn, 1);
    return frame->aeth >> 24 < RESPONDER_RNR && psn_diff(upto, qp->una_psn) > 0 &&
           psn_diff(upto, qp->una_end) < 0 && psn_diff(upto, qp->next_psn) <= 0;
}

static inline void straight_acknowledge(struct rnic *rnic, struct qp *qp, const struct frame *frame,
                                        time_ps now)
{
    qp->una_psn = psn_add(frame->psn, 1);
    qp->retry_left = qp->retry_count;
    qp->rnr_left = qp->rnr_retry;
    if (qp_outstanding(qp))
        requester_start_timer(rnic, qp, now);
    turns_schedule(rnic, qp, now);
}

/* ------------------------------------------------------------------ the way in */

/* A slot that is not in use has no state that takes packets. */
static inline bool straight_takes(const struct qp *qp, const struct frame *frame)
{
    return (qp->state == IBV_QPS_RTS || qp->state == IBV_QPS_RTR) && qp->qpn == frame->qpn &&
           qp->way.destination == frame->source;
}

/* A frame that the receive buffer, if it is in use, has let through; takes it over. */
static inline void straight_receive(struct rnic *rnic, uint32_t handle, struct frame *frame,
                                    bool last, time_ps now)
{
    struct qp *qp = rnic_qp_slot(rnic, frame->qpn);
    if (UNLIKELY(!straight_takes(qp, frame))) {
        rnic_stray(rnic, handle, now);
        return;
    }
    if (UNLIKELY((frame->tos & ECN_CE) == ECN_CE))
        rnic_notify(rnic, qp, now);
    if (frame->opcode == FRAME_RC_ACKNOWLEDGE && straight_may_acknowledge(qp, frame)) {
        straight_acknowledge(rnic, qp, frame, now);
        frame_give(rnic->port.frames, handle);
    } else if (straight_may_take(qp, frame) && LIKELY(rnic->soft == NULL)) {
        straight_take(rnic, qp, handle, frame, last, now);
    } else {
        rnic_packet(rnic, qp, handle, now);
    }
}

#endif
