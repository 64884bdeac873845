/* SPDX-License-Identifier: Apache-2.0
 * fast_path - the path of nearly all packets: the middle of a message that is sent once, arrives in
 * order and is acknowledged.
 * Each pair of functions first checks for this case, with a few comparisons and no side effects,
 * and then does the work of requester, responder or completer in fewer steps; all other packets and
 * queue pairs are left to those. The fast path never sends a control frame or calls a user. Inlined
 * where packets leave and arrive. A build without it must give the same digests (a column of
 * tests/matrix.sh).
 * Source: that of requester, responder and completer. */
#ifndef STORMGLASS_RNIC_HOST_FAST_PATH_H
#define STORMGLASS_RNIC_HOST_FAST_PATH_H

#include "rnic/host/arbiter.h"
#include "rnic/qp/packet.h"
#include "rnic/qp/requester.h"
#include "rnic/qp/responder.h"

#ifdef RNIC_NO_FAST_PATH
enum { FAST_PATH = 0 };
#else
enum { FAST_PATH = 1 };
#endif

/* ------------------------------------------------------------------ sending */

/* The next packet of a message in progress is not its last. */
static inline bool fast_path_is_middle(const struct qp *qp)
{
    return FAST_PATH && qp->tx_length - qp->tx_offset > qp->mtu;
}

/* The queue pair is ready, and its next packet is neither the first nor the last of its message. */
static inline bool fast_path_may_send(const struct qp *qp, time_ps now)
{
    const unsigned odd = QP_RNR_WAIT | QP_RESPOND | QP_SOFT | QP_AGAIN | QP_TX_BYTES |
                         QP_TX_ACTIVE | QP_FLIGHT | QP_SELECTIVE;
    return (qp->flags & odd) == QP_TX_ACTIVE && qp->paced_until <= now && fast_path_is_middle(qp);
}

static inline uint8_t fast_path_ask(const struct rnic *rnic, struct qp *qp)
{
    const bool ask = ++qp->since_ack >= rnic->ack_interval;
    if (ask)
        qp->since_ack = 0;
    return ask ? FRAME_ACK_REQUEST : 0;
}

/* Fills in the frame with the next packet. */
static inline void fast_path_make(struct rnic *rnic, struct qp *qp, struct frame *frame,
                                  time_ps now)
{
    const uint32_t psn = qp->next_psn;
    packet_dress(frame, qp);
    packet_set_head(frame, qp->data);
    frame->psn = psn;
    frame->content = qp->tx_content;
    frame->flags = fast_path_ask(rnic, qp);
    qp->tx_offset += qp->mtu;
    qp->next_psn = qp->high_psn = psn_add(psn, 1);
    requester_start_timer(rnic, qp, psn == qp->una_psn, now);
}

static inline uint32_t fast_path_send(struct rnic *rnic, struct qp *qp, time_ps now)
{
    const uint32_t handle = frame_take(rnic->port.frames);
    fast_path_make(rnic, qp, frame_at(rnic->port.frames, handle), now);
    return handle;
}

/* Sends the next packet at once, when the wire is free and no other frame is ahead of it. */
static inline void fast_path_send_now(struct rnic *rnic, struct qp *qp, time_ps now)
{
    struct port *port = &rnic->port;
    const uint32_t handle = frame_take(port->frames);
    struct frame *frame = frame_at(port->frames, handle);
    fast_path_make(rnic, qp, frame, now);
    port_send(port, handle, frame, now);
}

/* ------------------------------------------------------------------ receiving */

/* The packet continues the message in progress, and no answer is pending. */
static inline bool fast_path_may_take(const struct qp *qp, const struct frame *frame)
{
    const unsigned odd = QP_RX_NAKED | QP_RX_ANSWER | QP_RX_LISTED | QP_RX_FIRST_DATA | QP_RX_HELD;
    return packet_kind(frame->head) == packet_kind(qp->rx_next) && frame->psn == qp->epsn &&
           qp->rx_limit - qp->rx_offset >= qp->mtu && (qp->rx_flags & odd) == 0 &&
           (qp->flags & (QP_RESPOND | QP_SOFT)) == 0 && frame->blob == POOL_NONE;
}

/* Turns the packet's frame into its ACK, with its PSN. */
static inline void fast_path_make_ack(struct rnic *rnic, const struct qp *qp, struct frame *frame)
{
    packet_dress(frame, qp);
    packet_set_head(frame, qp->ack);
    frame->aeth = (uint32_t)RESPONDER_ACK << 24 | qp->msn;
    rnic->counters.acks_sent++;
}

/* A frame that does not wait counts as having been in its queue for zero time. */
static inline void fast_path_pass(struct port_prio *prio, const struct frame *frame)
{
    if (frame->bytes > prio->peak)
        prio->peak = frame->bytes;
}

/* Appends to the queue of its priority; serves the port unless a DEQUEUE is due. */
static inline void fast_path_append(struct rnic *rnic, uint32_t handle, struct frame *frame,
                                    time_ps now)
{
    struct port *port = &rnic->port;
    port_append(port, handle, frame);
    if (now < port->busy_until && port->dequeue_at == port->busy_until)
        return;
    rnic_want_dequeue(rnic);
    arbiter_end(rnic, now);
}

/* Sends the ACK now if it may leave now. */
static inline void fast_path_answer(struct rnic *rnic, struct qp *qp, uint32_t handle,
                                    struct frame *frame, time_ps now)
{
    struct port *port = &rnic->port;
    if (arbiter_may_pass(rnic, qp->ack.priority, now)) {
        fast_path_make_ack(rnic, qp, frame);
        fast_path_pass(&port->prios[frame->priority], frame);
        port_send(port, handle, frame, now);
    } else if (!rnic->ack_coalescing) {
        fast_path_make_ack(rnic, qp, frame);
        fast_path_append(rnic, handle, frame, now);
    } else {
        responder_acknowledge(rnic, qp, frame->psn);
        frame_give(port->frames, handle);
        arbiter_end(rnic, now);
    }
}

/* ------------------------------------------------------------------ acknowledgment */

/* The ACK advances within a message: its packet precedes next_psn and the last packet of its
 * message, neither of which is older than una_psn. */
static inline bool fast_path_may_acknowledge(const struct qp *qp, const struct frame *frame)
{
    const uint32_t una = qp->una_psn, ahead = psn_ahead(frame->psn, una);
    return frame->aeth >> 24 < RESPONDER_RNR && ahead < psn_ahead(qp->next_psn, una) &&
           ahead + PSN_AHEAD < psn_ahead(qp->una_end, una);
}

/* ------------------------------------------------------------------ receiving */

/* The queue pair is the addressed one, and nothing delays the frame. The state need not be checked,
 * because only a state that accepts packets has a message in progress or something to be
 * acknowledged. */
static inline bool fast_path_is_for(const struct rnic *rnic, const struct qp *qp,
                                    const struct frame *frame)
{
    return FAST_PATH && rnic->rx_odd == 0 && frame->bytes <= rnic->port.largest &&
           qp->qpn == frame->qpn && qp->flow.destination == frame->source;
}

/* The frame takes the fast path unless its CE mark requires a CNP; counts it. */
static inline bool fast_path_enters(struct rnic *rnic, const struct qp *qp, struct port_prio *prio,
                                    const struct frame *frame, time_ps now)
{
    if ((frame->tos & ECN_CE) == ECN_CE) {
        if (!rnic_only_counts_mark(rnic, qp, now))
            return false;
        rnic->counters.ecn_marked++;
    }
    port_digest(rnic->port.node, frame);
    port_count(prio, frame->bytes);
    return true;
}

/* Each handles the entire arrival event, of an ACK or of another frame for the queue pair, and
 * consumes the frame. False: not the common case, and nothing has been done. */
static inline bool fast_path_acknowledge(struct rnic *rnic, struct qp *qp, struct port_prio *prio,
                                         const struct frame *frame, const struct event *event)
{
    const time_ps now = event->at;
    if (!fast_path_may_acknowledge(qp, frame) || !fast_path_enters(rnic, qp, prio, frame, now))
        return false;
    qp->una_psn = psn_add(frame->psn, 1);
    qp->retry_left = qp->retry_count;
    qp->rnr_left = qp->rnr_retry;
    qp->timeout_due = now + qp->timeout; /* unused while nothing is outstanding */
    pool_give(&rnic->port.frames->frames, (uint32_t)event->argument);
    const bool content = arbiter_is_scheduled(qp, now) || arbiter_is_idle(qp);
    if (UNLIKELY(!qp->timeout_pending || !content))
        arbiter_acknowledged(rnic, qp, now);
    return true;
}

static inline bool fast_path_take(struct rnic *rnic, struct qp *qp, struct port_prio *prio,
                                  struct frame *frame, const struct event *event)
{
    const uint32_t handle = (uint32_t)event->argument;
    if (!fast_path_may_take(qp, frame) || !fast_path_enters(rnic, qp, prio, frame, event->at))
        return false;
    qp->rx_offset += qp->mtu;
    qp->epsn = psn_add(frame->psn, 1);
    if ((frame->flags & FRAME_ACK_REQUEST) != 0)
        fast_path_answer(rnic, qp, handle, frame, event->at);
    else
        pool_give(&rnic->port.frames->frames, handle);
    return true;
}

#endif
