/* SPDX-License-Identifier: Apache-2.0
 * wl_pace - when an open-loop workload issues.
 * A stream of due times at a rate, evenly spaced or a Poisson process.  Due times depend on the
 * rate alone and never on completions; latency is counted from them, so that a stalled target hides
 * nothing.
 * Evenly spaced: due(n) = start + phase + floor(n * 1 s / rate), exact without drift: the remainder
 * of each division is carried on.  The phase is drawn once within one interval, so that the hosts
 * of an entry do not all issue at the same picosecond.
 * Units: picoseconds; a rate is thousandths of events, or bytes, per second.  Owner: the workload
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

/* Rates of events are in thousandths (OPT_DECIMAL): so much is one event. */
enum { WL_PACE_EVENT = QUANTITY_DECIMAL_ONE };

struct wl_pace {
    int64_t per_second; /* 0: not paced, always due */
    bool poisson;
    time_ps due;
    int64_t carry; /* in 1/per_second picoseconds */
    struct rng rng;
};

/* `units` is the size of the first event: WL_PACE_EVENT, or its bytes where the rate counts
 * bytes. */
void wl_pace_init(struct wl_pace *pace, int64_t per_second, bool poisson, time_ps start,
                  struct rng rng, int64_t units);

/* The event that is due has so many units; moves on to the next and returns when this one was due.
 */
time_ps wl_pace_take(struct wl_pace *pace, int64_t units);

/* How many events of that size fall due in [due, until); for a Poisson process the number expected.
 */
uint64_t wl_pace_count(const struct wl_pace *pace, time_ps until, int64_t units);

#endif
