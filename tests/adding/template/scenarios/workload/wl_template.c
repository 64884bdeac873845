/* SPDX-License-Identifier: Apache-2.0
 * wl_template - writes, under another name: what a kind of RDMA workload has of its own. */
#include "scenarios/workload/wl_rdma.h"

static struct workload *create(const struct workload_site *site)
{
    return wl_rdma_create(site, IBV_WR_RDMA_WRITE, false);
}

const struct workload_ops wl_template = {
    .name = "template",
    .about = "writes, as a template",
    .data = WORKLOAD_DATA_OUT,
    .create = create,
    WL_RDMA_OPS,
};
