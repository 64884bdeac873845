/* SPDX-License-Identifier: Apache-2.0
 * responder_read - the responses to READs. */
#include "rnic/host/arbiter.h"
#include "rnic/qp/packet.h"
#include "rnic/qp/responder.h"

#include <string.h>

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
    frame->bytes = frame_roce_bytes(frame->opcode, frame->payload);
    frame->psn = read->response_psn;
    if (frame->opcode != FRAME_RC_READ_RESPONSE_MIDDLE)
        frame->aeth = (uint32_t)RESPONDER_ACK << 24 | read->msn;
    if (read->mr == NULL)
        return;
    frame->content = read->mr->verbs.content;
    if (read->mr->verbs.memory == VERBS_BYTES)
        memcpy(frame_blob_take(rnic->port.frames, frame, frame->payload),
               read->mr->verbs.bytes + read->offset, frame->payload);
}

uint32_t responder_next_response(struct rnic *rnic, struct qp *qp, time_ps now)
{
    struct qp_read *read = &qp->reads[qp->read_head & qp->read_mask];
    CHECK(responder_owes(qp) && read->ready_at <= now && read->packets > 0);
    struct frame *frame;
    const uint32_t handle =
        packet_start(rnic, qp, response_opcode(read), packet_data_class(qp), &frame);
    fill_response(rnic, qp, read, frame);
    read->begun = true;
    read->offset += frame->payload;
    read->left -= frame->payload;
    read->response_psn = psn_add(read->response_psn, 1);
    if (--read->packets > 0)
        return handle;
    qp->read_head++;
    if (!responder_owes(qp))
        qp->flags &= (uint16_t)~QP_RESPOND;
    if ((qp->rx_flags & (QP_RX_ANSWER | QP_RX_LISTED)) == QP_RX_ANSWER &&
        responder_may_leave(qp, qp->answer_psn))
        arbiter_list_answer(rnic, qp);
    return handle;
}
