/* SPDX-License-Identifier: Apache-2.0
 * responder - requests in PSN order, answers in order.
 *   PSN == expected   executed; the gap, if there was one, is closed
 *   PSN newer         one NAK with the expected PSN, then silence until that arrives
 *   PSN older         a duplicate: SEND and WRITE are acknowledged again, a READ is executed again
 * Loss recovery methods other than go-back-N change this through recovery.h. */
#include "rnic/qp/responder.h"

#include "rnic/host/arbiter.h"
#include "rnic/host/rnic_watch.h"
#include "rnic/pipeline/pipeline.h"
#include "rnic/qp/packet.h"
#include "rnic/qp/reaction.h"
#include "rnic/qp/srq.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

/* Properties of a request's opcode. */
struct step {
    uint8_t kind; /* enum qp_rx_kind; 0: a READ, or not a request */
    bool first, last, invalidate, immediate;
};

#define RC_OPCODE_MASK 0x1F

static const struct step steps[RC_OPCODE_MASK + 1] = {
    [FRAME_RC_SEND_FIRST] = {QP_RX_SEND, .first = true},
    [FRAME_RC_SEND_MIDDLE] = {QP_RX_SEND},
    [FRAME_RC_SEND_LAST] = {QP_RX_SEND, .last = true},
    [FRAME_RC_SEND_LAST_IMM] = {QP_RX_SEND, .last = true, .immediate = true},
    [FRAME_RC_SEND_ONLY] = {QP_RX_SEND, .first = true, .last = true},
    [FRAME_RC_SEND_ONLY_IMM] = {QP_RX_SEND, .first = true, .last = true, .immediate = true},
    [FRAME_RC_SEND_LAST_INV] = {QP_RX_SEND, .last = true, .invalidate = true},
    [FRAME_RC_SEND_ONLY_INV] = {QP_RX_SEND, .first = true, .last = true, .invalidate = true},
    [FRAME_RC_WRITE_FIRST] = {QP_RX_WRITE, .first = true},
    [FRAME_RC_WRITE_MIDDLE] = {QP_RX_WRITE},
    [FRAME_RC_WRITE_LAST] = {QP_RX_WRITE, .last = true},
    [FRAME_RC_WRITE_LAST_IMM] = {QP_RX_WRITE, .last = true, .immediate = true},
    [FRAME_RC_WRITE_ONLY] = {QP_RX_WRITE, .first = true, .last = true},
    [FRAME_RC_WRITE_ONLY_IMM] = {QP_RX_WRITE, .first = true, .last = true, .immediate = true},
};

/* ------------------------------------------------------------------ answers */

static uint32_t answer_frame(struct rnic *rnic, struct qp *qp, uint8_t syndrome, uint32_t psn,
                             uint32_t msn)
{
    struct frame *frame;
    const uint32_t handle =
        packet_start(rnic, qp, FRAME_RC_ACKNOWLEDGE, packet_ack_class(qp), &frame);
    frame->bytes = qp->ack.bytes;
    frame->psn = psn;
    frame->aeth = (uint32_t)syndrome << 24 | msn;
    rnic->counters.acks_sent += syndrome == RESPONDER_ACK;
    if (UNLIKELY((qp->rx_flags & QP_RX_MARKED) != 0)) {
        frame->flags |= FRAME_BECN;
        qp->rx_flags &= (uint8_t)~QP_RX_MARKED;
    }
    return handle;
}

void responder_release(struct rnic *rnic, struct qp *qp)
{
    while (held_acks_any(&qp->held) && responder_may_leave(qp, held_acks_oldest(&qp->held)->psn)) {
        const struct held_ack *ack = held_acks_oldest(&qp->held);
        rnic_send_control(rnic, answer_frame(rnic, qp, RESPONDER_ACK, ack->psn, ack->msn));
        qp->held.head++;
    }
}

static void queue_answer(struct rnic *rnic, struct qp *qp, uint8_t syndrome, uint32_t psn)
{
    if (!rnic->ack_coalescing && syndrome == RESPONDER_ACK && !responder_may_leave(qp, psn)) {
        held_acks_add(&qp->held, (struct held_ack){psn, qp->msn});
        return;
    }
    if ((qp->rx_flags & QP_RX_ANSWER) != 0) {
        if (qp->answer_syndrome != RESPONDER_ACK && psn_diff(psn, qp->answer_psn) < 0)
            return; /* the NAK also acknowledges this packet */
        rnic->counters.acks_merged++;
    }
    qp->answer_syndrome = syndrome;
    qp->answer_psn = psn;
    qp->held.answer_msn = qp->msn; /* the MSN now, not when the ACK leaves */
    qp->rx_flags |= QP_RX_ANSWER;
    if ((qp->rx_flags & QP_RX_LISTED) != 0 || !responder_may_leave(qp, qp->answer_psn))
        return;
    if (rnic->ack_coalescing)
        arbiter_list_answer(rnic, qp);
    else
        rnic_send_control(rnic, responder_answer(rnic, qp));
}

/* Telemetry is returned by an ACK of its own, at once; an ACK that has to wait returns none. */
static void answer_packet(struct rnic *rnic, struct qp *qp, const struct frame *frame)
{
    if (LIKELY((frame->flags & FRAME_TELEMETRY) == 0) || !responder_may_leave(qp, frame->psn)) {
        queue_answer(rnic, qp, RESPONDER_ACK, frame->psn);
        return;
    }
    const uint32_t handle = answer_frame(rnic, qp, RESPONDER_ACK, frame->psn, qp->msn);
    packet_return_telemetry(rnic->port.frames, frame, frame_at(rnic->port.frames, handle));
    rnic_send_control(rnic, handle);
}

void responder_nak(struct rnic *rnic, struct qp *qp, uint32_t missing)
{
    rnic->counters.naks_sent++;
    queue_answer(rnic, qp, RESPONDER_NAK_SEQUENCE, missing);
}

void responder_acknowledge(struct rnic *rnic, struct qp *qp, uint32_t psn)
{
    queue_answer(rnic, qp, RESPONDER_ACK, psn);
}

uint32_t responder_answer(struct rnic *rnic, struct qp *qp)
{
    if ((qp->rx_flags & QP_RX_ANSWER) == 0 || !responder_may_leave(qp, qp->answer_psn))
        return POOL_NONE;
    qp->rx_flags &= (uint8_t)~QP_RX_ANSWER;
    return answer_frame(rnic, qp, qp->answer_syndrome, qp->answer_psn, qp->held.answer_msn);
}

void responder_refuse(struct rnic *rnic, struct qp *qp, uint8_t syndrome, uint32_t psn, time_ps now)
{
    char text[96];
    snprintf(text, sizeof text, "QP 0x%06x refused a request of QP 0x%06x: NAK 0x%02x", qp->qpn,
             qp->flow.qpn, syndrome);
    rnic->env->probe->note(rnic->env->probe->self, now, rnic->env->owner, text);
    queue_answer(rnic, qp, syndrome, psn);
    rnic->counters.qp_errors++;
    qp_to_error(rnic, qp, now);
}

static void complete_receive(struct rnic *rnic, struct qp *qp, const struct ibv_wc *how,
                             time_ps now)
{
    const struct qp_receive *receive = &qp->rq[qp->rq_head & qp->rq_mask];
    struct ibv_wc wc = *how;
    CHECK(qp->rq_head != qp->rq_tail);
    wc.wr_id = receive->wr_id;
    qp->rq_head++;
    rnic->counters.finished_receives++;
    rnic_complete(rnic, qp, &wc, now);
}

static void fail_receive(struct rnic *rnic, struct qp *qp, enum ibv_wc_status status, time_ps now)
{
    const struct ibv_wc wc = {.status = status, .opcode = IBV_WC_RECV};
    complete_receive(rnic, qp, &wc, now);
}

/* ------------------------------------------------------------------ out of order */

static void on_gap(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now)
{
    rnic->counters.out_of_sequence++;
    if (rnic->recovery->on_early != NULL) {
        rnic->recovery->on_early(rnic, qp, frame, now);
        return;
    }
    if ((qp->rx_flags & QP_RX_NAKED) != 0)
        return;
    qp->rx_flags |= QP_RX_NAKED;
    if (!reaction_delays_nak(rnic, qp, qp->epsn, now))
        responder_nak(rnic, qp, qp->epsn);
    if (rnic->recovery->on_gap != NULL)
        rnic->recovery->on_gap(qp);
}

static void on_duplicate(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now)
{
    rnic->counters.duplicate_requests++;
    if (frame->opcode == FRAME_RC_READ_REQUEST)
        responder_on_duplicate_read(rnic, qp, frame, now);
    else
        queue_answer(rnic, qp, RESPONDER_ACK, psn_add(qp->epsn, PSN_MASK));
}

/* Returns true when the packet is the expected one after all. */
static bool out_of_order(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now)
{
    if (psn_diff(frame->psn, qp->epsn) > 0) {
        on_gap(rnic, qp, frame, now);
        return false;
    }
    if (rnic->recovery->expects_again != NULL && rnic->recovery->expects_again(qp, frame))
        return true;
    on_duplicate(rnic, qp, frame, now);
    return false;
}

/* The expected packet has arrived: ends the waiting for it. */
static void caught_up(const struct rnic *rnic, struct qp *qp, time_ps now)
{
    if ((qp->rx_flags & (QP_RX_NAKED | QP_RX_HELD)) != 0 && (qp->rx_flags & QP_RX_ANSWER) != 0 &&
        qp->answer_syndrome != RESPONDER_ACK) {
        qp->answer_syndrome = RESPONDER_ACK; /* the NAK had not been sent yet */
        qp->answer_psn = psn_add(qp->epsn, PSN_MASK);
        qp->held.answer_msn = qp->msn;
    }
    qp->rx_flags &= (uint8_t)~QP_RX_NAKED;
    if ((qp->flags & QP_REACTS) != 0)
        reaction_caught_up(rnic, qp);
    if ((qp->rx_flags & QP_RX_FIRST_DATA) != 0) {
        qp->rx_flags &= (uint8_t)~QP_RX_FIRST_DATA;
        cm_on_first_data(qp->conn, now);
    }
}

void responder_reset(struct rnic *rnic, struct qp *qp)
{
    qp->read_head = qp->read_tail;
    qp->rx_next.opcode = QP_RX_IDLE;
    qp->flags &= (uint16_t)~QP_RESPOND;
    qp->rx_flags &= (uint8_t)~QP_RX_ANSWER;
    qp->held.head = qp->held.tail;
    if (UNLIKELY(rnic->pipeline != NULL))
        pipeline_count_reads(rnic, qp);
}

/* ------------------------------------------------------------------ SEND and WRITE */

/* A message needs a receive: for the first packet of a SEND, or the last of a WRITE with immediate
 * data (Linux rxe_resp.c, check_resource). */
static bool has_receive(struct rnic *rnic, struct qp *qp)
{
    if (qp->rq_head != qp->rq_tail || srq_take(qp))
        return true;
    rnic->counters.rnr_naks_sent++;
    qp->rx_flags |= QP_RX_NAKED; /* later packets are dropped silently */
    queue_answer(rnic, qp, (uint8_t)(RESPONDER_RNR | rnic->params.min_rnr_timer), qp->epsn);
    return false;
}

static bool begin_send(struct rnic *rnic, struct qp *qp, uint32_t psn, time_ps now)
{
    if (!has_receive(rnic, qp))
        return false;
    const struct qp_receive *receive = &qp->rq[qp->rq_head & qp->rq_mask];
    if (UNLIKELY(mr_gone(rnic->mrs, receive->sges, receive->sge_count))) {
        fail_receive(rnic, qp, IBV_WC_LOC_PROT_ERR, now);
        responder_refuse(rnic, qp, RESPONDER_NAK_OPERATION, psn, now);
        return false;
    }
    qp->rx_limit = receive->length;
    return true;
}

static bool begin_write(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now)
{
    qp->rx_mr = NULL;
    qp->rx_limit = frame->length;
    rnic->counters.write_requests++;
    if (frame->length == 0)
        return true; /* key and address are ignored */
    qp->rx_mr =
        mr_remote(rnic->mrs, frame->rkey, frame->address, frame->length, IBV_ACCESS_REMOTE_WRITE);
    if (qp->rx_mr == NULL) {
        responder_refuse(rnic, qp, RESPONDER_NAK_ACCESS, frame->psn, now);
        return false;
    }
    qp->rx_base = (uint32_t)(frame->address - qp->rx_mr->verbs.addr);
    qp->rx_serial = qp->rx_mr->serial;
    return true;
}

/* Whether the region of the WRITE in progress still exists and its key is valid. */
static bool may_land(const struct qp *qp)
{
    return qp->rx_mr == NULL || qp->rx_mr->serial == qp->rx_serial;
}

/* The last packet then has no message to complete; with immediate data its receive has failed. */
static void refuse_landing(struct rnic *rnic, struct qp *qp, const struct frame *frame,
                           const struct step *step, time_ps now)
{
    if (step->immediate)
        fail_receive(rnic, qp, IBV_WC_LOC_ACCESS_ERR, now);
    responder_refuse(rnic, qp, RESPONDER_NAK_ACCESS, frame->psn, now);
}

static bool begin_message(struct rnic *rnic, struct qp *qp, const struct frame *frame,
                          const struct step *step, time_ps now)
{
    if (qp->rx_next.opcode != QP_RX_IDLE) {
        responder_refuse(rnic, qp, RESPONDER_NAK_INVALID, frame->psn, now);
        return false;
    }
    if (step->kind == QP_RX_SEND ? !begin_send(rnic, qp, frame->psn, now)
                                 : !begin_write(rnic, qp, frame, now))
        return false;
    qp->rx_next.opcode = step->kind;
    qp->rx_offset = 0;
    qp->rx_first_psn = frame->psn;
    return true;
}

/* All packets except the last have path MTU size, and the whole message fits into its
 * destination. */
static bool size_fits(const struct qp *qp, const struct frame *frame, const struct step *step)
{
    if (step->last ? frame->payload > qp->mtu : frame->payload != qp->mtu)
        return false;
    if (qp->rx_limit - qp->rx_offset < frame->payload)
        return false;
    return !step->last || qp->rx_next.opcode == QP_RX_SEND ||
           qp->rx_offset + frame->payload == qp->rx_limit;
}

static void refuse_size(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now)
{
    if (qp->rx_next.opcode == QP_RX_SEND)
        fail_receive(rnic, qp, IBV_WC_LOC_LEN_ERR, now);
    responder_refuse(rnic, qp, RESPONDER_NAK_INVALID, frame->psn, now);
}

static void place_bytes(struct rnic *rnic, struct qp *qp, const struct frame *frame)
{
    const unsigned char *blob = frame_blob(rnic->port.frames, frame);
    if (qp->rx_next.opcode == QP_RX_SEND) {
        const struct qp_receive *receive = &qp->rq[qp->rq_head & qp->rq_mask];
        mr_scatter(receive->sges, receive->sge_count, qp->rx_offset, blob, frame->length);
    } else if (qp->rx_mr != NULL && qp->rx_mr->verbs.bytes != NULL && may_land(qp)) {
        memcpy(qp->rx_mr->verbs.bytes + qp->rx_base + qp->rx_offset, blob, frame->payload);
    }
}

static struct ibv_wc received(const struct qp *qp, const struct frame *frame,
                              const struct step *step)
{
    struct ibv_wc wc = {
        .status = IBV_WC_SUCCESS,
        .opcode = step->kind == QP_RX_SEND ? IBV_WC_RECV : IBV_WC_RECV_RDMA_WITH_IMM,
        .byte_len = qp->rx_offset,
    };
    if (step->immediate) {
        wc.wc_flags = IBV_WC_WITH_IMM;
        wc.imm_data = htobe32(frame->immediate);
    }
    return wc;
}

static void finish_write(struct rnic *rnic, struct qp *qp, const struct frame *frame,
                         const struct step *step, time_ps now)
{
    if (qp->rx_mr != NULL)
        qp->conn->bulk_taken += mr_put(qp->rx_mr, frame->content, qp->rx_offset);
    if (!step->immediate)
        return;
    const struct ibv_wc wc = received(qp, frame, step);
    complete_receive(rnic, qp, &wc, now);
}

static void finish_send(struct rnic *rnic, struct qp *qp, const struct frame *frame,
                        const struct step *step, time_ps now)
{
    struct ibv_wc wc = received(qp, frame, step);
    if (step->invalidate && !mr_invalidate(rnic->mrs, frame->rkey)) {
        /* Class J of IBTA Vol 1 9.9.3, as in rxe: no NAK, and the receiver's QP fails. */
        fail_receive(rnic, qp, IBV_WC_REM_INV_REQ_ERR, now);
        rnic->counters.qp_errors++;
        responder_reset(rnic, qp);
        qp_to_error(rnic, qp, now);
        return;
    }
    if (step->invalidate) {
        wc.wc_flags = IBV_WC_WITH_INV;
        wc.invalidated_rkey = frame->rkey;
    }
    const struct qp_receive *receive = &qp->rq[qp->rq_head & qp->rq_mask];
    mr_set_content(receive->sges, receive->sge_count, frame->content);
    /* A message of real bytes only has no bulk, whatever memory it was received into. */
    if (frame->length < frame->payload || frame->payload == 0)
        qp->conn->bulk_taken += mr_bulk_bytes(receive->sges, receive->sge_count, qp->rx_offset);
    complete_receive(rnic, qp, &wc, now);
}

static void finish_message(struct rnic *rnic, struct qp *qp, const struct frame *frame,
                           const struct step *step, time_ps now)
{
    rnic_watch_taken(rnic, qp, step->kind == QP_RX_SEND, now);
    rnic->counters.received_messages++;
    rnic->counters.received_bytes += qp->rx_offset;
    qp->msn = psn_add(qp->msn, 1);
    qp->rx_next.opcode = QP_RX_IDLE;
    if (step->kind == QP_RX_SEND)
        finish_send(rnic, qp, frame, step, now);
    else
        finish_write(rnic, qp, frame, step, now);
}

static void on_message(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now)
{
    const struct step *step = &steps[frame->opcode & RC_OPCODE_MASK];
    if (UNLIKELY(step->immediate) && step->kind == QP_RX_WRITE && !has_receive(rnic, qp))
        return;
    if (UNLIKELY(step->first) && !begin_message(rnic, qp, frame, step, now))
        return;
    if (UNLIKELY(step->kind != qp->rx_next.opcode)) {
        responder_refuse(rnic, qp, RESPONDER_NAK_INVALID, frame->psn, now);
        return;
    }
    if (UNLIKELY(!size_fits(qp, frame, step))) {
        refuse_size(rnic, qp, frame, now);
        return;
    }
    if (UNLIKELY(step->last) && step->kind == QP_RX_WRITE && !may_land(qp)) {
        refuse_landing(rnic, qp, frame, step, now);
        return;
    }
    if (UNLIKELY(frame->blob != POOL_NONE))
        place_bytes(rnic, qp, frame);
    qp->rx_offset += frame->payload;
    qp->epsn = psn_add(frame->psn, 1);
    if (UNLIKELY(step->last))
        finish_message(rnic, qp, frame, step, now);
    if ((frame->flags & FRAME_ACK_REQUEST) != 0 && qp->state != IBV_QPS_ERR)
        answer_packet(rnic, qp, frame);
}

/* Then executes the packets kept ahead of sequence. */
static NOINLINE void take_awaited(struct rnic *rnic, struct qp *qp, const struct frame *frame,
                                  time_ps now)
{
    struct frame early = {.blob = POOL_NONE};
    const struct frame *next = frame;
    do {
        qp->rx_flags &= (uint8_t)~QP_RX_HELD; /* next_early sets it again */
        responder_receive(rnic, qp, next, now);
        if (next == &early && early.blob != POOL_NONE)
            frame_blob_give(rnic->port.frames, early.blob);
        next = &early;
    } while (rnic->recovery->next_early(rnic, qp, &early));
}

void responder_nak_gap(struct rnic *rnic, struct qp *qp, const struct frame *came)
{
    rnic->counters.naks_sent++;
    if (came == NULL || !responder_may_leave(qp, qp->epsn)) {
        queue_answer(rnic, qp, RESPONDER_NAK_SEQUENCE, qp->epsn);
        return;
    }
    const uint32_t handle = answer_frame(rnic, qp, RESPONDER_NAK_SEQUENCE, qp->epsn, qp->msn);
    struct frame *frame = frame_at(rnic->port.frames, handle);
    frame->flags |= FRAME_SACK;
    frame->bytes += WIRE_SACK_BYTES;
    frame->rkey = came->psn;
    rnic_send_control(rnic, handle);
}

void responder_receive(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now)
{
    if (UNLIKELY(frame->psn != qp->epsn) && !out_of_order(rnic, qp, frame, now))
        return;
    if (UNLIKELY((qp->rx_flags & (QP_RX_NAKED | QP_RX_FIRST_DATA | QP_RX_HELD)) != 0)) {
        caught_up(rnic, qp, now);
        if ((qp->rx_flags & QP_RX_HELD) != 0) {
            take_awaited(rnic, qp, frame, now);
            return;
        }
    }
    if (frame->opcode == FRAME_RC_READ_REQUEST)
        responder_on_read(rnic, qp, frame, now);
    else
        on_message(rnic, qp, frame, now);
}
