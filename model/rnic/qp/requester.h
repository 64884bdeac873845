/* SPDX-License-Identifier: Apache-2.0
 * requester - sends the request packets of a queue pair.
 * Segmentation by path MTU, AckReq, limits on outstanding requests, and going back after a loss.
 * Source: IBTA Vol 1 9.7.2 to 9.7.7. */
#ifndef STORMGLASS_RNIC_QP_REQUESTER_H
#define STORMGLASS_RNIC_QP_REQUESTER_H

#include "rnic/host/rnic.h"

/* Whether there is something to send, regardless of pacing and RNR waits. */
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

/* Makes the packet with the outstanding PSN the next to send (or another of its message, depending
 * on the loss recovery). */
void requester_go_back(struct rnic *rnic, struct qp *qp, uint32_t psn);

/* Packets beyond the next one to send have been acknowledged: continues from there. */
void requester_skip(struct rnic *rnic, struct qp *qp);

/* Continues with packets never sent before. */
void requester_go_on(struct rnic *rnic, struct qp *qp);

/* Goes back after a loss if a retry is left; otherwise the oldest send fails. */
void requester_retry(struct rnic *rnic, struct qp *qp, uint32_t psn, time_ps now);

/* Goes back without counting a retry; fails because no retry is left. */
void requester_again(struct rnic *rnic, struct qp *qp, uint32_t psn, time_ps now);
void requester_give_up(struct rnic *rnic, struct qp *qp, time_ps now);

void requester_on_timeout(struct rnic *rnic, struct qp *qp, time_ps now);

/* Maximum lateness of a queue pair's timeout. */
time_ps requester_latest(const struct rnic *rnic, const struct qp *qp);

void requester_post_timer(struct rnic *rnic, struct qp *qp);

/* Starts the timer if the packet is the oldest outstanding one. An earlier pending wake-up will
 * check again. `oldest` is unpredictable, so the code avoids a branch on it. */
static inline void requester_start_timer(struct rnic *rnic, struct qp *qp, bool oldest,
                                         time_ps from)
{
    const time_ps started = from + qp->timeout, running = qp->timeout_due;
    qp->timeout_due = oldest ? started : running;
    if (UNLIKELY(!qp->timeout_pending) && oldest)
        requester_post_timer(rnic, qp);
}

#endif
