/* SPDX-License-Identifier: Apache-2.0
 * requester - sends request packets of a queue pair.
 * Segmentation by path MTU, AckReq, the limits on what may be outstanding, and going back after a
 * loss.
 * Source: IBTA Vol 1 9.7.2 to 9.7.7. */
#ifndef STORMGLASS_RNIC_QP_REQUESTER_H
#define STORMGLASS_RNIC_QP_REQUESTER_H

#include "rnic/host/rnic.h"

/* Something to send, without regard to pacing and RNR waits. */
static inline bool requester_ready(const struct qp *qp)
{
    if (qp->state != IBV_QPS_RTS)
        return false;
    if ((qp->flags & QP_TX_ACTIVE) != 0)
        return true;
    return qp->sq_cur != qp->sq_visible && (qp->flags & QP_BLOCKED) == 0;
}

/* The next packet, or POOL_NONE when the next WQE turns out to be blocked. */
uint32_t requester_next(struct rnic *rnic, struct qp *qp, time_ps now);

/* The next packet to send is that of the PSN, which is outstanding (or another of its
 * message, as the loss recovery says). */
void requester_go_back(struct rnic *rnic, struct qp *qp, uint32_t psn);

/* Acknowledged beyond what is sent next: go on from there. */
void requester_skip(struct rnic *rnic, struct qp *qp);

/* The next packet to send is one that was never sent. */
void requester_go_on(struct rnic *rnic, struct qp *qp);

/* Goes back after a loss if a retry is left; else the oldest send fails. */
void requester_retry(struct rnic *rnic, struct qp *qp, uint32_t psn, time_ps now);

/* Goes back, be it a retry or not; and the end of all retries. */
void requester_again(struct rnic *rnic, struct qp *qp, uint32_t psn, time_ps now);
void requester_give_up(struct rnic *rnic, struct qp *qp, time_ps now);

void requester_on_timeout(struct rnic *rnic, struct qp *qp, time_ps now);

/* How much later than its timeout a queue pair may see it at most. */
time_ps requester_latest(const struct rnic *rnic, const struct qp *qp);

void requester_post_timer(struct rnic *rnic, struct qp *qp);

/* The oldest outstanding packet is a new one, if that is so: its timer starts.  An earlier wake-up
 * that is still due will look again.  Nobody can foresee `oldest`, so it is no branch. */
static inline void requester_start_timer(struct rnic *rnic, struct qp *qp, bool oldest,
                                         time_ps from)
{
    const time_ps started = from + qp->timeout, running = qp->timeout_due;
    qp->timeout_due = oldest ? started : running;
    if (UNLIKELY(!qp->timeout_pending) && oldest)
        requester_post_timer(rnic, qp);
}

#endif
