/* SPDX-License-Identifier: Apache-2.0
 * numbers - the smaller, the larger, a share, a sum that does not overflow.
 * One function for each type: a macro would evaluate its arguments twice. */
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

/* What `part` is of `whole`, in ppm, rounded down: 0 where either is not positive, at most PPM. */
static inline int64_t share_ppm(int64_t part, int64_t whole)
{
    if (whole <= 0 || part <= 0)
        return 0;
    return part >= whole ? PPM : (int64_t)((__int128)part * PPM / whole);
}

/* The sum of two numbers that are not negative, INT64_MAX where it would be more. */
static inline int64_t sum_capped(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

#endif
