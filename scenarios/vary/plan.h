/* SPDX-License-Identifier: Apache-2.0
 * plan - a question of an architect: which of many fabrics holds what is asked for, at what cost.
 *   stormglass-plan: 1
 *   name: array
 *   scenario: array.yaml            # the template: beside this file, or the name of a case
 *   vary:                           # as in a grid; its cells are the candidates
 *     - {path: fabric.topology.spines, as: spines, values: [2, 4], better: higher}
 *     - {path: oversubscription, as: os, values: [1.5, 3]}   # ratios: oversubscription.h
 *   adjust: [...]                   # as in a grid
 *   slo: ["oltp.latency.p99 < 1ms", no-lossless-drop]   # as `expect` of a scenario
 *   survive:                        # with each of these too
 *     - {name: one spine down, kind: switch-down, each: "spine*"}
 *     - {name: a link lost, kind: link-down, each: "leaf*-spine*", sample: 4, at: 5ms, slo: [...]}
 *   grow: {years: 3, load: [{path: workloads.oltp.rate, each-year: 25%}]}   # grow.h
 *   prices: prices.yaml             # or the mapping itself: prices.h
 *   cliff:                          # how far what is chosen goes along each of these, alone
 *     - {path: workloads.oltp.queue-depth, as: qd, values: {from: 8, to: 256, times: 2}}
 *   what-if:                        # which of these moves the cliffs, each value alone
 *     - {path: fabric.switch.buffer, as: buffer, values: [64MB, 128MB]}
 *   objective: cheapest             # least-power, most-headroom, front
 *   budget: 500                     # runs, or a time such as 600s
 *   seeds: 5                        # and the other rows: plan_opts
 * A failure without `at` is played without what failed, from the start; with `at` it fails in
 * mid-run, and what is under way may take 60 s to finish.  `each` picks the members one after the
 * other, `sample` some of them, evenly; `together: 2` every two of them at once, `together: all`
 * all of them.  Where load grows each year is a case too, and the last one with every failure.
 * Limits: those of a grid; PLAN_SLO_MAX, PLAN_FAILURES_MAX, PLAN_CLIFFS_MAX.
 * Owner: plan_free.  Errors: located messages, and NULL. */
#ifndef STORMGLASS_SCENARIOS_VARY_PLAN_H
#define STORMGLASS_SCENARIOS_VARY_PLAN_H

#include "base/units.h"
#include "scenarios/load/expect.h"
#include "scenarios/vary/grid.h"
#include "scenarios/vary/grow.h"
#include "scenarios/vary/prices.h"

#define PLAN_WAIT (60 * PS_PER_S) /* after a failure in mid-run, for what is under way */

enum {
    PLAN_SLO_MAX = 32,
    PLAN_FAILURES_MAX = 32, /* entries of `survive` */
    PLAN_CLIFFS_MAX = 16,
    PLAN_WHAT_IFS_MAX = 64, /* values of `what-if`, on as many axes as cliffs */
    PLAN_CASES_MAX = 256,   /* of a candidate: none, and each choice of each failure */
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

/* Rows at the top of the file. */
struct plan_rules {
    int64_t objective;  /* enum plan_objective */
    int64_t seeds;      /* that each case is played with at first, from the scenario's own on */
    int64_t most_seeds; /* where they do not tell */
    int64_t confidence; /* ppm: that all verdicts together are right */
    int64_t tolerance;  /* ppm of a limit: what is nearer to it may be judged either way */
    int64_t longest;    /* ps: a run is played again, longer, until it has settled or is so long;
                           -1: 16 times the scenario's duration */
    int64_t most_runs;  /* the budget; `budget` may say it too */
};

extern const struct opt plan_opts[];

struct plan_slo {
    const struct tree_node *written;
};

struct plan_failure {
    const char *name;
    const struct tree_node *each;
    const char *keys; /* ", drain: \"10%\"": all that the fault has beside kind, where and at */
    const char *kind, *at; /* at NULL: it is away from the start */
    int64_t sample;        /* of its choices; 0: every one */
    int64_t together;      /* how many fail at once: 1, 2, or PLAN_TOGETHER_ALL */
    struct plan_slo slo[PLAN_SLO_MAX];
    uint32_t slo_count; /* 0: as without the failure */
    const struct tree_node *written;
};

struct plan {
    struct grid grid; /* its arena holds all of it; name, about, scenario too */
    struct plan_rules rules;
    int64_t most_time; /* ps of the clock on the wall, from `budget`; 0: as long as it takes */
    struct plan_slo slo[PLAN_SLO_MAX];
    uint32_t slo_count;
    struct plan_failure failures[PLAN_FAILURES_MAX];
    uint32_t failure_count;
    struct grid cliffs[PLAN_CLIFFS_MAX]; /* of one axis each: its cells are its values */
    uint32_t cliff_count;
    struct grid what_ifs[PLAN_CLIFFS_MAX]; /* likewise */
    uint32_t what_if_count;
    struct grow grow;
    bool has_prices;
    struct prices prices;
    const char *text; /* of the file, and what it has of prices */
    size_t length;
    /* That without its lines on the budget: two plans of one question have the same runs. */
    const char *question;
};

struct plan *plan_load_file(const char *path, struct diag *diag);
struct plan *plan_load(const char *name, const char *text, size_t length, struct diag *diag);
void plan_free(struct plan *plan); /* NULL is fine */

/* Messages on settings of a cell, which are located in a file "--set", are located where the plan
 * has them. */
void plan_locate(const struct plan *plan, const struct grid_cell *cell, struct diag *diag);

/* Where "path=value" of a cell is written; its value is NULL where no axis or rule has it. */
struct grid_origin plan_origin_of(const struct plan *plan, const char *set);

/* What a candidate is played with beside its own settings: nothing, or one choice of a failure. */
struct plan_case {
    const char *name;                     /* "", or "one spine down: spine1" */
    const char *sets[3 + GROW_LOADS_MAX]; /* path=value */
    uint32_t set_count;                   /* 0: nothing fails */
    const struct plan_failure *failure;   /* NULL: none */
};

struct plan_cases {
    struct plan_case cases[PLAN_CASES_MAX];
    uint32_t count;
};

/* The cases of a candidate, whose scenario is loaded; the first is that nothing fails.  Names and
 * settings are in the plan's arena.  False and messages: a failure names nothing there, or an SLO
 * is none of this scenario. */
bool plan_cases_of(struct plan *plan, struct scenario *scenario, struct plan_cases *cases,
                   struct diag *diag);

/* Whether each failure can be played with that cell, whose cases these are.  False and messages,
 * where the plan has it. */
bool plan_check_failures(struct plan *plan, const struct grid_cell *cell,
                         const struct plan_cases *cases, struct diag *diag);

/* The SLOs of a case, parsed against the scenario, whose quantities are those of the steady part
 * where nothing fails in mid-run.  How many. */
uint32_t plan_expectations(const struct plan *plan, const struct plan_case *of,
                           const struct scenario *scenario,
                           struct expectation expectations[PLAN_SLO_MAX], struct diag *diag);

#endif
