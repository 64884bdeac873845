/* SPDX-License-Identifier: Apache-2.0
 * rdma - NVMe over RDMA: capsules are SENDs, data moves by RDMA READ and WRITE.
 * It reaches the network only through the verbs table, so the same code runs on the simulated RNIC
 * and on libibverbs.
 * Source: NVMe over Fabrics 1.1, section 7.3; drivers/nvme/host/rdma.c and
 * drivers/nvme/target/rdma.c of Linux 6.1. */
#ifndef STORMGLASS_NVME_RDMA_RDMA_H
#define STORMGLASS_NVME_RDMA_RDMA_H

#include "nvme/transport/transport.h"
#include "rnic/verbs.h"

struct nvme_rdma_params {
    struct verbs_class class; /* of a host's connections: nvme connect --tos */
    bool sgl_invalidate;      /* a host's commands have fresh rkeys that the target invalidates */
    int64_t rdma_size; /* most bytes of a target's READ or WRITE; -1: a command's whole data */
};

/* The host's or the target's that it is handed to. */
struct nvme_transport *nvme_rdma_create(const struct verbs_ops *verbs, struct verbs_device *device,
                                        const struct nvme_rdma_params *params);

#endif
