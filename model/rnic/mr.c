/* SPDX-License-Identifier: Apache-2.0
 * mr - memory regions. */
#include "rnic/mr.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define MR_FIRST_ADDRESS UINT64_C(0x100000000)
enum { MR_PAGE = 4096, MR_LIMIT = 1 << 18, MR_KEY_BITS = 8, MR_KEY_MASK = 0xFF };

void mr_table_init(struct mr_table *table)
{
    slab_init(&table->regions, "memory regions of a host", sizeof(struct mr), MR_LIMIT);
    table->next_address = MR_FIRST_ADDRESS;
}

static struct mr *mr_at(const struct mr_table *table, uint32_t index)
{
    return slab_at(&table->regions, index);
}

void mr_table_fini(struct mr_table *table)
{
    for (uint32_t i = 0; i < table->regions.used; i++)
        free(mr_at(table, i)->verbs.bytes);
    slab_fini(&table->regions);
}

struct mr *mr_create(struct mr_table *table, uint32_t length, int access, enum verbs_memory memory)
{
    const uint32_t index = slab_take(&table->regions);
    const uint32_t key = (index + 1) << MR_KEY_BITS;
    struct mr *mr = mr_at(table, index);
    *mr = (struct mr){
        .verbs = {.addr = table->next_address,
                  .length = length,
                  .lkey = key,
                  .rkey = key | 1,
                  .memory = memory == VERBS_EITHER ? VERBS_BULK : memory},
        .access = access,
        .serial = (uint8_t)(mr->serial + 1),
        .taken = true,
        .valid = true,
    };
    if (memory != VERBS_BULK)
        mr->verbs.bytes = memory_new(length);
    table->next_address += ((uint64_t)length + MR_PAGE - 1) / MR_PAGE * MR_PAGE + MR_PAGE;
    return mr;
}

void mr_free(struct mr_table *table, struct mr *mr)
{
    CHECK(mr->taken);
    free(mr->verbs.bytes);
    mr->verbs.bytes = NULL;
    mr->taken = mr->valid = false;
    mr->serial++;
    table->freed++;
    slab_give(&table->regions, (mr->verbs.lkey >> MR_KEY_BITS) - 1);
}

void mr_renew(struct mr *mr)
{
    CHECK(mr->taken);
    const uint32_t key = (mr->verbs.rkey + 1) & MR_KEY_MASK;
    mr->verbs.rkey = mr->verbs.lkey | (key == 0 ? 1 : key); /* 0 is used by the lkey */
    mr->valid = true;
    mr->serial++;
}

static struct mr *by_key(const struct mr_table *table, uint32_t key)
{
    const uint32_t index = (key >> MR_KEY_BITS) - 1;
    if (index >= table->regions.used)
        return NULL;
    struct mr *mr = mr_at(table, index);
    return mr->taken ? mr : NULL;
}

static bool in_range(const struct mr *mr, uint64_t address, uint32_t length)
{
    return address >= mr->verbs.addr && address - mr->verbs.addr <= mr->verbs.length &&
           length <= mr->verbs.length - (address - mr->verbs.addr);
}

struct mr *mr_local(const struct mr_table *table, uint32_t lkey, uint64_t address, uint32_t length)
{
    struct mr *mr = by_key(table, lkey);
    if (mr == NULL || mr->verbs.lkey != lkey || !in_range(mr, address, length))
        return NULL;
    return mr;
}

struct mr *mr_remote(const struct mr_table *table, uint32_t rkey, uint64_t address, uint32_t length,
                     int access)
{
    struct mr *mr = by_key(table, rkey);
    if (mr == NULL || mr->verbs.rkey != rkey || !mr->valid || (mr->access & access) != access)
        return NULL;
    return in_range(mr, address, length) ? mr : NULL;
}

bool mr_invalidate(const struct mr_table *table, uint32_t rkey)
{
    struct mr *mr = by_key(table, rkey);
    if (mr == NULL || mr->verbs.rkey != rkey || !mr->valid)
        return false;
    mr->valid = false;
    mr->serial++;
    return true;
}

uint32_t mr_real_bytes(const struct mr_sge *sges, unsigned count)
{
    uint32_t real = 0;
    for (unsigned i = 0; i < count && sges[i].mr->verbs.memory == VERBS_BYTES; i++)
        real += sges[i].length;
    return real;
}

/* The part of an SGE covered by [offset, offset + length) of the message. */
struct overlap {
    unsigned char *bytes; /* NULL: none, or bulk */
    uint32_t message_at;  /* position relative to offset */
    uint32_t length;
};

static struct overlap overlap(const struct mr_sge *sge, uint32_t start, uint32_t offset,
                              uint32_t length)
{
    const uint64_t from = start > offset ? start : offset;
    const uint64_t sge_end = (uint64_t)start + sge->length;
    const uint64_t end = (uint64_t)offset + length;
    const uint64_t to = sge_end < end ? sge_end : end;
    if (from >= to || sge->mr->verbs.bytes == NULL)
        return (struct overlap){0};
    return (struct overlap){
        .bytes = sge->mr->verbs.bytes + sge->offset + (from - start),
        .message_at = (uint32_t)(from - offset),
        .length = (uint32_t)(to - from),
    };
}

void mr_gather(const struct mr_sge *sges, unsigned count, uint32_t offset, unsigned char *to,
               uint32_t length)
{
    uint32_t start = 0;
    for (unsigned i = 0; i < count; start += sges[i].length, i++) {
        const struct overlap part = overlap(&sges[i], start, offset, length);
        if (part.bytes != NULL)
            memcpy(to + part.message_at, part.bytes, part.length);
    }
}

void mr_scatter(const struct mr_sge *sges, unsigned count, uint32_t offset,
                const unsigned char *from, uint32_t length)
{
    uint32_t start = 0;
    for (unsigned i = 0; i < count; start += sges[i].length, i++) {
        const struct overlap part = overlap(&sges[i], start, offset, length);
        if (part.bytes != NULL)
            memcpy(part.bytes, from + part.message_at, part.length);
    }
}

void mr_set_content(const struct mr_sge *sges, unsigned count, uint32_t content)
{
    for (unsigned i = 0; i < count; i++)
        if (sges[i].mr->verbs.memory == VERBS_BULK && sges[i].length > 0)
            sges[i].mr->verbs.content = content;
}

void mr_forget(const struct mr_sge *sges, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        sges[i].mr->filled = 0;
}
