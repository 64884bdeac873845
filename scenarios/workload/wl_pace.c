/* SPDX-License-Identifier: Apache-2.0
 * wl_pace - issue times of an open-loop workload. */
#include "scenarios/workload/wl_pace.h"

/* Time for `units` at the rate; the remainder of the division stays in carry. */
static time_ps interval(struct wl_pace *pace, int64_t units)
{
    const __int128 work = (__int128)units * PS_PER_S + pace->carry;
    pace->carry = (int64_t)(work % pace->per_second);
    return (time_ps)(work / pace->per_second);
}

/* At most 2^62, so that adding the present time cannot overflow. */
static time_ps bounded_interval(struct wl_pace *pace, int64_t units)
{
    const __int128 work = (__int128)units * PS_PER_S / pace->per_second;
    return work > TIME_NEVER / 4 ? TIME_NEVER / 4 : interval(pace, units);
}

void wl_pace_init(struct wl_pace *pace, int64_t per_second, bool poisson, time_ps start,
                  struct rng rng, int64_t units)
{
    CHECK(per_second >= 0 && units > 0);
    *pace =
        (struct wl_pace){.per_second = per_second, .poisson = poisson, .due = start, .rng = rng};
    if (per_second == 0)
        return;
    struct wl_pace once = *pace;
    const time_ps mean = bounded_interval(&once, units);
    if (poisson)
        pace->due += rng_exponential(&pace->rng, mean);
    else if (mean > 0)
        pace->due += (time_ps)rng_below(&pace->rng, (uint64_t)mean);
}

time_ps wl_pace_take(struct wl_pace *pace, int64_t units)
{
    CHECK(pace->per_second > 0);
    const time_ps due = pace->due;
    const time_ps gap = bounded_interval(pace, units);
    const time_ps next = due + (pace->poisson ? rng_exponential(&pace->rng, gap) : gap);
    pace->due = next < TIME_NEVER / 2 ? next : TIME_NEVER / 2;
    return due;
}

uint64_t wl_pace_count(const struct wl_pace *pace, time_ps until, int64_t units)
{
    CHECK(units > 0);
    if (pace->per_second == 0 || until <= pace->due)
        return 0;
    /* Event k is due at due + floor((carry + k * units * 1 s) / rate); counts the k for which this
     * is less than `until`. */
    const __int128 span = (__int128)(until - pace->due) * pace->per_second - pace->carry;
    const __int128 step = (__int128)units * PS_PER_S;
    return span <= 0 ? 1 : (uint64_t)((span + step - 1) / step);
}
