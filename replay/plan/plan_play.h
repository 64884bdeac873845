/* SPDX-License-Identifier: Apache-2.0
 * plan_play - one run of a candidate, and its outcome.
 * The run is repeated with a longer duration until the workloads that objectives refer to are
 * steady, or up to the longest duration that the plan allows; so no verdict depends on an arbitrary
 * window. With idle members it is repeated as long as their number decreases. A run with a failure
 * in its middle cannot become steady and is done once. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_PLAY_H
#define STORMGLASS_REPLAY_PLAN_PLAN_PLAY_H

#include "replay/plan/plan_measure.h"
#include "scenarios/vary/plan.h"

enum { PLAN_SENTENCE_BYTES = 240 };

#define PLAN_RUN_ENDS(X)                                                                           \
    X(DEAD, "died")       /* its process ended without a result */                                 \
    X(REFUSED, "refused") /* its scenario is invalid */                                            \
    X(STOPPED, "stopped") /* by a signal; counts as not started */                                 \
    X(IDLE, "idle")       /* members of a workload were idle although they should not be */        \
    X(UNSETTLED, "unsettled")                                                                      \
    X(FAILED, "failed") /* frames or commands were lost, regardless of the objectives */           \
    X(PLAYED, "played")

enum plan_run_end {
#define X(name, word) PLAN_RUN_##name,
    PLAN_RUN_ENDS(X)
#undef X
};

struct plan_figure {
    double value; /* in the quantity's base unit */
    /* Relative distance to the limit, positive on the right side; 0 for objectives that are just
     * met or not. */
    double slack;
    bool held;
};

struct plan_outcome {
    int32_t end; /* enum plan_run_end */
    uint32_t figure_count;
    int64_t duration;            /* ps, of the last repetition */
    int64_t events, packet_hops; /* over all repetitions */
    int64_t cores; /* result.tcp_cores of the last repetition */
    uint64_t digest[2];
    char why[PLAN_SENTENCE_BYTES];            /* what went wrong; empty: nothing */
    char limit[PLAN_SENTENCE_BYTES];          /* its bottleneck */
    struct plan_figure figures[PLAN_SLO_MAX]; /* by objective of the case */
    uint32_t measure_count;
    struct plan_measured measures[PLAN_MEASURES_MAX];
};

/* A run to be done. */
struct plan_trial {
    const struct plan *plan;
    const struct grid_cell *candidate;
    const struct plan_case *of;
    uint64_t seed;
    int64_t longest; /* ps; maximum duration of repetitions */
};

void plan_play(const struct plan_trial *trial, struct plan_outcome *outcome);

/* Whether the mean over runs is compared with the limit; otherwise each run must meet it. */
bool plan_is_mean(const struct expectation *expectation);

/* The settings of a trial in the order of application. `duration` 0 keeps the scenario's. Texts are
 * in the arena. */
const char **plan_trial_sets(struct arena *arena, const struct plan_trial *trial, int64_t duration,
                             uint32_t *count);

const char *plan_run_end_word(enum plan_run_end end);

#endif
