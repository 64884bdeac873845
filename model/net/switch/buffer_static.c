/* SPDX-License-Identifier: Apache-2.0
 * buffer_static - one threshold for every group, whatever is free.
 * Source: Zhu et al., SIGCOMM 2015, section 4 (t_PFC as a constant); SONiC static_th. */
#include "net/switch/buffer.h"

static int64_t threshold(const struct buffer_limit *limit, int64_t idle)
{
    (void)idle;
    return limit->static_cells;
}

const struct buffer_policy buffer_static = {
    .name = "static",
    .about = "a group may use a fixed number of bytes of shared memory",
    .source =
        "Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015, section 4",
    .threshold = threshold,
};
