/* SPDX-License-Identifier: Apache-2.0
 * wire_map - maps numbers to numbers, for references between frames of a capture.
 * Owner: the caller, who initializes it to zero; wire_map_fini frees. Errors: running out of memory
 * ends the process. */
#ifndef STORMGLASS_REPORTS_WIRE_WIRE_MAP_H
#define STORMGLASS_REPORTS_WIRE_WIRE_MAP_H

#include <stdint.h>

#define WIRE_MAP_NONE UINT32_MAX

struct wire_map {
    struct wire_map_slot *slots; /* open addressing, linear probing */
    uint32_t count, room;        /* room is a power of two, at most three quarters full */
};

/* Replaces an existing value; the value must not be WIRE_MAP_NONE. */
void wire_map_put(struct wire_map *map, uint64_t key, uint32_t value);
uint32_t wire_map_get(const struct wire_map *map, uint64_t key); /* or WIRE_MAP_NONE */
void wire_map_fini(struct wire_map *map);

static inline uint64_t wire_map_pair(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

#endif
