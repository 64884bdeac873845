/* SPDX-License-Identifier: Apache-2.0
 * pool - reserves address space, lets the kernel back it page by page. */
#include "base/pool.h"

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

void pool_init(struct pool *pool, const char *name, uint32_t item_bytes, uint32_t limit)
{
    CHECK(item_bytes > 0 && limit > 0 && limit < POOL_NONE);
    *pool = (struct pool){
        .items = reserve((size_t)item_bytes * limit),
        .link = reserve(sizeof(uint32_t) * (size_t)limit),
        .item_bytes = item_bytes,
        .limit = limit,
        .name = name,
    };
}

void pool_use_huge_pages(struct pool *pool)
{
    const size_t bytes = (size_t)pool->item_bytes * pool->limit;
    if (bytes > FEW_BYTES)
        madvise(pool->items + FEW_BYTES, bytes - FEW_BYTES, MADV_HUGEPAGE);
}

void pool_fini(struct pool *pool)
{
    if (pool->items == NULL)
        return;
    munmap(pool->items, (size_t)pool->item_bytes * pool->limit);
    munmap(pool->link, sizeof(uint32_t) * (size_t)pool->limit);
    *pool = (struct pool){0};
}

void pool_clear(struct pool *pool)
{
    memset(pool->link, 0, pool->used * sizeof *pool->link);
    pool->used = pool->free = pool->taken = 0;
}

void pool_is_full(const struct pool *pool)
{
    fprintf(stderr, "stormglass: more than %u %s in use at once\n", pool->limit, pool->name);
    exit(3);
}
