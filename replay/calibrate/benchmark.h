/* SPDX-License-Identifier: Apache-2.0
 * benchmark - the micro-benchmarks that characterize a device, and the figures of each.
 * A benchmark is a scenario of one workload that is compiled into the program
 * (scenarios/benchmarks). The bridge runs it on a device, calibration runs it in the model, and
 * both derive the same figures from its statistics. Times are in ps. */
#ifndef STORMGLASS_REPLAY_CALIBRATE_BENCHMARK_H
#define STORMGLASS_REPLAY_CALIBRATE_BENCHMARK_H

#include "scenarios/data/scenario.h"
#include "scenarios/format/diag.h"
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

enum { BENCHMARK_OPERATIONS_MAX = 4096 }; /* no benchmark may have more */

extern const char *const benchmark_figure_words[BENCHMARK_FIGURE_COUNT];

enum { BENCHMARK_COUNT = 10 };

extern const char *const benchmark_names[BENCHMARK_COUNT];

/* Loads the named scenario ("serve" is the remote end of all of them). Returns NULL and adds
 * messages if a set is invalid. */
struct scenario *benchmark_load(const char *name, const char *const *sets, uint32_t set_count,
                                struct diag *diag);

/* Observations of one run. benchmark_read returns false if the run did not complete as
 * configured. */
struct benchmark_seen {
    struct workload_latencies each;
    time_ps figures[BENCHMARK_FIGURE_COUNT];
};

/* Call before the run: keeps every latency in the statistics. */
void benchmark_watch(struct benchmark_seen *seen, struct workload_stats *stats);
/* Call after the run. Frees the kept latencies. */
bool benchmark_read(struct benchmark_seen *seen, const struct workload_stats *stats);

/* Runs it in the model; false if the run did not complete as configured. */
bool benchmark_model(const struct scenario *scenario, time_ps figures[BENCHMARK_FIGURE_COUNT],
                     struct diag *diag);

/* Runs it in the model for the mean latency in the steady state: of the second half of its
 * operations, without the last `ending`, which no others follow. */
bool benchmark_steady(const struct scenario *scenario, uint64_t ending, time_ps *mean,
                      struct diag *diag);

/* The median (of an even count, the lower of the two); sorts the list. */
time_ps benchmark_median(time_ps *list, uint64_t count);

#endif
