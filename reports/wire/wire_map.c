/* SPDX-License-Identifier: Apache-2.0
 * wire_map - entries are never removed, so probing needs no tombstones. */
#include "reports/wire/wire_map.h"

#include "base/check.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>

struct wire_map_slot {
    uint64_t key;
    uint32_t value; /* WIRE_MAP_NONE: free */
};

static struct wire_map_slot *slot_of(const struct wire_map *map, uint64_t key)
{
    uint32_t at = (uint32_t)hash_mix(key) & (map->room - 1);
    while (map->slots[at].value != WIRE_MAP_NONE && map->slots[at].key != key)
        at = (at + 1) & (map->room - 1);
    return &map->slots[at];
}

static void grow_slots(struct wire_map *map)
{
    const struct wire_map old = *map;
    map->room = old.room == 0 ? 64 : old.room * 2;
    map->slots = memory_resized(NULL, map->room, sizeof *map->slots);
    for (uint32_t i = 0; i < map->room; i++)
        map->slots[i].value = WIRE_MAP_NONE;
    for (uint32_t i = 0; i < old.room; i++)
        if (old.slots[i].value != WIRE_MAP_NONE)
            *slot_of(map, old.slots[i].key) = old.slots[i];
    free(old.slots);
}

void wire_map_put(struct wire_map *map, uint64_t key, uint32_t value)
{
    CHECK(value != WIRE_MAP_NONE);
    if (map->count >= map->room / 4 * 3)
        grow_slots(map);
    struct wire_map_slot *slot = slot_of(map, key);
    map->count += slot->value == WIRE_MAP_NONE;
    *slot = (struct wire_map_slot){key, value};
}

uint32_t wire_map_get(const struct wire_map *map, uint64_t key)
{
    return map->room == 0 ? WIRE_MAP_NONE : slot_of(map, key)->value;
}

void wire_map_fini(struct wire_map *map)
{
    free(map->slots);
    *map = (struct wire_map){0};
}
