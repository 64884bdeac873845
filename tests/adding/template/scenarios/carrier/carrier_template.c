/* SPDX-License-Identifier: Apache-2.0
 * carrier_template - RDMA, under another name: what a transport has of its own.
 * Source: own; a template. */
#include "scenarios/carrier/nvme_carrier.h"

#include "nvme/rdma/rdma.h"

struct params {
    int64_t keys; /* bool: fresh ones for each command */
};

static const struct opt rows[] = {
    {.name = "template-keys",
     .type = OPT_BOOL,
     .offset = offsetof(struct params, keys),
     .preset = "true",
     .about = "Each command has a fresh key, as a template's.",
     .source = "own; a template",
     OPT_ACTS(LATENCY, ANY, TRACE)},
    {0},
};

static struct nvme_transport *of_host(const struct nvme_carrier_site *site, const void *own)
{
    const struct params *params = own;
    const struct nvme_rdma_params rdma = {.class = site->class,
                                          .host = {.sgl_invalidate = params->keys}};
    return nvme_rdma_create(site->verbs, site->device, &rdma);
}

static struct nvme_transport *of_target(const struct nvme_carrier_site *site, const void *own)
{
    const struct nvme_rdma_params rdma = {.target = {.rdma_size = -1, .receive_queue = -1}};
    (void)own; /* it has no rows */
    return nvme_rdma_create(site->verbs, site->device, &rdma);
}

const struct nvme_carrier carrier_template = {
    .host_opts = rows,
    .host_bytes = sizeof(struct params),
    .of_host = of_host,
    .of_target = of_target,
};
