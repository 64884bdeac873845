/* SPDX-License-Identifier: Apache-2.0
 * plan - the search for the cheapest of many fabrics that meets all objectives.
 *   stormglass-plan: 1
 *   name: array
 *   scenario: array.yaml            # the template: a file next to this one, or a case
 *   vary:                           # as in a grid; its cells are the candidates
 *     - {path: fabric.topology.spines, as: spines, values: [2, 4], better: higher}
 *     - {path: oversubscription, as: os, values: [1.5, 3]}   # ratios: oversubscription.h
 *   adjust: [...]                   # as in a grid
 *   slo: ["oltp.latency.p99 < 1ms", no-lossless-drop]   # as `expect` of a scenario
 *   survive:                        # failures that a candidate must survive
 *     - {name: one spine down, kind: switch-down, each: "spine*"}
 *     - {name: a link lost, kind: link-down, each: "leaf*-spine*", sample: 4, at: 5ms, slo: [...]}
 *   grow: {years: 3, load: [{path: workloads.oltp.rate, each-year: 25%}]}   # grow.h
 *   prices: prices.yaml             # or the mapping itself: prices.h
 *   cliff:                          # the limit of the chosen candidate on each of these
 *     - {path: workloads.oltp.queue-depth, as: qd, values: {from: 8, to: 256, times: 2}}
 *   what-if:                        # changes that may move the limits, one value at a time
 *     - {path: fabric.switch.buffer, as: buffer, values: [64MB, 128MB]}
 *   objective: cheapest             # least-power, most-headroom, front
 *   budget: 500                     # runs, or a time such as 600s
 *   seeds: 5                        # and the other rows: plan_opts
 * Without `at`, the failed device is down from the start; with `at`, it fails during the run, and
 * operations in flight may take 60 s to finish.  `each` lets one member fail at a time, `sample`
 * selects some of them, evenly; `together: 2` lets each pair fail at once, `together: all` all of
 * them.  If load grows, each year is a case, and the last year is run with every failure.
 * Limits: those of a grid; PLAN_SLO_MAX, PLAN_FAILURES_MAX, PLAN_CLIFFS_MAX.
 * Owner: plan_free.  Errors: located messages, and NULL. */
#ifndef STORMGLASS_SCENARIOS_VARY_PLAN_H
#define STORMGLASS_SCENARIOS_VARY_PLAN_H

#include "base/units.h"
#include "scenarios/load/expect.h"
#include "scenarios/vary/grid.h"
#include "scenarios/vary/grow.h"
#include "scenarios/vary/prices.h"

#define PLAN_WAIT (60 * PS_PER_S) /* time after a failure in mid-run for work in flight to finish */

enum {
    PLAN_SLO_MAX = 32,
    PLAN_FAILURES_MAX = 32, /* entries of `survive` */
    PLAN_CLIFFS_MAX = 16,
    PLAN_WHAT_IFS_MAX = 64, /* values of `what-if`, on at most as many axes as cliffs */
    PLAN_CASES_MAX = 256,   /* cases per candidate: none, and each choice of each failure */
    PLAN_NAME_BYTES = 128,
    PLAN_SEEDS_MAX = 1000,
    PLAN_TOGETHER_ALL = 0
};

#define PLAN_OBJECTIVES(X)                                                                         \
    X(CHEAPEST, "cheapest")                                                                        \
    X(POWER, "least-power")                                                                        \
    X(HEADROOM, "most-headroom")                                                                   \
    X(FRONT, "front")

enum plan_objective {
#define X(name, word) PLAN_##name,
    PLAN_OBJECTIVES(X)
#undef X
};

/* Parameters at the top of the file. */
struct plan_rules {
    int64_t objective;  /* enum plan_objective */
    int64_t seeds;      /* number of seeds for each case initially, starting with the scenario's
                         * own */
    int64_t most_seeds; /* number of seeds if the first ones are undecided */
    int64_t confidence; /* ppm: probability that all verdicts together are correct */
    int64_t tolerance;  /* ppm of a limit: results nearer to the limit may be judged either way */
    int64_t longest;    /* ps: a run is repeated with a longer duration until it is steady or
                         * lasts this long; -1: 16 times the scenario's duration */
    int64_t most_runs;  /* the budget; the same as `budget` with a number */
};

extern const struct opt plan_opts[];

struct plan_slo {
    const struct tree_node *written;
};

struct plan_failure {
    const char *name;
    const struct tree_node *each;
    const char *keys;      /* ", drain: \"10%\"": keys of the fault other than kind, where and at */
    const char *kind, *at; /* at NULL: in force from the start */
    int64_t sample;        /* number of choices; 0: all */
    int64_t together;      /* number of simultaneous failures: 1, 2, or PLAN_TOGETHER_ALL */
    struct plan_slo slo[PLAN_SLO_MAX];
    uint32_t slo_count; /* 0: the same as without the failure */
    const struct tree_node *written;
};

struct plan {
    struct grid grid; /* has the arena of the whole plan, and name, about, scenario */
    struct plan_rules rules;
    int64_t most_time; /* ps of wall-clock time, from `budget`; 0: unlimited */
    struct plan_slo slo[PLAN_SLO_MAX];
    uint32_t slo_count;
    struct plan_failure failures[PLAN_FAILURES_MAX];
    uint32_t failure_count;
    struct grid cliffs[PLAN_CLIFFS_MAX]; /* one axis each; its cells are its values */
    uint32_t cliff_count;
    struct grid what_ifs[PLAN_CLIFFS_MAX]; /* one axis each; its cells are its values */
    uint32_t what_if_count;
    struct grow grow;
    bool has_prices;
    struct prices prices;
    const char *text; /* text of the file, and of its prices */
    size_t length;
    /* The text without the lines about the budget: plans with the same question have the same
     * runs. */
    const char *question;
};

struct plan *plan_load_file(const char *path, struct diag *diag);
struct plan *plan_load(const char *name, const char *text, size_t length, struct diag *diag);
void plan_free(struct plan *plan); /* accepts NULL */

/* Changes messages about settings of a cell, whose place is in a file "--set", to the places in the
 * plan. */
void plan_locate(const struct plan *plan, const struct grid_cell *cell, struct diag *diag);

/* Place of "path=value" of a cell; its value is NULL if no axis or rule has it. */
struct grid_origin plan_origin_of(const struct plan *plan, const char *set);

/* Settings of a run in addition to the candidate's own: none, or one choice of a failure. */
struct plan_case {
    const char *name;                     /* "", or "one spine down: spine1" */
    const char *sets[3 + GROW_LOADS_MAX]; /* path=value */
    uint32_t set_count;                   /* 0: no failure */
    const struct plan_failure *failure;   /* NULL: none */
};

struct plan_cases {
    struct plan_case cases[PLAN_CASES_MAX];
    uint32_t count;
};

/* The cases of a candidate, whose scenario is loaded; the first one has no failure. Names and
 * settings are in the plan's arena. False, with messages, if a failure selects nothing there, or an
 * SLO does not fit the scenario. */
bool plan_cases_of(struct plan *plan, struct scenario *scenario, struct plan_cases *cases,
                   struct diag *diag);

/* Checks that each failure can be simulated with that cell, whose cases these are. False, with
 * messages at the places in the plan, otherwise. */
bool plan_check_failures(struct plan *plan, const struct grid_cell *cell,
                         const struct plan_cases *cases, struct diag *diag);

/* Parses the SLOs of a case against the scenario. Without a failure in mid-run, quantities are
 * those of the steady part. Returns their number. */
uint32_t plan_expectations(const struct plan *plan, const struct plan_case *of,
                           const struct scenario *scenario,
                           struct expectation expectations[PLAN_SLO_MAX], struct diag *diag);

#endif
