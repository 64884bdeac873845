/* SPDX-License-Identifier: Apache-2.0
 * rdma_private - declarations shared by the files of the RDMA transport.
 *   rdma.c         operations table, parameters, memory, end of connections
 *   rdma_host.c    a host's queue pair
 *   rdma_accept.c  creation and end of a target's queue pairs and their memory
 *   rdma_shared.c  receives shared by a target's queue pairs
 *   rdma_target.c  data transfer of a target's queue pair */
#ifndef STORMGLASS_NVME_RDMA_RDMA_PRIVATE_H
#define STORMGLASS_NVME_RDMA_RDMA_PRIVATE_H

#include "nvme/rdma/rdma.h"

struct nvme_rdma {
    struct nvme_transport base;
    const struct verbs_ops *verbs;
    struct verbs_device *device;
    struct nvme_rdma_params params;
    struct nvme_transport_listener listener; /* callbacks of a target */
    uint32_t regions;                        /* number of memory regions */
    struct rdma_shared *shared; /* shared receives of a target; NULL: each queue pair has its own */
};

/* First member of a host's and of a target's connection. */
struct nvme_transport_conn {
    struct nvme_rdma *rdma;
    struct verbs_conn *verbs;                          /* NULL: not created yet, or already
                                                        * destroyed */
    void (*release)(struct nvme_transport_conn *conn); /* releases the memory; the queue pair no
                                                        * longer exists */
    time_ps cpu;                                       /* of completions of the queue pair that
                                                        * was destroyed */
    bool closed;                                       /* further completions are flushes */
};

static inline struct nvme_rdma *nvme_rdma_of(struct nvme_transport *transport)
{
    return (struct nvme_rdma *)(void *)transport;
}

/* Identifies the kind of a work request and its command or receive. */
static inline uint64_t nvme_rdma_wr_id(unsigned kind, unsigned index)
{
    return (uint64_t)kind << 32 | index;
}

/* A part of a region. */
static inline struct ibv_sge nvme_rdma_sge(const struct verbs_mr *mr, uint64_t at, uint32_t length)
{
    return (struct ibv_sge){.addr = mr->addr + at, .length = length, .lkey = mr->lkey};
}

static inline void nvme_rdma_release_mr(struct nvme_rdma *rdma, struct verbs_mr *mr)
{
    if (mr == NULL)
        return;
    CHECK(rdma->regions > 0);
    rdma->regions--;
    rdma->verbs->dereg_mr(rdma->device, mr);
}

/* rdma_host.c */
struct nvme_transport_conn *nvme_rdma_connect(struct nvme_transport *transport,
                                              const struct nvme_transport_connect *how);
bool nvme_rdma_send_command(struct nvme_transport_conn *conn, uint16_t tag,
                            struct nvme_command *command, struct nvme_buffer *data, uint32_t bytes);

/* A posted receive: a buffer for the capsule, and one for in-capsule data. */
struct rdma_receive {
    struct nvme_capsule capsule; /* last capsule received; first member: a capsule is cast to its
                                  * receive */
    struct nvme_buffer data;     /* length 0: no in-capsule data */
    const struct rdma_target_conn *holder; /* shared receive: connection whose command uses it;
                                            * or NULL */
};

/* Receives shared by the I/O queue pairs of a target; exists while there are such queue pairs. */
struct rdma_shared {
    struct verbs_srq *srq;
    struct verbs_mr *capsules;
    struct rdma_receive *receives;
    uint32_t count, data_room, users;
};

struct rdma_target_conn {
    struct nvme_transport_conn base;
    struct nvme_transport_target user;
    struct verbs_mr *capsules, *responses, *connect;
    struct nvme_buffer connect_data;  /* part of the connect region, after the SQE */
    struct rdma_receive *receives;    /* receives of its own */
    struct rdma_shared *shared;       /* or shared ones */
    struct nvme_transfer **transfers; /* by slot; NULL: never used */
    uint32_t slots, used;
    uint32_t credits, credit_limit; /* credits: free send work requests */
    uint32_t data_room;             /* bytes of in-capsule data */
    uint32_t answers;               /* HRQSIZE */
    uint16_t qid, receive_count;
    uint8_t responder_resources; /* as offered by the host */
    bool established;
};

enum { RDMA_WR_RECEIVE = 1, RDMA_WR_RESPONSE, RDMA_WR_FETCH, RDMA_WR_WRITE };

static inline struct rdma_target_conn *nvme_rdma_target_of(struct nvme_transport_conn *conn)
{
    return (struct rdma_target_conn *)(void *)conn;
}

/* rdma_accept.c */
bool nvme_rdma_listen(struct nvme_transport *transport,
                      const struct nvme_transport_listener *listener);
void nvme_rdma_unlisten(struct nvme_transport *transport);
uint32_t nvme_rdma_accept(struct nvme_transport_conn *conn,
                          const struct nvme_transport_accept *how);
void nvme_rdma_reject(struct nvme_transport_conn *conn, enum nvme_cm_reject why);

/* rdma_shared.c */
bool nvme_rdma_is_shared(const struct rdma_target_conn *conn);
/* NULL: the device has no more memory. */
struct rdma_shared *nvme_rdma_shared_join(struct nvme_rdma *rdma, uint32_t data_room,
                                          enum nvme_memory memory);
bool nvme_rdma_shared_post(struct nvme_rdma *rdma, struct rdma_receive *receive);
/* Called when a queue pair ends: posts its receives again, or releases everything after the last
 * queue pair. */
void nvme_rdma_shared_leave(struct rdma_target_conn *conn);

/* rdma_target.c */
bool nvme_rdma_post_receive(struct rdma_target_conn *conn, struct rdma_receive *receive);
void nvme_rdma_target_completion(void *self, struct verbs_conn *verbs, const struct ibv_wc *wc);
/* Number of RDMA operations for `bytes` of data. */
unsigned nvme_rdma_operations(const struct rdma_target_conn *conn, uint32_t bytes);
bool nvme_rdma_reserve(struct nvme_transport_conn *conn, struct nvme_transfer *transfer);
bool nvme_rdma_fetch(struct nvme_transport_conn *conn, struct nvme_transfer *transfer);
bool nvme_rdma_respond(struct nvme_transport_conn *conn, struct nvme_transfer *transfer,
                       const struct nvme_response *response, bool with_data);
void nvme_rdma_target_audit(const struct nvme_transport_conn *conn);

#endif
