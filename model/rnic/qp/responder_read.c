/* SPDX-License-Identifier: Apache-2.0
 * responder_read - READs: requests, duplicates, responses. */
#include "rnic/host/arbiter.h"
#include "rnic/host/rnic_watch.h"
#include "rnic/pipeline/pipeline.h"
#include "rnic/qp/packet.h"
#include "rnic/qp/responder.h"

#include <string.h>

/* ------------------------------------------------------------------ requests */

/* Updates the flags and the card's count after READs have ended. */
static void note_owed(struct rnic *rnic, struct qp *qp)
{
    if (UNLIKELY(rnic->pipeline != NULL))
        pipeline_count_reads(rnic, qp);
    if (!responder_owes(qp))
        qp->flags &= (uint16_t)~QP_RESPOND;
}

static bool is_full(const struct qp *qp)
{
    return qp->read_tail - qp->read_head > qp->read_mask;
}

/* Makes room when the requester sends one READ more than fits: repeated answers take room as well.
 * One that is the oldest is no longer needed. With selective repeat any may be repeated: the
 * youngest gives way, and the requester asks for it again. */
static void forget_repeated_read(const struct rnic *rnic, struct qp *qp)
{
    if (!is_full(qp))
        return;
    if (qp->reads[qp->read_head & qp->read_mask].again) {
        qp->read_head++;
        return;
    }
    uint32_t at = qp->read_tail - 1;
    while (at != qp->read_head && !qp->reads[at & qp->read_mask].again)
        at--;
    if (!rnic->recovery->selective || at == qp->read_head)
        return;
    for (; at + 1 != qp->read_tail; at++)
        qp->reads[at & qp->read_mask] = qp->reads[(at + 1) & qp->read_mask];
    qp->read_tail--;
}

static void begin_read(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now)
{
    struct mr *mr = NULL;
    forget_repeated_read(rnic, qp);
    if (qp->read_resources == 0 || is_full(qp)) {
        responder_refuse(rnic, qp, RESPONDER_NAK_INVALID, frame->psn, now);
        return;
    }
    if (frame->length > 0)
        mr = mr_remote(rnic->mrs, frame->rkey, frame->address, frame->length,
                       IBV_ACCESS_REMOTE_READ);
    if (frame->length > 0 && mr == NULL) {
        responder_refuse(rnic, qp, RESPONDER_NAK_ACCESS, frame->psn, now);
        return;
    }
    const bool again = psn_diff(frame->psn, qp->epsn) < 0;
    qp_expect_reads(qp);
    qp->reads[qp->read_tail++ & qp->read_mask] = (struct qp_read){
        .mr = mr,
        .ready_at = UNLIKELY(rnic->pipeline != NULL) ? pipeline_gather(rnic, qp, frame->length, now)
                                                     : now + rnic->params.read_delay,
        .offset = mr == NULL ? 0 : (uint32_t)(frame->address - mr->verbs.addr),
        .left = frame->length,
        .response_psn = frame->psn,
        .msn = again ? qp->msn : psn_add(qp->msn, 1),
        .packets = psn_count(frame->length, qp->mtu),
        .again = again,
        .serial = mr == NULL ? 0 : mr->serial,
    };
    qp->flags |= QP_RESPOND;
    if (UNLIKELY(rnic->pipeline != NULL))
        pipeline_count_reads(rnic, qp);
    arbiter_schedule(rnic, qp, now);
}

void responder_on_read(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now)
{
    if (qp->rx_next.opcode != QP_RX_IDLE) {
        responder_refuse(rnic, qp, RESPONDER_NAK_INVALID, frame->psn, now);
        return;
    }
    rnic->counters.read_requests++;
    rnic_watch_work(rnic, qp, PROBE_WORK_ASKED, PROBE_WORK_READ, true, now);
    begin_read(rnic, qp, frame, now);
    qp->epsn = psn_add(qp->epsn, psn_count(frame->length, qp->mtu));
    qp->msn = psn_add(qp->msn, 1); /* a READ counts when its execution starts, C9-148 */
}

/* The requester retransmits everything from this PSN on, so pending answers from there on are
 * obsolete; with selective repeat it requests only what is missing. */
void responder_on_duplicate_read(struct rnic *rnic, struct qp *qp, const struct frame *frame,
                                 time_ps now)
{
    uint32_t tail = rnic->recovery->selective ? qp->read_tail : qp->read_head;
    for (; tail != qp->read_tail; tail++) {
        struct qp_read *read = &qp->reads[tail & qp->read_mask];
        const int32_t before = psn_diff(frame->psn, read->response_psn);
        if (before <= 0)
            break;
        if ((uint32_t)before < read->packets) {
            read->packets = (uint32_t)before;
            read->left = read->packets * qp->mtu;
        }
    }
    qp->read_tail = tail;
    note_owed(rnic, qp); /* it may be rejected now because its memory was deregistered */
    if (rnic->recovery->selective && is_full(qp))
        return; /* it will be requested again */
    begin_read(rnic, qp, frame, now);
}

/* ------------------------------------------------------------------ responses */

static uint8_t response_opcode(const struct qp_read *read)
{
    if (read->packets == 1)
        return read->begun ? FRAME_RC_READ_RESPONSE_LAST : FRAME_RC_READ_RESPONSE_ONLY;
    return read->begun ? FRAME_RC_READ_RESPONSE_MIDDLE : FRAME_RC_READ_RESPONSE_FIRST;
}

static void fill_response(struct rnic *rnic, const struct qp *qp, const struct qp_read *read,
                          struct frame *frame)
{
    frame->payload = (uint16_t)(read->left < qp->mtu ? read->left : qp->mtu);
    frame->bytes = packet_bytes(qp, frame->opcode, frame->payload);
    frame->psn = read->response_psn;
    if (frame->opcode != FRAME_RC_READ_RESPONSE_MIDDLE)
        frame->aeth = (uint32_t)RESPONDER_ACK << 24 | read->msn;
    if (read->mr == NULL)
        return;
    frame->content = read->mr->verbs.content;
    frame->address = read->mr->verbs.addr + read->offset;
    if (read->mr->verbs.memory == VERBS_BYTES)
        memcpy(frame_blob_take(rnic->port.frames, frame, frame->payload),
               read->mr->verbs.bytes + read->offset, frame->payload);
}

/* Ends the READ; answers after it may leave. */
static void end_read(struct rnic *rnic, struct qp *qp)
{
    qp->read_head++;
    note_owed(rnic, qp);
    if ((qp->rx_flags & (QP_RX_ANSWER | QP_RX_LISTED)) == QP_RX_ANSWER &&
        responder_may_leave(qp, qp->answer_psn))
        arbiter_list_answer(rnic, qp);
}

/* The region was deregistered, or its key invalidated, since the request. A duplicate request,
 * whose data may already have been received, gets no answer (Linux rxe_resp.c,
 * duplicate_request). */
static NOINLINE void lose_memory(struct rnic *rnic, struct qp *qp, const struct qp_read *read,
                                 time_ps now)
{
    const uint32_t psn = read->response_psn;
    if (read->again) {
        end_read(rnic, qp);
        return;
    }
    qp->read_head = qp->read_tail;
    note_owed(rnic, qp);
    responder_refuse(rnic, qp, RESPONDER_NAK_ACCESS, psn, now);
}

uint32_t responder_next_response(struct rnic *rnic, struct qp *qp, time_ps now)
{
    struct qp_read *read = &qp->reads[qp->read_head & qp->read_mask];
    CHECK(responder_owes(qp) && read->ready_at <= now && read->packets > 0);
    if (UNLIKELY(read->mr != NULL && read->mr->serial != read->serial)) {
        lose_memory(rnic, qp, read, now);
        return POOL_NONE;
    }
    struct frame *frame;
    const uint32_t handle =
        packet_start(rnic, qp, response_opcode(read), packet_data_class(qp), &frame);
    fill_response(rnic, qp, read, frame);
    read->begun = true;
    read->offset += frame->payload;
    read->left -= frame->payload;
    read->response_psn = psn_add(read->response_psn, 1);
    if (--read->packets == 0)
        end_read(rnic, qp);
    return handle;
}
