/* SPDX-License-Identifier: Apache-2.0
 * pool - reserves address space; the kernel provides memory page by page. */
#include "base/pool.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The first part of a pool always uses small pages: one huge page would exceed the whole memory of
 * a small run. */
enum { FEW_BYTES = 2 << 20 };

/* Minimum number of items by which a pool grows. */
enum { MORE_MIN = 64 };

/* A pool takes at most 1/SHARES of the available address space, because other pools need some
 * too. */
enum { SHARES = 16 };

/* For builds with little address space, or where it is expensive: under qemu-user and in
 * WebAssembly each reserved page costs memory, so that nothing is reserved only to find out whether
 * it could be. */
#ifdef POOL_RESERVE_MAX
static bool can_reserve(uint64_t wanted)
{
    return wanted <= POOL_RESERVE_MAX;
}
#else
static bool can_reserve(uint64_t wanted)
{
    if (wanted > SIZE_MAX)
        return false;
    const size_t bytes = (size_t)wanted;
    void *range = memory_range(bytes);
    if (range != NULL)
        memory_range_free(range, bytes);
    return range != NULL;
}
#endif

/* Items per part: `limit`, halved until the address space suffices. */
static uint32_t find_fitting_limit(uint64_t item_bytes, uint32_t limit, uint32_t parts)
{
    while (limit > 1 && !can_reserve(item_bytes * limit * parts * SHARES))
        limit /= 2;
    return limit;
}

static bool can_grow(const struct pool *pool)
{
    return pool->parts == 1 && pool->few == 0 && pool->limit < pool->asked;
}

static void *reserve(const struct pool *pool, size_t item_bytes)
{
    const size_t bytes = item_bytes * pool->most;
    void *range = can_grow(pool) ? memory_range_roomy(bytes) : memory_range(bytes);
    if (range == NULL)
        memory_out(bytes, pool->name);
    return range;
}

void pool_init_few(struct pool *pool, const char *name, uint32_t item_bytes, uint32_t limit,
                   uint32_t few)
{
    CHECK(item_bytes > 0 && few > 0 && few < limit && limit < POOL_NONE);
    CHECK(item_bytes % POOL_ALIGNMENT == 0);
    *pool = (struct pool){.item_bytes = item_bytes,
                          .few = few,
                          .most = limit,
                          .asked = limit,
                          .parts = 1,
                          .name = name};
}

void pool_init(struct pool *pool, const char *name, uint32_t item_bytes, uint32_t limit)
{
    pool_init_parts(pool, name, item_bytes, limit, 1);
}

/* Doubles the capacity and copies the items. */
static void double_capacity(struct pool *pool)
{
    const struct pool before = *pool;
    const uint32_t limit = before.limit < before.most / 2 ? before.limit * 2 : before.most;
    pool->limit = before.limit == 0 ? before.few : limit;
    pool->items = memory_aligned(pool->limit, pool->item_bytes, POOL_ALIGNMENT);
    pool->link = memory_zeroed(pool->limit, sizeof *pool->link);
    if (before.limit > 0) {
        memcpy(pool->items, before.items, (size_t)before.item_bytes * before.limit);
        memcpy(pool->link, before.link, sizeof *before.link * before.limit);
    }
    free(before.items);
    free(before.link);
}

/* Adds `more` items in place, provided that at least as much address space remains for others. */
static bool extend_in_place(struct pool *pool, uint32_t more)
{
    const size_t before = pool->limit, after = before + more;
    const size_t link_bytes = sizeof *pool->link, item_bytes = pool->item_bytes;
    if (!can_reserve(2 * (uint64_t)(item_bytes + link_bytes) * more) ||
        !memory_range_resize(pool->link, before * link_bytes, after * link_bytes))
        return false;
    if (!memory_range_resize(pool->items, before * item_bytes, after * item_bytes)) {
        memory_range_resize(pool->link, after * link_bytes, before * link_bytes);
        return false;
    }
    pool->limit = pool->most = (uint32_t)after;
    return true;
}

void pool_grow(struct pool *pool)
{
    const uint32_t limit = pool->limit - pool->first, missing = pool->asked - limit;
    const uint32_t wanted = limit < MORE_MIN ? MORE_MIN : limit;
    for (uint32_t more = wanted < missing ? wanted : missing; can_grow(pool) && more > 0; more /= 2)
        if (extend_in_place(pool, more))
            return;
    if (limit < pool->asked)
        memory_out(2 * (size_t)pool->item_bytes * limit, pool->name);
    fprintf(stderr, "stormglass: more than %u %s in use at once\n", limit, pool->name);
    exit(3);
}

void pool_stay(struct pool *pool)
{
    pool->asked = pool->limit - pool->first;
}

bool pool_make_room(struct pool *pool)
{
    if (pool->free < pool->limit || pool->limit == pool->most)
        return false;
    double_capacity(pool);
    return true;
}

void pool_init_parts(struct pool *pool, const char *name, uint32_t item_bytes, uint32_t limit,
                     uint32_t parts)
{
    CHECK(item_bytes > 0 && limit > 0 && parts > 0 && (uint64_t)limit * parts < POOL_NONE);
    const uint32_t fits = find_fitting_limit(item_bytes + sizeof *pool->link, limit, parts);
    *pool = (struct pool){
        .item_bytes = item_bytes,
        .parts = parts,
        .limit = fits,
        .most = fits * parts,
        .asked = limit,
        .name = name,
    };
    pool->items = reserve(pool, item_bytes);
    pool->link = reserve(pool, sizeof *pool->link);
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
    if (pool->parts > 0 && pool->few == 0) {
        memory_range_free(pool->items, (size_t)pool->item_bytes * pool->most);
        memory_range_free(pool->link, sizeof *pool->link * (size_t)pool->most);
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
