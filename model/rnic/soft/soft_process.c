/* SPDX-License-Identifier: Apache-2.0
 * soft_process - the interface between the process and a software RNIC: calls take the process's
 * own time, and completions wait until it gets to them. */
#include "rnic/host/overrun.h"
#include "rnic/soft/soft_private.h"

void soft_post(struct rnic *rnic, struct qp *qp, uint32_t count, time_ps now)
{
    for (uint32_t i = qp->sq_tail - count; i != qp->sq_tail; i++) {
        const struct qp_wqe *wqe = qp_wqe(qp, i);
        for (unsigned s = 0; s < wqe->sge_count && wqe->opcode != IBV_WR_RDMA_READ; s++)
            if (wqe->sges[s].mr->verbs.memory == VERBS_BULK)
                soft_fill(rnic, wqe->sges[s].mr, wqe->sges[s].length);
    }
    processor_charge(soft_processor(rnic),
                     soft_costs(rnic)->post + count * soft_costs(rnic)->work_request);
    qp->sq_visible = qp->sq_tail;
    soft_schedule(rnic, qp, now);
}

void soft_posted_receive(struct rnic *rnic)
{
    processor_charge(soft_processor(rnic), soft_costs(rnic)->work_request);
}

static struct verbs_conn *conn_of(const struct process_queue *queue)
{
    return (struct verbs_conn *)(void *)((char *)(uintptr_t)queue -
                                         offsetof(struct verbs_conn, queue));
}

const void *soft_device_of(const struct process_queue *queue)
{
    return conn_of(queue)->rnic;
}

static void deliver(struct process_queue *queue)
{
    struct verbs_conn *conn = conn_of(queue);
    struct rnic *rnic = conn->rnic;
    const uint32_t index = conn->oldest;
    const struct rnic_completion *completion = slab_at(&rnic->completions, index);
    conn->oldest = completion->next;
    processor_charge(soft_processor(rnic), soft_costs(rnic)->look_byte * completion->bulk);
    rnic_deliver(rnic, index);
}

/* Bytes of bulk data in a completed receive or READ that the process will check. */
static uint32_t bulk_of(const struct qp *qp, const struct ibv_wc *wc)
{
    if (wc->status != IBV_WC_SUCCESS)
        return 0;
    if (wc->opcode == IBV_WC_RECV) {
        const struct qp_receive *receive = &qp->rq[(qp->rq_head - 1) & qp->rq_mask];
        const uint32_t real = mr_real_bytes(receive->sges, receive->sge_count);
        mr_forget(receive->sges, receive->sge_count);
        return wc->byte_len > real ? wc->byte_len - real : 0;
    }
    if (wc->opcode != IBV_WC_RDMA_READ)
        return 0;
    const struct qp_wqe *wqe = &qp->sq[(qp->sq_head - 1) & qp->sq_mask];
    mr_forget(wqe->sges, wqe->sge_count);
    return wc->byte_len - mr_real_bytes(wqe->sges, wqe->sge_count);
}

void soft_complete(struct rnic *rnic, struct qp *qp, uint32_t index)
{
    struct rnic_completion *completion = slab_at(&rnic->completions, index);
    struct verbs_conn *conn = completion->conn;
    if (UNLIKELY(overrun_by(rnic, index, conn->queue.count)))
        return;
    completion->next = POOL_NONE;
    completion->bulk = bulk_of(qp, &completion->wc);
    if (conn->queue.count == 0)
        conn->oldest = index;
    else
        ((struct rnic_completion *)slab_at(&rnic->completions, conn->newest))->next = index;
    conn->newest = index;
    conn->queue.deliver = deliver;
    processor_charge(soft_processor(rnic), soft_costs(rnic)->complete);
    process_notify(&rnic->soft->machine->process, &conn->queue);
}

void soft_forget(struct verbs_conn *conn)
{
    process_forget(&conn->rnic->soft->machine->process, &conn->queue);
}

/* As on the bridge: a buffer that a peer may have written is always filled again. */
void soft_fill(struct rnic *rnic, struct mr *mr, uint32_t length)
{
    const bool known = mr->filled >= length && mr->filled_with == mr->verbs.content &&
                       (mr->access & IBV_ACCESS_REMOTE_WRITE) == 0;
    if (known)
        return;
    mr->filled = length;
    mr->filled_with = mr->verbs.content;
    processor_charge(soft_processor(rnic), soft_costs(rnic)->fill_byte * length);
}

void soft_look(struct rnic *rnic, uint32_t length)
{
    processor_charge(soft_processor(rnic), soft_costs(rnic)->look_byte * length);
}

void soft_register(struct rnic *rnic, struct mr *mr)
{
    processor_charge(soft_processor(rnic),
                     soft_costs(rnic)->registration +
                         soft_costs(rnic)->registration_byte * mr->verbs.length);
    if (mr->verbs.memory == VERBS_BULK && (mr->access & IBV_ACCESS_REMOTE_READ) != 0)
        soft_fill(rnic, mr, mr->verbs.length);
}

/* ------------------------------------------------------------------ timers */

/* The kernel's timer wheel: a timer expires at a tick, at least one tick late, and later in coarser
 * levels (Linux kernel/time/timer.c calc_index: 64 slots per level, each level 8 times as
 * coarse). */
time_ps soft_timer(const struct soft_params *params, time_ps from, time_ps wait)
{
    const time_ps tick = params->timer_tick;
    if (tick == 0)
        return from + wait;
    const time_ps ticks = wait < tick ? 1 : wait / tick;
    time_ps grain = 1;
    while (ticks >= 64 * grain)
        grain *= 8;
    return (from / tick + ticks + grain) / grain * grain * tick;
}
