/* SPDX-License-Identifier: Apache-2.0
 * plan_state - the state of a search: candidates, their cases, the runs of each, verdicts.
 * Pure data. Owner: plan_state_free. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_STATE_H
#define STORMGLASS_REPLAY_PLAN_PLAN_STATE_H

#include "replay/database/words.h"
#include "replay/plan/plan_bound.h"
#include "replay/plan/plan_facts.h"
#include "replay/plan/plan_play.h"

#include <stddef.h>

/* Its result, its identifier, its meaning, and the text of a count: "2 passing in every case". */
#define PLAN_VERDICTS(X)                                                                           \
    X(OPEN, UNDECIDED, "open", "not run", "not run")                                               \
    X(HOLDS, PASS, "holds", "passes in every case", "passing in every case")                       \
    X(REFUSED, FAIL, "refused", "can never pass, or cannot be run", "ruled out without a run")     \
    X(FAILS, FAIL, "fails", "an objective is not met, or frames or operations were lost",          \
      "failing an objective")                                                                      \
    X(IDLE, FAIL, "idle", "some host-target pairs did no I/O", "with idle host-target pairs")      \
    X(UNSETTLED, UNDECIDED, "unsettled",                                                           \
      "not steady in the longest run that the plan allows; raise longest", "not steady")           \
    X(UNSURE, UNDECIDED, "unsure",                                                                 \
      "undecided after the most runs that the plan allows; raise most-seeds",                      \
      "too close to decide")                                                                       \
    X(DIED, UNDECIDED, "died", "a run's process crashed twice", "with a crashed run")              \
    X(IMPLIED, FAIL, "implied", "a candidate that is better on every monotone axis fails",         \
      "worse than a failing candidate")                                                            \
    X(DEARER, SKIPPED, "dearer", "not run: it costs more than a candidate that passes",            \
      "costing more than a passing candidate")                                                     \
    X(SURPASSED, SKIPPED, "surpassed",                                                             \
      "not run: it has no more headroom than a candidate that passes",                             \
      "without more headroom than a passing candidate")

enum plan_verdict {
#define X(name, result, word, about, many) PLAN_VERDICT_##name,
    PLAN_VERDICTS(X)
#undef X
        PLAN_VERDICT_COUNT
};

const char *plan_verdict_word(enum plan_verdict verdict);
const char *plan_verdict_about(enum plan_verdict verdict);
const char *plan_verdict_many(enum plan_verdict verdict);

/* The result of a verdict: a candidate passes, fails, or is undecided. SKIPPED: it can no longer be
 * chosen, so its verdict is not needed. */
#define PLAN_RESULTS(X)                                                                            \
    X(UNDECIDED, "undecided")                                                                      \
    X(PASS, "pass")                                                                                \
    X(FAIL, "fail")                                                                                \
    X(SKIPPED, "not needed")

enum plan_result {
#define X(name, word) PLAN_RESULT_##name,
    PLAN_RESULTS(X)
#undef X
        PLAN_RESULT_COUNT
};

enum plan_result plan_result_of(enum plan_verdict verdict);
const char *plan_result_word(enum plan_result result);

struct plan_case_state {
    struct plan_outcome *outcomes; /* by seed, starting with the scenario's own */
    uint32_t count, room;
    enum plan_verdict verdict;
    struct expectation *asked; /* its objectives, in the arena of the state */
    uint32_t asked_count;
};

struct plan_candidate {
    const struct grid_cell *cell;
    struct plan_cases *cases;
    struct plan_case_state *states; /* by case */
    struct prices_bill bill;
    struct plan_facts facts;
    struct plan_horizon *horizon; /* in the arena; NULL: no failure during the run */
    enum plan_verdict verdict;
    char why[2 * PLAN_SENTENCE_BYTES]; /* text on everything that does not pass */
    char limit[PLAN_SENTENCE_BYTES];   /* bottleneck of the run that decided; empty: none */
    uint32_t decided_by;               /* index of the case */
    int32_t decided_slo;               /* index of the objective; -1: none */
    bool measured;                     /* some headroom is known */
    double headroom;     /* minimum over all objectives that are means; 1: there are none */
    uint32_t least_case; /* the case with that minimum */
    uint32_t least_slo;
    double most; /* upper bound of headroom, from its own runs and those of better candidates */
    uint32_t most_by;
    int64_t duration; /* ps; duration in its scenario */
    bool front;
    uint32_t bound_by; /* candidate behind IMPLIED and SURPASSED */
    uint32_t key;      /* identifies its runs in a database, independent of other runs */
};

enum { PLAN_NO_CASE = PLAN_CASES_MAX };

/* How far the chosen candidate can be pushed along one axis. */
struct plan_cliff {
    uint32_t first; /* first of its points, which are candidates */
    uint32_t count;
    uint32_t holds; /* number of leading values that pass */
    bool ends;      /* the next value does not pass or is undecided; false: all pass */
};

/* The position of a cliff with another setting changed: plan_cliff.h. */
struct plan_move {
    uint32_t first; /* first of its points, which are candidates, by value of the cliff's axis */
    uint32_t holds; /* leading values that pass, as far as run */
    bool played;    /* false: budget spent or stop requested before */
    bool ends;      /* the next value does not pass */
};

struct plan_state {
    struct plan *plan;
    /* Candidates of the plan, then points of cliffs, points of moved cliffs, points of
     * plan_assumed.h. */
    struct plan_candidate *candidates;
    uint32_t count;  /* candidates of the plan */
    uint32_t points; /* plus points of cliffs */
    uint32_t own;    /* plus points of moved cliffs */
    uint32_t all;
    struct plan_assumed *assumed; /* in the arena; NULL: not requested */
    struct plan_cliff cliffs[PLAN_CLIFFS_MAX];
    struct plan_move *moves; /* in the arena: by cliff, then by lever */
    uint32_t lever_count;
    struct arena arena;                        /* of objectives and of cells of points */
    const char *workloads[PLAN_WORKLOADS_MAX]; /* names in the arena */
    uint32_t workload_count;
    uint32_t base; /* first key, if another plan uses the lower keys in the same database */
    uint64_t seed; /* of the template */
    /* Runs of a case after which other candidates have priority. Doubled when all are that far, up
     * to most-seeds, so that runs go to candidates that still matter. */
    uint32_t patience;
    int64_t runs, played;    /* all known runs; those done by this process */
    int64_t ahead, ahead_at; /* estimate of further runs, made at run ahead_at: plan_expect */
    int64_t events, packet_hops;
    int64_t chosen;                    /* candidate, or -1 */
    bool proven;                       /* no undecided candidate could replace the chosen one */
    bool stopped;                      /* by a signal */
    bool spent;                        /* the budget is used up */
    bool late;                         /* the time budget was used up */
    bool odd[GRID_AXES_MAX];           /* axes declared monotone that are not */
    uint32_t odd_by[GRID_AXES_MAX][2]; /* a worse one that passes, a better one that fails */
};

void plan_state_free(struct plan_state *state);

/* Number of the plan's candidates without a verdict. */
uint32_t plan_open(const struct plan_state *state);

/* Number of the plan's candidates by result. */
void plan_count_results(const struct plan_state *state, uint32_t counts[PLAN_RESULT_COUNT]);

/* Result of the plan: pass if a candidate is chosen and no undecided one could replace it; fail if
 * all candidates fail. */
enum plan_result plan_result(const struct plan_state *state);

/* The probability that the answer is wrong: plan_verdict.h. */
double plan_error(const struct plan_state *state);

/* Sets the estimate of further runs, for progress output. */
void plan_expect(struct plan_state *state, int64_t runs);

/* Estimate of the remaining time after `elapsed_s`, at the current rate and within the budget;
 * below 0 if unknown. */
double plan_left_s(const struct plan_state *state, double elapsed_s);

/* Mean of a figure over the runs, with its 95 % interval (Student's t). */
struct plan_estimate {
    double mean, half; /* half of the interval; < 0: unknown (one run) */
    uint32_t runs;
    char text[96]; /* "446 us +- 21 us (20 runs)" */
};
struct plan_estimate plan_estimate(const struct plan_case_state *of, uint32_t figure);

/* Means of a figure and of its slack over the runs. */
double plan_mean(const struct plan_case_state *of, uint32_t figure);
double plan_mean_slack(const struct plan_case_state *of, uint32_t figure);

/* Mean of a measure over the runs; false if one of them does not have it. */
bool plan_mean_measure(const struct plan_case_state *of, uint32_t measure, double *mean);

/* The case in which the candidate is closest to the limit of an objective of the plan. */
uint32_t plan_nearest_case(const struct plan_candidate *candidate, uint32_t slo);

/* Headroom of a mean: 0 at the limit, 1 as far from it as possible, negative beyond it. */
double plan_headroom(const struct expectation *asked, double mean);

/* The longest run of a candidate, ps. */
int64_t plan_longest(const struct plan_state *state, const struct plan_candidate *candidate);

/* Smaller differences in headroom count as none. */
double plan_tolerance(const struct plan_state *state);

/* Whether `a` is at least as good as `b` on every axis declared monotone and not refuted, and equal
 * on all others. */
bool plan_is_as_good(const struct plan_state *state, uint32_t a, uint32_t b);

/* Whether a mean is within the tolerance of its limit, on either side. */
bool plan_is_near(const struct plan_state *state, double slack);

/* The distance of a mean from its limit as text: "12 % to spare", "3 % beyond the limit". A passing
 * mean is never described as negative: beyond its limit it is "within the tolerance of 5 %". */
struct plan_room {
    char text[96];
};
struct plan_room plan_room(double tolerance, double slack, double headroom, bool passes);

/* With equal headroom, the candidate whose axes are nearer to their better ends ranks higher. */
uint32_t plan_rank(const struct plan_state *state, uint32_t candidate);

/* The price, or with objective least-power the power. */
int64_t plan_cost(const struct plan_state *state, uint32_t candidate);
/* The bill of the candidate has cores once its first run has measured them. */
bool plan_prices_cores(const struct plan_state *state, uint32_t candidate);

/* Whether `a` precedes `b` by the plan's objective; equal candidates are ordered as in the plan. */
bool plan_is_before(const struct plan_state *state, uint32_t a, uint32_t b);
void plan_sort(const struct plan_state *state, uint32_t *candidates, uint32_t count);

/* Sorts by cost; equal candidates are ordered as in the plan. */
void plan_sort_by_cost(const struct plan_state *state, uint32_t *candidates, uint32_t count);

/* The case of that name, or PLAN_NO_CASE. */
uint32_t plan_case_named(const struct plan_candidate *candidate, const char *name);

/* The case to run first: the first choice of the last failure that exists from the start and has
 * the plan's objectives, with the load of the last year; otherwise the case without failure. */
uint32_t plan_hardest_case(const struct plan_candidate *candidate);

/* A figure of an objective, with its unit. */
struct words plan_words(const struct expectation *asked, double value);

#endif
