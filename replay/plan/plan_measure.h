/* SPDX-License-Identifier: Apache-2.0
 * plan_measure - measures kept of every run of a plan, whatever its objectives are.
 * Per workload: goodput, IOPS, latency and fairness of the steady part, or of the whole run if
 * something fails in its middle. Per run: pauses, ECN marks and retransmissions, as rates per
 * second because runs may have different lengths. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_MEASURE_H
#define STORMGLASS_REPLAY_PLAN_PLAN_MEASURE_H

#include "replay/database/words.h"
#include "replay/record/result.h"
#include "scenarios/load/expect.h"

#include <stdbool.h>

/* X(quantity per second, better end: 1 more, -1 less, 0 neither) */
#define PLAN_MEASURES_OF_RUNS(X)                                                                   \
    X(PFC_PAUSED, -1)                                                                              \
    X(PFC_PAUSE_FRAMES, -1)                                                                        \
    X(ECN_MARKED, 0)                                                                               \
    X(ECN_CNPS, 0)                                                                                 \
    X(RNIC_RETRANSMITTED, -1)                                                                      \
    X(RNIC_TIMEOUTS, -1)                                                                           \
    X(DROPS_LOSSY, -1)

/* X(quantity of a workload) */
#define PLAN_MEASURES_OF_WORKLOADS(X)                                                              \
    X(GOODPUT)                                                                                     \
    X(IOPS) X(LATENCY_MEAN) X(LATENCY_P50) X(LATENCY_P99) X(JAIN) X(CPU_HOST) X(CPU_TARGET)

#define PLAN_MEASURE_ONE(...) +1
enum {
    PLAN_MEASURES_RUN = 0 PLAN_MEASURES_OF_RUNS(PLAN_MEASURE_ONE),
    PLAN_MEASURES_WORKLOAD = 0 PLAN_MEASURES_OF_WORKLOADS(PLAN_MEASURE_ONE),
    PLAN_WORKLOADS_MAX = 12, /* further workloads are not measured */
    PLAN_MEASURES_MAX = PLAN_MEASURES_RUN + PLAN_WORKLOADS_MAX * PLAN_MEASURES_WORKLOAD,
    PLAN_MEASURE_BYTES = 160
};
#undef PLAN_MEASURE_ONE

struct plan_measured {
    double value; /* ps, bit/s, operations/s, or a fraction; for measures of the run: per second */
    bool known;
};

/* Fills in the measures of the run, then those of each workload. */
uint32_t plan_measures(const struct result *result, bool steady, time_ps duration,
                       struct plan_measured measures[PLAN_MEASURES_MAX]);

/* "pfc.paused/s", "oltp.latency.p99"; `workloads` are the names. */
void plan_measure_name(uint32_t measure, const char *const *workloads,
                       char name[PLAN_MEASURE_BYTES]);
/* 1: more is better; -1: less is better; 0: neither. */
int plan_measure_better(uint32_t measure);
/* "ps", "bps" etc. */
const char *plan_measure_unit(uint32_t measure);
/* The value for people, without its sign. */
struct words plan_measure_words(uint32_t measure, double value);

#endif
