/* SPDX-License-Identifier: Apache-2.0
 * slab - items of one size, identified by index, for owners that mostly have few and sometimes very
 * many.
 * Memory is allocated in blocks on demand: an item never moves, and an unused slab takes no memory,
 * while a pool takes a page or two. The free list is LIFO and is stored in the first four bytes of
 * the free items. Owner: the caller of slab_init. Errors: a full slab ends the run with a CHECK
 * that names it. */
#ifndef STORMGLASS_BASE_SLAB_H
#define STORMGLASS_BASE_SLAB_H

#include <stdint.h>

struct slab {
    unsigned char **blocks;
    uint32_t item_bytes;
    uint32_t limit;
    uint32_t used; /* items ever handed out: [0, used) */
    uint32_t free; /* first free item; equal to `used`: none */
    uint32_t block_room;
    uint8_t block_bits; /* log2 of the items per block */
    const char *name;
};

/* An item has at least 4 bytes. */
void slab_init(struct slab *slab, const char *name, uint32_t item_bytes, uint32_t limit);
void slab_fini(struct slab *slab);

/* Takes an item. Except for its first four bytes, its content is left over from its last use, or
 * zeros at first. */
uint32_t slab_take(struct slab *slab);
void slab_give(struct slab *slab, uint32_t index);

static inline void *slab_at(const struct slab *slab, uint32_t index)
{
    const uint32_t place = index & ((1u << slab->block_bits) - 1);
    return slab->blocks[index >> slab->block_bits] + (uint64_t)place * slab->item_bytes;
}

#endif
