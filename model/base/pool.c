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
    CHECK(item_bytes > 0 && limit > 0 && limit < POOL_NONE);
    CHECK(few < limit && (few == 0 || item_bytes % POOL_ALIGNMENT == 0));
    *pool = (struct pool){.item_bytes = item_bytes, .few = few, .most = limit, .name = name};
}

void pool_init(struct pool *pool, const char *name, uint32_t item_bytes, uint32_t limit)
{
    pool_init_few(pool, name, item_bytes, limit, 0);
    pool_make_room(pool);
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
    if (before.limit == 0)
        return;
    memcpy(pool->items, before.items, (size_t)before.item_bytes * before.limit);
    memcpy(pool->link, before.link, sizeof *before.link * before.limit);
    free(before.items);
    free(before.link);
}

void pool_is_full(const struct pool *pool)
{
    fprintf(stderr, "stormglass: more than %u %s in use at once\n", pool->most, pool->name);
    exit(3);
}

bool pool_make_room(struct pool *pool)
{
    if (pool->free < pool->limit || pool->limit == pool->most)
        return false;
    if (pool->limit == 0 && pool->few > 0)
        make_few(pool);
    else
        make_all(pool);
    return true;
}

void pool_use_huge_pages(struct pool *pool)
{
    const size_t bytes = (size_t)pool->item_bytes * pool->limit;
    if (bytes > FEW_BYTES)
        madvise(pool->items + FEW_BYTES, bytes - FEW_BYTES, MADV_HUGEPAGE);
}

void pool_fini(struct pool *pool)
{
    if (pool->limit == pool->most && pool->items != NULL) {
        munmap(pool->items, (size_t)pool->item_bytes * pool->most);
        munmap(pool->link, sizeof *pool->link * (size_t)pool->most);
    } else {
        free(pool->items);
        free(pool->link);
    }
    *pool = (struct pool){0};
}

void pool_clear(struct pool *pool)
{
    memset(pool->link, 0, pool->used * sizeof *pool->link);
    pool->used = pool->free = pool->taken = 0;
}
