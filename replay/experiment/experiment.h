/* SPDX-License-Identifier: Apache-2.0
 * experiment - runs of one scenario that differ only in their trials.
 * A run can be repeated exactly, and all runs use the same random numbers, so every difference
 * between two runs comes from their trials.  Each run is a separate process, on all processors at
 * the same time; no result depends on the number of processors.
 * All experiments share one budget (runs, events) and one rule of significance. */
#ifndef STORMGLASS_REPLAY_EXPERIMENT_EXPERIMENT_H
#define STORMGLASS_REPLAY_EXPERIMENT_EXPERIMENT_H

#include "replay/experiment/measure.h"
#include "replay/experiment/memo.h"
#include "replay/experiment/trial.h"

struct experiment {
    const struct trial_base *base;
    time_ps until;
    /* The members to measure in addition to the run and its workloads: their work, and the places
     * where they were stopped. NULL: none. */
    const struct measure_members *members;
    const struct measure_hops *hops;
    struct memo *memo;    /* NULL: runs are repeated */
    uint32_t runs_most;   /* 0: no limit; runs that cannot be built do not count */
    uint64_t events_most; /* of all runs together; 0: likewise */
    uint32_t runs;
    uint64_t events;
    bool spent;   /* the next run would exceed the budget */
    bool crashed; /* a run ended by an error of the program */
    char why[STORE_ERROR_BYTES];
};

/* All trials at once; works NULL: it cannot be run so.  False: see why. */
bool experiment_run(struct experiment *experiment, const struct trial *trials, uint32_t count,
                    struct measure *measures);

/* Whether the budget allows this many more runs. */
bool experiment_can_run(const struct experiment *experiment, uint32_t runs);

/* Parts of a whole that count: of time; of a member's time beside larger causes; and of what all
 * gain. */
enum {
    EXPERIMENT_HARM_LEAST = PPM / 20,
    EXPERIMENT_RUIN_LEAST = PPM / 4,
    EXPERIMENT_GAIN_LEAST = PPM / 100
};

/* A member lost that much of its time, per thousand: a cause that is named beside larger ones. */
static inline bool experiment_is_ruined(int64_t permille)
{
    return permille * (PPM / 1000) >= EXPERIMENT_RUIN_LEAST;
}

/* The part is at least `least` of the whole (in ppm), and its ratio to the rest is twice that of
 * what chance moves (in ppm of a whole). */
bool experiment_is_significant(int64_t part, int64_t whole, int64_t least, int64_t chance);

#endif
