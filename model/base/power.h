/* SPDX-License-Identifier: Apache-2.0
 * power - logarithms and powers of two in fixed point, identical on every machine.
 * Units: "q32" counts in 2^-32, "q62" in 2^-62. Owner: none. Errors: none. */
#ifndef STORMGLASS_BASE_POWER_H
#define STORMGLASS_BASE_POWER_H

#include <stdint.h>

/* log2(x) for x > 0, rounded down. */
uint64_t log2_q32(uint64_t x);

/* 2^(x / 2^32) in 2^-62 steps: at least 1, below 2. */
uint64_t exp2_fraction(uint32_t x);

/* 2^(x / 2^32), rounded down; 0 for x < 0, capped at 2^62. */
uint64_t exp2_whole(int64_t x);

/* 2^-(x / 2^32) in 2^-60 steps, for x >= 0. */
uint64_t exp2_negative_q60(int64_t x);

#endif
