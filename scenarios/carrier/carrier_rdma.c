/* SPDX-License-Identifier: Apache-2.0
 * carrier_rdma - NVMe over RDMA, on simulated RNICs and on real ones. */
#include "scenarios/carrier/nvme_carrier.h"

#include "nvme/rdma/rdma.h"

static struct nvme_transport *of_host(const struct nvme_carrier_site *site, const void *own)
{
    const struct nvme_rdma_params params = {.class = site->class,
                                            .host = *(const struct nvme_rdma_host_params *)own};
    return nvme_rdma_create(site->verbs, site->device, &params);
}

static struct nvme_transport *of_target(const struct nvme_carrier_site *site, const void *own)
{
    const struct nvme_rdma_params params = {.target = *(const struct nvme_rdma_target_params *)own};
    return nvme_rdma_create(site->verbs, site->device, &params);
}

static struct nvme_carrier_holds holds(const void *own)
{
    const struct nvme_rdma_target_params *params = own;
    return (struct nvme_carrier_holds){
        .of_queue = params->receive_queue < 0 ? INT64_MAX : params->receive_queue,
        .of_port = params->shared_receives == 0 ? INT64_MAX : params->shared_receives,
    };
}

const struct nvme_carrier carrier_rdma = {
    .host_opts = nvme_rdma_host_opts,
    .host_bytes = sizeof(struct nvme_rdma_host_params),
    .target_opts = nvme_rdma_target_opts,
    .target_bytes = sizeof(struct nvme_rdma_target_params),
    .of_host = of_host,
    .of_target = of_target,
    .holds = holds,
};
