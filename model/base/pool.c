/* SPDX-License-Identifier: Apache-2.0
 * pool - reserves address space, lets the kernel back it page by page. */
#include "base/pool.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* So much of a pool is in small pages in any case: a huge one would be more than a small run takes
 * altogether. */
enum { FEW_BYTES = 2 << 20 };

static void *reserve(size_t bytes)
{
    void *range = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(range != MAP_FAILED);
    return range;
}

void pool_init_few(struct pool *pool, const char *name, uint32_t item_bytes, uint32_t limit,
                   uint32_t few)
{
    CHECK(item_bytes > 0 && few > 0 && few < limit && limit < POOL_NONE);
    CHECK(item_bytes % POOL_ALIGNMENT == 0);
    *pool = (struct pool){
        .item_bytes = item_bytes, .few = few, .most = limit, .parts = 1, .name = name};
}

void pool_init(struct pool *pool, const char *name, uint32_t item_bytes, uint32_t limit)
{
    pool_init_parts(pool, name, item_bytes, limit, 1);
}

static void make_few(struct pool *pool)
{
    pool->items = memory_aligned(pool->few, pool->item_bytes, POOL_ALIGNMENT);
    pool->link = memory_zeroed(pool->few, sizeof *pool->link);
    pool->limit = pool->few;
}

static void make_all(struct pool *pool)
{
    const struct pool before = *pool;
    pool->items = reserve((size_t)pool->item_bytes * pool->most);
    pool->link = reserve(sizeof *pool->link * (size_t)pool->most);
    pool->limit = pool->most;
    memcpy(pool->items, before.items, (size_t)before.item_bytes * before.limit);
    memcpy(pool->link, before.link, sizeof *before.link * before.limit);
    free(before.items);
    free(before.link);
}

void pool_is_full(const struct pool *pool)
{
    fprintf(stderr, "stormglass: more than %u %s in use at once\n", pool->limit - pool->first,
            pool->name);
    exit(3);
}

bool pool_make_room(struct pool *pool)
{
    if (pool->free < pool->limit || pool->limit == pool->most)
        return false;
    if (pool->limit == 0)
        make_few(pool);
    else
        make_all(pool);
    return true;
}

void pool_init_parts(struct pool *pool, const char *name, uint32_t item_bytes, uint32_t limit,
                     uint32_t parts)
{
    CHECK(item_bytes > 0 && limit > 0 && parts > 0 && (uint64_t)limit * parts < POOL_NONE);
    *pool = (struct pool){
        .items = reserve((size_t)item_bytes * limit * parts),
        .link = reserve(sizeof(uint32_t) * (size_t)limit * parts),
        .item_bytes = item_bytes,
        .parts = parts,
        .limit = limit,
        .most = limit * parts,
        .name = name,
    };
}

void pool_init_part(struct pool *pool, const struct pool *first, uint32_t number)
{
    CHECK(number > 0 && number < first->parts);
    *pool = *first;
    pool->parts = 0;
    pool->first = pool->used = pool->free = number * first->limit;
    pool->limit += pool->first;
    pool->taken = 0;
}

void pool_use_huge_pages(struct pool *pool)
{
    const size_t bytes = (size_t)pool->item_bytes * (pool->limit - pool->first);
    if (bytes > FEW_BYTES)
        madvise((unsigned char *)pool_at(pool, pool->first) + FEW_BYTES, bytes - FEW_BYTES,
                MADV_HUGEPAGE);
}

void pool_fini(struct pool *pool)
{
    if (pool->parts > 0 && (pool->few == 0 || pool->limit == pool->most)) {
        munmap(pool->items, (size_t)pool->item_bytes * pool->most);
        munmap(pool->link, sizeof *pool->link * (size_t)pool->most);
    } else if (pool->parts > 0) {
        free(pool->items);
        free(pool->link);
    }
    *pool = (struct pool){0};
}

void pool_clear(struct pool *pool)
{
    CHECK(pool->parts == 1);
    memset(pool->link, 0, pool->used * sizeof *pool->link);
    pool->used = pool->free = pool->taken = 0;
}
