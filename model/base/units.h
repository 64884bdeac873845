/* SPDX-License-Identifier: Apache-2.0
 * units - time, sizes and rates as integers.
 * Time is a signed 64-bit count of picoseconds (106 days). Rates are bits per second. At every
 * Ethernet rate from 1 Gb/s to 1.6 Tb/s a byte takes a whole number of picoseconds, so
 * serialization is exact; at other rates the remainder of one frame is carried into the next, so
 * that no error accumulates. */
#ifndef STORMGLASS_BASE_UNITS_H
#define STORMGLASS_BASE_UNITS_H

#include "base/check.h"

#include <stdint.h>

typedef int64_t time_ps;

#define PS_PER_NS  INT64_C(1000)
#define PS_PER_US  INT64_C(1000000)
#define PS_PER_MS  INT64_C(1000000000)
#define PS_PER_S   INT64_C(1000000000000)
#define TIME_NEVER INT64_MAX

#define PPM INT64_C(1000000) /* fractions are parts per million: 20% is 200000 */

/* A transmitter's rate, and the remainder carried over from the last frame when a byte is not a
 * whole number of picoseconds. */
struct wire_rate {
    uint64_t ps_per_byte; /* 0 when bps does not divide 8e12 */
    uint64_t bps;
    uint64_t carry; /* in 1/bps picoseconds, less than bps */
};

static inline struct wire_rate wire_rate(uint64_t bps)
{
    CHECK(bps > 0);
    const uint64_t bit_ps_per_s = UINT64_C(8) * (uint64_t)PS_PER_S;
    return (struct wire_rate){
        .ps_per_byte = bit_ps_per_s % bps == 0 ? bit_ps_per_s / bps : 0,
        .bps = bps,
    };
}

/* Time to send `bytes` at the rate, carrying the fraction of a picosecond. */
static inline time_ps wire_rate_take(struct wire_rate *rate, uint64_t bytes)
{
    if (LIKELY(rate->ps_per_byte != 0))
        return (time_ps)(bytes * rate->ps_per_byte);
    const unsigned __int128 work =
        (unsigned __int128)bytes * 8u * (unsigned __int128)PS_PER_S + rate->carry;
    rate->carry = (uint64_t)(work % rate->bps);
    return (time_ps)(work / rate->bps);
}

/* Time to send `bytes` at `bps`, rounded up, without carry. */
static inline time_ps units_transfer_ps(uint64_t bytes, uint64_t bps)
{
    CHECK(bps > 0);
    const unsigned __int128 work = (unsigned __int128)bytes * 8u * (unsigned __int128)PS_PER_S;
    return (time_ps)((work + bps - 1) / bps);
}

/* Bytes transferred at `bps` in a span, rounded down. */
static inline uint64_t units_bytes_in(time_ps span, uint64_t bps)
{
    CHECK(span >= 0);
    return (uint64_t)((unsigned __int128)(uint64_t)span * bps / (8u * (unsigned __int128)PS_PER_S));
}

static inline time_ps time_earlier(time_ps a, time_ps b)
{
    return a < b ? a : b;
}

/* Saturating sum: total times, such as hours of a thousand controllers, may exceed the range. The
 * maximum is one less than TIME_NEVER. */
static inline time_ps time_sum(time_ps a, time_ps b)
{
    time_ps sum;
    return __builtin_add_overflow(a, b, &sum) ? TIME_NEVER - 1 : sum;
}

static inline time_ps time_later(time_ps a, time_ps b)
{
    return a > b ? a : b;
}

#endif
