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
