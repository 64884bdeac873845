/* SPDX-License-Identifier: Apache-2.0
 * slab - items of one size, named by index, of which most owners have few and some very many.
 * Comes in blocks, which are allocated as they are needed: an item never moves, and what was never
 * used takes no memory, where a pool takes a page or two.  The free list is last-in first-out and
 * lies in the free items' first four bytes.
 * Owner: whoever calls slab_init.  Errors: a slab that is full ends the run by name (CHECK). */
#ifndef STORMGLASS_BASE_SLAB_H
#define STORMGLASS_BASE_SLAB_H

#include <stdint.h>

struct slab {
    unsigned char **blocks;
    uint32_t item_bytes;
    uint32_t limit;
    uint32_t used; /* items ever handed out: [0, used) */
    uint32_t free; /* first free item; `used`: the next is a new one */
    uint32_t block_room;
    uint8_t block_bits; /* a block has 2^this items */
    const char *name;
};

/* An item has at least 4 bytes. */
void slab_init(struct slab *slab, const char *name, uint32_t item_bytes, uint32_t limit);
void slab_fini(struct slab *slab);

/* An item whose content, but for its first four bytes, is left from its last use; zeroes at first.
 */
uint32_t slab_take(struct slab *slab);
void slab_give(struct slab *slab, uint32_t index);

static inline void *slab_at(const struct slab *slab, uint32_t index)
{
    const uint32_t place = index & ((1u << slab->block_bits) - 1);
    return slab->blocks[index >> slab->block_bits] + (uint64_t)place * slab->item_bytes;
}

#endif
