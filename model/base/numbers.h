/* SPDX-License-Identifier: Apache-2.0
 * numbers - minimum, maximum, share, saturating sum.
 * One function per type: a macro would evaluate its arguments twice. */
#ifndef STORMGLASS_BASE_NUMBERS_H
#define STORMGLASS_BASE_NUMBERS_H

#include "base/units.h"

#include <stdint.h>

static inline int64_t min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t max_i64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* `part` / `whole` in ppm, rounded down and capped at PPM; 0 when either is not positive. */
static inline int64_t share_ppm(int64_t part, int64_t whole)
{
    if (whole <= 0 || part <= 0)
        return 0;
    return part >= whole ? PPM : (int64_t)((__int128)part * PPM / whole);
}

/* Sum of two non-negative numbers, saturating at INT64_MAX. */
static inline int64_t sum_capped(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

#endif
