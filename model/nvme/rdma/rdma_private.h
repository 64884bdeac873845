/* SPDX-License-Identifier: Apache-2.0
 * rdma_private - what the files of the RDMA transport share.
 * rdma.c         the table and the rows; memory, and the end of connections
 * rdma_host.c    a host's queue pair
 * rdma_accept.c  a target's queue pair comes, with its memory, and goes
 * rdma_shared.c  receives that a target's queue pairs share
 * rdma_target.c  what a target's queue pair carries */
#ifndef STORMGLASS_NVME_RDMA_RDMA_PRIVATE_H
#define STORMGLASS_NVME_RDMA_RDMA_PRIVATE_H

#include "nvme/rdma/rdma.h"

struct nvme_rdma {
    struct nvme_transport base;
    const struct verbs_ops *verbs;
    struct verbs_device *device;
    struct nvme_rdma_params params;
    struct nvme_transport_listener listener; /* of a target */
    uint32_t regions;                        /* of memory that it has now */
    struct rdma_shared *shared; /* receives of a target; NULL: each queue pair has its own */
};

/* First in a host's and in a target's. */
struct nvme_transport_conn {
    struct nvme_rdma *rdma;
    struct verbs_conn *verbs;                          /* NULL: none yet, or none any more */
    void (*release)(struct nvme_transport_conn *conn); /* memory; the queue pair is gone */
    bool closed;                                       /* what comes now is flushed */
};

static inline struct nvme_rdma *nvme_rdma_of(struct nvme_transport *transport)
{
    return (struct nvme_rdma *)(void *)transport;
}

/* What a work request is, and of which command or receive. */
static inline uint64_t nvme_rdma_wr_id(unsigned kind, unsigned index)
{
    return (uint64_t)kind << 32 | index;
}

/* A piece of a region. */
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

/* A posted receive: the capsule's bytes, and a place for in-capsule data. */
struct rdma_receive {
    struct nvme_capsule capsule; /* the last one; first, so that a capsule is its receive */
    struct nvme_buffer data;     /* length 0: no place */
    const struct rdma_target_conn *holder; /* of a shared one: whose command is in it; or NULL */
};

/* Receives that the I/O queue pairs of a target share, as long as there are some. */
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
    struct nvme_buffer connect_data;  /* of the connect region, behind the SQE */
    struct rdma_receive *receives;    /* its own */
    struct rdma_shared *shared;       /* or these */
    struct nvme_transfer **transfers; /* by slot; NULL: never used */
    uint32_t slots, used;
    uint32_t credits, credit_limit; /* free send work requests */
    uint32_t data_room;             /* in-capsule data */
    uint32_t answers;               /* HRQSIZE */
    uint16_t qid, receive_count;
    uint8_t responder_resources; /* as the host offered them */
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
/* A queue pair ends: what it held is posted again, or the last one takes all with it. */
void nvme_rdma_shared_leave(struct rdma_target_conn *conn);

/* rdma_target.c */
bool nvme_rdma_post_receive(struct rdma_target_conn *conn, struct rdma_receive *receive);
void nvme_rdma_target_completion(void *self, struct verbs_conn *verbs, const struct ibv_wc *wc);
/* RDMA operations that so many bytes take. */
unsigned nvme_rdma_operations(const struct rdma_target_conn *conn, uint32_t bytes);
bool nvme_rdma_reserve(struct nvme_transport_conn *conn, struct nvme_transfer *transfer);
bool nvme_rdma_fetch(struct nvme_transport_conn *conn, struct nvme_transfer *transfer);
bool nvme_rdma_respond(struct nvme_transport_conn *conn, struct nvme_transfer *transfer,
                       const struct nvme_response *response, bool with_data);
void nvme_rdma_target_audit(const struct nvme_transport_conn *conn);

#endif
