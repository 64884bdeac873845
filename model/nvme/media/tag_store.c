/* SPDX-License-Identifier: Apache-2.0
 * tag_store - a hash table from blocks to tags. */
#include "nvme/media/tag_store.h"

#include "base/check.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "nvme/wire/spec.h"

#include <stdlib.h>

enum { EMPTY, WHOLE, SPLIT };
enum { FIRST_CAPACITY = 1024 };

static const struct nvme_store_ops tag_store_ops;

static uint64_t unit_key(uint64_t unit)
{
    return unit << 1;
}

static uint64_t block_key(uint64_t lba)
{
    return lba << 1 | 1;
}

void nvme_tag_store_init(struct nvme_tag_store *store, uint32_t block_bytes, uint64_t limit)
{
    CHECK(block_bytes > 0 && block_bytes <= NVME_PAGE_BYTES && NVME_PAGE_BYTES % block_bytes == 0);
    *store = (struct nvme_tag_store){.base = {&tag_store_ops, block_bytes},
                                     .unit_blocks = NVME_PAGE_BYTES / block_bytes,
                                     .limit = limit};
}

void nvme_tag_store_fini(struct nvme_tag_store *store)
{
    free(store->entries);
    *store = (struct nvme_tag_store){0};
}

/* The entry of the key, or the empty one where it would be inserted. */
static struct nvme_tag_store_entry *place_of_block(const struct nvme_tag_store *store, uint64_t key)
{
    uint64_t at = hash_home(key, 0) & (store->capacity - 1);
    while (store->entries[at].kind != EMPTY && store->entries[at].key != key)
        at = (at + 1) & (store->capacity - 1);
    return &store->entries[at];
}

static void grow(struct nvme_tag_store *store)
{
    const struct nvme_tag_store old = *store;
    store->capacity = old.capacity == 0 ? FIRST_CAPACITY : old.capacity * 2;
    store->entries = memory_zeroed((size_t)store->capacity, sizeof *store->entries);
    for (uint64_t i = 0; i < old.capacity; i++)
        if (old.entries[i].kind != EMPTY)
            *place_of_block(store, old.entries[i].key) = old.entries[i];
    free(old.entries);
}

static void set_entry(struct nvme_tag_store *store, uint64_t key, uint32_t tag, uint32_t kind)
{
    if (store->used * 2 >= store->capacity && store->used < store->limit)
        grow(store);
    struct nvme_tag_store_entry *entry = place_of_block(store, key);
    if (entry->kind == EMPTY) {
        if (store->used >= store->limit) {
            store->forgetful = true;
            return;
        }
        store->used++;
    }
    *entry = (struct nvme_tag_store_entry){.key = key, .tag = tag, .kind = kind};
}

static struct nvme_tag_store_entry look_up_block(const struct nvme_tag_store *store, uint64_t key)
{
    if (store->capacity > 0) {
        const struct nvme_tag_store_entry *entry = place_of_block(store, key);
        if (entry->kind != EMPTY)
            return *entry;
    }
    return (struct nvme_tag_store_entry){.tag = store->forgetful ? NVME_CONTENT_MIXED : 0,
                                         .kind = WHOLE};
}

/* Before a write of part of 4 KiB: gives each block of the unit its own entry. */
static void split_unit(struct nvme_tag_store *store, uint64_t unit)
{
    const struct nvme_tag_store_entry before = look_up_block(store, unit_key(unit));
    if (before.kind == SPLIT)
        return;
    set_entry(store, unit_key(unit), 0, SPLIT);
    for (uint32_t i = 0; i < store->unit_blocks; i++)
        set_entry(store, block_key(unit * store->unit_blocks + i), before.tag, WHOLE);
}

void nvme_tag_store_write(struct nvme_tag_store *store, uint64_t lba, uint32_t blocks, uint32_t tag)
{
    CHECK(tag != NVME_CONTENT_NONE);
    const uint64_t end = lba + blocks;
    while (lba < end) {
        const uint64_t unit = lba / store->unit_blocks;
        const uint64_t unit_end = (unit + 1) * store->unit_blocks;
        if (lba % store->unit_blocks == 0 && unit_end <= end) {
            set_entry(store, unit_key(unit), tag, WHOLE);
            lba = unit_end;
            continue;
        }
        split_unit(store, unit);
        for (; lba < unit_end && lba < end; lba++)
            set_entry(store, block_key(lba), tag, WHOLE);
    }
}

uint32_t nvme_tag_store_read(const struct nvme_tag_store *store, uint64_t lba, uint32_t blocks)
{
    CHECK(blocks > 0);
    const uint64_t end = lba + blocks;
    uint32_t all = NVME_CONTENT_NONE;
    while (lba < end) {
        const uint64_t unit = lba / store->unit_blocks;
        const struct nvme_tag_store_entry whole = look_up_block(store, unit_key(unit));
        const bool split_up = whole.kind == SPLIT;
        const uint32_t tag = split_up ? look_up_block(store, block_key(lba)).tag : whole.tag;
        if (all != NVME_CONTENT_NONE && all != tag)
            return NVME_CONTENT_MIXED;
        all = tag;
        lba = split_up ? lba + 1 : (unit + 1) * store->unit_blocks;
    }
    return all;
}

/* Makes the known units of a range read as never written, in one pass over the table: for ranges
 * with many more units than the table has entries. */
static void zero_units(struct nvme_tag_store *store, uint64_t first, uint64_t end)
{
    for (uint64_t i = 0; i < store->capacity; i++) {
        struct nvme_tag_store_entry *entry = &store->entries[i];
        const uint64_t unit =
            entry->key % 2 == 0 ? entry->key / 2 : entry->key / 2 / store->unit_blocks;
        if (entry->kind == EMPTY || unit < first || unit >= end)
            continue;
        entry->tag = 0;
        if (entry->key % 2 == 0)
            entry->kind = WHOLE; /* entries of its blocks are no longer used */
    }
}

void nvme_tag_store_zero(struct nvme_tag_store *store, uint64_t lba, uint64_t blocks)
{
    const uint64_t end = lba + blocks;
    const uint64_t first = (lba + store->unit_blocks - 1) / store->unit_blocks;
    const uint64_t last = end / store->unit_blocks;
    if (first >= last || last - first <= store->used) {
        for (; lba < end; lba += min_u64(end - lba, UINT32_MAX))
            nvme_tag_store_write(store, lba, (uint32_t)min_u64(end - lba, UINT32_MAX), 0);
        return;
    }
    zero_units(store, first, last);
    nvme_tag_store_write(store, lba, (uint32_t)(first * store->unit_blocks - lba), 0);
    nvme_tag_store_write(store, last * store->unit_blocks,
                         (uint32_t)(end - last * store->unit_blocks), 0);
}

/* ---- operations ---- */

static uint16_t on_read(struct nvme_store *store, struct nvme_range range, struct nvme_buffer *to)
{
    const struct nvme_tag_store *tags = (const struct nvme_tag_store *)(const void *)store;
    to->content = nvme_tag_store_read(tags, range.lba, (uint32_t)range.blocks);
    return NVME_STATUS_OK;
}

static uint16_t on_write(struct nvme_store *store, struct nvme_range range,
                         const struct nvme_buffer *from, uint64_t at)
{
    const uint32_t content = from != NULL ? from->content : NVME_CONTENT_NONE;
    (void)at; /* one write fills the whole buffer */
    nvme_tag_store_write((struct nvme_tag_store *)(void *)store, range.lba, (uint32_t)range.blocks,
                         content == NVME_CONTENT_NONE ? NVME_CONTENT_MIXED : content);
    return NVME_STATUS_OK;
}

static uint16_t on_compare(struct nvme_store *store, struct nvme_range range,
                           const struct nvme_buffer *with, uint64_t at)
{
    const struct nvme_tag_store *tags = (const struct nvme_tag_store *)(const void *)store;
    const uint32_t content = nvme_tag_store_read(tags, range.lba, (uint32_t)range.blocks);
    (void)at;
    return with != NULL && with->content == content ? NVME_STATUS_OK
                                                    : NVME_STATUS_COMPARE_FAILED | NVME_STATUS_DNR;
}

static uint16_t on_zero(struct nvme_store *store, struct nvme_range range)
{
    nvme_tag_store_zero((struct nvme_tag_store *)(void *)store, range.lba, range.blocks);
    return NVME_STATUS_OK;
}

static uint16_t on_flush(struct nvme_store *store)
{
    (void)store;
    return NVME_STATUS_OK;
}

static void on_destroy(struct nvme_store *store)
{
    nvme_tag_store_fini((struct nvme_tag_store *)(void *)store);
    free(store);
}

static const struct nvme_store_ops tag_store_ops = {
    .memory = NVME_MEMORY_BULK,
    .read = on_read,
    .write = on_write,
    .compare = on_compare,
    .zero = on_zero,
    .flush = on_flush,
    .destroy = on_destroy,
};

struct nvme_store *nvme_tag_store_create(uint32_t block_bytes)
{
    struct nvme_tag_store *store = memory_new(sizeof *store);
    nvme_tag_store_init(store, block_bytes, NVME_TAG_STORE_LIMIT);
    return &store->base;
}
