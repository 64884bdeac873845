/* SPDX-License-Identifier: Apache-2.0
 * carrier_tcp - NVMe over TCP. */
#include "scenarios/carrier/nvme_carrier.h"

#include "nvme/tcp/tcp.h"

static struct nvme_transport *create(const struct nvme_carrier_site *site,
                                     const struct nvme_tcp_params *params)
{
    const struct nvme_tcp_site of = {site->env, site->streams, site->stream, site->guard};
    return nvme_tcp_create(&of, params);
}

static struct nvme_transport *of_host(const struct nvme_carrier_site *site, const void *own)
{
    const struct nvme_tcp_params params = {
        .class = {.dscp_set = site->class.tos_set,
                  .priority_set = site->class.priority_set,
                  .dscp = site->class.tos >> 2,
                  .priority = site->class.priority},
        .host = *(const struct nvme_tcp_host_params *)own,
    };
    return create(site, &params);
}

static struct nvme_transport *of_target(const struct nvme_carrier_site *site, const void *own)
{
    const struct nvme_tcp_params params = {.target = *(const struct nvme_tcp_target_params *)own};
    return create(site, &params);
}

const struct nvme_carrier carrier_tcp = {
    .by_tcp = true,
    .host_opts = nvme_tcp_host_opts,
    .host_bytes = sizeof(struct nvme_tcp_host_params),
    .target_opts = nvme_tcp_target_opts,
    .target_bytes = sizeof(struct nvme_tcp_target_params),
    .of_host = of_host,
    .of_target = of_target,
};
