/* SPDX-License-Identifier: Apache-2.0
 * rdma - NVMe over RDMA: capsules are SENDs, data moves by RDMA READ and WRITE.
 * Uses the network only through the verbs table, so the same code runs on the simulated RNIC and on
 * libibverbs.
 * Source: NVMe over Fabrics 1.1, section 7.3; drivers/nvme/host/rdma.c and
 * drivers/nvme/target/rdma.c of Linux 6.1. */
#ifndef STORMGLASS_NVME_RDMA_RDMA_H
#define STORMGLASS_NVME_RDMA_RDMA_H

#include "base/opt.h"
#include "nvme/transport/transport.h"
#include "rnic/verbs.h"

struct nvme_rdma_host_params {
    int64_t sgl_invalidate; /* bool: each command has a fresh rkey that the target invalidates */
};

struct nvme_rdma_target_params {
    int64_t rdma_size; /* maximum bytes of one READ or WRITE; -1: the whole data of a command */
    /* Receives per I/O queue pair if its submission queue has more entries; -1: one per entry. */
    int64_t receive_queue;
    int64_t shared_receives; /* receives shared by all I/O queue pairs at a port (SRQ); 0: each
                              * has its own */
    bool whole_reads;        /* rdma_size limits WRITEs alone */
};

extern const struct opt nvme_rdma_host_opts[], nvme_rdma_target_opts[];

struct nvme_rdma_params {
    struct verbs_class class; /* ToS of a host's connections: nvme connect --tos */
    struct nvme_rdma_host_params host;
    struct nvme_rdma_target_params target;
};

/* Owned by the host or target to which it is passed. */
struct nvme_transport *nvme_rdma_create(const struct verbs_ops *verbs, struct verbs_device *device,
                                        const struct nvme_rdma_params *params);

#endif
