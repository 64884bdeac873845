/* SPDX-License-Identifier: Apache-2.0
 * wire - little-endian integers in NVMe structures.
 * All NVMe structures are little-endian at byte offsets given by the standard; these functions read
 * and write at such an offset, on any machine and at any alignment. */
#ifndef STORMGLASS_NVME_WIRE_WIRE_H
#define STORMGLASS_NVME_WIRE_WIRE_H

#include <stdint.h>

static inline uint64_t wire_get(const unsigned char *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

static inline void wire_put(unsigned char *at, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

static inline uint16_t wire_get16(const unsigned char *at)
{
    return (uint16_t)wire_get(at, 2);
}

static inline uint32_t wire_get32(const unsigned char *at)
{
    return (uint32_t)wire_get(at, 4);
}

static inline uint64_t wire_get64(const unsigned char *at)
{
    return wire_get(at, 8);
}

static inline void wire_put16(unsigned char *at, uint16_t value)
{
    wire_put(at, 2, value);
}

static inline void wire_put32(unsigned char *at, uint32_t value)
{
    wire_put(at, 4, value);
}

static inline void wire_put64(unsigned char *at, uint64_t value)
{
    wire_put(at, 8, value);
}

#endif
