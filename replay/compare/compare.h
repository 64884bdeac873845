/* SPDX-License-Identifier: Apache-2.0
 * compare - a run of the model and a measurement of the same work, side by side.
 * Reads two run databases and nothing else.  Two questions are kept apart:
 *   protocol  what both did: how the runs ended, counts, bytes, statuses, states, and each I/O
 *             where both recorded them.  Equal, or where they part first.
 *   timing    how long it took: latencies and rates, the model's error in parts of the measured
 *             value, and whether the point lies in what the model's profiles were fitted on.
 * Work that a count ends has a protocol that does not depend on time.  Of work that the clock ends,
 * counts and bytes are left to the rates, and sequences are compared as far as both went.
 * The order of completions is defined where at most one I/O is under way; elsewhere it is reported
 * and does not count.
 * Owner: compare_free.  Errors: COMPARE_REFUSED and a sentence in `why`. */
#ifndef STORMGLASS_REPLAY_COMPARE_COMPARE_H
#define STORMGLASS_REPLAY_COMPARE_COMPARE_H

#include "replay/compare/figures.h"
#include "scenarios/format/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* A set of figures, 1 << kind each. */
#define COMPARE_JUDGED_PRESET (1u << FIGURE_P50 | 1u << FIGURE_IOPS)

/* "p50,iops" to a set; false: a word that is no figure is in it. */
bool compare_parse_figures(const char *text, uint32_t *set);

struct compare_figure {
    bool known; /* both have it */
    double model, measured;
    double error; /* (model - measured) / measured */
    bool judged, within;
};

struct compare_workload {
    const struct figures_workload *model, *measured;
    struct compare_figure figures[FIGURE_COUNT];
};

/* One thing that both databases say. */
struct compare_row {
    const char *what; /* "oltp: completed" */
    const char *model, *measured;
    bool equal;
    bool counts; /* false: reported, and no difference of the protocol */
};

struct compare_side {
    const char *path, *scenario, *about, *version, *status, *record;
    bool measured;
    const char *device, *kernel, *firmware; /* "" for a model's run */
    int64_t started_unix_s;
};

struct compare_options {
    double tolerance; /* 0.15 */
    uint32_t judged;  /* set of figures that the verdict is about */
    bool any_kind;    /* two models or two measurements; the first stands for the model */
};

struct compare {
    struct arena arena;
    struct compare_options options;
    struct compare_side sides[2]; /* the model's, the measured */
    struct compare_row *settings; /* that differ and leave the work as it is */
    size_t setting_count;
    struct compare_row *rows;
    size_t row_count, rows_counting, rows_different;
    struct figures figures[2];
    struct compare_workload *workloads;
    size_t workload_count;
    uint32_t judged, within; /* figures */
    char why[STORE_ERROR_BYTES];
};

enum compare_end { COMPARE_DONE, COMPARE_REFUSED };

enum compare_end compare_runs(struct compare *compare, const char *model, const char *measured,
                              const struct compare_options *options);
void compare_free(struct compare *compare);

/* The protocol is equal, and every judged figure is within the tolerance. */
bool compare_equal(const struct compare *compare);

/* What a database is of; its texts are copied into the arena. */
void compare_side_read(struct compare_side *side, struct arena *arena, struct store *store,
                       const char *path);

/* Fills in the figures of a workload; adds to how many are judged and within. */
void compare_figures(struct compare_workload *workload, const struct compare_options *options,
                     uint32_t *judged, uint32_t *within);

/* The fingerprint of what a run was to do: equal for the same work on whatever. */
void compare_work(struct store *store, char text[DIGEST_TEXT_BYTES]);

/* (model - measured) / measured; infinite when only the measured value is 0. */
double compare_error(double model, double measured);

#endif
