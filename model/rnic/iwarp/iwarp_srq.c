/* SPDX-License-Identifier: Apache-2.0
 * iwarp_srq - shared receive queues.
 * The first segment of a SEND takes the oldest receive, which then belongs to its connection. A
 * SEND that finds none ends the connection, as with a receive queue of its own: iWARP has no
 * RNR NAK (RFC 5041 5.3, 7.1). A connection that ends gives a receive that it has taken back as
 * flushed, and reports that it takes no more. Source: RFC 5040 5.1; siw_qp_rx.c, siw_rqe_get. */
#include "rnic/iwarp/iwarp_private.h"

#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>

static void on_limit(void *self, time_ps now)
{
    const struct verbs_srq *srq = self;
    (void)now;
    if (!srq->destroyed && srq->user.on_limit != NULL)
        srq->user.on_limit(srq->user.self);
}

/* Reported after the completion of the message that took the last receive above the limit. */
static void check_limit(struct verbs_srq *srq)
{
    const struct env *env = srq->device->site.env;
    if (iwarp_ring_count(&srq->ring) >= srq->limit)
        return;
    srq->limit = 0;
    env_timer_set(env, &srq->timer, env_now(env));
}

struct verbs_srq *iwarp_create_srq(struct verbs_device *device, uint32_t max_wr,
                                   const struct verbs_srq_user *user)
{
    struct verbs_srq *srq = memory_zeroed(1, sizeof *srq);
    *srq = (struct verbs_srq){.device = device,
                              .next = device->srqs,
                              .user = *user,
                              .ring = {.room = max_wr},
                              .items = memory_zeroed(max_wr, sizeof *srq->items)};
    srq->timer = (struct timer){.fire = on_limit, .self = srq, .due = TIME_NEVER};
    device->srqs = srq;
    return srq;
}

int iwarp_post_srq_recv(struct verbs_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    int error = 0;
    for (; wr != NULL && error == 0; wr = error == 0 ? wr->next : wr)
        error = iwarp_ring_receive(srq->device, srq->items, &srq->ring, wr);
    if (error != 0)
        *bad = wr;
    return error;
}

void iwarp_arm_srq(struct verbs_srq *srq, uint32_t limit)
{
    srq->limit = limit;
    check_limit(srq);
}

bool iwarp_take_shared(struct verbs_conn *conn)
{
    struct verbs_srq *srq = conn->user.srq;
    if (srq == NULL || iwarp_ring_count(&srq->ring) == 0)
        return false;
    conn->rq[conn->receives.tail++ % conn->receives.room] =
        srq->items[srq->ring.head++ % srq->ring.room];
    check_limit(srq);
    return true;
}

void iwarp_give_back(struct verbs_conn *conn)
{
    struct iwarp_ring *receives = &conn->receives;
    if (conn->user.srq == NULL || conn->user.on_completion == NULL)
        return;
    while (iwarp_ring_count(receives) > 0) {
        const struct ibv_wc wc = {.wr_id = conn->rq[receives->head++ % receives->room].wr_id,
                                  .status = IBV_WC_WR_FLUSH_ERR,
                                  .opcode = IBV_WC_RECV,
                                  .qp_num = conn->number};
        conn->user.on_completion(conn->user.self, conn, &wc);
    }
    if (conn->stream != NULL && conn->user.on_async != NULL)
        conn->user.on_async(conn->user.self, conn, IBV_EVENT_QP_LAST_WQE_REACHED);
}

void iwarp_free_srqs(struct verbs_device *device, bool all)
{
    struct verbs_srq **link = &device->srqs;
    while (*link != NULL) {
        struct verbs_srq *srq = *link;
        if (!all && (!srq->destroyed || srq->timer.pending > 0)) {
            link = &srq->next;
            continue;
        }
        *link = srq->next;
        free(srq->items);
        free(srq);
    }
}

void iwarp_destroy_srq(struct verbs_srq *srq)
{
    env_timer_cancel(srq->device->site.env, &srq->timer);
    srq->destroyed = true;
    iwarp_free_srqs(srq->device, false);
}
