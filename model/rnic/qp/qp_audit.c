/* SPDX-License-Identifier: Apache-2.0
 * qp_audit - invariants of a queue pair between two events.
 * Each index, PSN and flag is checked against what determines it: the work requests in their ring,
 * the READs being answered, the message being received. */
#include "rnic/host/arbiter.h"
#include "rnic/qp/qp.h"
#include "rnic/qp/reaction.h"
#include "rnic/qp/requester.h"
#include "rnic/qp/responder.h"
#include "rnic/qp/selective.h"
#include "rnic/soft/soft.h"

/* One more than the last PSN of a started work request. */
static uint32_t end_of(const struct qp_wqe *wqe)
{
    return psn_add(wqe->first_psn, wqe->packets);
}

static const struct qp_wqe *oldest(const struct qp *qp)
{
    const struct qp_wqe *wqe = qp_wqe(qp, qp->sq_head);
    return qp->sq_head != qp->sq_tail && wqe->started ? wqe : NULL;
}

/* ------------------------------------------------------------------ requester */

static void audit_ring(const struct qp *qp)
{
    CHECK(qp->sq_tail - qp->sq_head <= qp->sq_mask + 1);
    CHECK(qp->sq_cur - qp->sq_head <= qp->sq_tail - qp->sq_head);
    CHECK(qp->sq_visible - qp->sq_head <= qp->sq_tail - qp->sq_head);
    CHECK(qp->sq_cur - qp->sq_head <= qp->sq_visible - qp->sq_head);
    CHECK(qp->reads_out <= qp->sq_cur - qp->sq_head);
}

/* Started work requests come first, with contiguous PSNs up to high_psn; the oldest has the oldest
 * unacknowledged PSN. */
static void audit_begun(const struct qp *qp)
{
    const struct qp_wqe *last = NULL;
    uint32_t reads = 0, at = qp->sq_head;
    for (; at != qp->sq_visible && qp_wqe(qp, at)->started; at++) {
        const struct qp_wqe *wqe = qp_wqe(qp, at);
        CHECK(last == NULL || wqe->first_psn == end_of(last));
        CHECK(wqe->opcode != IBV_WR_LOCAL_INV && wqe->packets == psn_count(wqe->length, qp->mtu));
        reads += wqe->opcode == IBV_WR_RDMA_READ && at - qp->sq_head < qp->sq_cur - qp->sq_head;
        last = wqe;
    }
    CHECK(at - qp->sq_head >= qp->sq_cur - qp->sq_head);
    CHECK(qp->reads_out == reads);
    CHECK(at == qp->sq_tail || !qp_wqe(qp, at)->started);
    if (last == NULL) {
        CHECK(!qp_outstanding(qp));
        return;
    }
    CHECK(psn_diff(qp->high_psn, last->first_psn) > 0 && psn_diff(end_of(last), qp->high_psn) >= 0);
    CHECK(psn_diff(qp->una_psn, oldest(qp)->first_psn) >= 0);
    CHECK(psn_diff(end_of(oldest(qp)), qp->una_psn) > 0);
    CHECK(psn_diff(end_of(last), oldest(qp)->first_psn) > 0); /* within PSN_WINDOW */
}

/* The next packet to send belongs to the current work request. */
static void audit_place(const struct qp *qp)
{
    const struct qp_wqe *wqe = qp_wqe(qp, qp->sq_cur);
    const bool begun = qp->sq_cur != qp->sq_tail && wqe->started;
    if ((qp->flags & QP_TX_ACTIVE) != 0) {
        CHECK(begun && wqe->opcode != IBV_WR_RDMA_READ && qp->tx_length == wqe->length);
        CHECK(qp->tx_offset == (uint32_t)psn_diff(qp->next_psn, wqe->first_psn) * qp->mtu);
        CHECK(qp->tx_offset < qp->tx_length && qp->tx_content == wqe->content);
        CHECK(((qp->flags & QP_TX_BYTES) != 0) == (wqe->real_bytes > qp->tx_offset));
    }
    if (begun) {
        CHECK(psn_diff(qp->next_psn, wqe->first_psn) >= 0);
        CHECK(psn_diff(end_of(wqe), qp->next_psn) > 0);
    } else {
        CHECK(qp->next_psn == qp->high_psn);
    }
}

/* An ACK before una_end completes nothing: it is within the oldest work request, and that is not a
 * READ, which only its responses advance. Go-back-0 takes una_psn back. */
static void audit_oldest(const struct rnic *rnic, const struct qp *qp)
{
    const struct qp_wqe *wqe = oldest(qp);
    CHECK(psn_diff(qp->una_end, qp->una_psn) >= 0);
    if ((qp->flags & QP_READ_GAP) != 0)
        CHECK(wqe != NULL && wqe->opcode == IBV_WR_RDMA_READ);
    if (qp->una_end == qp->una_psn || rnic->recovery->restarts)
        return;
    CHECK(wqe != NULL && wqe->opcode != IBV_WR_RDMA_READ && qp->una_end == end_of(wqe));
}

static void audit_flight(const struct qp *qp)
{
    const struct flight *flight = qp->pacer.flight;
    CHECK((flight->bytes > 0) == (flight->head != flight->tail));
    CHECK(((qp->flags & QP_FULL) != 0) == flight_is_full(flight) ||
          (qp->flags & QP_SELECTIVE) != 0);
    CHECK(qp_outstanding(qp) || flight->bytes == 0);
}

/* The timer of the oldest packet started when it was sent, at the last answer, or when it may be
 * sent. */
static void audit_timer(const struct rnic *rnic, const struct qp *qp)
{
    const time_ps now = rnic_now(rnic);
    CHECK(!qp_outstanding(qp) || qp->timeout_pending);
    CHECK(qp->timeout != 0 || qp->timeout_pending);
    CHECK(qp->retry_left <= qp->retry_count && qp->rnr_left <= qp->rnr_retry);
    if (!qp_outstanding(qp) || qp->timeout == 0)
        return;
    /* As in Linux, the timeout expires at a tick, possibly before its nominal time, but is not
     * checked before that; a timeout set beyond an RNR wait is not checked before that either. */
    const time_ps began = time_later(qp->timeout_due - qp->timeout, qp->rnr_until);
    const time_ps ends = soft_timer(&rnic->params.soft, began, qp->timeout);
    const time_ps latest = requester_latest(rnic, qp);
    CHECK(rnic->soft != NULL || time_later(ends, qp->timeout_due) + latest >= now);
    CHECK(qp->timeout_due <= time_later(now, qp->rnr_until) + qp->timeout);
}

/* Limited to a rate, or at line rate. */
static void audit_pace(const struct rnic *rnic, const struct qp *qp)
{
    const struct pacer *pacer = &qp->pacer;
    const uint64_t line = rnic->cc_site.line_bps;
    CHECK(pacer->rate > 0 && pacer->rate <= line);
    CHECK(pacer_is_limited(pacer) == ((qp->flags & QP_LIMITED) != 0));
    pacer_audit(pacer, &rnic->cc_site, rnic_now(rnic));
    if (!pacer_is_limited(pacer)) /* an algorithm may start below the line rate and limit only
                                   * later */
        return;
    const bool in_time = pacer->debt_at <= rnic_now(rnic) && pacer->timer > pacer->debt_at;
    CHECK(in_time || (pacer_gap_is_fixed(&rnic->cc_site) && pacer->debt <= 0));
    CHECK(pacer->debt >= -PACER_CREDIT_MAX && pacer->bytes_left > 0);
}

/* Every wait has something that ends it. */
static void audit_waits(const struct rnic *rnic, const struct qp *qp)
{
    const bool sends = requester_ready(qp) && (qp->flags & QP_FULL) == 0;
    CHECK((qp->flags & QP_BLOCKED) == 0 || qp->sq_head != qp->sq_cur || qp->read_limit == 0);
    CHECK((qp->flags & QP_RNR_WAIT) == 0 || qp->next_psn == qp->una_psn);
    CHECK(qp->wake_at == TIME_NEVER || qp->wake_at >= rnic_now(rnic));
    if ((qp->flags & (QP_SOFT | QP_LISTED)) == 0)
        CHECK((!sends && (qp->flags & QP_RESPOND) == 0) || qp->wake_at != TIME_NEVER);
}

/* Nothing is posted: nothing is in progress, and nothing is waited for. */
static void audit_idle(const struct qp *qp)
{
    CHECK(qp->una_psn == qp->high_psn && qp->next_psn == qp->high_psn);
    CHECK(qp->una_end == qp->una_psn && qp->reads_out == 0);
    CHECK((qp->flags & (QP_TX_ACTIVE | QP_BLOCKED | QP_READ_GAP | QP_AGAIN)) == 0);
}

static void audit_busy(const struct rnic *rnic, const struct qp *qp)
{
    CHECK(psn_diff(qp->next_psn, qp->una_psn) >= 0 && psn_diff(qp->high_psn, qp->next_psn) >= 0);
    CHECK((qp->next_psn != qp->high_psn) == ((qp->flags & QP_AGAIN) != 0));
    CHECK(qp->reads_out <= qp->read_limit);
    audit_begun(qp);
    audit_place(qp);
    audit_oldest(rnic, qp);
}

static void audit_requester(const struct rnic *rnic, const struct qp *qp)
{
    if (qp->sq_head == qp->sq_tail)
        audit_idle(qp);
    else
        audit_busy(rnic, qp);
    audit_timer(rnic, qp);
    audit_pace(rnic, qp);
    audit_waits(rnic, qp);
    if ((qp->flags & QP_FLIGHT) != 0)
        audit_flight(qp);
    if ((qp->flags & QP_SELECTIVE) != 0)
        selective_audit(rnic, qp);
    if ((qp->flags & QP_REACTS) != 0)
        reaction_audit(rnic, qp);
}

/* ------------------------------------------------------------------ responder */

/* READs are answered in the order of their PSNs, and all of them were requested. */
static void audit_reads(const struct rnic *rnic, const struct qp *qp)
{
    CHECK(qp->read_tail - qp->read_head <= qp->read_mask + 1);
    CHECK((qp->read_head != qp->read_tail) == ((qp->flags & QP_RESPOND) != 0));
    uint32_t after = 0;
    for (uint32_t i = qp->read_head; i != qp->read_tail; i++) {
        const struct qp_read *read = &qp->reads[i & qp->read_mask];
        CHECK(read->packets == psn_count(read->left, qp->mtu));
        CHECK(i == qp->read_head || psn_diff(read->response_psn, after) >= 0 ||
              rnic->recovery->selective); /* READs requested again come last */
        CHECK(i == qp->read_head || !read->begun);
        after = psn_add(read->response_psn, read->packets);
        CHECK(psn_diff(qp->epsn, after) >= 0);
    }
}

/* The received part of a message agrees with its PSNs, and there is space for the rest. */
static void audit_message(const struct qp *qp)
{
    if (qp->rx_next.opcode == QP_RX_IDLE)
        return;
    CHECK(qp->rx_offset == (uint32_t)psn_diff(qp->epsn, qp->rx_first_psn) * qp->mtu);
    CHECK(qp->rx_offset > 0 && qp->rx_offset <= qp->rx_limit);
    if (qp->rx_next.opcode == QP_RX_SEND)
        CHECK(qp->rq_head != qp->rq_tail &&
              qp->rx_limit == qp->rq[qp->rq_head & qp->rq_mask].length);
    else
        CHECK(qp->rx_mr != NULL && qp->rx_offset < qp->rx_limit);
}

/* An ACK is for a received packet; a NAK is for the expected PSN or a received packet. Go-back-0
 * takes the expected PSN back. */
static void audit_answers(const struct rnic *rnic, const struct qp *qp)
{
    const bool naks = qp->answer_syndrome != RESPONDER_ACK;
    /* A software RNIC starts the last response before it sends it. */
    CHECK(!held_acks_any(&qp->held) || qp->read_head != qp->read_tail || rnic->soft != NULL);
    if (rnic->recovery->restarts)
        return;
    if ((qp->rx_flags & QP_RX_ANSWER) != 0)
        CHECK(psn_diff(qp->epsn, qp->answer_psn) >= (naks ? 0 : 1));
    if (held_acks_any(&qp->held))
        CHECK(psn_diff(qp->epsn, held_acks_oldest(&qp->held)->psn) > 0);
}

/* ------------------------------------------------------------------ the queue pair as a whole */

/* Everything is flushed, and nothing is in progress. */
static void audit_error(const struct qp *qp)
{
    CHECK(qp->sq_head == qp->sq_tail && qp->rq_head == qp->rq_tail);
    CHECK(qp->sq_cur == qp->sq_tail && qp->sq_visible == qp->sq_tail && qp->reads_out == 0);
    CHECK(qp->una_psn == qp->high_psn && qp->next_psn == qp->high_psn);
    CHECK((qp->flags &
           (QP_TX_ACTIVE | QP_BLOCKED | QP_RNR_WAIT | QP_READ_GAP | QP_AGAIN | QP_FULL)) == 0);
    CHECK(qp->rx_next.opcode == QP_RX_IDLE);
}

void qp_audit(const struct rnic *rnic, const struct qp *qp)
{
    CHECK(rnic_find_qp(rnic, qp->qpn) == qp);
    CHECK(qp->rq_tail - qp->rq_head <= qp->rq_mask + 1);
    CHECK(qp->state == IBV_QPS_INIT || qp->state >= IBV_QPS_RTR);
    audit_ring(qp);
    if (qp->state == IBV_QPS_RTS)
        audit_requester(rnic, qp);
    if (qp->state == IBV_QPS_ERR)
        audit_error(qp);
    if (qp->state < IBV_QPS_RTR)
        return;
    CHECK(qp->epsn <= PSN_MASK && qp->msn <= PSN_MASK);
    audit_reads(rnic, qp);
    audit_message(qp);
    audit_answers(rnic, qp);
}
