/* SPDX-License-Identifier: Apache-2.0
 * carrier_iwarp - NVMe over RDMA, and plain RDMA, on verbs over TCP (iWARP). */
#include "scenarios/carrier/nvme_carrier.h"

#include "nvme/rdma/rdma.h"
#include "rnic/iwarp/iwarp.h"

#define CRC_SOURCE "RFC 5044 7.1: the C bit; siw of Linux 6.1 has mpa_crc_required off"

struct target_params {
    struct iwarp_params verbs; /* first: what a device takes */
    int64_t write_size;        /* maximum bytes of one RDMA WRITE; -1: all data of a command */
};

static const struct opt host_opts[] = {
    {"iwarp-crc", OPT_BOOL, offsetof(struct iwarp_params, crc), "true", NULL, NULL, NULL,
     "iWARP: the host requires a CRC32C in each FPDU (MPA request, C bit).", CRC_SOURCE,
     OPT_ACTS_IF(OPT_NEED_IWARP, LATENCY, ANY, TRACE)},
    {"iwarp-reads", OPT_INT, offsetof(struct iwarp_params, reads), "128", "1", "128", NULL,
     "iWARP: maximum number of RDMA READs that the host serves at the same time for one "
     "connection (IRD).",
     "drivers/infiniband/sw/siw/siw.h of Linux 6.1: SIW_MAX_IRD_QP 128",
     OPT_ACTS_IF(OPT_NEED_IWARP, WINDOW, LESS, TRACE)},
    {0},
};

static const struct opt target_opts[] = {
    {"iwarp-crc", OPT_BOOL, offsetof(struct target_params, verbs.crc), "true", NULL, NULL, NULL,
     "iWARP: the target requires a CRC32C in each FPDU (MPA reply, C bit).", CRC_SOURCE,
     OPT_ACTS_IF(OPT_NEED_IWARP, LATENCY, ANY, TRACE)},
    {"iwarp-reads", OPT_INT, offsetof(struct iwarp_params, reads), "128", "1", "128", NULL,
     "iWARP: maximum number of outstanding RDMA READs of the target on one connection (ORD).",
     "drivers/infiniband/sw/siw/siw.h of Linux 6.1: SIW_MAX_ORD_QP 128",
     OPT_ACTS_IF(OPT_NEED_IWARP, WINDOW, LESS, TRACE)},
    {"iwarp-write-size", OPT_SIZE, offsetof(struct target_params, write_size), "auto", "4KiB",
     "8MiB", "auto",
     "iWARP: maximum size of one RDMA WRITE of the target, but at least 1/128 of a command's "
     "data; auto: the size of the command's data. An RDMA READ always fetches all data of a "
     "command.",
     "nvmet over siw of Linux 6.1: 24KiB, as SIW_MAX_SGE is 6 and an SGE one page; a READ over "
     "iWARP "
     "has one sink, so rdma_rw_init_ctx registers it",
     OPT_ACTS_IF(OPT_NEED_IWARP, WRS, LESS, TRACE)},
    {0},
};

static struct verbs_device *open_device(const struct nvme_carrier_site *site, const void *own)
{
    const struct iwarp_site of = {site->env, site->streams, site->stream};
    return iwarp_open(&of, own);
}

static struct nvme_transport *create(const struct nvme_carrier_site *site, const void *own,
                                     int64_t write_size)
{
    const struct nvme_rdma_params params = {
        .class = site->class,
        .host = {.sgl_invalidate = 1},
        .target = {.rdma_size = write_size, .whole_reads = true, .receive_queue = -1}};
    return nvme_rdma_create(&iwarp_verbs, open_device(site, own), &params);
}

static struct nvme_transport *of_host(const struct nvme_carrier_site *site, const void *own)
{
    return create(site, own, -1);
}

static struct nvme_transport *of_target(const struct nvme_carrier_site *site, const void *own)
{
    return create(site, own, ((const struct target_params *)own)->write_size);
}

const struct nvme_carrier carrier_iwarp = {
    .by_tcp = true,
    .host_opts = host_opts,
    .host_bytes = sizeof(struct iwarp_params),
    .target_opts = target_opts,
    .target_bytes = sizeof(struct target_params),
    .of_host = of_host,
    .of_target = of_target,
    .verbs = &iwarp_verbs,
    .open = open_device,
};
