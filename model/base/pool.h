/* SPDX-License-Identifier: Apache-2.0
 * pool - items of one size, identified by index.
 * The address range for `limit` items is reserved once, and its pages are touched only as far as
 * they are used: an item never moves, finding it takes one multiplication, and growth costs
 * nothing. Where address space is scarce (ulimit -v, strict overcommit) a pool starts with at most
 * a sixteenth of the available address space and grows in place, each time by at most half of what
 * is left. The parts of a shared range do not grow. The free list is LIFO, because the item
 * released last is still in the cache. A pool of which most owners need few items (pool_init_few)
 * starts with a small allocation instead of a range, which would take whole pages and page tables;
 * its items move whenever it doubles.
 * Owner: the caller of pool_init. Errors: a full pool, or one without memory, ends the program with
 * a message that names the pool. */
#ifndef STORMGLASS_BASE_POOL_H
#define STORMGLASS_BASE_POOL_H

#include "base/check.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POOL_NONE UINT32_MAX

enum { POOL_ALIGNMENT = 128 };

struct pool {
    unsigned char *items;
    uint32_t *link; /* by free item: index of the next free one minus (own index + 1), so that
               * untouched (zero) memory links each item to its successor */
    uint32_t item_bytes;
    uint32_t parts; /* number of parts of the range that this pool owns; 0: part of another
                     * pool's range */
    uint32_t first; /* first item of this part; 0 unless it is a later part */
    uint32_t limit; /* end of this part: capacity in place */
    uint32_t few;   /* initial capacity of a pool with allocated memory; 0: uses a range */
    uint32_t most;  /* items of the range, or final capacity of the allocated memory */
    uint32_t used;  /* items ever handed out: [first, used) have been touched */
    uint32_t free;  /* first free item */
    uint32_t taken; /* items in use */
    uint32_t asked; /* requested items; `limit` is lower where address space is scarce */
    const char *name;
};

void pool_init(struct pool *pool, const char *name, uint32_t item_bytes, uint32_t limit);
/* Starts without memory, then allocates room for `few` items, then doubles up to `limit`. Items are
 * aligned to POOL_ALIGNMENT, and their size must be a multiple of it. */
void pool_init_few(struct pool *pool, const char *name, uint32_t item_bytes, uint32_t limit,
                   uint32_t few);
void pool_fini(struct pool *pool);

/* Initializes the first of `parts` pools that share one range, with `limit` items each. An item
 * taken from one may be released to another. Each pool may be used by its own thread. pool_fini of
 * this pool releases the range. */
void pool_init_parts(struct pool *pool, const char *name, uint32_t item_bytes, uint32_t limit,
                     uint32_t parts);

/* Initializes part `number`, from 1. */
void pool_init_part(struct pool *pool, const struct pool *first, uint32_t number);

/* Releases all items. Not for pools that share a range. */
void pool_clear(struct pool *pool);

/* For a large pool with random access: huge pages, where the kernel has them, avoid page-table
 * walks. */
void pool_use_huge_pages(struct pool *pool);

/* Call before pool_take on a pool of pool_init_few; returns true when the items have moved. */
bool pool_make_room(struct pool *pool);

/* Enlarges a full pool, or ends the program. */
void pool_grow(struct pool *pool);

/* Fixes the capacity at its present value, because a table elsewhere has the same size. */
void pool_stay(struct pool *pool);

static inline void *pool_at(const struct pool *pool, uint32_t index)
{
    return pool->items + (size_t)index * pool->item_bytes;
}

/* Takes an item. Its content is left over from its last use, or zeros at first. */
static inline uint32_t pool_take(struct pool *pool)
{
    const uint32_t index = pool->free;
    if (UNLIKELY(index == pool->used)) {
        if (index == pool->limit)
            pool_grow(pool);
        pool->used++;
    }
    pool->free = index + 1 + pool->link[index];
    pool->taken++;
    return index;
}

/* Transfer of items between pools with the same range: pool_part_with at the giving pool,
 * pool_receive at the other. */
static inline void pool_part_with(struct pool *pool, uint32_t items)
{
    pool->taken -= items;
}

static inline void pool_receive(struct pool *pool, uint32_t items)
{
    pool->taken += items;
}

static inline void pool_give(struct pool *pool, uint32_t index)
{
    pool->link[index] = pool->free - index - 1;
    pool->free = index;
    pool->taken--;
}

#endif
