/* SPDX-License-Identifier: Apache-2.0
 * carrier_iwarp - NVMe over RDMA, and plain RDMA, on verbs over TCP (iWARP). */
#include "scenarios/carrier/nvme_carrier.h"

#include "nvme/rdma/rdma.h"
#include "rnic/iwarp/iwarp.h"

#define CRC_SOURCE "RFC 5044 7.1: the C bit; siw of Linux 6.1 has mpa_crc_required off"

static const struct opt host_opts[] = {
    {"iwarp-crc", OPT_BOOL, offsetof(struct iwarp_params, crc), "true", NULL, NULL, NULL,
     "iWARP: the host requires a CRC32C in each FPDU (MPA request, C bit).", CRC_SOURCE,
     OPT_ACTS_IF(OPT_NEED_IWARP, LATENCY, ANY, TRACE)},
    {"iwarp-reads", OPT_INT, offsetof(struct iwarp_params, reads), "128", "1", "128", NULL,
     "iWARP: maximum number of RDMA READs of a connection that the host serves at the same time "
     "(IRD).",
     "drivers/infiniband/sw/siw/siw.h of Linux 6.1: SIW_MAX_IRD_QP 128",
     OPT_ACTS_IF(OPT_NEED_IWARP, WINDOW, LESS, TRACE)},
    {0},
};

static const struct opt target_opts[] = {
    {"iwarp-crc", OPT_BOOL, offsetof(struct iwarp_params, crc), "true", NULL, NULL, NULL,
     "iWARP: the target requires a CRC32C in each FPDU (MPA reply, C bit).", CRC_SOURCE,
     OPT_ACTS_IF(OPT_NEED_IWARP, LATENCY, ANY, TRACE)},
    {"iwarp-reads", OPT_INT, offsetof(struct iwarp_params, reads), "128", "1", "128", NULL,
     "iWARP: maximum number of RDMA READs of a connection that the target has outstanding (ORD).",
     "drivers/infiniband/sw/siw/siw.h of Linux 6.1: SIW_MAX_ORD_QP 128",
     OPT_ACTS_IF(OPT_NEED_IWARP, WINDOW, LESS, TRACE)},
    {0},
};

static struct verbs_device *open_device(const struct nvme_carrier_site *site, const void *own)
{
    const struct iwarp_site of = {site->env, site->streams, site->stream};
    return iwarp_open(&of, own);
}

static struct nvme_transport *create(const struct nvme_carrier_site *site, const void *own)
{
    static const struct nvme_rdma_target_params target = {.rdma_size = -1, .receive_queue = -1};
    const struct nvme_rdma_params params = {
        .class = site->class, .host = {.sgl_invalidate = 1}, .target = target};
    return nvme_rdma_create(&iwarp_verbs, open_device(site, own), &params);
}

const struct nvme_carrier carrier_iwarp = {
    .by_tcp = true,
    .host_opts = host_opts,
    .host_bytes = sizeof(struct iwarp_params),
    .target_opts = target_opts,
    .target_bytes = sizeof(struct iwarp_params),
    .of_host = create,
    .of_target = create,
    .verbs = &iwarp_verbs,
    .open = open_device,
};
