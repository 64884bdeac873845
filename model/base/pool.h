/* SPDX-License-Identifier: Apache-2.0
 * pool - items of one size, named by index.
 * The address range for `limit` items is reserved once and touched only as far as it is used, so
 * that an item never moves, an index is one multiplication away from its item, and growing costs
 * nothing.  Where addresses are scarce (ulimit -v, strict overcommit) a pool begins with as many
 * items as a sixteenth of what is left holds, and grows where it is, by half of what is left at
 * most: the rest is for the others.  The parts of one range do not grow.  The free list is last-in
 * first-out: the next item is the one whose cache lines are warm.
 * A pool of which most owners need few items begins with so many in memory of its own, where a
 * range of addresses would take pages and tables of pages: items then move whenever they become
 * twice as many.
 * Owner: whoever calls pool_init.  Errors: a pool that is full, or for which there is no memory,
 * ends the program by name. */
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
    uint32_t *
        link; /* of each free item to the next: its index less one more than the item's own, so that
                     * memory that was never touched links each item to the one after it */
    uint32_t item_bytes;
    uint32_t parts; /* of the range, which it owns; 0: it is a part of another's */
    uint32_t first; /* of its part of the range: 0, unless it is a later one */
    uint32_t limit; /* and the end of it; so many fit where they are */
    uint32_t few;   /* it begins with so many, in memory of its own; 0: it has a range */
    uint32_t most;  /* items of the range, or of the memory in the end */
    uint32_t used;  /* items ever handed out: [first, used) have been touched */
    uint32_t free;  /* first free item */
    uint32_t taken; /* items out now */
    uint32_t asked; /* items; there were addresses for no more than the limit says */
    const char *name;
};

void pool_init(struct pool *pool, const char *name, uint32_t item_bytes, uint32_t limit);
/* No memory at first, then for `few`, then for twice as many, up to `limit`.  Items are aligned to
 * POOL_ALIGNMENT, of which their size is a multiple. */
void pool_init_few(struct pool *pool, const char *name, uint32_t item_bytes, uint32_t limit,
                   uint32_t few);
void pool_fini(struct pool *pool);

/* Begins the first of several pools with one range of items, `limit` for each: what one has handed
 * out may be given to another.  One thread each may use them.  pool_fini of this one is for
 * all. */
void pool_init_parts(struct pool *pool, const char *name, uint32_t item_bytes, uint32_t limit,
                     uint32_t parts);

/* The one with that number, from 1. */
void pool_init_part(struct pool *pool, const struct pool *first, uint32_t number);

/* Takes every item back.  Not of several with one range. */
void pool_clear(struct pool *pool);

/* Much of the pool will be touched in no order: huge pages, where the kernel has them, spare walks
 * through page tables. */
void pool_use_huge_pages(struct pool *pool);

/* Before an item is taken of a pool of few: true when the items have moved. */
bool pool_make_room(struct pool *pool);

/* More room for a pool that is full, or the end. */
void pool_grow(struct pool *pool);

/* From now on it has the room that it has: something else is as large. */
void pool_stay(struct pool *pool);

static inline void *pool_at(const struct pool *pool, uint32_t index)
{
    return pool->items + (size_t)index * pool->item_bytes;
}

/* An item whose content is left from its last use; zeroes at first. */
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

/* Of an item that was handed out: it goes to another with the same range, or comes from there. */
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
