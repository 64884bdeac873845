/* SPDX-License-Identifier: Apache-2.0
 * recovery_go_back_0 - go-back-0: retransmits the whole message.
 * The sender restarts the message, so a gap takes the expected PSN back to the message's first
 * packet, and the received part of it no longer counts.
 * Source: Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, 4.1. */
#include "rnic/qp/qp.h"
#include "rnic/qp/recovery.h"

static uint32_t go_back(struct qp *qp, const struct qp_wqe *wqe, uint32_t psn)
{
    (void)psn;
    if (psn_diff(qp->una_psn, wqe->first_psn) > 0)
        qp->una_psn = wqe->first_psn;
    return wqe->first_psn;
}

static void restart_message(struct qp *qp)
{
    qp->epsn = qp->rx_first_psn;
    qp->rx_next.opcode = QP_RX_IDLE;
}

static void on_gap(struct qp *qp)
{
    if (qp->rx_next.opcode != QP_RX_IDLE)
        restart_message(qp);
}

static bool expects_again(struct qp *qp, const struct frame *frame)
{
    if (qp->rx_next.opcode == QP_RX_IDLE || frame->psn != qp->rx_first_psn)
        return false;
    restart_message(qp);
    return true;
}

const struct recovery_ops recovery_go_back_0 = {
    .name = "go-back-0",
    .restarts = true,
    .go_back = go_back,
    .on_gap = on_gap,
    .expects_again = expects_again,
};
