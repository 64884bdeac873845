/* SPDX-License-Identifier: Apache-2.0 */
#include "rnic/qp/arrived.h"

#include "rnic/host/rnic.h"

/* Bytes of the SEND or WRITE in progress. */
static uint32_t of_message(const struct qp *qp)
{
    if (qp->rx_next.opcode == QP_RX_WRITE && qp->rx_mr != NULL &&
        qp->rx_mr->verbs.memory == VERBS_BULK)
        return qp->rx_offset;
    if (qp->rx_next.opcode != QP_RX_SEND || qp->rq_head == qp->rq_tail)
        return 0;
    const struct qp_receive *receive = &qp->rq[qp->rq_head & qp->rq_mask];
    return mr_bulk_bytes(receive->sges, receive->sge_count, qp->rx_offset);
}

/* Bytes of the READ in progress: of the oldest send if that is a READ; later ones have no data
 * yet. */
static uint32_t of_read(const struct qp *qp)
{
    if (qp->sq_head == qp->sq_tail)
        return 0;
    const struct qp_wqe *wqe = qp_wqe(qp, qp->sq_head);
    if (wqe->opcode != IBV_WR_RDMA_READ || !wqe->started)
        return 0;
    const int32_t packets = psn_diff(qp->una_psn, wqe->first_psn);
    const uint64_t bytes = packets > 0 ? (uint64_t)packets * qp->mtu : 0;
    return mr_bulk_bytes(wqe->sges, wqe->sge_count,
                         bytes < wqe->length ? (uint32_t)bytes : wqe->length);
}

uint64_t arrived_bytes(const struct qp *qp)
{
    return qp->conn->bulk_taken + of_message(qp) + of_read(qp);
}
