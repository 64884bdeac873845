/* SPDX-License-Identifier: Apache-2.0
 * rng - the draws that need more than one line. */
#include "base/rng.h"

#include "base/check.h"

/* 2^64 mod bound values come once too often, which is less than bound. */
uint64_t rng_below_again(struct rng *rng, uint64_t bound, unsigned __int128 product)
{
    CHECK(bound > 0);
    const uint64_t biased = (0 - bound) % bound;
    while ((uint64_t)product < biased)
        product = (unsigned __int128)rng_next(rng) * bound;
    return (uint64_t)(product >> 64);
}

/* log2(x) in 2^-32 steps for x > 0: the whole part is the top bit; each squaring of the remainder
 * in [1, 2) gives one more binary digit. */
static uint64_t log2_q32(uint64_t x)
{
    const unsigned top = 63u - (unsigned)__builtin_clzll(x);
    uint64_t mantissa = x << (63 - top); /* 1.63 fixed point */
    uint64_t result = (uint64_t)top << 32;
    for (int bit = 31; bit >= 0; bit--) {
        const unsigned __int128 square = (unsigned __int128)mantissa * mantissa;
        const int carry = (int)(square >> 127);
        mantissa = (uint64_t)(square >> (63 + carry));
        result |= (uint64_t)carry << bit;
    }
    return result;
}

int64_t rng_exponential(struct rng *rng, int64_t mean)
{
    CHECK(mean >= 0);
    const uint64_t u = rng_next(rng) | 1;                           /* (0, 1] in 2^-64 */
    const uint64_t minus_log2 = (UINT64_C(64) << 32) - log2_q32(u); /* -log2(u), Q32 */
    const uint64_t ln2_q32 = UINT64_C(0xB17217F7);                  /* ln 2 */
    const uint64_t minus_ln = (uint64_t)(((unsigned __int128)minus_log2 * ln2_q32) >> 32);
    return (int64_t)(((unsigned __int128)minus_ln * (uint64_t)mean) >> 32);
}

/* 2^(1/2), 2^(1/4), ... in 2^-62 steps: each is the root of the one before. */
static const uint64_t roots_q62[32] = {
    UINT64_C(0x5A827999FCEF3242), UINT64_C(0x4C1BF828C6DC54B8), UINT64_C(0x45CAE0F1F545EB73),
    UINT64_C(0x42D561B3E6243D8A), UINT64_C(0x4166C34C5615D0EC), UINT64_C(0x40B268F9DE0183BA),
    UINT64_C(0x4058F6A7ECCCD5B6), UINT64_C(0x402C6BE96AF2FB58), UINT64_C(0x4016321B687027A8),
    UINT64_C(0x400B18178BA33B14), UINT64_C(0x40058BCE410147E8), UINT64_C(0x4002C5D7BFF71DAF),
    UINT64_C(0x400162E807EE7E5B), UINT64_C(0x4000B1730DF6A524), UINT64_C(0x400058B9497B8152),
    UINT64_C(0x40002C5C955DD701), UINT64_C(0x4000162E46D6F26C), UINT64_C(0x40000B1722757B1B),
    UINT64_C(0x4000058B90FD3E0C), UINT64_C(0x400002C5C86F3F26), UINT64_C(0x40000162E433C79B),
    UINT64_C(0x400000B17218EDD0), UINT64_C(0x40000058B90C3968), UINT64_C(0x4000002C5C860D54),
    UINT64_C(0x400000162E4302D2), UINT64_C(0x4000000B17218073), UINT64_C(0x400000058B90BFFC),
    UINT64_C(0x40000002C5C85FEF), UINT64_C(0x4000000162E42FF3), UINT64_C(0x40000000B17217F9),
    UINT64_C(0x4000000058B90BFC), UINT64_C(0x400000002C5C85FE),
};

/* 2^(x / 2^32), in 2^-32 steps; x below 2^36. */
static uint64_t exp2_q32(uint64_t x)
{
    uint64_t mantissa = UINT64_C(1) << 62;
    for (unsigned bit = 0; bit < 32; bit++)
        if ((x >> (31 - bit) & 1) != 0)
            mantissa = (uint64_t)(((unsigned __int128)mantissa * roots_q62[bit]) >> 62);
    return (uint64_t)(((unsigned __int128)mantissa << (x >> 32)) >> 30);
}

enum { LAW_WHOLE_MAX = 16 }; /* a draw is within 2^16 times the median, either way */

struct rng_law rng_law(int64_t median, int64_t p99)
{
    CHECK(median >= 0);
    if (median == 0 || p99 <= median)
        return (struct rng_law){.median = median};
    const uint64_t ratio = log2_q32((uint64_t)p99) - log2_q32((uint64_t)median);
    const uint64_t most = (uint64_t)LAW_WHOLE_MAX << 32;
    return (struct rng_law){.median = median, .log2_ratio = ratio < most ? ratio : most};
}

/* u / (1 - u) is the odds of a quantile u, 99 of the 99th percentile: the draw is the median times
 * ratio^(log(odds) / log(99)). */
int64_t rng_law_draw(struct rng *rng, const struct rng_law *law)
{
    if (law->log2_ratio == 0)
        return law->median;
    const uint64_t log2_99_q32 = UINT64_C(0x6A11D83F4); /* log2(99) */
    const uint64_t u = rng_next(rng) >> 1 | 1;          /* in 2^-63, never 0 or 1 */
    const uint64_t rest = (UINT64_C(1) << 63) - u;
    const bool slow = u > rest;
    const uint64_t odds = slow ? log2_q32(u) - log2_q32(rest) : log2_q32(rest) - log2_q32(u);
    uint64_t power = (uint64_t)((unsigned __int128)odds * law->log2_ratio / log2_99_q32);
    if (power >> 32 >= LAW_WHOLE_MAX)
        power = (uint64_t)LAW_WHOLE_MAX << 32;
    const uint64_t factor = exp2_q32(power);
    const unsigned __int128 median = (unsigned __int128)law->median;
    return (int64_t)(slow ? (median * factor) >> 32 : (median << 32) / factor);
}
