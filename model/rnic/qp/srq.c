/* SPDX-License-Identifier: Apache-2.0
 * srq - a ring of receives. */
#include "rnic/qp/srq.h"

#include "base/memory.h"
#include "rnic/qp/qp.h"

#include <stdlib.h>

static uint32_t count_of(const struct verbs_srq *srq)
{
    return srq->tail - srq->head;
}

struct verbs_srq *srq_create(struct rnic *rnic, uint32_t max_wr, const struct verbs_srq_user *user)
{
    uint32_t slots = 1;
    while (slots < max_wr)
        slots *= 2;
    struct verbs_srq *srq = memory_new(sizeof *srq);
    *srq = (struct verbs_srq){
        .rnic = rnic,
        .items = memory_zeroed(slots, sizeof *srq->items),
        .mask = slots - 1,
        .index = rnic->srq_count,
        .user = *user,
    };
    rnic->srqs = memory_grown(rnic->srqs, rnic->srq_count, &rnic->srq_room, sizeof(void *));
    rnic->srqs[rnic->srq_count++] = srq;
    return srq;
}

void srq_destroy(struct verbs_srq *srq)
{
    struct rnic *rnic = srq->rnic;
    rnic->counters.finished_receives += count_of(srq);
    rnic->srqs[srq->index] = NULL;
    free(srq->items);
    free(srq);
}

void srq_fini(struct rnic *rnic)
{
    for (uint32_t i = 0; i < rnic->srq_count; i++)
        if (rnic->srqs[i] != NULL)
            srq_destroy(rnic->srqs[i]);
    free(rnic->srqs);
}

bool srq_post(struct verbs_srq *srq, const struct qp_receive *receive)
{
    if (count_of(srq) > srq->mask)
        return false;
    srq->items[srq->tail++ & srq->mask] = *receive;
    return true;
}

/* The event is delivered after the completion of the message that took the last receive above the
 * limit. */
static void check_limit(struct verbs_srq *srq)
{
    struct rnic *rnic = srq->rnic;
    if (count_of(srq) >= srq->limit)
        return;
    srq->limit = 0;
    rnic_post(rnic, rnic_now(rnic) + rnic->params.rx_delay, RNIC_EVENT_SRQ_LIMIT, srq->index);
}

bool srq_take(struct qp *qp)
{
    struct verbs_srq *srq = qp->conn->user.srq;
    if (srq == NULL || count_of(srq) == 0)
        return false;
    CHECK(qp->rq_head == qp->rq_tail);
    qp->rq[qp->rq_tail++ & qp->rq_mask] = srq->items[srq->head++ & srq->mask];
    if (UNLIKELY(qp->conn->rnic != srq->rnic)) { /* a different member of a link aggregate */
        srq->rnic->counters.posted_receives--;
        qp->conn->rnic->counters.posted_receives++;
    }
    check_limit(srq);
    return true;
}

void srq_arm(struct verbs_srq *srq, uint32_t limit)
{
    srq->limit = limit;
    check_limit(srq);
}

void srq_on_limit(struct rnic *rnic, uint32_t index)
{
    struct verbs_srq *srq = rnic->srqs[index];
    if (srq != NULL && srq->user.on_limit != NULL)
        srq->user.on_limit(srq->user.self);
}

void srq_left(struct rnic *rnic, const struct qp *qp, time_ps now)
{
    const struct verbs_conn *conn = qp->conn;
    if (conn->user.on_async != NULL)
        rnic_post(rnic, now + rnic->params.rx_delay, RNIC_EVENT_LAST_WQE,
                  (uint64_t)conn->generation << 32 | conn->slot);
}

void srq_on_left(const struct rnic *rnic, uint64_t argument)
{
    struct verbs_conn *conn = slab_at(&rnic->cm.conns, (uint32_t)argument);
    if (conn->taken && !conn->destroyed && conn->generation == argument >> 32)
        conn->user.on_async(conn->user.self, conn, IBV_EVENT_QP_LAST_WQE_REACHED);
}

uint64_t srq_posted(const struct rnic *rnic)
{
    uint64_t posted = 0;
    for (uint32_t i = 0; i < rnic->srq_count; i++)
        posted += rnic->srqs[i] == NULL ? 0 : count_of(rnic->srqs[i]);
    return posted;
}
