/* SPDX-License-Identifier: Apache-2.0
 * big_endian - integers of 1 to 8 bytes in network byte order, at any alignment. Those of NVMe
 * structures, which are little-endian, are in nvme/wire/wire.h. */
#ifndef STORMGLASS_BASE_BIG_ENDIAN_H
#define STORMGLASS_BASE_BIG_ENDIAN_H

#include <stdint.h>

static inline uint64_t big_get(const unsigned char *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value = value << 8 | at[i];
    return value;
}

static inline void big_put(unsigned char *at, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> (8 * (bytes - 1 - i)));
}

static inline uint16_t big_get16(const unsigned char *at)
{
    return (uint16_t)big_get(at, 2);
}

static inline uint32_t big_get32(const unsigned char *at)
{
    return (uint32_t)big_get(at, 4);
}

#endif
