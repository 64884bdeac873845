/* SPDX-License-Identifier: Apache-2.0
 * rdma_calls - the functions of the libraries.
 * Some of them are inline functions or macros without an address, so they have wrappers here. */
#include "bridge/verbs/rdma_calls.h"

static int req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
    return ibv_req_notify_cq(cq, solicited_only);
}

static int poll_cq(struct ibv_cq *cq, int count, struct ibv_wc *wc)
{
    return ibv_poll_cq(cq, count, wc);
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    return ibv_post_send(qp, wr, bad);
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    return ibv_post_recv(qp, wr, bad);
}

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr)
{
    return ibv_query_port(context, port, attr);
}

static const char *device_name(struct ibv_context *context)
{
    return ibv_get_device_name(context->device);
}

const struct rdma_calls rdma_calls_real = {
    .create_event_channel = rdma_create_event_channel,
    .destroy_event_channel = rdma_destroy_event_channel,
    .get_cm_event = rdma_get_cm_event,
    .ack_cm_event = rdma_ack_cm_event,
    .create_id = rdma_create_id,
    .destroy_id = rdma_destroy_id,
    .set_option = rdma_set_option,
    .bind_addr = rdma_bind_addr,
    .resolve_addr = rdma_resolve_addr,
    .resolve_route = rdma_resolve_route,
    .listen = rdma_listen,
    .connect = rdma_connect,
    .accept = rdma_accept,
    .reject = rdma_reject,
    .disconnect = rdma_disconnect,
    .notify = rdma_notify,
    .establish = rdma_establish,
    .init_qp_attr = rdma_init_qp_attr,
    .create_qp = ibv_create_qp,
    .destroy_qp = ibv_destroy_qp,
    .modify_qp = ibv_modify_qp,
    .alloc_pd = ibv_alloc_pd,
    .dealloc_pd = ibv_dealloc_pd,
    .reg_mr = ibv_reg_mr, /* the function, not the macro of that name */
    .dereg_mr = ibv_dereg_mr,
    .create_comp_channel = ibv_create_comp_channel,
    .destroy_comp_channel = ibv_destroy_comp_channel,
    .create_cq = ibv_create_cq,
    .destroy_cq = ibv_destroy_cq,
    .req_notify_cq = req_notify_cq,
    .get_cq_event = ibv_get_cq_event,
    .ack_cq_events = ibv_ack_cq_events,
    .poll_cq = poll_cq,
    .post_send = post_send,
    .post_recv = post_recv,
    .query_device = ibv_query_device,
    .query_port = query_port,
    .get_async_event = ibv_get_async_event,
    .ack_async_event = ibv_ack_async_event,
    .device_name = device_name,
};
