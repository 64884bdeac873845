/* SPDX-License-Identifier: Apache-2.0
 * wl_rdma_read - reads from the other host's memory. */
#include "scenarios/workload/wl_rdma.h"

static struct workload *create(const struct workload_site *site)
{
    return wl_rdma_create(site, IBV_WR_RDMA_READ, false);
}

static uint32_t request(const void *params, uint8_t *bytes)
{
    return wl_rdma_request(params, IBV_WR_RDMA_READ, false, bytes);
}

const struct workload_ops wl_rdma_read = {
    .name = "rdma-read",
    .about = "reads from the other host's memory",
    .data = WORKLOAD_DATA_BACK,
    .request = request,
    .create = create,
    WL_RDMA_OPS,
};
