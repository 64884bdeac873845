/* SPDX-License-Identifier: Apache-2.0
 * wl_pace - issue times of an open-loop workload.
 * A stream of due times at a rate, evenly spaced or a Poisson process. Due times depend only on the
 * rate and never on completions; latency is measured from them, so that a stall of the target is
 * fully visible.
 * Evenly spaced: due(n) = start + phase + floor(n * 1 s / rate), exact without drift, because the
 * remainder of each division is carried over. The phase is drawn once from one interval, so that
 * the hosts of an entry do not all issue at the same picosecond.
 * Units: picoseconds; a rate is thousandths of events, or bytes, per second. Owner: the workload
 * instance. */
#ifndef STORMGLASS_SCENARIOS_WORKLOAD_WL_PACE_H
#define STORMGLASS_SCENARIOS_WORKLOAD_WL_PACE_H

#include "base/quantity.h"
#include "base/rng.h"
#include "base/units.h"

#include <stdbool.h>

#define WL_PACE_ARRIVALS(X) X(PACED, "paced") X(POISSON, "poisson")

#define X(name, word) WL_PACE_##name,
enum wl_pace_arrival { WL_PACE_ARRIVALS(X) };
#undef X

/* Units of one event, because rates of events are in thousandths (OPT_DECIMAL). */
enum { WL_PACE_EVENT = QUANTITY_DECIMAL_ONE };

struct wl_pace {
    int64_t per_second; /* 0: not paced, always due */
    bool poisson;
    time_ps due;
    int64_t carry; /* in 1/per_second picoseconds */
    struct rng rng;
};

/* `units` is the size of the first event: WL_PACE_EVENT, or bytes if the rate is in bytes. */
void wl_pace_init(struct wl_pace *pace, int64_t per_second, bool poisson, time_ps start,
                  struct rng rng, int64_t units);

/* Consumes the event that is due, which has so many units. Returns the time at which it was due. */
time_ps wl_pace_take(struct wl_pace *pace, int64_t units);

/* Number of events of that size due in [due, until); for a Poisson process the expected number. */
uint64_t wl_pace_count(const struct wl_pace *pace, time_ps until, int64_t units);

#endif
