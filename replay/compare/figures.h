/* SPDX-License-Identifier: Apache-2.0
 * figures - results of the workloads of one run, from its database.
 * Counts, latencies and rates; the point at which a workload runs; and whether that point is within
 * what the profiles of the run were fitted on (scenarios/data/calibrated.h).
 * Owner: the arena. Errors: recorded in the store. */
#ifndef STORMGLASS_REPLAY_COMPARE_FIGURES_H
#define STORMGLASS_REPLAY_COMPARE_FIGURES_H

#include "base/digest.h"
#include "replay/database/store.h"
#include "scenarios/format/arena.h"

/* X(NAME, word, heading, column of the table workload, unit) */
#define FIGURES(X)                                                                                 \
    X(MEAN, "mean", "mean", "latency_mean_ps", FIGURE_TIME)                                        \
    X(P50, "p50", "p50", "latency_p50_ps", FIGURE_TIME)                                            \
    X(P99, "p99", "p99", "latency_p99_ps", FIGURE_TIME)                                            \
    X(P99_9, "p99_9", "p99.9", "latency_p99_9_ps", FIGURE_TIME)                                    \
    X(MAX, "max", "max", "latency_max_ps", FIGURE_TIME)                                            \
    X(IOPS, "iops", "IOPS", "iops", FIGURE_COUNTED)                                                \
    X(GOODPUT, "goodput", "goodput", "goodput_bps", FIGURE_RATE)

enum figure_kind {
#define X(NAME, word, heading, column, unit) FIGURE_##NAME,
    FIGURES(X)
#undef X
        FIGURE_COUNT
};

enum figure_unit { FIGURE_TIME, FIGURE_COUNTED, FIGURE_RATE }; /* ps, per second, bits per s */

struct figure_row {
    const char *word, *heading;
    enum figure_unit unit;
};
extern const struct figure_row figure_rows[FIGURE_COUNT];

/* Counts of a workload: X(column and word, timed). Timed counts depend on the clock unless a count
 * ends the work. */
#define FIGURE_TALLIES(X)                                                                          \
    X(issued, true)                                                                                \
    X(completed, true)                                                                             \
    X(failed, false)                                                                               \
    X(unfinished, false)                                                                           \
    X(corrupt, false)                                                                              \
    X(missed, true)                                                                                \
    X(bytes, true)                                                                                 \
    X(bytes_read, true)                                                                            \
    X(bytes_written, true)

enum {
#define X(word, timed) FIGURE_TALLY_##word,
    FIGURE_TALLIES(X)
#undef X
        FIGURE_TALLY_COUNT
};

struct figure_tally {
    const char *word;
    bool timed;
};
extern const struct figure_tally figure_tallies[FIGURE_TALLY_COUNT];

enum figure_range {
    FIGURE_CALIBRATED,
    FIGURE_EXTRAPOLATED,
    FIGURE_UNCALIBRATED, /* no profile of the run states what it was fitted on */
    FIGURE_RING_FULL,    /* receive ring full: losses depend on microseconds */
    FIGURE_RANGES
};
const char *figure_range_name(enum figure_range range);

struct figures_workload {
    const char *name;
    bool bounded; /* a count ends it */
    int64_t tallies[FIGURE_TALLY_COUNT];
    bool known[FIGURE_COUNT];
    double values[FIGURE_COUNT];
    const char *point; /* "queue-depth 16, block-size 4KiB": the values that a range may cover */
    enum figure_range range;
    const char *outside; /* those values outside their range, with the ranges; "" */
};

struct figures {
    struct figures_workload *workloads;
    size_t count;
};

void figures_read(struct store *store, struct arena *arena, struct figures *figures);

/* The value of a workload's setting; "" if it has none. */
const char *figures_setting(struct store *store, struct arena *arena, const char *workload,
                            const char *word);

/* Whether this count can be compared with another run of the same work. */
bool figures_tally_holds(const struct figures_workload *workload, int tally);

#endif
