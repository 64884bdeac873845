/* SPDX-License-Identifier: Apache-2.0
 * benchmark - the micro-benchmarks that a device is known by, and what is read off one.
 * A benchmark is a scenario of one workload that travels in the program (scenarios/benchmarks); the
 * bridge plays it on a device, calibration plays it in the model, and both read the same figures
 * off its statistics.  Times in ps. */
#ifndef STORMGLASS_REPLAY_CALIBRATE_BENCHMARK_H
#define STORMGLASS_REPLAY_CALIBRATE_BENCHMARK_H

#include "scenarios/format/diag.h"
#include "scenarios/load/scenario.h"
#include "scenarios/workload/workload.h"

/* X(member, word, sentence) */
#define BENCHMARK_FIGURES(X)                                                                       \
    X(LATENCY, "latency", "median time of one operation")                                          \
    X(INTERVAL, "interval", "time from one completion to the next, on average")                    \
    X(CONNECT, "connect", "time from the start to the first operation")

enum benchmark_figure {
#define X(member, word, about) BENCHMARK_##member,
    BENCHMARK_FIGURES(X)
#undef X
        BENCHMARK_FIGURE_COUNT
};

extern const char *const benchmark_figure_words[BENCHMARK_FIGURE_COUNT];

enum { BENCHMARK_COUNT = 10 };

extern const char *const benchmark_names[BENCHMARK_COUNT];

/* The scenario of that name ("serve" is the far end of all of them).  NULL and messages when a set
 * is wrong. */
struct scenario *benchmark_load(const char *name, const char *const *sets, uint32_t set_count,
                                struct diag *diag);

/* What was seen of one run.  False: it was not completed as asked. */
struct benchmark_seen {
    struct workload_latencies each;
    time_ps figures[BENCHMARK_FIGURE_COUNT];
};

/* Before the run: keeps each latency of the statistics. */
void benchmark_watch(struct benchmark_seen *seen, struct workload_stats *stats);
/* After it.  Frees what was kept. */
bool benchmark_read(struct benchmark_seen *seen, const struct workload_stats *stats);

/* Plays it in the model; false when it was not completed as asked. */
bool benchmark_model(const struct scenario *scenario, time_ps figures[BENCHMARK_FIGURE_COUNT],
                     struct diag *diag);

/* The middle one, the lower of two; sorts the list. */
time_ps benchmark_median(time_ps *list, uint64_t count);

#endif
