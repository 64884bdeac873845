/* SPDX-License-Identifier: Apache-2.0
 * whatif_trial - one run of an experiment, and many of them at once.
 * Each is played by a process of its own (replay/run/jobs.h). */
#ifndef STORMGLASS_REPLAY_PROVE_WHATIF_TRIAL_H
#define STORMGLASS_REPLAY_PROVE_WHATIF_TRIAL_H

#include "base/digest.h"
#include "replay/explain/bottleneck.h"
#include "scenarios/load/scenario.h"

enum { TRIAL_RELIEFS = 2 };

struct trial_relief {
    enum bottleneck_resource resource;
    int64_t permille; /* RELIEF_NOTHING: nothing is changed */
};

/* What a run came to; of fixed size, so that it can be sent through a pipe. */
struct trial_result {
    bool played;
    bool changed; /* every relief found something to change */
    char digest[DIGEST_TEXT_BYTES];
    struct bottleneck limit;
    uint32_t held; /* mask of expectations */
};

struct trial_work {
    double goodput_bps, latency_ps; /* mean */
    bool satisfied;
    int64_t used[BOTTLENECK_RESOURCES], waiting[BOTTLENECK_RESOURCES];
};

struct whatif_trial {
    uint64_t seed; /* 0: the scenario's */
    struct trial_relief reliefs[TRIAL_RELIEFS];
    struct trial_result result;
    struct trial_work *works; /* by workload */
};

/* Fills in the results of all; false: not all were played, or a signal came. */
bool whatif_play(struct whatif_trial *trials, uint32_t count, const struct scenario *scenario,
                 time_ps until);

/* Frees what whatif_play made. */
void whatif_trials_free(struct whatif_trial *trials, uint32_t count);

#endif
