/* SPDX-License-Identifier: Apache-2.0
 * rdma_private - what the files of the RDMA transport share.
 * rdma.c         the table; memory, and the end of connections
 * rdma_host.c    a host's queue pair */
#ifndef STORMGLASS_NVME_RDMA_RDMA_PRIVATE_H
#define STORMGLASS_NVME_RDMA_RDMA_PRIVATE_H

#include "nvme/rdma/rdma.h"

struct nvme_rdma {
    struct nvme_transport base;
    const struct verbs_ops *verbs;
    struct verbs_device *device;
    struct nvme_rdma_params params;
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

static inline void nvme_rdma_release_mr(const struct nvme_rdma *rdma, struct verbs_mr *mr)
{
    if (mr != NULL)
        rdma->verbs->dereg_mr(rdma->device, mr);
}

/* rdma_host.c */
struct nvme_transport_conn *nvme_rdma_connect(struct nvme_transport *transport,
                                              const struct nvme_transport_connect *how);
bool nvme_rdma_send_command(struct nvme_transport_conn *conn, uint16_t tag,
                            struct nvme_command *command, struct nvme_buffer *data, uint32_t bytes);

#endif
