/* SPDX-License-Identifier: Apache-2.0
 * rng - draws that need more than one line. */
#include "base/rng.h"

#include "base/check.h"
#include "base/power.h"

/* Rejects the 2^64 mod bound (fewer than bound) products that would make some results too
 * frequent. */
uint64_t rng_below_again(struct rng *rng, uint64_t bound, unsigned __int128 product)
{
    CHECK(bound > 0);
    const uint64_t biased = (0 - bound) % bound;
    while ((uint64_t)product < biased)
        product = (unsigned __int128)rng_next(rng) * bound;
    return (uint64_t)(product >> 64);
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

/* 2^(x / 2^32), in 2^-32 steps; x below 2^36. */
static uint64_t exp2_q32(uint64_t x)
{
    return (uint64_t)(((unsigned __int128)exp2_fraction((uint32_t)x) << (x >> 32)) >> 30);
}

enum { LAW_WHOLE_MAX = 16 }; /* a draw is within a factor of 2^16 of the median */

struct rng_law rng_law(int64_t median, int64_t p99)
{
    CHECK(median >= 0);
    if (median == 0 || p99 <= median)
        return (struct rng_law){.median = median};
    const uint64_t ratio = log2_q32((uint64_t)p99) - log2_q32((uint64_t)median);
    const uint64_t most = (uint64_t)LAW_WHOLE_MAX << 32;
    return (struct rng_law){.median = median, .log2_ratio = ratio < most ? ratio : most};
}

/* Quantile u has the odds u / (1 - u), the 99th percentile the odds 99: the draw is the median
 * times ratio^(log(odds) / log(99)). */
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
