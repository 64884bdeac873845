/* SPDX-License-Identifier: Apache-2.0
 * ftl - the flash translation layer of a drive: a page map with greedy garbage collection.
 * Units of 4 KiB are written one after the other into an open block. When it is full and only the
 * reserve block is free, the block with the fewest valid units is collected: these are copied, and
 * it becomes the reserve. Nothing here takes time; a callback reports each copy to the caller,
 * which models the time. Source: greedy collection with one open block, as analyzed by Desnoyers,
 * "Analytic modeling of SSD write performance", SYSTOR 2012, and by Xiang and Kurkoski, arXiv
 * 1110.4245: with uniformly random writes and over-provisioning r = spare / used, write
 * amplification tends to a / (a + W(-a e^-a)), a = 1 + r. Ties are broken by age: the block that
 * lost a unit first is collected. Units: units, places (one unit each), blocks. Owner: the caller
 * of ftl_init. Errors: none. Not modeled: separate blocks for copied data, wear leveling, failing
 * blocks, a map that is not entirely in memory. */
#ifndef STORMGLASS_NVME_MEDIA_FTL_H
#define STORMGLASS_NVME_MEDIA_FTL_H

#include <stdint.h>

enum { FTL_UNIT_BYTES = 4096 };

#define FTL_NOWHERE UINT32_MAX

struct ftl_size {
    uint32_t units; /* addressable units, at least 1 */
    uint32_t block_units;
    int64_t over_provisioning; /* ppm of the units; rounded up to whole blocks */
};

struct ftl_block {
    uint32_t valid;      /* units that the map still places in this block */
    uint32_t next, prev; /* in the list of blocks with as many valid units, or of the free ones */
};

struct ftl {
    uint32_t units, block_units, blocks;
    uint32_t *places;        /* by unit: its place; FTL_NOWHERE: never written */
    uint32_t *held;          /* by place: its unit; FTL_NOWHERE: empty or stale */
    struct ftl_block *block; /* followed by the heads of block_units + 1 lists and of the free
                              * list */
    uint32_t free_blocks;    /* including the reserve */
    uint32_t open, filled;   /* open block, and number of places filled in it */
    uint64_t written, copied, padded; /* units, since ftl_forget */
    uint64_t collected;               /* blocks, since ftl_forget */
};

/* A unit is copied during collection: from place `from` to place `to`. */
typedef void ftl_copied_fn(void *self, uint32_t from, uint32_t to);

void ftl_init(struct ftl *ftl, const struct ftl_size *size);
void ftl_fini(struct ftl *ftl);

/* Writes a unit and returns its place. Copies that make room for it are reported first; `copied`
 * may be NULL. */
uint32_t ftl_write(struct ftl *ftl, uint32_t unit, ftl_copied_fn *copied, void *self);

/* Skips a place of the open block so that the places before it can be programmed. Returns
 * FTL_NOWHERE when the block is full. */
uint32_t ftl_pad(struct ftl *ftl);

static inline uint32_t ftl_place(const struct ftl *ftl, uint32_t unit)
{
    return ftl->places[unit];
}

/* Resets the counters. */
void ftl_forget(struct ftl *ftl);

/* CHECKs that map and blocks agree; visits everything. */
void ftl_audit(const struct ftl *ftl);

#endif
