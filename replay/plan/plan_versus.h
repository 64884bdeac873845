/* SPDX-License-Identifier: Apache-2.0
 * plan_versus - two designs under the same load: what the second gains, and how surely.
 * A design is what a plan chooses, or its only candidate.  Both are played with the same seeds
 * (common random numbers), so that chance which both share drops out of the difference; each
 * measure's difference has the 95 % interval of paired observations (Student's t).  That is done
 * without a failure, and with each failure that both plans name alike.  Where members did nothing,
 * or a run ended too early, nothing is compared: figures of the others would say little.
 * Owner: plan_versus_free; the states stay their owner's. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_VERSUS_H
#define STORMGLASS_REPLAY_PLAN_PLAN_VERSUS_H

#include "replay/plan/plan_search.h"

enum { PLAN_VERSUS_SIDES = 2, PLAN_VERSUS_WHY_BYTES = 512 };

struct plan_difference {
    uint32_t measure; /* of the first design */
    double means[PLAN_VERSUS_SIDES];
    double mean, half; /* second less first, and half of the interval */
    bool differs;      /* the interval leaves out 0 */
};

/* A case that both have. */
struct plan_versus_case {
    uint32_t of[PLAN_VERSUS_SIDES];
    struct plan_difference *differences; /* of measures that every run of both has */
    uint32_t count;
    char why[PLAN_VERSUS_WHY_BYTES]; /* there are none; empty: there are */
};

struct plan_versus {
    const struct plan_state *states[PLAN_VERSUS_SIDES];
    uint32_t designs[PLAN_VERSUS_SIDES]; /* candidates */
    struct plan_versus_case *cases;
    uint32_t count;
    uint32_t seeds;
    bool played;                        /* false: a stop or the budget came before */
    char why[PLAN_VERSUS_WHY_BYTES];    /* they cannot be compared; empty: they can */
    char unlike[PLAN_VERSUS_WHY_BYTES]; /* how their loads differ; empty: they do not */
};

/* After both searches.  False: they cannot be compared, and `why` says it. */
bool plan_versus_play(const struct plan_search *const searches[PLAN_VERSUS_SIDES],
                      struct plan_versus *versus);
void plan_versus_free(struct plan_versus *versus);

/* The mean of paired differences, and half of its interval of 95 %; count is 2 at least. */
struct plan_difference plan_versus_paired(const double *first, const double *second,
                                          uint32_t count);

#endif
