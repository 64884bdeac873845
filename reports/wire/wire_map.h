/* SPDX-License-Identifier: Apache-2.0
 * wire_map - numbers by numbers, for what frames of a capture refer to.
 * Owner: who declares it, all zero; wire_map_fini frees.  Errors: no memory ends the run. */
#ifndef STORMGLASS_REPORTS_WIRE_WIRE_MAP_H
#define STORMGLASS_REPORTS_WIRE_WIRE_MAP_H

#include <stdint.h>

#define WIRE_MAP_NONE UINT32_MAX

struct wire_map {
    struct wire_map_slot *slots; /* open addressing, linear probing */
    uint32_t count, room;        /* room: a power of two, at most three quarters full */
};

/* Replaces what was there; the value is never WIRE_MAP_NONE. */
void wire_map_put(struct wire_map *map, uint64_t key, uint32_t value);
uint32_t wire_map_get(const struct wire_map *map, uint64_t key); /* or WIRE_MAP_NONE */
void wire_map_fini(struct wire_map *map);

static inline uint64_t wire_map_pair(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

#endif
