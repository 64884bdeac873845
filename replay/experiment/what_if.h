/* SPDX-License-Identifier: Apache-2.0
 * what_if - what more of each resource would gain, by experiment.
 * Every resource that was used or waited for is relaxed alone: rates, numbers and depths by a
 * tenth, costs by as much, faults that act on it removed, what only holds back switched off; then
 * the best of them almost without limit.
 *   gain       of closed loops their goodput, of a run of open loops alone what their mean latency
 *              falls by.  Below a hundredth, or two standard errors, it is none
 *   seeds      one where nothing is random: two seeds with equal digests.  Else the scenario's own
 *              seed settles most: only those with half of the largest gain or more, and those of
 *              which one workload gains a tenth, are run with the second one too, and with five
 *              where the two do not agree.  What one seed shows of the others does not count
 *   pairs      where none gains alone: two in series hide each other
 *   next       what limits the run when the best is there without limit
 *   expect     for each that failed, the least of a resource with which it is met, where one is
 *              enough
 * Errors: false and a sentence. */
#ifndef STORMGLASS_REPLAY_EXPERIMENT_WHAT_IF_H
#define STORMGLASS_REPLAY_EXPERIMENT_WHAT_IF_H

#include "replay/explain/bottleneck.h"
#include "scenarios/data/scenario.h"

enum { WHATIF_SEEDS = 5, WHATIF_PAIRS = 10, WHATIF_EXPECTS = 4, WHATIF_WORDS = 640 };

struct whatif_gain {
    double mean, error; /* error: standard error over seeds; 0 for a single seed */
    bool some;
};

struct whatif_row {
    enum bottleneck_resource resource, other; /* other: BOTTLENECK_RESOURCES if alone */
    char words[WHATIF_WORDS];                 /* the changed settings */
    uint32_t seeds;
    struct whatif_gain gain, without_limit; /* without limit: of the best alone, with one seed */
    struct whatif_gain *workloads;          /* by workload */
    bool played_limitless;
    double *values;           /* by seed and workload: goodput or latency */
    char limit[WHATIF_WORDS]; /* of the run with the scenario's own seed */
};

struct whatif_need {
    char text[160];                    /* the expectation */
    enum bottleneck_resource resource; /* BOTTLENECK_RESOURCES: no single resource is enough */
    int64_t permille;                  /* relative to the unchanged value */
    char words[WHATIF_WORDS];
};

struct whatif {
    bool open;      /* gains are of mean latency */
    uint32_t seeds; /* the most that a row has */
    uint32_t runs;
    struct whatif_row *rows; /* single resources first, each group by gain */
    uint32_t row_count;
    char judged[WHATIF_WORDS]; /* bottleneck according to the run itself */
    char next[WHATIF_WORDS];   /* bottleneck with the best resource unlimited; "": no gain */
    struct whatif_need needs[WHATIF_EXPECTS];
    uint32_t need_count;
    const char **workloads; /* names */
    uint32_t workload_count;
    char why[WHATIF_WORDS];
};

/* The scenario must outlive the result. Returns false with the reason in `why`. */
bool whatif_run(struct whatif *whatif, const struct scenario *scenario, time_ps until);
void whatif_free(struct whatif *whatif);

#endif
