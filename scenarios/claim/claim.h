/* SPDX-License-Identifier: Apache-2.0
 * claim - a statement about storage networks and the runs that settle it.
 *   stormglass-claim: 1
 *   rows: [24, N6]                  # of docs/claims.md: 1 to 42, N1 and on, C1 and on
 *   claim: One sentence.
 *   source: article on RDMA layering
 *   stated: "for small blocks"      # optional: the condition that the source names
 *   why: One sentence.              # optional: the mechanism, without results
 *   scenario: {...}                 # a whole scenario, which run and explain accept, too
 *   seeds: 3                        # optional: figures are medians of runs with seeds 1 to 3
 *   cases:                          # optional, one or two axes: where the claim is tested
 *     - {name: block size, path: workloads.io.block-size, values: [4KiB, 64KiB]}
 *     - name: transport
 *       choices:
 *         - {name: NVMe/TCP, set: {workloads.io.transport: tcp}}
 *         - {name: FC, not-modeled: there is no Fibre Channel}
 *   sides:                          # optional: runs that are compared in each case
 *     - {name: tcp, set: {workloads.io.transport: tcp}}
 *   figures:
 *     - {name: link, about: link in use, value: io.goodput / 100Gbps, unit: percent}
 *     - {name: gain, about: TCP by RDMA, unit: times, value: "tcp: io.iops / rdma: io.iops"}
 *     - {name: limit, about: bottleneck, sql: SELECT ..., side: tcp, unit: word}
 *   true-if: ["link < 40%", limit == rnic]   # the claim is true in a case if all of these hold
 * or, without a scenario, `cannot-run:` with the reason.
 * `set` has paths and values as for --set; a list or a mapping is quoted. Quantities are those of
 * `expect:`, or agreements.settings and agreements.places (check --agreements); `sql` is a SELECT
 * of one value of the run database. Values of a `path` that are quantities ascend, so that a
 * condition is a range.
 * Owner: claim_free. Errors: located messages. */
#ifndef STORMGLASS_SCENARIOS_CLAIM_CLAIM_H
#define STORMGLASS_SCENARIOS_CLAIM_CLAIM_H

#include "scenarios/format/arena.h"
#include "scenarios/format/diag.h"
#include "scenarios/format/tree.h"
#include "scenarios/load/expect.h"

enum {
    CLAIM_NAME_BYTES = 64,
    CLAIM_ROWS_MAX = 8,
    CLAIM_ROW_BYTES = 8,
    CLAIM_AXES_MAX = 2,
    CLAIM_CHOICES_MAX = 24,
    CLAIM_CASES_MAX = 96,
    CLAIM_SIDES_MAX = 6,
    CLAIM_SETS_MAX = 24,
    CLAIM_FIGURES_MAX = 12,
    CLAIM_CONDITIONS_MAX = 6,
    CLAIM_SEEDS_MAX = 9
};

/* Units of figures. Times and sizes are in the base units of quantities. */
#define CLAIM_UNITS(X)                                                                             \
    X(TIME, "time")                                                                                \
    X(SIZE, "size")                                                                                \
    X(RATE, "rate")                                                                                \
    X(COUNT, "count")                                                                              \
    X(PERCENT, "percent")                                                                          \
    X(TIMES, "times")                                                                              \
    X(WORD, "word")

enum claim_unit {
#define X(name, word) CLAIM_##name,
    CLAIM_UNITS(X)
#undef X
};

/* Parts of a unit that limits are counted in: 1, of percent 10^15, of times 1000. */
int64_t claim_unit_scale(enum claim_unit unit);

struct claim_sets {
    const char **sets; /* "path=value" */
    uint32_t count;
};

struct claim_choice {
    const char *name;
    struct claim_sets sets;
    const char *not_modeled; /* reason; NULL: it is run */
};

struct claim_axis {
    const char *name;
    bool ordered; /* ascending quantities */
    struct claim_choice *choices;
    uint32_t count;
};

struct claim_side {
    const char *name; /* empty: the only side */
    struct claim_sets sets;
};

/* What is read from a run, or a constant. */
struct claim_operand {
    const char *quantity; /* NULL: not of this kind */
    const char *sql;      /* NULL: not of this kind */
    int64_t constant;     /* in the base unit of its quantity; 0: none */
    uint32_t side;
    const struct tree_node *written;
};

struct claim_figure {
    const char *name, *about;
    enum claim_unit unit;
    struct claim_operand value, by;
    bool is_ratio; /* value / by */
};

struct claim_condition {
    const char *text;
    uint32_t figure;
    enum expect_op op;
    int64_t value;    /* in claim_unit_scale parts of the unit */
    const char *word; /* of figures with the unit word */
};

struct claim {
    struct arena arena;
    char name[CLAIM_NAME_BYTES];
    char rows[CLAIM_ROWS_MAX][CLAIM_ROW_BYTES];
    uint32_t row_count;
    const char *statement, *source;
    const char *stated, *why, *cannot_run; /* NULL: none */
    const struct tree_file *file;
    struct claim_axis axes[CLAIM_AXES_MAX];
    uint32_t axis_count, case_count; /* without axes there is one case */
    struct claim_side sides[CLAIM_SIDES_MAX];
    uint32_t side_count;
    uint32_t seeds; /* odd, so that a median is a value of one run; 1: the scenario's own seed */
    struct claim_figure figures[CLAIM_FIGURES_MAX];
    uint32_t figure_count;
    struct claim_condition conditions[CLAIM_CONDITIONS_MAX];
    uint32_t condition_count;
};

/* NULL, with messages, if the text is not a claim. The stem of `file` is the claim's name. */
struct claim *claim_load(const char *file, const char *text, size_t length, struct diag *diag);
struct claim *claim_load_file(const char *path, struct diag *diag);
void claim_free(struct claim *claim); /* accepts NULL */

/* The embedded claims in the order of their first rows: 1 to 42, N, C. CHECKs that each has its
 * form; a test does, too. The array ends with NULL. Owner: claim_free_all. */
struct claim **claim_load_all(uint32_t *count);
void claim_free_all(struct claim **claims);

/* True for the name of the claim or one of its rows, in any case and with leading zeros. */
bool claim_is_named(const struct claim *claim, const char *id);

/* The choice of a case on an axis; the last axis changes fastest. */
const struct claim_choice *claim_choice(const struct claim *claim, uint32_t index, uint32_t axis);

/* True if the case differs from the one before it only on the second axis and both are not modeled
 * because of their choice on the first: one of them says it all. */
bool claim_repeats(const struct claim *claim, uint32_t index);

/* Why a case cannot be run; NULL: it can. */
const char *claim_not_modeled(const struct claim *claim, uint32_t index);

#endif
