/* SPDX-License-Identifier: Apache-2.0
 * completer - acknowledgment and completion.
 * una_psn is the oldest unacknowledged PSN. An ACK advances it over SENDs and WRITEs, a READ
 * response only over its own READ; an ACK or response that skips a READ's response therefore shows
 * that this was lost. */
#include "rnic/qp/completer.h"

#include "rnic/host/arbiter.h"
#include "rnic/host/rnic_flight.h"
#include "rnic/host/rnic_watch.h"
#include "rnic/qp/reaction.h"
#include "rnic/qp/requester.h"
#include "rnic/qp/responder.h"
#include "rnic/qp/selective.h"
#include "rnic/soft/soft.h"
#include "rnic/verbs.h"

void completer_finish(struct rnic *rnic, struct qp *qp, enum ibv_wc_status status, time_ps now)
{
    const struct qp_wqe *wqe = qp_wqe(qp, qp->sq_head);
    CHECK(qp->sq_head != qp->sq_tail);
    if (wqe->opcode != IBV_WR_LOCAL_INV)
        rnic_watch_work(rnic, qp, PROBE_WORK_COMPLETED, rnic_watch_operation(wqe->opcode),
                        status == IBV_WC_SUCCESS, now);
    rnic->counters.finished_sends++;
    if (status == IBV_WC_SUCCESS && wqe->opcode != IBV_WR_LOCAL_INV) {
        rnic->counters.messages++;
        rnic->counters.message_bytes += wqe->length;
    }
    if (wqe->opcode == IBV_WR_RDMA_READ && qp->sq_head != qp->sq_cur && qp->reads_out > 0)
        qp->reads_out--;
    qp->sq_head++;
    qp->una_end = qp->una_psn;
    qp->flags &= (uint16_t)~QP_BLOCKED;
    if (status == IBV_WC_SUCCESS && (wqe->send_flags & IBV_SEND_SIGNALED) == 0)
        return;
    const struct ibv_wc wc = {
        .wr_id = wqe->wr_id,
        .status = status,
        .opcode = verbs_completes_as((enum ibv_wr_opcode)wqe->opcode),
        .byte_len = wqe->length,
    };
    rnic_complete(rnic, qp, &wc, now);
}

/* An answer arrived after a missing READ response, which is requested again, once. */
static void response_lost(struct rnic *rnic, struct qp *qp, uint32_t upto, time_ps now)
{
    if (rnic->recovery->on_missing != NULL) {
        rnic->recovery->on_missing(rnic, qp, upto, now);
        return;
    }
    if ((qp->flags & QP_READ_GAP) != 0)
        return;
    qp->flags |= QP_READ_GAP;
    rnic->counters.implied_naks++;
    if ((qp->flags & QP_FLIGHT) != 0)
        rnic_flight_refused(rnic, qp, CC_NAK_SEQUENCE, now);
    if (!reaction_delays_retransmission(rnic, qp, qp->una_psn, now))
        requester_retry(rnic, qp, qp->una_psn, now);
}

static NOINLINE void landed(struct rnic *rnic, struct qp *qp, time_ps now)
{
    if ((qp->flags & QP_SELECTIVE) != 0)
        selective_landed(rnic, qp, now);
    if ((qp->flags & QP_FLIGHT) != 0)
        rnic_flight_landed(rnic, qp);
    if ((qp->flags & QP_REACTS) != 0)
        reaction_progressed(rnic, qp);
}

/* Inlined because it is short. */
static INLINE void progressed(struct rnic *rnic, struct qp *qp, time_ps now)
{
    qp->retry_left = qp->retry_count;
    qp->rnr_left = qp->rnr_retry;
    if (UNLIKELY((qp->flags & (QP_FLIGHT | QP_SELECTIVE | QP_REACTS)) != 0))
        landed(rnic, qp, now);
    if (psn_diff(qp->una_psn, qp->next_psn) > 0)
        requester_skip(rnic, qp);
    requester_start_timer(rnic, qp, qp_outstanding(qp), now);
}

/* Completes sends up to a PSN, or up to a READ, which only its responses complete; returns false
 * then. */
static bool complete_upto(struct rnic *rnic, struct qp *qp, uint32_t upto, time_ps now)
{
    while (qp->una_psn != upto) {
        const struct qp_wqe *wqe = qp_wqe(qp, qp->sq_head);
        if (wqe->opcode == IBV_WR_RDMA_READ)
            return false;
        const uint32_t end = psn_add(wqe->first_psn, wqe->packets);
        if (psn_diff(upto, end) < 0) {
            qp->una_psn = upto;
            qp->una_end = end;
            return true;
        }
        qp->una_psn = end;
        completer_finish(rnic, qp, IBV_WC_SUCCESS, now);
    }
    return true;
}

/* Everything before `upto` has arrived at the peer; returns false when a READ before it lacks a
 * response. */
static bool acknowledge(struct rnic *rnic, struct qp *qp, uint32_t upto, time_ps now)
{
    const uint32_t before = qp->una_psn;
    bool whole = true;
    if (psn_diff(upto, qp->una_end) < 0) /* within a message, or already completed */
        qp->una_psn = upto;
    else
        whole = complete_upto(rnic, qp, upto, now);
    if (qp->una_psn != before)
        progressed(rnic, qp, now);
    if (!whole)
        response_lost(rnic, qp, upto, now);
    return whole;
}

/* The PSN is not outstanding: a duplicate answer. */
static bool is_duplicate_answer(const struct qp *qp, uint32_t psn)
{
    return psn_diff(psn, qp->una_psn) < 0 || psn_diff(psn, qp->high_psn) >= 0;
}

/* The wait as the card implements it: some cards count in coarse steps. */
static time_ps rnr_wait(const struct rnic *rnic, unsigned code)
{
    const time_ps asked = qp_rnr_time(code), step = rnic->params.rnr_timer_step;
    return step == 0 ? asked : (asked + step - 1) / step * step;
}

/* The ACK timer restarts at the end of the wait; rxe's keeps running and may expire during the wait
 * (Linux rxe_comp.c, COMPST_RNR_RETRY: a separate timer). */
static void on_rnr(struct rnic *rnic, struct qp *qp, uint32_t psn, unsigned code, time_ps now)
{
    rnic->counters.rnr_naks++;
    if (!acknowledge(rnic, qp, psn, now))
        return;
    if (qp->rnr_retry != 7) { /* 7: unlimited */
        if (qp->rnr_left == 0) {
            qp_fail_send(rnic, qp, IBV_WC_RNR_RETRY_EXC_ERR, now);
            return;
        }
        qp->rnr_left--;
    }
    if ((qp->flags & QP_FLIGHT) != 0)
        rnic_flight_refused(rnic, qp, CC_NAK_RNR, now);
    if (rnic->recovery->on_rnr != NULL)
        rnic->recovery->on_rnr(rnic, qp);
    requester_go_back(rnic, qp, psn);
    qp->flags |= QP_RNR_WAIT;
    qp->rnr_until = soft_timer(&rnic->params.soft, now, rnr_wait(rnic, code));
    if (rnic->soft == NULL)
        requester_start_timer(rnic, qp, true, qp->rnr_until);
    arbiter_schedule(rnic, qp, now);
}

static enum ibv_wc_status nak_status(uint32_t syndrome)
{
    switch (syndrome) {
    case RESPONDER_NAK_INVALID:
        return IBV_WC_REM_INV_REQ_ERR;
    case RESPONDER_NAK_ACCESS:
        return IBV_WC_REM_ACCESS_ERR;
    default:
        return IBV_WC_REM_OP_ERR;
    }
}

static void on_nak(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now)
{
    const uint32_t psn = frame->psn, syndrome = frame->aeth >> 24;
    const bool sequence = syndrome == RESPONDER_NAK_SEQUENCE;
    if (sequence)
        rnic->counters.naks++;
    else
        rnic->counters.remote_errors++;
    const bool whole = acknowledge(rnic, qp, psn, now);
    if (sequence && rnic->recovery->on_nak != NULL) {
        if (qp->state == IBV_QPS_RTS)
            rnic->recovery->on_nak(rnic, qp, frame, now);
        return;
    }
    if (!whole)
        return;
    if (sequence) {
        if ((qp->flags & QP_FLIGHT) != 0)
            rnic_flight_refused(rnic, qp, CC_NAK_SEQUENCE, now);
        if (!reaction_delays_retransmission(rnic, qp, psn, now))
            requester_retry(rnic, qp, psn, now);
    } else {
        qp_fail_send(rnic, qp, nak_status(syndrome), now);
    }
}

void completer_on_ack(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now)
{
    const uint32_t syndrome = frame->aeth >> 24;
    if (is_duplicate_answer(qp, frame->psn))
        return;
    if (syndrome >= RESPONDER_NAK_SEQUENCE) {
        on_nak(rnic, qp, frame, now);
    } else if (syndrome >= RESPONDER_RNR) {
        on_rnr(rnic, qp, frame->psn, syndrome & 0x1F, now);
    } else {
        acknowledge(rnic, qp, psn_add(frame->psn, 1), now);
        if ((qp->flags & QP_FLIGHT) != 0)
            rnic_flight_acknowledged(rnic, qp, frame, now);
        arbiter_schedule(rnic, qp, now);
    }
}

/* The READ to which the response belongs, as the oldest send; NULL: already answered. */
static struct qp_wqe *response_wqe(const struct qp *qp, uint32_t psn)
{
    struct qp_wqe *wqe = qp_wqe(qp, qp->sq_head);
    if (qp->sq_head == qp->sq_tail || wqe->opcode != IBV_WR_RDMA_READ || !wqe->started)
        return NULL;
    CHECK(psn_diff(psn, wqe->first_psn) >= 0);
    return wqe;
}

static void take_response(struct rnic *rnic, struct qp *qp, struct qp_wqe *wqe,
                          const struct frame *frame, time_ps now)
{
    const uint32_t offset = (uint32_t)psn_diff(frame->psn, wqe->first_psn) * qp->mtu;
    completer_look(wqe, frame, offset);
    if (UNLIKELY(frame->blob != POOL_NONE))
        mr_scatter(wqe->sges, wqe->sge_count, offset, frame_blob(rnic->port.frames, frame),
                   frame->payload);
    rnic->counters.received_bytes += frame->payload;
    qp->una_psn = qp->una_end = psn_add(frame->psn, 1);
    qp->flags &= (uint16_t)~QP_READ_GAP;
    if (qp->una_psn == psn_add(wqe->first_psn, wqe->packets)) {
        mr_set_content(wqe->sges, wqe->sge_count, wqe->content);
        qp->conn->bulk_taken += mr_bulk_bytes(wqe->sges, wqe->sge_count, wqe->length);
        completer_finish(rnic, qp, IBV_WC_SUCCESS, now);
    }
    progressed(rnic, qp, now);
    arbiter_schedule(rnic, qp, now);
}

void completer_on_response(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now)
{
    if (is_duplicate_answer(qp, frame->psn))
        return;
    if (!acknowledge(rnic, qp, frame->psn, now)) {
        if (rnic->recovery->on_late_response != NULL && qp->state == IBV_QPS_RTS)
            rnic->recovery->on_late_response(rnic, qp, frame, now);
        return;
    }
    struct qp_wqe *wqe = response_wqe(qp, frame->psn);
    if (wqe == NULL)
        return;
    const uint32_t left = wqe->length - (uint32_t)psn_diff(frame->psn, wqe->first_psn) * qp->mtu;
    if (frame->payload == (left < qp->mtu ? left : qp->mtu))
        take_response(rnic, qp, wqe, frame, now);
    else
        qp_fail_send(rnic, qp, IBV_WC_BAD_RESP_ERR, now);
}
