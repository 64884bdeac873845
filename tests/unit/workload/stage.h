/* SPDX-License-Identifier: Apache-2.0
 * stage - a clock and timers for tests of protocol code.
 * An env on virtual time without an engine: stage_run fires what is due, in the order (time, the
 * order in which it was set). */
#ifndef STORMGLASS_TESTS_STAGE_H
#define STORMGLASS_TESTS_STAGE_H

#include "base/env.h"

enum { STAGE_TIMERS_MAX = 4096 };

struct stage_timer {
    time_ps due;
    uint64_t order;
    struct timer *timer;                  /* of the env, or NULL */
    void (*call)(void *self, void *what); /* of stage_at */
    void *self, *what;
};

struct stage {
    struct env env;
    time_ps now;
    uint64_t order;
    struct stage_timer timers[STAGE_TIMERS_MAX];
    int count;
};

void stage_init(struct stage *stage, uint64_t seed);

/* Calls once at that time. */
void stage_at(struct stage *stage, time_ps at, void (*call)(void *self, void *what), void *self,
              void *what);

/* Fires everything due up to and including `until`; the clock then stands there. */
void stage_run(struct stage *stage, time_ps until);

#endif
