/* SPDX-License-Identifier: Apache-2.0
 * nvme_carrier - RDMA, and what of the parameters is its own. */
#include "scenarios/workload/nvme_carrier.h"

#include "nvme/rdma/rdma.h"

struct nvme_transport *nvme_carrier_of_host(const struct nvme_carrier_site *site,
                                            const struct nvme_host_params *params)
{
    const struct nvme_rdma_params rdma = {
        .class = site->class,
        .sgl_invalidate = params->sgl_invalidate,
    };
    return nvme_rdma_create(site->verbs, site->device, &rdma);
}

struct nvme_transport *nvme_carrier_of_target(const struct nvme_carrier_site *site,
                                              const struct nvme_target_params *params)
{
    const struct nvme_rdma_params rdma = {.rdma_size = params->rdma_size};
    return nvme_rdma_create(site->verbs, site->device, &rdma);
}
