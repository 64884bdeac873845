/* SPDX-License-Identifier: Apache-2.0
 * overrun - the completion is lost at once; everything else happens in a later event, because the
 * queue pair may be in the middle of an operation. */
#include "rnic/host/overrun.h"

#include "base/plural.h"
#include "rnic/qp/qp.h"
#include "rnic/qp/responder.h"

#include <stdio.h>

static bool breaks(const struct rnic *rnic, const struct ibv_wc *wc)
{
    return rnic->soft == NULL || (wc->opcode & IBV_WC_RECV) != 0;
}

bool overrun_by(struct rnic *rnic, uint32_t index, uint32_t count)
{
    const struct rnic_completion *completion = slab_at(&rnic->completions, index);
    const int64_t size = rnic->params.pipeline.cq_size;
    struct verbs_conn *conn = completion->conn;
    const bool broken = conn->overrun == CQ_BROKEN && rnic->soft == NULL;
    if (LIKELY(size == 0 || (count < size && !broken)))
        return false;
    const uint8_t before = conn->overrun;
    if (before != CQ_BROKEN)
        conn->overrun = breaks(rnic, &completion->wc) ? CQ_BROKEN : CQ_LOST;
    if (conn->overrun != before)
        rnic_post(rnic, rnic_now(rnic), RNIC_EVENT_CQ_ERROR, conn->slot);
    slab_give(&rnic->completions, index);
    cm_delivered(conn);
    return true;
}

static void fail(struct rnic *rnic, struct qp *qp, time_ps now)
{
    char text[160];
    snprintf(text, sizeof text,
             "QP 0x%06x to 0x%06x failed: its completion queue of %lld %s overran", qp->qpn,
             qp->flow.qpn, (long long)rnic->params.pipeline.cq_size,
             plural(rnic->params.pipeline.cq_size, "entry", "entries"));
    rnic->env->probe->note(rnic->env->probe->self, now, rnic->env->owner, text);
    rnic->counters.qp_errors++;
    responder_reset(rnic, qp);
    qp_to_error(rnic, qp, now);
}

void overrun_on_event(struct rnic *rnic, uint32_t slot, time_ps now)
{
    struct verbs_conn *conn = slab_at(&rnic->cm.conns, slot);
    rnic->counters.cq_overruns++;
    if (conn->destroyed || conn->overrun == CQ_WHOLE)
        return;
    if (conn->overrun == CQ_BROKEN && conn->qp != NULL &&
        (conn->qp->state == IBV_QPS_RTS || conn->qp->state == IBV_QPS_RTR))
        fail(rnic, conn->qp, now);
    if (conn->user.on_async != NULL)
        conn->user.on_async(conn->user.self, conn, IBV_EVENT_CQ_ERR);
}
