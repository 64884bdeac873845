/* SPDX-License-Identifier: Apache-2.0
 * verbs_sim - implements the verbs table: from ibv_send_wr to a slot of a queue. */
#include "rnic/host/verbs_sim.h"

#include "rnic/host/lag.h"
#include "rnic/host/rnic_watch.h"
#include "rnic/pipeline/cq.h"
#include "rnic/pipeline/pipeline.h"
#include "rnic/qp/arrived.h"
#include "rnic/qp/srq.h"
#include "rnic/soft/soft.h"

#include <endian.h>
#include <errno.h>

#define MESSAGE_MAX UINT64_C(0x80000000) /* IBTA Vol 1 9.7.7: 2^31 bytes */

static struct rnic *of_device(struct verbs_device *device)
{
    return (struct rnic *)(void *)device;
}

struct verbs_device *verbs_sim_device(struct rnic *rnic)
{
    return (struct verbs_device *)(void *)rnic;
}

static struct verbs_mr *reg_mr(struct verbs_device *device, uint32_t length, int access,
                               enum verbs_memory memory)
{
    struct rnic *rnic = of_device(device);
    struct mr *mr = mr_create(rnic->mrs, length, access, memory);
    if (rnic->soft != NULL)
        soft_register(rnic, mr);
    return &mr->verbs;
}

static struct mr *of_verbs(struct verbs_mr *mr)
{
    return (struct mr *)(void *)mr;
}

static void dereg_mr(struct verbs_device *device, struct verbs_mr *mr)
{
    mr_free(of_device(device)->mrs, of_verbs(mr));
}

static void renew_rkey(struct verbs_conn *conn, struct verbs_mr *mr, uint32_t length)
{
    struct rnic *rnic = conn->rnic;
    conn->fences = rnic->params.pipeline.register_fence != 0;
    mr_renew(of_verbs(mr));
    if (UNLIKELY(rnic->pipeline != NULL))
        pipeline_register(rnic, length, rnic_now(rnic));
}

static int listen_at(struct verbs_device *device, uint16_t port, const struct verbs_user *user)
{
    return cm_listen(lag_lead(of_device(device)), port, user);
}

static void unlisten(struct verbs_device *device, uint16_t port)
{
    cm_unlisten(lag_lead(of_device(device)), port);
}

static struct verbs_conn *connect_to(struct verbs_device *device, const struct verbs_peer *peer,
                                     const struct ibv_qp_cap *cap,
                                     const struct rdma_conn_param *param,
                                     const struct verbs_user *user)
{
    return cm_connect(lag_lead(of_device(device)), peer, cap, param, user);
}

/* ------------------------------------------------------------------ posting */

/* Collects the SGEs of a request and their length; false: invalid lkey or range, or bytes after
 * bulk. */
static bool take_sges(const struct rnic *rnic, const struct ibv_sge *from, int count,
                      struct mr_sge to[MR_SGES], uint32_t *length)
{
    uint64_t sum = 0;
    if (count < 0 || count > MR_SGES)
        return false;
    for (int i = 0; i < count; i++) {
        struct mr *mr = mr_local(rnic->mrs, from[i].lkey, from[i].addr, from[i].length);
        if (mr == NULL)
            return false;
        if (i > 0 && to[i - 1].mr->verbs.memory == VERBS_BULK && mr->verbs.memory == VERBS_BYTES)
            return false;
        to[i] = (struct mr_sge){mr, (uint32_t)(from[i].addr - mr->verbs.addr), from[i].length};
        sum += from[i].length;
    }
    *length = (uint32_t)sum;
    return sum <= MESSAGE_MAX;
}

static uint32_t content_of(const struct mr_sge *sges, int count)
{
    for (int i = 0; i < count; i++)
        if (sges[i].mr->verbs.memory == VERBS_BULK)
            return sges[i].mr->verbs.content;
    return 0;
}

static bool is_rdma(enum ibv_wr_opcode opcode)
{
    return opcode == IBV_WR_RDMA_WRITE || opcode == IBV_WR_RDMA_WRITE_WITH_IMM ||
           opcode == IBV_WR_RDMA_READ;
}

static bool is_known(enum ibv_wr_opcode opcode)
{
    return is_rdma(opcode) || opcode == IBV_WR_SEND || opcode == IBV_WR_SEND_WITH_IMM ||
           opcode == IBV_WR_SEND_WITH_INV || opcode == IBV_WR_LOCAL_INV;
}

static bool is_mixed(const struct qp_wqe *wqe)
{
    return wqe->real_bytes != 0 && wqe->real_bytes != wqe->length;
}

static int make_wqe(const struct rnic *rnic, const struct qp *qp, const struct ibv_send_wr *wr,
                    struct qp_wqe *wqe)
{
    *wqe = (struct qp_wqe){
        .wr_id = wr->wr_id,
        .opcode = (uint8_t)wr->opcode,
        .send_flags = (uint8_t)wr->send_flags,
        .sge_count = (uint8_t)wr->num_sge,
    };
    if (!is_known(wr->opcode) ||
        !take_sges(rnic, wr->sg_list, wr->num_sge, wqe->sges, &wqe->length))
        return EINVAL;
    if (wr->opcode == IBV_WR_RDMA_READ && qp->read_limit == 0)
        return EINVAL;
    if (is_rdma(wr->opcode)) {
        wqe->remote_address = wr->wr.rdma.remote_addr;
        wqe->rkey = wr->wr.rdma.rkey;
    } else if (wr->opcode == IBV_WR_SEND_WITH_INV || wr->opcode == IBV_WR_LOCAL_INV) {
        wqe->rkey = wr->invalidate_rkey;
    }
    if (wr->opcode == IBV_WR_SEND_WITH_IMM || wr->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
        wqe->immediate = be32toh(wr->imm_data);
    if (wr->opcode != IBV_WR_RDMA_READ) {
        wqe->content = content_of(wqe->sges, wr->num_sge);
        wqe->real_bytes = mr_real_bytes(wqe->sges, wqe->sge_count);
    }
    return is_rdma(wr->opcode) && is_mixed(wqe) ? EINVAL : 0;
}

static void flush(struct rnic *rnic, struct qp *qp, uint64_t wr_id, enum ibv_wc_opcode opcode)
{
    const struct ibv_wc wc = {.wr_id = wr_id, .status = IBV_WC_WR_FLUSH_ERR, .opcode = opcode};
    rnic_complete(rnic, qp, &wc, rnic_now(rnic));
}

static int post_one_send(struct rnic *rnic, struct qp *qp, const struct ibv_send_wr *wr)
{
    if (qp->state != IBV_QPS_RTS && qp->state != IBV_QPS_ERR)
        return EINVAL;
    if (qp->state == IBV_QPS_ERR) {
        rnic->counters.posted_sends++;
        rnic->counters.finished_sends++;
        flush(rnic, qp, wr->wr_id, IBV_WC_SEND);
        return 0;
    }
    if (!qp_may_post_send(qp))
        return ENOMEM;
    const int error = make_wqe(rnic, qp, wr, qp_wqe(qp, qp->sq_tail));
    if (error != 0)
        return error;
    if (UNLIKELY(qp->conn->fences)) {
        qp_wqe(qp, qp->sq_tail)->send_flags |= QP_WQE_DRAINS;
        qp->conn->fences = false;
    }
    rnic->counters.posted_sends++;
    if (wr->opcode != IBV_WR_LOCAL_INV)
        rnic_watch_work(rnic, qp, PROBE_WORK_POSTED, rnic_watch_operation(wr->opcode), true,
                        rnic_now(rnic));
    qp->sq_tail++;
    return 0;
}

static int post_send(struct verbs_conn *conn, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    struct rnic *rnic = conn->rnic;
    struct qp *qp = conn->qp;
    int error = qp == NULL ? EINVAL : 0;
    const uint32_t before = qp == NULL ? 0 : qp->sq_tail;
    for (; error == 0 && wr != NULL; wr = error == 0 ? wr->next : wr)
        error = post_one_send(rnic, qp, wr);
    if (error != 0)
        *bad = wr;
    if (qp == NULL || qp->sq_tail == before || qp->state != IBV_QPS_RTS)
        return error;
    if (UNLIKELY(rnic->soft != NULL))
        soft_post(rnic, qp, qp->sq_tail - before, rnic_now(rnic));
    else if (UNLIKELY(rnic->pipeline != NULL))
        pipeline_ring(rnic, qp, rnic_now(rnic));
    else
        rnic_post(rnic, rnic_now(rnic) + rnic->params.tx_delay, RNIC_EVENT_DOORBELL,
                  (uint64_t)qp->qpn << 32 | qp->sq_tail);
    return error;
}

static bool make_receive(const struct rnic *rnic, const struct ibv_recv_wr *wr,
                         struct qp_receive *made)
{
    *made = (struct qp_receive){.wr_id = wr->wr_id, .sge_count = (uint32_t)wr->num_sge};
    return take_sges(rnic, wr->sg_list, wr->num_sge, made->sges, &made->length);
}

static void posted_receive(struct rnic *rnic)
{
    if (UNLIKELY(rnic->soft != NULL))
        soft_posted_receive(rnic);
    rnic->counters.posted_receives++;
}

static int post_one_recv(struct rnic *rnic, struct qp *qp, const struct ibv_recv_wr *wr)
{
    struct qp_receive made;
    if (qp->state == IBV_QPS_ERR) {
        rnic->counters.posted_receives++;
        rnic->counters.finished_receives++;
        flush(rnic, qp, wr->wr_id, IBV_WC_RECV);
        return 0;
    }
    if (!qp_may_post_receive(qp))
        return ENOMEM;
    if (!make_receive(rnic, wr, &made))
        return EINVAL;
    qp->rq[qp->rq_tail++ & qp->rq_mask] = made;
    posted_receive(rnic);
    return 0;
}

static int post_recv(struct verbs_conn *conn, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    int error = conn->qp == NULL || conn->user.srq != NULL ? EINVAL : 0;
    for (; error == 0 && wr != NULL; wr = error == 0 ? wr->next : wr)
        error = post_one_recv(conn->rnic, conn->qp, wr);
    if (error != 0)
        *bad = wr;
    return error;
}

/* ------------------------------------------------------------------ shared receives */

static struct verbs_srq *create_srq(struct verbs_device *device, uint32_t max_wr,
                                    const struct verbs_srq_user *user)
{
    return srq_create(of_device(device), max_wr, user);
}

static int post_one_srq_recv(struct verbs_srq *srq, const struct ibv_recv_wr *wr)
{
    struct qp_receive made;
    if (!make_receive(srq->rnic, wr, &made))
        return EINVAL;
    if (!srq_post(srq, &made))
        return ENOMEM;
    posted_receive(srq->rnic);
    return 0;
}

static int post_srq_recv(struct verbs_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    int error = 0;
    for (; error == 0 && wr != NULL; wr = error == 0 ? wr->next : wr)
        error = post_one_srq_recv(srq, wr);
    if (error != 0)
        *bad = wr;
    return error;
}

/* ------------------------------------------------------------------ queries */

static uint32_t local_ip(struct verbs_device *device)
{
    return rnic_ip(of_device(device)->endpoint);
}

static uint32_t qp_num(const struct verbs_conn *conn)
{
    return conn->qp == NULL ? 0 : conn->qp->qpn;
}

/* With a software RNIC the process pays according to its own parameters. */
static time_ps post_cost(struct verbs_device *device, time_ps *spread)
{
    const struct rnic *rnic = of_device(device);
    const time_ps cost = rnic->soft != NULL ? 0 : rnic->params.pipeline.post;
    *spread = (time_ps)((__int128)cost * rnic->params.pipeline.post_jitter / PPM);
    return cost;
}

static uint8_t max_rd_atomic(struct verbs_device *device)
{
    return (uint8_t)of_device(device)->params.max_rd_atomic;
}

static void make(struct verbs_device *device, struct verbs_mr *mr, uint32_t length)
{
    struct rnic *rnic = of_device(device);
    if (rnic->soft != NULL)
        soft_fill(rnic, of_verbs(mr), length);
}

static void look_at_region(struct verbs_device *device, struct verbs_mr *mr, uint32_t length)
{
    struct rnic *rnic = of_device(device);
    (void)mr;
    if (rnic->soft != NULL)
        soft_look(rnic, length);
}

static bool arrived(const struct verbs_conn *conn, struct verbs_arrived *arrived)
{
    const struct qp *qp = conn->qp;
    if (conn->rnic->peers == NULL || qp == NULL || qp->flow.qpn == 0)
        return false;
    const struct rnic *peer = lag_owner(conn->rnic->peers[qp->flow.destination], qp->flow.qpn);
    const struct qp *other = rnic_find_qp(peer, qp->flow.qpn);
    if (other == NULL || other->flow.qpn != qp->qpn)
        return false;
    *arrived = (struct verbs_arrived){
        .here = arrived_bytes(qp),
        .there = arrived_bytes(other),
        .for_good = !conn->rnic->recovery->restarts && !peer->recovery->restarts,
    };
    return true;
}

static time_ps completion_cpu(const struct verbs_conn *conn)
{
    return conn->rnic->cqs == NULL ? 0 : cq_cpu(conn);
}

const struct verbs_ops verbs_sim = {
    .name = "sim",
    .fast_registration = true,
    .reg_mr = reg_mr,
    .dereg_mr = dereg_mr,
    .renew_rkey = renew_rkey,
    .listen = listen_at,
    .unlisten = unlisten,
    .connect = connect_to,
    .prepare = cm_prepare,
    .accept = cm_accept,
    .reject = cm_reject,
    .disconnect = cm_disconnect,
    .destroy = cm_destroy,
    .post_send = post_send,
    .post_recv = post_recv,
    .create_srq = create_srq,
    .post_srq_recv = post_srq_recv,
    .arm_srq = srq_arm,
    .destroy_srq = srq_destroy,
    .local_ip = local_ip,
    .qp_num = qp_num,
    .max_rd_atomic = max_rd_atomic,
    .post_cost = post_cost,
    .make = make,
    .look = look_at_region,
    .arrived = arrived,
    .cpu = completion_cpu,
};
