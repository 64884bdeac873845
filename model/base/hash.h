/* SPDX-License-Identifier: Apache-2.0
 * hash - mixing of 64-bit words and text; not safe against crafted input.
 * Source: the finalizer of SplitMix64 (Stafford's variant 13); FNV-1a for text,
 * draft-eastlake-fnv. */
#ifndef STORMGLASS_BASE_HASH_H
#define STORMGLASS_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t hash_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

/* Index into a hash table whose size is a power of two, for keys that no outsider chooses. Cheaper
 * and less thoroughly mixed than hash_mix. Source: Knuth, TAOCP vol. 3, 6.4 (multiplicative hashing
 * by the golden ratio). */
static inline uint32_t hash_home(uint64_t x, uint64_t y)
{
    const uint64_t sum = x * UINT64_C(0x9E3779B97F4A7C15) + y * UINT64_C(0xD6E8FEB86659FD93);
    return (uint32_t)(sum >> 32);
}

static inline uint64_t hash_bytes(const void *data, size_t length, uint64_t start)
{
    const unsigned char *at = data;
    uint64_t hash = start ^ UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001B3);
    return hash;
}

static inline uint64_t hash_text(const char *text, uint64_t start)
{
    size_t length = 0;
    while (text[length] != '\0')
        length++;
    return hash_bytes(text, length, start);
}

#endif
