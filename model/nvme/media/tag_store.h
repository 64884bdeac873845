/* SPDX-License-Identifier: Apache-2.0
 * tag_store - records which write filled each block of a namespace.
 * In the model data is a tag: after a write of tag T over a range, a read inside that range returns
 * T; blocks never written contain 0; a read across different tags returns NVME_CONTENT_MIXED. There
 * is one entry per written 4 KiB, or per block where a write covered only part of them.
 * Errors: beyond `limit` entries new writes are not recorded, and unknown blocks read as
 * NVME_CONTENT_MIXED. */
#ifndef STORMGLASS_NVME_MEDIA_TAG_STORE_H
#define STORMGLASS_NVME_MEDIA_TAG_STORE_H

#include "nvme/media/store.h"

#include <stdbool.h>
#include <stdint.h>

struct nvme_tag_store_entry {
    uint64_t key; /* 2 * unit, or 2 * block + 1 */
    uint32_t tag;
    uint32_t kind; /* empty, whole unit, or split into blocks */
};

struct nvme_tag_store {
    struct nvme_store base;
    struct nvme_tag_store_entry *entries; /* open addressing, linear probing */
    uint64_t capacity, used, limit;
    uint32_t unit_blocks; /* blocks per 4 KiB */
    bool forgetful;
};

enum { NVME_TAG_STORE_LIMIT = 1 << 22 };

/* Freed by `ops->destroy`. */
struct nvme_store *nvme_tag_store_create(uint32_t block_bytes);

void nvme_tag_store_init(struct nvme_tag_store *store, uint32_t block_bytes, uint64_t limit);
void nvme_tag_store_fini(struct nvme_tag_store *store);
void nvme_tag_store_write(struct nvme_tag_store *store, uint64_t lba, uint32_t blocks,
                          uint32_t tag);
void nvme_tag_store_zero(struct nvme_tag_store *store, uint64_t lba, uint64_t blocks);
uint32_t nvme_tag_store_read(const struct nvme_tag_store *store, uint64_t lba, uint32_t blocks);

#endif
