/* SPDX-License-Identifier: Apache-2.0
 * fake_rdma_states - the attributes that a CM knows, and the steps that a queue pair takes. */
#include "tests/unit/bridge/fake_rdma_private.h"

#include <errno.h>

enum {
    TO_INIT = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
    TO_RTR = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
             IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
    TO_RTS = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
             IBV_QP_MAX_QP_RD_ATOMIC,
    KERNELS_OWN = 1 << 22, /* as kernels set for RoCE */
    CM_TIMEOUT = 19
};

/* What the kernel's CM knows of a connection. */
int fake_rdma_init_qp_attr(struct rdma_cm_id *ibv, struct ibv_qp_attr *attr, int *mask)
{
    const struct fake_id *id = (const struct fake_id *)(const void *)ibv, *peer = id->peer;
    const enum ibv_qp_state state = attr->qp_state;
    if (fake_rdma_fails("init_qp_attr"))
        return -1;
    *mask = state == IBV_QPS_INIT ? TO_INIT : state == IBV_QPS_RTR ? TO_RTR | KERNELS_OWN : TO_RTS;
    if (state == IBV_QPS_INIT)
        return 0;
    if (peer == NULL) {
        errno = EINVAL;
        return -1;
    }
    const struct fake_id *active = id->accepted ? peer : id;
    attr->path_mtu = IBV_MTU_1024;
    attr->ah_attr.grh.traffic_class = active->tos < 0 ? 0 : (uint8_t)active->tos;
    attr->max_dest_rd_atomic = id->said.responder_resources;
    attr->max_rd_atomic = id->accepted ? 0 : peer->said.responder_resources;
    attr->timeout = active->timeout < 0 ? CM_TIMEOUT : (uint8_t)active->timeout;
    attr->retry_cnt = active->said.retry_count;
    attr->rnr_retry = id->accepted ? peer->said.rnr_retry_count : id->peer->said.rnr_retry_count;
    return 0;
}

static bool is_step(const struct ibv_qp *qp, const struct ibv_qp_attr *attr, int mask)
{
    switch (attr->qp_state) {
    case IBV_QPS_INIT:
        return (qp->state == IBV_QPS_RESET || qp->state == IBV_QPS_INIT) && mask == TO_INIT;
    case IBV_QPS_RTR:
        return qp->state == IBV_QPS_INIT && mask == TO_RTR;
    case IBV_QPS_RTS:
        return qp->state == IBV_QPS_RTR && mask == TO_RTS;
    case IBV_QPS_ERR:
        return mask == IBV_QP_STATE;
    default:
        return false;
    }
}

static void note(struct fake_qp *qp, const struct ibv_qp_attr *attr)
{
    if (attr->qp_state == IBV_QPS_RTR) {
        qp->asked.path_mtu = attr->path_mtu;
        qp->asked.min_rnr_timer = attr->min_rnr_timer;
        qp->asked.traffic_class = attr->ah_attr.grh.traffic_class;
        qp->asked.reads_served = attr->max_dest_rd_atomic;
        return;
    }
    qp->asked.timeout = attr->timeout;
    qp->asked.retry_count = attr->retry_cnt;
    qp->asked.rnr_retry = attr->rnr_retry;
    qp->asked.reads_issued = attr->max_rd_atomic;
    qp->asked.inline_data = qp->inline_room;
}

/* The one that connected has an owner by now, the one that accepts not yet. */
static void open_qp(struct fake_qp *qp)
{
    struct fake_id *peer = qp->owner == NULL ? NULL : qp->owner->peer;
    qp->asked.timeout_option = qp->owner == NULL ? -1 : qp->owner->timeout;
    fake_fabric.asked[qp->owner == NULL] = qp->asked;
    if (peer != NULL && peer->qp != NULL)
        fake_rdma_progress(peer->qp);
}

int fake_rdma_modify_qp(struct ibv_qp *ibv, struct ibv_qp_attr *attr, int mask)
{
    struct fake_qp *qp = (struct fake_qp *)(void *)ibv;
    if (fake_rdma_fails("modify_qp"))
        return errno;
    if (!is_step(ibv, attr, mask))
        return EINVAL;
    if (attr->qp_state == IBV_QPS_ERR) {
        fake_rdma_break_qp(qp);
        return 0;
    }
    ibv->state = attr->qp_state;
    if (attr->qp_state != IBV_QPS_INIT)
        note(qp, attr);
    if (attr->qp_state == IBV_QPS_RTS)
        open_qp(qp);
    return 0;
}

struct fake_rdma_asked fake_rdma_asked(bool accepted)
{
    return fake_fabric.asked[accepted];
}

struct ibv_device_attr *fake_rdma_limits(void)
{
    return &fake_fabric.limits;
}

void fake_rdma_limit_inline(uint32_t bytes)
{
    fake_fabric.inline_most = bytes;
}
