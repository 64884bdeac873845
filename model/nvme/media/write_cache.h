/* SPDX-License-Identifier: Apache-2.0
 * write_cache - units in a drive's memory that flash does not have yet.
 * A unit that is written waits in line; taken out of the line it is on its way to flash, and is
 * released when it is there.  Written anew while it waits it takes no more room; written anew on
 * its way it is there twice, and the later one counts.
 * Units: numbers of 4 KiB.  Owner: the caller.  Errors: none; it grows as needed. */
#ifndef STORMGLASS_NVME_MEDIA_WRITE_CACHE_H
#define STORMGLASS_NVME_MEDIA_WRITE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct write_cache_entry {
    uint64_t unit;
    uint32_t versions; /* 0: the place is empty */
    bool waits;        /* the last of them is in line */
};

/* What is in line: `serial` counts puts that took room, from 1. */
struct write_cache_item {
    uint64_t unit, serial;
};

struct write_cache {
    struct write_cache_entry *entries; /* open addressing, linear probing */
    struct write_cache_item *line;     /* a ring */
    uint32_t entry_room, line_room;    /* powers of two, or 0 */
    uint32_t entry_count, first, waiting;
    uint64_t versions; /* all of all units */
    uint64_t serial;   /* of the last */
};

void write_cache_fini(struct write_cache *cache); /* all zero: empty */

/* False: one that waited is replaced. */
bool write_cache_put(struct write_cache *cache, uint64_t unit);

/* The oldest that waits; there is one. */
struct write_cache_item write_cache_take(struct write_cache *cache);

/* One that was taken is in flash. */
void write_cache_release(struct write_cache *cache, uint64_t unit);

bool write_cache_has(const struct write_cache *cache, uint64_t unit);

#endif
