/* SPDX-License-Identifier: Apache-2.0
 * run_laws_qp - queue pairs when a run is over.
 *   - who waits has a timer, who has something to send is about to, what is answered is complete
 *   - the bytes of messages that were answered have come; when nothing failed, no others have */
#include "tests/laws/run/run_laws_private.h"

#include "rnic/host/rnic.h"

static void judge_qp(struct run_laws *laws, const struct host *host, const struct qp *qp)
{
    if (qp->state != IBV_QPS_RTS)
        return;
    const bool waits = qp_outstanding(qp);
    if (waits && qp->timeout > 0 && !qp->timeout_pending)
        run_laws_break(laws, "%s QP 0x%06x waits for an answer and no timer runs", host->node.name,
                       qp->qpn);
    if (!waits && qp->sq_cur != qp->sq_visible && !laws->terms.slow_hosts &&
        (qp->flags & (QP_LISTED | QP_RNR_WAIT | QP_LIMITED | QP_SOFT)) == 0 &&
        qp->wake_at == TIME_NEVER)
        run_laws_break(laws, "%s QP 0x%06x has something to send and does not", host->node.name,
                       qp->qpn);
    if (!waits && qp->sq_head != qp->sq_cur)
        run_laws_break(laws, "%s QP 0x%06x: all is answered and not all complete", host->node.name,
                       qp->qpn);
}

/* Of a controller that closes the last answers are not acknowledged any more. */
enum { CLOSING_BYTES = 4096 };

/* At least one for each instance. */
static uint64_t controllers_of(const struct run_laws *laws, uint32_t workload)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < world_instances(laws->world, workload); i++) {
        uint32_t path = 0;
        while (world_controller(laws->world, workload, i, path) != NULL)
            path++;
        count += path > 0 ? path : 1;
    }
    return count;
}

static void judge_bytes(struct run_laws *laws)
{
    uint64_t answered = 0, came = 0, failed = laws->terms.go_back_0, closing = 0;
    for (uint32_t i = 0; i < laws->scenario->endpoint_count; i++) {
        const struct rnic_counters *counters = &laws->world->rnics[i]->counters;
        answered += counters->message_bytes;
        came += counters->received_bytes;
        failed += counters->qp_errors;
    }
    for (uint32_t w = 0; w < laws->world->workload_count; w++) {
        const struct workload_stats *stats = &laws->world->stats[w];
        failed += stats->losses + stats->failed + world_outstanding(laws->world, w);
        closing += CLOSING_BYTES * controllers_of(laws, w);
    }
    if (answered > came || (came - answered > closing && failed == 0 && run_laws_is_closed(laws)))
        run_laws_break(laws, "messages of %llu B are answered, and %llu B have come",
                       (unsigned long long)answered, (unsigned long long)came);
}

bool run_laws_qp_is_slow(const struct run_laws *laws)
{
    for (uint32_t i = 0; i < laws->scenario->endpoint_count; i++) {
        const struct rnic *rnic = laws->world->rnics[i];
        for (uint32_t q = 0; q <= rnic->qp_mask; q++)
            if ((rnic->qp_slots[q].flags & QP_TX_ACTIVE) != 0 &&
                rnic->qp_slots[q].paced_until > laws->world->engine.now)
                return true;
    }
    return false;
}

void run_laws_qp_judge(struct run_laws *laws)
{
    for (uint32_t i = 0; i < laws->scenario->endpoint_count; i++) {
        const struct rnic *rnic = laws->world->rnics[i];
        for (uint32_t q = 0; q <= rnic->qp_mask; q++)
            if (rnic->qp_slots[q].qpn != 0)
                judge_qp(laws, (const struct host *)(const void *)rnic->port.node,
                         &rnic->qp_slots[q]);
    }
    judge_bytes(laws);
}
