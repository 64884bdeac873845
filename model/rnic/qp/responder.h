/* SPDX-License-Identifier: Apache-2.0
 * responder - executes the request packets of a queue pair and answers them.
 * There is one answer slot per queue pair: a cumulative ACK replaces an older one that still waits
 * for the wire. Its MSN counts the messages up to its PSN. An answer leaves after the READ
 * responses that precede it.
 * Source: IBTA Vol 1 9.7.3 to 9.7.5 (responder), 9.7.7 (MSN), 9.9.3 (errors). */
#ifndef STORMGLASS_RNIC_QP_RESPONDER_H
#define STORMGLASS_RNIC_QP_RESPONDER_H

#include "rnic/host/rnic.h"

enum responder_syndrome {
    RESPONDER_ACK = 0x1F, /* no end-to-end credits */
    RESPONDER_RNR = 0x20, /* plus the timer code */
    RESPONDER_NAK_SEQUENCE = 0x60,
    RESPONDER_NAK_INVALID = 0x61,
    RESPONDER_NAK_ACCESS = 0x62,
    RESPONDER_NAK_OPERATION = 0x63,
};

void responder_receive(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now);

/* Rejects a request: sends a NAK, and the queue pair fails. */
void responder_refuse(struct rnic *rnic, struct qp *qp, uint8_t syndrome, uint32_t psn,
                      time_ps now);

/* Handles a READ request: the expected one, or a duplicate. */
void responder_on_read(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now);
void responder_on_duplicate_read(struct rnic *rnic, struct qp *qp, const struct frame *frame,
                                 time_ps now);

/* Acknowledges all packets up to the PSN. */
void responder_acknowledge(struct rnic *rnic, struct qp *qp, uint32_t psn);

/* Sends a sequence NAK for the missing packet. */
void responder_nak(struct rnic *rnic, struct qp *qp, uint32_t missing);

/* Sends a sequence NAK that also reports a packet received ahead of the expected one; NULL:
 * everything from there on must be retransmitted. */
void responder_nak_gap(struct rnic *rnic, struct qp *qp, const struct frame *came);

/* The next READ response; there must be one. */
uint32_t responder_next_response(struct rnic *rnic, struct qp *qp, time_ps now);

/* Sends the ACKs that waited for an answered READ; call after its last response was sent. */
void responder_release(struct rnic *rnic, struct qp *qp);

/* The waiting ACK or NAK as a frame, or POOL_NONE when READ responses precede it. */
uint32_t responder_answer(struct rnic *rnic, struct qp *qp);

/* When the next READ response may leave; TIME_NEVER: none is due. */
static inline time_ps responder_due(const struct qp *qp)
{
    return qp->read_head == qp->read_tail ? TIME_NEVER
                                          : qp->reads[qp->read_head & qp->read_mask].ready_at;
}

/* Whether READ responses are due, now or later. */
static inline bool responder_owes(const struct qp *qp)
{
    return qp->read_head != qp->read_tail;
}

/* Whether an answer may leave: READ responses with older PSNs go first. */
static inline bool responder_may_leave(const struct qp *qp, uint32_t psn)
{
    return !responder_owes(qp) ||
           psn_diff(psn, qp->reads[qp->read_head & qp->read_mask].response_psn) < 0;
}

/* Discards READs and answers when the connection has ended. */
void responder_reset(struct rnic *rnic, struct qp *qp);

#endif
