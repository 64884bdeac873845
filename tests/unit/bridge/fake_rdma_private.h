/* SPDX-License-Identifier: Apache-2.0
 * fake_rdma_private - what the files of fake_rdma share. */
#ifndef STORMGLASS_TESTS_FAKE_RDMA_PRIVATE_H
#define STORMGLASS_TESTS_FAKE_RDMA_PRIVATE_H

#include "tests/unit/bridge/fake_rdma.h"

enum { FAKE_NODES = 4, FAKE_MRS = 1 << 16, FAKE_DATA_MAX = 256, FAKE_SGES = 4 };

struct fake_async {
    struct fake_async *next;
    struct ibv_async_event event;
};

struct fake_node {
    struct ibv_context context; /* first */
    uint32_t ip;
    bool silent, removed;
    unsigned regions, region_limit; /* alive, and the most; no limit: 0 */
    struct fake_async *asyncs;
};

struct fake_event {
    struct rdma_cm_event event; /* first */
    struct fake_event *next;
    unsigned char data[FAKE_DATA_MAX];
};

struct fake_channel {
    struct rdma_event_channel channel; /* first */
    struct fake_event *first, **last;
};

struct fake_wc {
    struct fake_wc *next;
    struct ibv_wc wc;
};

struct fake_cq {
    struct ibv_cq cq; /* first */
    struct fake_cq *next_event;
    struct fake_wc *first, **last;
    unsigned depth, unacked;
    bool armed, signalled;
};

struct fake_completions {
    struct ibv_comp_channel channel; /* first */
    struct fake_cq *first;
};

struct fake_wr {
    struct fake_wr *next;
    uint64_t wr_id, remote;
    struct ibv_sge sges[FAKE_SGES];
    uint32_t rkey, invalidate;
    int sge_count;
    enum ibv_wr_opcode opcode;
    bool signalled, announced; /* announced: counted as RNR */
};

struct fake_qp {
    struct ibv_qp qp; /* first */
    struct fake_qp *next;
    struct fake_id *owner; /* from rdma_connect or rdma_accept on */
    struct fake_wr *sends, **last_send, *receives, **last_receive;
    struct fake_rdma_asked asked;
    uint32_t inline_room;
    unsigned send_count, receive_count, send_room, receive_room;
};

enum fake_state { FAKE_IDLE, FAKE_LISTENING, FAKE_ASKING, FAKE_OPEN, FAKE_HALF, FAKE_CLOSED };

struct fake_id {
    struct rdma_cm_id id; /* first */
    struct fake_id *next, *peer;
    struct fake_node *node;
    struct fake_qp *qp;
    enum fake_state state;
    int tos, timeout;            /* -1: none set */
    struct rdma_conn_param said; /* in REQ or REP, without private data */
    bool accepted;
    uint32_t ip;
    uint16_t port;
};

struct fake_fabric {
    struct fake_node *nodes[FAKE_NODES];
    unsigned node_count, alive, rnr;
    struct fake_rdma_asked asked[2]; /* by the side that connected, and that accepted */
    struct ibv_device_attr limits;
    uint32_t inline_most;
    struct fake_id *ids;
    struct fake_qp *qps;
    struct ibv_mr *mrs[FAKE_MRS]; /* by key */
    int mr_access[FAKE_MRS];
    uint32_t next_mr, next_qp;
    const char *fail_call;
    unsigned fail_skip;
    int fail_error;
    enum rdma_cm_event_type event_of, event_as;
    int event_status;
    bool event_set, corrupt;
    enum ibv_wc_status end_status;
    unsigned end_skip;
    bool end_set;
    int poll_limit, tos;
    unsigned notified;
};

extern struct fake_fabric fake_fabric;

/* True when the call is to fail: errno is set. */
bool fake_rdma_fails(const char *call);
void *fake_rdma_new(size_t bytes);
void fake_rdma_delete(void *object);
void fake_rdma_signal(int fd);
bool fake_rdma_take_signal(int fd);

struct fake_node *fake_rdma_node_at(uint32_t ip); /* NULL: none, or it was removed */

/* fake_rdma_qp.c */
struct ibv_qp *fake_rdma_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *init);
int fake_rdma_destroy_qp(struct ibv_qp *qp);
/* fake_rdma_states.c */
int fake_rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *attr, int *mask);
/* The CM hears which queue pair the identifier is for; false: there is none. */
bool fake_rdma_name_qp(struct fake_id *id, uint32_t qp_num);
int fake_rdma_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask);
void fake_rdma_break_qp(struct fake_qp *qp);
void fake_rdma_progress(struct fake_qp *qp);
void fake_rdma_give_up(struct fake_qp *qp);
struct ibv_cq *fake_rdma_create_cq(struct ibv_context *context, int entries, void *cq_context,
                                   struct ibv_comp_channel *channel, int vector);
int fake_rdma_destroy_cq(struct ibv_cq *cq);
int fake_rdma_notify(struct ibv_cq *cq, int solicited);
int fake_rdma_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **context);
void fake_rdma_ack_cq_events(struct ibv_cq *cq, unsigned count);
int fake_rdma_poll(struct ibv_cq *cq, int count, struct ibv_wc *wc);
int fake_rdma_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
int fake_rdma_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);

/* fake_rdma_device.c */
struct ibv_pd *fake_rdma_alloc_pd(struct ibv_context *context);
int fake_rdma_dealloc_pd(struct ibv_pd *pd);
struct ibv_mr *fake_rdma_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access);
int fake_rdma_dereg_mr(struct ibv_mr *mr);
struct ibv_comp_channel *fake_rdma_create_comp_channel(struct ibv_context *context);
int fake_rdma_destroy_comp_channel(struct ibv_comp_channel *channel);
int fake_rdma_query_device(struct ibv_context *context, struct ibv_device_attr *attr);
int fake_rdma_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr);
int fake_rdma_get_async(struct ibv_context *context, struct ibv_async_event *event);
void fake_rdma_ack_async(struct ibv_async_event *event);
const char *fake_rdma_name(struct ibv_context *context);
void fake_rdma_tell_async(struct fake_node *node, const struct ibv_async_event *event);

#endif
