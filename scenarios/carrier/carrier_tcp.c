/* SPDX-License-Identifier: Apache-2.0
 * carrier_tcp - NVMe over TCP. */
#include "scenarios/carrier/nvme_carrier.h"

#include "nvme/tcp/tcp.h"

#include <stdio.h>

static struct nvme_transport *create(const struct nvme_carrier_site *site,
                                     const struct nvme_tcp_params *params)
{
    const struct nvme_tcp_site of = {site->env, site->streams, site->stream, site->guard};
    return nvme_tcp_create(&of, params);
}

static struct nvme_transport *of_host(const struct nvme_carrier_site *site, const void *own)
{
    const struct nvme_tcp_params params = {
        .class = nvme_carrier_stream_class(site),
        .host = *(const struct nvme_tcp_host_params *)own,
    };
    return create(site, &params);
}

static struct nvme_transport *of_target(const struct nvme_carrier_site *site, const void *own)
{
    const struct nvme_tcp_params params = {.target = *(const struct nvme_tcp_target_params *)own};
    return create(site, &params);
}

/* A host that uses TLS finds no target without it, and one that requests a digest gives up a
 * controller that does not agree (nvme_tcp_init_connection). */
static bool agree(const void *of_host, const void *of_target,
                  struct nvme_carrier_conflict *conflict)
{
    const struct nvme_tcp_host_params *host = of_host;
    const struct nvme_tcp_target_params *target = of_target;
    if (!target->tls && host->tls) {
        conflict->row = "tcp-tls";
        snprintf(conflict->text, sizeof conflict->text,
                 "%s uses TLS (nvme.tcp-tls), but target.tcp-tls is false at %s: expected true "
                 "there, or no TLS",
                 conflict->from, conflict->to);
        return false;
    }
    if (target->digests || !(host->header_digest || host->data_digest))
        return true;
    conflict->row = host->header_digest ? "tcp-header-digest" : "tcp-data-digest";
    snprintf(conflict->text, sizeof conflict->text,
             "%s requests a digest (nvme.%s) that %s does not support: expected "
             "target.tcp-digests: true there, or no digest",
             conflict->from, conflict->row, conflict->to);
    return false;
}

const struct nvme_carrier carrier_tcp = {
    .by_tcp = true,
    .host_opts = nvme_tcp_host_opts,
    .host_bytes = sizeof(struct nvme_tcp_host_params),
    .target_opts = nvme_tcp_target_opts,
    .target_bytes = sizeof(struct nvme_tcp_target_params),
    .of_host = of_host,
    .of_target = of_target,
    .agree = agree,
};
