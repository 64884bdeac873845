/* SPDX-License-Identifier: Apache-2.0
 * completer - processes ACKs, NAKs and READ responses.
 * Completes work requests in order, each once, and makes the requester go back.
 * Source: IBTA Vol 1 9.7.5.2 (ACK), 9.7.6 (response processing), 9.9.2 (errors). */
#ifndef STORMGLASS_RNIC_QP_COMPLETER_H
#define STORMGLASS_RNIC_QP_COMPLETER_H

#include "rnic/host/rnic.h"

void completer_on_ack(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now);
void completer_on_response(struct rnic *rnic, struct qp *qp, const struct frame *frame,
                           time_ps now);

/* Records the content tag of a READ response at `offset` of the READ; a response from a wrong
 * location marks the whole content as invalid. */
static inline void completer_look(struct qp_wqe *wqe, const struct frame *frame, uint32_t offset)
{
    if (UNLIKELY(frame->payload > 0 && frame->address != wqe->remote_address + offset))
        wqe->content = VERBS_CONTENT_MIXED;
    else if (LIKELY(wqe->content != VERBS_CONTENT_MIXED))
        wqe->content = frame->content;
}

/* Completes the oldest send. */
void completer_finish(struct rnic *rnic, struct qp *qp, enum ibv_wc_status status, time_ps now);

#endif
