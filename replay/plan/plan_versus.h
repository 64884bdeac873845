/* SPDX-License-Identifier: Apache-2.0
 * plan_versus - compares two designs under the same load: the gain of the second, with its
 * confidence.
 * A design is the candidate that a plan chooses, or its only one. Both are run with the same seeds
 * (common random numbers), so randomness common to both cancels in the difference; the difference
 * of each measure has a 95 % interval from paired observations (Student's t). This is done without
 * failures, and for each failure that both plans have under the same name. If members were idle or
 * a run ended early, the case is not compared, because the other figures would say little.
 * Owner: plan_versus_free; the caller owns the states. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_VERSUS_H
#define STORMGLASS_REPLAY_PLAN_PLAN_VERSUS_H

#include "replay/plan/plan_search.h"

enum { PLAN_VERSUS_SIDES = 2, PLAN_VERSUS_WHY_BYTES = 512 };

struct plan_difference {
    uint32_t measure; /* index in the first design */
    double means[PLAN_VERSUS_SIDES];
    double mean, half; /* mean of second - first; half of the interval */
    bool differs;      /* the interval excludes 0 */
};

/* A case that both plans have. */
struct plan_versus_case {
    uint32_t of[PLAN_VERSUS_SIDES];
    struct plan_difference *differences; /* measures available in every run of both */
    uint32_t count;
    char why[PLAN_VERSUS_WHY_BYTES]; /* why there are none; empty: there are */
};

struct plan_versus {
    const struct plan_state *states[PLAN_VERSUS_SIDES];
    uint32_t designs[PLAN_VERSUS_SIDES]; /* index of the chosen candidate */
    struct plan_versus_case *cases;
    uint32_t count;
    uint32_t seeds;
    bool played;                        /* false: budget spent or stop requested before */
    char why[PLAN_VERSUS_WHY_BYTES];    /* why they cannot be compared; empty: they can */
    char unlike[PLAN_VERSUS_WHY_BYTES]; /* how their loads differ; empty: they do not */
};

/* Call after both searches. Returns false, with the reason in `why`, if the designs cannot be
 * compared. */
bool plan_versus_play(const struct plan_search *const searches[PLAN_VERSUS_SIDES],
                      struct plan_versus *versus);
void plan_versus_free(struct plan_versus *versus);

/* Mean of the paired differences and half of its 95 % interval; count must be at least 2. */
struct plan_difference plan_versus_paired(const double *first, const double *second,
                                          uint32_t count);

#endif
