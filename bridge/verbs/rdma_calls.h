/* SPDX-License-Identifier: Apache-2.0
 * rdma_calls - every call of libibverbs and librdmacm by the bridge.
 * The bridge calls through this table, so that tests can replace the device. Signatures, ownership
 * and errors are those of the functions with the same names (their man pages): int results are 0 or
 * -1 with errno for rdma_*, 0 or an errno value for ibv_post_* and ibv_modify/query; pointers are
 * NULL with errno on failure. */
#ifndef STORMGLASS_BRIDGE_VERBS_RDMA_CALLS_H
#define STORMGLASS_BRIDGE_VERBS_RDMA_CALLS_H

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

struct rdma_calls {
    struct rdma_event_channel *(*create_event_channel)(void);
    void (*destroy_event_channel)(struct rdma_event_channel *);
    int (*get_cm_event)(struct rdma_event_channel *, struct rdma_cm_event **);
    int (*ack_cm_event)(struct rdma_cm_event *);
    int (*create_id)(struct rdma_event_channel *, struct rdma_cm_id **, void *,
                     enum rdma_port_space);
    int (*destroy_id)(struct rdma_cm_id *);
    int (*set_option)(struct rdma_cm_id *, int, int, void *, size_t);
    int (*bind_addr)(struct rdma_cm_id *, struct sockaddr *);
    int (*resolve_addr)(struct rdma_cm_id *, struct sockaddr *, struct sockaddr *, int);
    int (*resolve_route)(struct rdma_cm_id *, int);
    int (*listen)(struct rdma_cm_id *, int);
    int (*connect)(struct rdma_cm_id *, struct rdma_conn_param *);
    int (*accept)(struct rdma_cm_id *, struct rdma_conn_param *);
    int (*reject)(struct rdma_cm_id *, const void *, uint8_t);
    int (*disconnect)(struct rdma_cm_id *);
    int (*notify)(struct rdma_cm_id *, enum ibv_event_type);
    int (*establish)(struct rdma_cm_id *);
    int (*init_qp_attr)(struct rdma_cm_id *, struct ibv_qp_attr *, int *);
    struct ibv_qp *(*create_qp)(struct ibv_pd *, struct ibv_qp_init_attr *);
    int (*destroy_qp)(struct ibv_qp *);
    int (*modify_qp)(struct ibv_qp *, struct ibv_qp_attr *, int);

    struct ibv_pd *(*alloc_pd)(struct ibv_context *);
    int (*dealloc_pd)(struct ibv_pd *);
    struct ibv_mr *(*reg_mr)(struct ibv_pd *, void *, size_t, int);
    int (*dereg_mr)(struct ibv_mr *);
    struct ibv_comp_channel *(*create_comp_channel)(struct ibv_context *);
    int (*destroy_comp_channel)(struct ibv_comp_channel *);
    struct ibv_cq *(*create_cq)(struct ibv_context *, int, void *, struct ibv_comp_channel *, int);
    int (*destroy_cq)(struct ibv_cq *);
    int (*req_notify_cq)(struct ibv_cq *, int);
    int (*get_cq_event)(struct ibv_comp_channel *, struct ibv_cq **, void **);
    void (*ack_cq_events)(struct ibv_cq *, unsigned int);
    int (*poll_cq)(struct ibv_cq *, int, struct ibv_wc *);
    int (*post_send)(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **);
    int (*post_recv)(struct ibv_qp *, struct ibv_recv_wr *, struct ibv_recv_wr **);
    int (*query_device)(struct ibv_context *, struct ibv_device_attr *);
    int (*query_port)(struct ibv_context *, uint8_t, struct ibv_port_attr *);
    int (*get_async_event)(struct ibv_context *, struct ibv_async_event *);
    void (*ack_async_event)(struct ibv_async_event *);
    const char *(*device_name)(struct ibv_context *);
};

extern const struct rdma_calls rdma_calls_real;

#endif
