/* SPDX-License-Identifier: Apache-2.0
 * compare - a model run and a measurement of the same work, side by side.
 * Reads two run databases only. Two aspects are compared separately:
 *   protocol  what both did: how the runs ended, counts, bytes, statuses, states, and each I/O
 *             if both recorded them. Either equal, or the first difference.
 *   timing    how long it took: latencies and rates, the model's error relative to the measured
 *             value, and whether the point is within the range that the profiles were fitted on.
 * If a count ends the work, its protocol does not depend on time. If the clock ends it, counts and
 * bytes are only compared as rates, and sequences as far as both went. The order of completions is
 * defined only with one outstanding I/O; otherwise it is reported without counting as a difference.
 * Owner: compare_free. Errors: COMPARE_REFUSED and a message in `why`. */
#ifndef STORMGLASS_REPLAY_COMPARE_COMPARE_H
#define STORMGLASS_REPLAY_COMPARE_COMPARE_H

#include "replay/compare/figures.h"
#include "scenarios/format/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* A set of figures: 1 << kind each. */
#define COMPARE_JUDGED_PRESET (1u << FIGURE_P50 | 1u << FIGURE_IOPS)

/* Parses "p50,iops"; false if a word is not a figure. */
bool compare_parse_figures(const char *text, uint32_t *set);

struct compare_figure {
    bool known; /* both runs have the value */
    double model, measured;
    double error; /* (model - measured) / measured */
    bool judged, within;
};

struct compare_workload {
    const struct figures_workload *model, *measured;
    struct compare_figure figures[FIGURE_COUNT];
};

/* One value that both databases contain. */
struct compare_row {
    const char *what; /* "oltp: completed" */
    const char *model, *measured;
    bool equal;
    bool counts; /* false: reported, but not a protocol difference */
};

struct compare_side {
    const char *path, *scenario, *about, *version, *status, *record;
    bool measured;
    const char *device, *kernel, *firmware; /* "" for a model run */
    int64_t started_unix_s;
};

struct compare_options {
    double tolerance; /* 0.15 */
    uint32_t judged;  /* set of figures that decide the verdict */
    bool any_kind;    /* allow two models or two measurements; the first counts as the model */
};

struct compare {
    struct arena arena;
    struct compare_options options;
    struct compare_side sides[2]; /* 0: model, 1: measurement */
    struct compare_row *settings; /* differing settings that do not change the work */
    size_t setting_count;
    struct compare_row *rows;
    size_t row_count, rows_counting, rows_different;
    struct figures figures[2];
    struct compare_workload *workloads;
    size_t workload_count;
    uint32_t judged, within; /* numbers of figures */
    char why[STORE_ERROR_BYTES];
};

enum compare_end { COMPARE_DONE, COMPARE_REFUSED };

enum compare_end compare_runs(struct compare *compare, const char *model, const char *measured,
                              const struct compare_options *options);
void compare_free(struct compare *compare);

/* The protocol is equal, and every judged figure is within the tolerance. */
bool compare_equal(const struct compare *compare);

/* Reads the properties of a database; texts are copied into the arena. */
void compare_side_read(struct compare_side *side, struct arena *arena, struct store *store,
                       const char *path);

/* Fills in the figures of a workload and adds to the numbers of judged figures and of those within
 * the tolerance. */
void compare_figures(struct compare_workload *workload, const struct compare_options *options,
                     uint32_t *judged, uint32_t *within);

/* A fingerprint of the configured work: equal for the same work on any system. */
void compare_work(struct store *store, char text[DIGEST_TEXT_BYTES]);

/* (model - measured) / measured; infinite if only the measured value is 0. */
double compare_error(double model, double measured);

#endif
