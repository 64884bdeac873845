/* SPDX-License-Identifier: Apache-2.0
 * ftl - a page map, and lists of blocks by number of valid units.
 * There are always as many blocks as the units and the over-provisioning need, plus one, the
 * reserve. So when all but the reserve are full, some block has a stale unit, and collecting the
 * block with the fewest valid units frees space. */
#include "nvme/media/ftl.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/units.h"

#include <stdlib.h>

/* Head of the list of blocks with that number of valid units, or of the free blocks. */
static uint32_t head_of(const struct ftl *ftl, uint32_t valid)
{
    return ftl->blocks + valid;
}

static uint32_t free_head(const struct ftl *ftl)
{
    return ftl->blocks + ftl->block_units + 1;
}

static void list_remove(struct ftl *ftl, uint32_t at)
{
    struct ftl_block *block = &ftl->block[at];
    ftl->block[block->prev].next = block->next;
    ftl->block[block->next].prev = block->prev;
    block->next = block->prev = at;
}

/* Appends to the list. */
static void list_append(struct ftl *ftl, uint32_t at, uint32_t head)
{
    struct ftl_block *block = &ftl->block[at];
    block->next = head;
    block->prev = ftl->block[head].prev;
    ftl->block[block->prev].next = at;
    ftl->block[head].prev = at;
}

void ftl_init(struct ftl *ftl, const struct ftl_size *size)
{
    CHECK(size->units > 0 && size->block_units > 0 && size->over_provisioning > 0);
    const uint64_t used = (size->units - 1) / size->block_units + 1;
    const uint64_t all = (uint64_t)size->units * (uint64_t)(PPM + size->over_provisioning) / PPM;
    const uint64_t with_spare = (all + size->block_units - 1) / size->block_units;
    const uint64_t blocks = (with_spare > used ? with_spare : used + 1) + 1;
    CHECK(blocks * size->block_units < FTL_NOWHERE);
    *ftl = (struct ftl){
        .units = size->units, .block_units = size->block_units, .blocks = (uint32_t)blocks};
    const size_t places = (size_t)blocks * size->block_units;
    const uint32_t heads = size->block_units + 2;
    ftl->places = memory_zeroed(size->units, sizeof *ftl->places);
    ftl->held = memory_zeroed(places, sizeof *ftl->held);
    ftl->block = memory_zeroed((size_t)blocks + heads, sizeof *ftl->block);
    for (uint32_t i = 0; i < size->units; i++)
        ftl->places[i] = FTL_NOWHERE;
    for (size_t i = 0; i < places; i++)
        ftl->held[i] = FTL_NOWHERE;
    for (uint32_t i = 0; i < ftl->blocks + heads; i++)
        ftl->block[i].next = ftl->block[i].prev = i;
    for (uint32_t i = 1; i < ftl->blocks; i++)
        list_append(ftl, i, free_head(ftl));
    ftl->free_blocks = ftl->blocks - 1; /* block 0 is open */
}

void ftl_fini(struct ftl *ftl)
{
    free(ftl->places);
    free(ftl->held);
    free(ftl->block);
    *ftl = (struct ftl){0};
}

static void expire(struct ftl *ftl, uint32_t place)
{
    const uint32_t at = place / ftl->block_units;
    CHECK(ftl->held[place] != FTL_NOWHERE && ftl->block[at].valid > 0);
    ftl->held[place] = FTL_NOWHERE;
    ftl->block[at].valid--;
    if (at == ftl->open)
        return;
    list_remove(ftl, at);
    list_append(ftl, at, head_of(ftl, ftl->block[at].valid));
}

/* Writes the unit; requires space in the open block. */
static uint32_t put_unit(struct ftl *ftl, uint32_t unit)
{
    CHECK(ftl->filled < ftl->block_units);
    const uint32_t place = ftl->open * ftl->block_units + ftl->filled++;
    if (ftl->places[unit] != FTL_NOWHERE)
        expire(ftl, ftl->places[unit]);
    ftl->places[unit] = place;
    ftl->held[place] = unit;
    ftl->block[ftl->open].valid++;
    return place;
}

static void open_next(struct ftl *ftl)
{
    const uint32_t full = ftl->open;
    CHECK(ftl->free_blocks > 0);
    ftl->open = ftl->block[free_head(ftl)].next;
    ftl->filled = 0;
    ftl->free_blocks--;
    list_remove(ftl, ftl->open);
    list_append(ftl, full, head_of(ftl, ftl->block[full].valid));
}

static uint32_t victim_of(const struct ftl *ftl)
{
    uint32_t valid = 0;
    while (ftl->block[head_of(ftl, valid)].next == head_of(ftl, valid))
        valid++;
    CHECK(valid < ftl->block_units);
    return ftl->block[head_of(ftl, valid)].next;
}

static void collect(struct ftl *ftl, uint32_t victim, ftl_copied_fn *copied, void *self)
{
    const uint32_t first = victim * ftl->block_units;
    for (uint32_t from = first; from < first + ftl->block_units; from++) {
        if (ftl->held[from] == FTL_NOWHERE)
            continue;
        const uint32_t to = put_unit(ftl, ftl->held[from]);
        ftl->copied++;
        if (copied != NULL)
            copied(self, from, to);
    }
    CHECK(ftl->block[victim].valid == 0);
    list_remove(ftl, victim);
    list_append(ftl, victim, free_head(ftl));
    ftl->free_blocks++;
    ftl->collected++;
}

uint32_t ftl_write(struct ftl *ftl, uint32_t unit, ftl_copied_fn *copied, void *self)
{
    CHECK(unit < ftl->units);
    ftl->written++;
    if (ftl->filled == ftl->block_units) {
        open_next(ftl);
        if (ftl->free_blocks == 0)
            collect(ftl, victim_of(ftl), copied, self);
    }
    return put_unit(ftl, unit);
}

uint32_t ftl_pad(struct ftl *ftl)
{
    if (ftl->filled == ftl->block_units)
        return FTL_NOWHERE;
    ftl->padded++;
    return ftl->open * ftl->block_units + ftl->filled++;
}

void ftl_forget(struct ftl *ftl)
{
    ftl->written = ftl->copied = ftl->padded = ftl->collected = 0;
}

void ftl_audit(const struct ftl *ftl)
{
    uint32_t listed = 0;
    for (uint32_t unit = 0; unit < ftl->units; unit++)
        CHECK(ftl->places[unit] == FTL_NOWHERE || ftl->held[ftl->places[unit]] == unit);
    for (uint32_t at = 0; at < ftl->blocks; at++) {
        uint32_t valid = 0;
        for (uint32_t i = 0; i < ftl->block_units; i++)
            valid += ftl->held[at * ftl->block_units + i] != FTL_NOWHERE;
        CHECK(valid == ftl->block[at].valid);
    }
    for (uint32_t head = ftl->blocks; head <= free_head(ftl); head++)
        for (uint32_t at = ftl->block[head].next; at != head; at = ftl->block[at].next) {
            CHECK(at != ftl->open && at < ftl->blocks);
            CHECK(head == free_head(ftl) || head_of(ftl, ftl->block[at].valid) == head);
            CHECK(head != free_head(ftl) || ftl->block[at].valid == 0);
            listed++;
        }
    CHECK(listed == ftl->blocks - 1 && ftl->filled <= ftl->block_units);
}
