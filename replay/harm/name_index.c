/* SPDX-License-Identifier: Apache-2.0
 * name_index - probes linearly, and doubles the table when it is half full. */
#include "replay/harm/name_index.h"

#include "base/memory.h"

#include <stdlib.h>

enum { ROOM_FIRST = 64 };

uint32_t name_index_find(const struct name_index *index, uint64_t hash,
                         bool (*same)(const void *self, uint32_t entry), const void *self)
{
    if (index->room == 0)
        return NAME_INDEX_NONE;
    for (uint32_t at = (uint32_t)hash & (index->room - 1); index->entries[at] != 0;
         at = (at + 1) & (index->room - 1))
        if (index->hashes[at] == hash && same(self, index->entries[at] - 1))
            return index->entries[at] - 1;
    return NAME_INDEX_NONE;
}

static void put_entry(struct name_index *index, uint64_t hash, uint32_t entry)
{
    uint32_t at = (uint32_t)hash & (index->room - 1);
    while (index->entries[at] != 0)
        at = (at + 1) & (index->room - 1);
    index->hashes[at] = hash;
    index->entries[at] = entry;
}

void name_index_add(struct name_index *index, uint64_t hash)
{
    if (2 * index->count >= index->room) {
        const struct name_index old = *index;
        index->room = old.room == 0 ? ROOM_FIRST : 2 * old.room;
        index->hashes = memory_zeroed(index->room, sizeof *index->hashes);
        index->entries = memory_zeroed(index->room, sizeof *index->entries);
        for (uint32_t i = 0; i < old.room; i++)
            if (old.entries[i] != 0)
                put_entry(index, old.hashes[i], old.entries[i]);
        free(old.hashes);
        free(old.entries);
    }
    put_entry(index, hash, ++index->count);
}

void name_index_free(struct name_index *index)
{
    free(index->hashes);
    free(index->entries);
    *index = (struct name_index){0};
}
