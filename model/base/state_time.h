/* SPDX-License-Identifier: Apache-2.0
 * state_time - total and longest time spent in a state.
 * Every query takes the current time, so that an interval still open at the end of a run counts up
 * to that end; a sum of closed intervals would report 0 for a state that never ended.
 * Units: ps. */
#ifndef STORMGLASS_BASE_STATE_TIME_H
#define STORMGLASS_BASE_STATE_TIME_H

#include "base/check.h"
#include "base/units.h"

#include <stdbool.h>

struct state_time {
    time_ps since;               /* start of the open interval; TIME_NEVER: not in the state */
    time_ps closed, closed_most; /* sum and maximum of the closed intervals */
};

#define STATE_TIME_NEVER                                                                           \
    {                                                                                              \
        .since = TIME_NEVER                                                                        \
    }

static inline bool state_time_holds(const struct state_time *state)
{
    return state->since != TIME_NEVER;
}

/* No-op when already in the state. */
static inline void state_time_begin(struct state_time *state, time_ps now)
{
    if (!state_time_holds(state))
        state->since = now;
}

/* No-op when not in the state. */
static inline void state_time_end(struct state_time *state, time_ps now)
{
    if (LIKELY(!state_time_holds(state)))
        return;
    const time_ps span = now - state->since;
    CHECK(span >= 0);
    state->closed += span;
    state->closed_most = time_later(state->closed_most, span);
    state->since = TIME_NEVER;
}

/* Length of the open interval; 0: not in the state. */
static inline time_ps state_time_open(const struct state_time *state, time_ps now)
{
    return state_time_holds(state) ? now - state->since : 0;
}

static inline time_ps state_time_all(const struct state_time *state, time_ps now)
{
    return state->closed + state_time_open(state, now);
}

static inline time_ps state_time_longest(const struct state_time *state, time_ps now)
{
    return time_later(state->closed_most, state_time_open(state, now));
}

#endif
