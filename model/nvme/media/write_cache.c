/* SPDX-License-Identifier: Apache-2.0
 * write_cache - a hash table of units, and a ring of the waiting ones. */
#include "nvme/media/write_cache.h"

#include "base/check.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>

enum { FIRST_ROOM = 64 };

void write_cache_fini(struct write_cache *cache)
{
    free(cache->entries);
    free(cache->line);
    *cache = (struct write_cache){0};
}

/* The entry of the unit, or the empty one where it would be inserted. */
static struct write_cache_entry *place_of_unit(const struct write_cache *cache, uint64_t unit)
{
    uint64_t at = hash_home(unit, 0) & (cache->entry_room - 1);
    while (cache->entries[at].versions > 0 && cache->entries[at].unit != unit)
        at = (at + 1) & (cache->entry_room - 1);
    return &cache->entries[at];
}

static void grow_entries(struct write_cache *cache)
{
    const struct write_cache old = *cache;
    cache->entry_room = old.entry_room == 0 ? FIRST_ROOM : old.entry_room * 2;
    cache->entries = memory_zeroed(cache->entry_room, sizeof *cache->entries);
    for (uint32_t i = 0; i < old.entry_room; i++)
        if (old.entries[i].versions > 0)
            *place_of_unit(cache, old.entries[i].unit) = old.entries[i];
    free(old.entries);
}

static void grow_line(struct write_cache *cache)
{
    const struct write_cache old = *cache;
    cache->line_room = old.line_room == 0 ? FIRST_ROOM : old.line_room * 2;
    cache->line = memory_zeroed(cache->line_room, sizeof *cache->line);
    for (uint32_t i = 0; i < old.waiting; i++)
        cache->line[i] = old.line[(old.first + i) & (old.line_room - 1)];
    cache->first = 0;
    free(old.line);
}

bool write_cache_put(struct write_cache *cache, uint64_t unit)
{
    if (cache->entry_count * 2 >= cache->entry_room)
        grow_entries(cache);
    struct write_cache_entry *entry = place_of_unit(cache, unit);
    if (entry->versions > 0 && entry->waits)
        return false;
    if (cache->waiting == cache->line_room)
        grow_line(cache);
    cache->entry_count += entry->versions == 0;
    *entry = (struct write_cache_entry){unit, entry->versions + 1, true};
    cache->line[(cache->first + cache->waiting++) & (cache->line_room - 1)] =
        (struct write_cache_item){unit, ++cache->serial};
    cache->versions++;
    return true;
}

struct write_cache_item write_cache_take(struct write_cache *cache)
{
    CHECK(cache->waiting > 0);
    const struct write_cache_item item = cache->line[cache->first];
    struct write_cache_entry *entry = place_of_unit(cache, item.unit);
    CHECK(entry->versions > 0 && entry->waits);
    entry->waits = false;
    cache->first = (cache->first + 1) & (cache->line_room - 1);
    cache->waiting--;
    return item;
}

/* Moves later entries of the probe sequence into the hole, so that lookups still find them. */
static void close_hole(struct write_cache *cache, uint64_t hole)
{
    const uint64_t mask = cache->entry_room - 1;
    for (uint64_t at = (hole + 1) & mask; cache->entries[at].versions > 0; at = (at + 1) & mask) {
        const uint64_t home = hash_home(cache->entries[at].unit, 0) & mask;
        if (((at - home) & mask) < ((at - hole) & mask))
            continue;
        cache->entries[hole] = cache->entries[at];
        hole = at;
    }
    cache->entries[hole] = (struct write_cache_entry){0};
}

void write_cache_release(struct write_cache *cache, uint64_t unit)
{
    struct write_cache_entry *entry = place_of_unit(cache, unit);
    CHECK(entry->versions > (entry->waits ? 1u : 0u));
    cache->versions--;
    if (--entry->versions > 0)
        return;
    cache->entry_count--;
    close_hole(cache, (uint64_t)(entry - cache->entries));
}

bool write_cache_has(const struct write_cache *cache, uint64_t unit)
{
    return cache->entry_count > 0 && place_of_unit(cache, unit)->versions > 0;
}
