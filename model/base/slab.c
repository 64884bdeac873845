/* SPDX-License-Identifier: Apache-2.0
 * slab - blocks of about a kilobyte. */
#include "base/slab.h"

#include "base/check.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1024, FIRST_BLOCKS = 2 };

void slab_init(struct slab *slab, const char *name, uint32_t item_bytes, uint32_t limit)
{
    CHECK(item_bytes >= sizeof(uint32_t) && limit > 0);
    *slab = (struct slab){.item_bytes = item_bytes, .limit = limit, .name = name};
    while (item_bytes << (slab->block_bits + 1) <= BLOCK_BYTES)
        slab->block_bits++;
}

void slab_fini(struct slab *slab)
{
    for (uint32_t i = 0; i << slab->block_bits < slab->used; i++)
        free(slab->blocks[i]);
    free(slab->blocks);
    *slab = (struct slab){0};
}

static void add_block(struct slab *slab)
{
    const uint32_t block = slab->used >> slab->block_bits;
    if (block == slab->block_room) {
        slab->block_room = block == 0 ? FIRST_BLOCKS : block * 2;
        slab->blocks = memory_resized(slab->blocks, slab->block_room, sizeof *slab->blocks);
    }
    slab->blocks[block] = memory_new((size_t)slab->item_bytes << slab->block_bits);
}

static uint32_t take_new_item(struct slab *slab)
{
    if (slab->used == slab->limit) {
        fprintf(stderr, "stormglass: more than %u %s in use at once\n", slab->limit, slab->name);
        exit(3);
    }
    if ((slab->used & ((1u << slab->block_bits) - 1)) == 0)
        add_block(slab);
    slab->free = slab->used + 1;
    return slab->used++;
}

uint32_t slab_take(struct slab *slab)
{
    const uint32_t index = slab->free;
    if (index == slab->used)
        return take_new_item(slab);
    memcpy(&slab->free, slab_at(slab, index), sizeof slab->free);
    return index;
}

void slab_give(struct slab *slab, uint32_t index)
{
    memcpy(slab_at(slab, index), &slab->free, sizeof slab->free);
    slab->free = index;
}
