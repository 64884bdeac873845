/* SPDX-License-Identifier: Apache-2.0
 * plan_play - one exact run of a candidate: what it came to.
 * A run is played again, longer, until the workloads that it is asked about have settled or it is
 * as long as the plan allows; so no verdict rests on a window that somebody chose.  Where members
 * did nothing it is played again while that leaves fewer of them.  Where something fails in mid-run
 * nothing is to settle, and it is played once. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_PLAY_H
#define STORMGLASS_REPLAY_PLAN_PLAN_PLAY_H

#include "replay/plan/plan_measure.h"
#include "scenarios/vary/plan.h"

enum { PLAN_SENTENCE_BYTES = 240 };

#define PLAN_RUN_ENDS(X)                                                                           \
    X(DEAD, "died")       /* its process ended without an answer */                                \
    X(REFUSED, "refused") /* its scenario cannot be played */                                      \
    X(STOPPED, "stopped") /* by a signal: it is as if it had not been begun */                     \
    X(IDLE, "idle")       /* members of a workload did nothing though they should */               \
    X(UNSETTLED, "unsettled")                                                                      \
    X(FAILED, "failed") /* frames or commands were lost, whatever the objectives say */            \
    X(PLAYED, "played")

enum plan_run_end {
#define X(name, word) PLAN_RUN_##name,
    PLAN_RUN_ENDS(X)
#undef X
};

struct plan_figure {
    double value; /* in the quantity's base unit */
    /* How far on the right side of the limit, as a part of it; 0 of what has only yes or no. */
    double slack;
    bool held;
};

struct plan_outcome {
    int32_t end; /* enum plan_run_end */
    uint32_t figure_count;
    int64_t duration;            /* ps, of the last time that it was played */
    int64_t events, packet_hops; /* of all times */
    uint64_t digest[2];
    char why[PLAN_SENTENCE_BYTES];            /* it is not as it should be; empty: it is */
    char limit[PLAN_SENTENCE_BYTES];          /* its bottleneck */
    struct plan_figure figures[PLAN_SLO_MAX]; /* by objective of the case */
    uint32_t measure_count;
    struct plan_measured measures[PLAN_MEASURES_MAX];
};

/* What is played. */
struct plan_trial {
    const struct plan *plan;
    const struct grid_cell *candidate;
    const struct plan_case *of;
    uint64_t seed;
    int64_t longest; /* duration up to which it is played again */
};

void plan_play(const struct plan_trial *trial, struct plan_outcome *outcome);

/* Whether means are compared with the limit; else each run holds it or does not. */
bool plan_is_mean(const struct expectation *expectation);

/* The settings of a trial in the order in which they are applied.  With `duration` 0 it stays as it
 * is.  Texts are in the arena. */
const char **plan_trial_sets(struct arena *arena, const struct plan_trial *trial, int64_t duration,
                             uint32_t *count);

const char *plan_run_end_word(enum plan_run_end end);

#endif
