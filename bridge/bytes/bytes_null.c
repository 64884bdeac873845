/* SPDX-License-Identifier: Apache-2.0
 * bytes_null - discards data.
 * The simplest kind, like Linux's null_blk without memory; every block reads as zeros. */
#include "base/memory.h"
#include "bridge/bytes/bytes.h"

#include "nvme/wire/spec.h"

#include <stdlib.h>
#include <string.h>

static uint16_t on_read(struct nvme_store *store, struct nvme_range range, struct nvme_buffer *to)
{
    memset(to->bytes, 0, range.blocks * store->block_bytes);
    return NVME_STATUS_OK;
}

static uint16_t on_write(struct nvme_store *store, struct nvme_range range,
                         const struct nvme_buffer *from, uint64_t at)
{
    (void)store, (void)range, (void)from, (void)at;
    return NVME_STATUS_OK;
}

static uint16_t on_zero(struct nvme_store *store, struct nvme_range range)
{
    (void)store, (void)range;
    return NVME_STATUS_OK;
}

static uint16_t on_flush(struct nvme_store *store)
{
    (void)store;
    return NVME_STATUS_OK;
}

static void on_destroy(struct nvme_store *store)
{
    free(store);
}

static const struct nvme_store_ops ops = {
    .memory = NVME_MEMORY_BYTES,
    .read = on_read,
    .write = on_write,
    .zero = on_zero,
    .flush = on_flush,
    .destroy = on_destroy,
};

static struct nvme_store *open_null(const char *path, uint32_t block_bytes, int64_t *size,
                                    char why[BYTES_WHY_MAX])
{
    (void)path, (void)size, (void)why;
    struct nvme_store *store = memory_new(sizeof *store);
    *store = (struct nvme_store){&ops, block_bytes};
    return store;
}

const struct bytes_kind bytes_null = {.name = "null", .open = open_null};
