/* SPDX-License-Identifier: Apache-2.0
 * wl_rdma_send - messages into posted receives. */
#include "scenarios/workload/wl_rdma.h"

static struct workload *create(const struct workload_site *site)
{
    return wl_rdma_create(site, IBV_WR_SEND, false);
}

static uint32_t request(const void *params, uint8_t *bytes)
{
    return wl_rdma_request(params, IBV_WR_SEND, false, bytes);
}

const struct workload_ops wl_rdma_send = {
    .name = "rdma-send",
    .about = "messages into receives that the other host posted",
    .data = WORKLOAD_DATA_OUT,
    .request = request,
    .create = create,
    WL_RDMA_OPS,
};
