/* SPDX-License-Identifier: Apache-2.0
 * ftl - where a drive of flash has each of its units: a page map with greedy collection.
 * Units of 4 KiB are written one behind the other into an open block.  When it is full and no block
 * but the reserve is free, the block with the fewest valid units is collected: they are written
 * anew, and the block is the reserve.  Nothing here takes time; who plays it in time is told of
 * each copy.
 * Source: greedy collection with one open block, as analysed by Desnoyers, "Analytic modeling of
 * SSD write performance", SYSTOR 2012, and by Xiang and Kurkoski, arXiv 1110.4245: with uniformly
 * random writes and r of over-provisioning, r = spare / used, write amplification tends to
 * a / (a + W(-a e^-a)), a = 1 + r.  Ties are broken by age: the block that lost a unit first.
 * Units: units, places (of one unit each), blocks.  Owner: the caller of ftl_init.  Errors: none.
 * Not modelled: separate blocks for data that are copied, wear levelling, blocks that fail, a map
 * that is not all in memory. */
#ifndef STORMGLASS_NVME_MEDIA_FTL_H
#define STORMGLASS_NVME_MEDIA_FTL_H

#include <stdint.h>

enum { FTL_UNIT_BYTES = 4096 };

#define FTL_NOWHERE UINT32_MAX

struct ftl_size {
    uint32_t units; /* that can be addressed, at least 1 */
    uint32_t block_units;
    int64_t over_provisioning; /* ppm of the units, in blocks rounded up */
};

struct ftl_block {
    uint32_t valid;      /* units in it that are where the map says */
    uint32_t next, prev; /* among the blocks with as many, or the free ones */
};

struct ftl {
    uint32_t units, block_units, blocks;
    uint32_t *places;        /* of each unit; FTL_NOWHERE: never written */
    uint32_t *held;          /* by each place: a unit; FTL_NOWHERE: none, or no longer */
    struct ftl_block *block; /* behind them the heads of block_units + 1 lists, and of the free */
    uint32_t free_blocks;    /* the reserve included */
    uint32_t open, filled;   /* the next place: of this block, behind so many */
    uint64_t written, copied, padded; /* units, since ftl_forget */
    uint64_t collected;               /* blocks */
};

/* A unit that was collected is written anew: read at `from`, it is now at `to`. */
typedef void ftl_copied_fn(void *self, uint32_t from, uint32_t to);

void ftl_init(struct ftl *ftl, const struct ftl_size *size);
void ftl_fini(struct ftl *ftl);

/* Where the unit is written.  What must be copied before there is room for it is told first;
 * `copied` may be NULL. */
uint32_t ftl_write(struct ftl *ftl, uint32_t unit, ftl_copied_fn *copied, void *self);

/* Leaves a place of the open block empty, so that what is before it can be programmed.  Returns
 * FTL_NOWHERE when the block is full. */
uint32_t ftl_pad(struct ftl *ftl);

static inline uint32_t ftl_place(const struct ftl *ftl, uint32_t unit)
{
    return ftl->places[unit];
}

/* Counts from now on. */
void ftl_forget(struct ftl *ftl);

/* CHECKs that map and blocks agree; looks at everything. */
void ftl_audit(const struct ftl *ftl);

#endif
