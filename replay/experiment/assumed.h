/* SPDX-License-Identifier: Apache-2.0
 * assumed - the uncertain values that would change the verdict of a run.
 * A value is uncertain if its profile, or its row for a value that the scenario does not set, marks
 * it as assumed or inferred. The scenario is run again with one such value changed at a time:
 *   assumed    to half and to twice the value, because no range is stated
 *   inferred   to a tenth less and a tenth more
 * within the row's bounds and steps. The verdict has three parts: the resource that is the
 * bottleneck, the suspect of the first cause, and each expectation. Words, switches and zeros
 * (the thing is not modeled) are not changed.
 * Errors: false and a sentence. */
#ifndef STORMGLASS_REPLAY_EXPERIMENT_ASSUMED_H
#define STORMGLASS_REPLAY_EXPERIMENT_ASSUMED_H

#include "replay/experiment/measure.h"

enum { ASSUMED_MAX = 48, ASSUMED_TRIALS = 2, ASSUMED_WORDS = 240, ASSUMED_VALUE = 64 };

struct assumed_trial {
    char value[ASSUMED_VALUE]; /* as written in a scenario */
    double ratio;              /* to the unchanged value */
    bool played;
    struct measure_verdict verdict;
    bool flips; /* the verdict differs from that of the unchanged run */
};

struct assumed_value {
    const char *path, *evidence, *source; /* evidence: "assumed" or "inferred" */
    uint32_t sources;
    int64_t error; /* ppm, of results that such a value binds (replay/explain/confidence.h); 0: it
                    * is a count or a size */
    char value[ASSUMED_VALUE];
    struct assumed_trial trials[ASSUMED_TRIALS]; /* smaller, larger value */
    uint32_t trial_count;
    bool flips, felt; /* felt: a change alters the run at all */
};

struct assumed {
    const struct scenario *scenario;
    const char *expectations[MEASURE_EXPECTS]; /* texts */
    uint32_t expectation_count, unjudged;      /* unjudged: beyond MEASURE_EXPECTS */
    struct measure_verdict verdict;            /* of the unchanged run */
    struct assumed_value *values; /* those that flip the verdict first, then in order of settings */
    uint32_t value_count, flip_count, felt_count;
    uint32_t left_out; /* beyond ASSUMED_MAX */
    uint32_t runs;
    char why[ASSUMED_WORDS];
};

/* Lists the values that would be changed, and the changes, without running anything. */
void assumed_look(struct assumed *assumed, const struct scenario *scenario);

/* The scenario must outlive the result, here and above. Returns false with the reason in `why`. */
bool assumed_run(struct assumed *assumed, const struct scenario *scenario, time_ps until);
void assumed_free(struct assumed *assumed);

#endif
