/* SPDX-License-Identifier: Apache-2.0
 * host_partitions - the reads of Linux's block layer when a namespace appears, before any other
 * I/O.
 * It looks for partition tables through the page cache, so in units of pages; on a device without
 * any it reads the first, the second and the fourth. One read is outstanding at a time. A
 * controller that reconnects is not a new device, so nothing is read again. */
#include "nvme/host/host_private.h"

static const uint32_t offsets[] = {0, NVME_PAGE_BYTES, 3 * NVME_PAGE_BYTES};

enum { READS = sizeof offsets / sizeof offsets[0] };

bool nvme_host_partitions_wanted(const struct nvme_host *host)
{
    return host->params.partition_scan && !host->reported_ready && host->found_count > 0;
}

/* Returns false when no read is left. */
static bool read_next(struct nvme_host *host)
{
    const uint32_t at = host->partition_reads++;
    if (at / READS >= host->found_count)
        return false;
    const struct nvme_host_namespace *ns = &host->found[at / READS];
    host->partition_io = (struct nvme_io){
        .opcode = NVME_READ,
        .nsid = ns->nsid,
        .lba = offsets[at % READS] / ns->block_bytes,
        .bytes = NVME_PAGE_BYTES,
        .issued_at = env_now(host->site.env),
    };
    nvme_host_io_begin(&host->queues[1], &host->partition_io);
    return true;
}

bool nvme_host_partitions_begin(struct nvme_host *host)
{
    host->partition_reads = 0;
    read_next(host);
    return true;
}

bool nvme_host_partitions_await(struct nvme_host *host)
{
    return host->partition_reads > host->found_count * READS;
}

/* Bytes transferred, including protection information. */
static uint32_t transferred_bytes(const struct nvme_host *host, const struct nvme_io *io)
{
    const struct nvme_host_namespace *ns = &host->found[(host->partition_reads - 1) / READS];
    return io->bytes + io->bytes / ns->block_bytes * ns->metadata;
}

bool nvme_host_partitions_done(struct nvme_host *host, const struct nvme_io *io)
{
    if (io != &host->partition_io)
        return false;
    if (io->status == NVME_STATUS_OK)
        host->partition_bytes += transferred_bytes(host, io);
    const bool more = !nvme_host_over(host) && read_next(host); /* continues after a failed read */
    if (!more && host->step == HOST_STEP_PARTITIONS)
        nvme_host_admin_advance(host);
    return true;
}
