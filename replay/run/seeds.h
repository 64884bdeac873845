/* SPDX-License-Identifier: Apache-2.0
 * seeds - runs a scenario with several seeds, in parallel on all processors.
 * Each run is a separate process (jobs.h), and a signal ends all of them. Results are figures of
 * each workload: the mean with its 95 % interval (Student's t over seeds), and the worst value: the
 * minimum of rates, the maximum of times and losses.
 * Owner: seeds_free. */
#ifndef STORMGLASS_REPLAY_RUN_SEEDS_H
#define STORMGLASS_REPLAY_RUN_SEEDS_H

#include "base/digest.h"
#include "scenarios/load/expect.h"

enum { SEEDS_AT_MOST = 10000 };

/* Figures of a workload: enumerators of enum expect_quantity. */
#define SEEDS_FIGURES(X)                                                                           \
    X(COMPLETED)                                                                                   \
    X(FAILED)                                                                                      \
    X(UNFINISHED) X(IOPS) X(GOODPUT) X(LATENCY_MEAN) X(LATENCY_P50) X(LATENCY_P99)                 \
        X(LATENCY_P99_9) X(LATENCY_MAX)

enum seeds_figure {
#define X(name) SEEDS_##name,
    SEEDS_FIGURES(X)
#undef X
        SEEDS_FIGURE_COUNT
};

struct seeds_run {
    uint64_t seed;
    bool played; /* false: its process failed */
    bool held;   /* its expectations are met */
    bool stopped;
    struct digest digest;
};

struct seeds {
    const struct scenario *scenario; /* must outlive it */
    struct seeds_run *runs;
    double (*figures)[SEEDS_FIGURE_COUNT]; /* by run and workload, as in run --json */
    uint32_t count, jobs;                  /* jobs: parallel runs */
};

/* Over the completed runs; half: half of the interval, 0 for a single run. */
struct seeds_summary {
    double mean, half, worst;
    uint64_t worst_seed;
};

/* Runs `count` seeds, starting with the scenario's own. */
void seeds_play(struct seeds *seeds, const struct scenario *scenario, uint32_t count,
                time_ps until);
void seeds_free(struct seeds *seeds);

struct seeds_summary seeds_summarise(const struct seeds *seeds, uint32_t workload,
                                     enum seeds_figure figure);

const char *seeds_figure_path(enum seeds_figure figure);

/* The 0.975 quantile of Student's t. */
double seeds_student(uint32_t degrees);

#endif
