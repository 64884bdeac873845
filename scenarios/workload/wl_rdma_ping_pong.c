/* SPDX-License-Identifier: Apache-2.0
 * wl_rdma_ping_pong - messages that the other host answers with messages of the same length. */
#include "scenarios/workload/wl_rdma.h"

static struct workload *create(const struct workload_site *site)
{
    return wl_rdma_create(site, IBV_WR_SEND, true);
}

static uint32_t request(const void *params, uint8_t *bytes)
{
    return wl_rdma_request(params, IBV_WR_SEND, true, bytes);
}

const struct workload_ops wl_rdma_ping_pong = {
    .name = "rdma-ping-pong",
    .about = "messages that the other host answers; the latency is that of the round trip",
    .data = WORKLOAD_DATA_OUT,
    .request = request,
    .create = create,
    WL_RDMA_OPS,
};
