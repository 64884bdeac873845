/* SPDX-License-Identifier: Apache-2.0
 * rdma - NVMe over RDMA: capsules are SENDs, data moves by RDMA READ and WRITE.
 * It reaches the network only through the verbs table, so the same code runs on the simulated RNIC
 * and on libibverbs.
 * Source: NVMe over Fabrics 1.1, section 7.3; drivers/nvme/host/rdma.c and
 * drivers/nvme/target/rdma.c of Linux 6.1. */
#ifndef STORMGLASS_NVME_RDMA_RDMA_H
#define STORMGLASS_NVME_RDMA_RDMA_H

#include "base/opt.h"
#include "nvme/transport/transport.h"
#include "rnic/verbs.h"

struct nvme_rdma_host_params {
    int64_t sgl_invalidate; /* bool: commands have fresh rkeys that the target invalidates */
};

struct nvme_rdma_target_params {
    int64_t rdma_size; /* most bytes of one READ or WRITE; -1: a command's whole data */
    /* Receives of an I/O queue pair, if its submission queue has more entries; -1: as many. */
    int64_t receive_queue;
    int64_t shared_receives; /* of all I/O queue pairs at a port instead; 0: each has its own */
};

extern const struct opt nvme_rdma_host_opts[], nvme_rdma_target_opts[];

struct nvme_rdma_params {
    struct verbs_class class; /* of a host's connections: nvme connect --tos */
    struct nvme_rdma_host_params host;
    struct nvme_rdma_target_params target;
};

/* The host's or the target's that it is handed to. */
struct nvme_transport *nvme_rdma_create(const struct verbs_ops *verbs, struct verbs_device *device,
                                        const struct nvme_rdma_params *params);

#endif
