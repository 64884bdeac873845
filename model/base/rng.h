/* SPDX-License-Identifier: Apache-2.0
 * rng - counter-based random number streams.
 * One stream for each (seed, owner, purpose): draw n is a pure function of the stream's key and n,
 * so an additional draw or owner does not affect other streams. No floating point; a probability is
 * a ratio.
 * Source: SplitMix64, Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA
 * 2014. */
#ifndef STORMGLASS_BASE_RNG_H
#define STORMGLASS_BASE_RNG_H

#include "base/check.h"
#include "base/hash.h"

#include <stdbool.h>

struct rng {
    uint64_t key;
    uint64_t drawn;
};

static inline struct rng rng_stream(uint64_t seed, const char *owner, const char *purpose)
{
    return (struct rng){.key = hash_mix(hash_text(owner, hash_text(purpose, hash_mix(seed))))};
}

static inline uint64_t rng_next(struct rng *rng)
{
    rng->drawn++;
    return hash_mix(rng->key + rng->drawn * UINT64_C(0x9E3779B97F4A7C15));
}

/* Slow path of rng_below: `product` may be one that has to be rejected. */
NOINLINE uint64_t rng_below_again(struct rng *rng, uint64_t bound, unsigned __int128 product);

/* Uniform in [0, bound), bound > 0, without bias (Lemire, ACM TOMACS 2019). */
static inline uint64_t rng_below(struct rng *rng, uint64_t bound)
{
    const unsigned __int128 product = (unsigned __int128)rng_next(rng) * bound;
    return LIKELY((uint64_t)product > bound) ? (uint64_t)(product >> 64)
                                             : rng_below_again(rng, bound, product);
}

/* True with probability numerator/denominator. */
static inline int rng_chance(struct rng *rng, uint64_t numerator, uint64_t denominator)
{
    return numerator >= denominator || (numerator > 0 && rng_below(rng, denominator) < numerator);
}

/* Exponentially distributed with the given mean, in integers: -mean * ln(u), ln by 2^-32 steps. */
int64_t rng_exponential(struct rng *rng, int64_t mean);

/* Service times with a tail: a log-logistic distribution, defined by its median and 99th
 * percentile. The logarithm of a draw exceeds that of the median in proportion to the log-odds of
 * its quantile: with p99 = 1.25 median, 99.999 % of draws are within 1.75 medians. */
struct rng_law {
    int64_t median;
    uint64_t log2_ratio; /* of p99 / median, in 2^-32; 0: every draw is the median */
};

/* Every draw is the median when p99 <= median. */
struct rng_law rng_law(int64_t median, int64_t p99);

/* Consumes a random number only when the law is not constant. The draw is within a factor of 2^16
 * of the median. */
int64_t rng_law_draw(struct rng *rng, const struct rng_law *law);

#endif
