/* SPDX-License-Identifier: Apache-2.0
 * whatif - what more of each resource would gain, by experiment.
 * A run can be played again exactly, so that one relief is all that differs.  Every resource that
 * was used or waited for is relieved alone: rates, numbers and depths by a tenth, costs by as
 * much, and what only holds back is switched off; then the best of them almost without limit.
 *   gain       of closed loops their goodput, of a run of open loops alone what their mean latency
 *              falls by; over five paired seeds, or one where nothing is random (equal digests).
 *              Below a hundredth, or two standard errors, it is none
 *   pairs      where none gains alone: two in series hide each other
 *   next       what limits the run when the best is there without limit
 *   expect     for each that failed, the least relief with which it holds, where one is enough
 * The runs are processes of their own, on all processors at once; what they give does not depend on
 * how many there are.
 * Errors: WHATIF_BROKEN and a sentence. */
#ifndef STORMGLASS_REPLAY_PROVE_WHATIF_H
#define STORMGLASS_REPLAY_PROVE_WHATIF_H

#include "replay/explain/bottleneck.h"
#include "scenarios/load/scenario.h"

enum { WHATIF_SEEDS = 5, WHATIF_PAIRS = 10, WHATIF_EXPECTS = 4, WHATIF_WORDS = 640 };

struct whatif_gain {
    double mean, error; /* of the seeds: the standard error; 0 of one */
    bool some;
};

struct whatif_row {
    enum bottleneck_resource resource, other; /* other: BOTTLENECK_RESOURCES: alone */
    char words[WHATIF_WORDS];                 /* what was changed */
    struct whatif_gain gain, without_limit;   /* without limit: of the best alone */
    struct whatif_gain *workloads;            /* of each */
    bool played_limitless;
};

struct whatif_need {
    char text[160];                    /* the expectation */
    enum bottleneck_resource resource; /* BOTTLENECK_RESOURCES: none alone is enough */
    int64_t permille;                  /* of what is there */
    char words[WHATIF_WORDS];
};

struct whatif {
    bool open; /* gains are of mean latencies */
    uint32_t seeds;
    uint32_t runs;
    struct whatif_row *rows; /* the largest gain first; pairs after those alone */
    uint32_t row_count;
    char judged[WHATIF_WORDS]; /* the run's own verdict */
    char next[WHATIF_WORDS];   /* with the best without limit; "" none gains */
    struct whatif_need needs[WHATIF_EXPECTS];
    uint32_t need_count;
    const char **workloads; /* names */
    uint32_t workload_count;
    char why[WHATIF_WORDS];
};

/* The scenario outlives what is filled in.  False: see why. */
bool whatif_run(struct whatif *whatif, const struct scenario *scenario, time_ps until);
void whatif_free(struct whatif *whatif);

#endif
