/* SPDX-License-Identifier: Apache-2.0
 * write_cache - units in a drive's buffer that are not in flash yet.
 * A written unit waits in a queue; after it is taken from the queue it is on its way to flash, and
 * it is released when it is there. Overwriting a waiting unit takes no more space; overwriting a
 * unit on its way adds a second version, and the later one is valid.
 * Units: numbers of 4 KiB units. Owner: the caller. Errors: none; the cache grows as needed. */
#ifndef STORMGLASS_NVME_MEDIA_WRITE_CACHE_H
#define STORMGLASS_NVME_MEDIA_WRITE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct write_cache_entry {
    uint64_t unit;
    uint32_t versions; /* 0: empty entry */
    bool waits;        /* the latest version is in the queue */
};

/* An entry of the queue; `serial` counts the puts that took space, from 1. */
struct write_cache_item {
    uint64_t unit, serial;
};

struct write_cache {
    struct write_cache_entry *entries; /* open addressing, linear probing */
    struct write_cache_item *line;     /* ring buffer */
    uint32_t entry_room, line_room;    /* powers of two, or 0 */
    uint32_t entry_count, first, waiting;
    uint64_t versions; /* total over all units */
    uint64_t serial;   /* serial number of the last put */
};

void write_cache_fini(struct write_cache *cache); /* all zeros: empty */

/* Returns false when it replaces a waiting version. */
bool write_cache_put(struct write_cache *cache, uint64_t unit);

/* Takes the oldest waiting unit; there must be one. */
struct write_cache_item write_cache_take(struct write_cache *cache);

/* Releases a taken unit that is in flash now. */
void write_cache_release(struct write_cache *cache, uint64_t unit);

bool write_cache_has(const struct write_cache *cache, uint64_t unit);

#endif
