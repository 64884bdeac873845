/* SPDX-License-Identifier: Apache-2.0
 * tag_store - which write each block of a namespace holds.
 * Data is a tag in the model: after a write of tag T over a range, a read inside that range
 * returns T; blocks never written hold 0; a read across different tags returns
 * NVME_CONTENT_MIXED.  One entry per written 4 KiB, or per block where a write covered a part
 * of one.
 * Errors: beyond `limit` entries new places are not
 * remembered and what is not found is NVME_CONTENT_MIXED. */
#ifndef STORMGLASS_NVME_MEDIA_TAG_STORE_H
#define STORMGLASS_NVME_MEDIA_TAG_STORE_H

#include "nvme/media/store.h"

#include <stdbool.h>
#include <stdint.h>

struct nvme_tag_store_entry {
    uint64_t key; /* 2 * unit, or 2 * block + 1 */
    uint32_t tag;
    uint32_t kind; /* empty, whole, or split into blocks */
};

struct nvme_tag_store {
    struct nvme_store base;
    struct nvme_tag_store_entry *entries; /* open addressing, linear probing */
    uint64_t capacity, used, limit;
    uint32_t unit_blocks; /* of 4 KiB */
    bool forgetful;
};

enum { NVME_TAG_STORE_LIMIT = 1 << 22 };

/* What `ops->destroy` frees. */
struct nvme_store *nvme_tag_store_create(uint32_t block_bytes);

void nvme_tag_store_init(struct nvme_tag_store *store, uint32_t block_bytes, uint64_t limit);
void nvme_tag_store_fini(struct nvme_tag_store *store);
void nvme_tag_store_write(struct nvme_tag_store *store, uint64_t lba, uint32_t blocks,
                          uint32_t tag);
void nvme_tag_store_zero(struct nvme_tag_store *store, uint64_t lba, uint64_t blocks);
uint32_t nvme_tag_store_read(const struct nvme_tag_store *store, uint64_t lba, uint32_t blocks);

#endif
