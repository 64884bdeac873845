/* SPDX-License-Identifier: Apache-2.0
 * plan_state - a search and what it knows: candidates, their cases, the runs of each, verdicts.
 * Pure data.  Owner: plan_state_free. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_STATE_H
#define STORMGLASS_REPLAY_PLAN_PLAN_STATE_H

#include "replay/database/words.h"
#include "replay/plan/plan_bound.h"
#include "replay/plan/plan_facts.h"
#include "replay/plan/plan_play.h"

#include <stddef.h>

/* Its result, the word for programs, what it means, and what is counted: "2 passing every case". */
#define PLAN_VERDICTS(X)                                                                           \
    X(OPEN, UNDECIDED, "open", "not run", "not run")                                               \
    X(HOLDS, PASS, "holds", "passes in every case", "passing every case")                          \
    X(REFUSED, FAIL, "refused", "can never pass, or cannot be run", "refused without a run")       \
    X(FAILS, FAIL, "fails", "an objective is not met, or frames or operations were lost",          \
      "failing an objective")                                                                      \
    X(IDLE, FAIL, "idle", "some host-target pairs did no I/O", "with idle pairs")                  \
    X(UNSETTLED, UNDECIDED, "unsettled",                                                           \
      "not steady in the longest run that the plan allows; raise longest", "not steady")           \
    X(UNSURE, UNDECIDED, "unsure",                                                                 \
      "undecided after the most runs that the plan allows; raise most-seeds",                      \
      "too close to decide")                                                                       \
    X(DIED, UNDECIDED, "died", "a run's process died twice", "whose run died")                     \
    X(IMPLIED, FAIL, "implied", "a candidate that is better on every monotone axis fails",         \
      "worse than one that fails")                                                                 \
    X(DEARER, SKIPPED, "dearer", "not run: it costs more than one that passes", "more expensive")  \
    X(SURPASSED, SKIPPED, "surpassed", "not run: it has no more headroom than one that passes",    \
      "without more headroom")

enum plan_verdict {
#define X(name, result, word, about, many) PLAN_VERDICT_##name,
    PLAN_VERDICTS(X)
#undef X
        PLAN_VERDICT_COUNT
};

const char *plan_verdict_word(enum plan_verdict verdict);
const char *plan_verdict_about(enum plan_verdict verdict);
const char *plan_verdict_many(enum plan_verdict verdict);

/* What a verdict comes to: a candidate passes, fails, or neither was shown; SKIPPED: it cannot be
 * chosen any more, so nobody needs to know. */
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
    struct plan_outcome *outcomes; /* by seed, from the scenario's own on */
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
    struct plan_horizon *horizon; /* in the arena; NULL: nothing fails in mid-run */
    enum plan_verdict verdict;
    char why[2 * PLAN_SENTENCE_BYTES]; /* in words, of all that do not hold */
    char limit[PLAN_SENTENCE_BYTES];   /* what limited the run that decided; empty: none did */
    uint32_t decided_by;               /* the case */
    int32_t decided_slo;               /* the objective; -1: none did */
    bool measured;                     /* of its headroom something is known */
    double headroom;     /* the least of all objectives that are means; 1: there are none */
    uint32_t least_case; /* where that is */
    uint32_t least_slo;
    double most; /* its headroom is no more, by its own runs and those of better ones */
    uint32_t most_by;
    int64_t duration; /* that its scenario has */
    bool front;
    uint32_t bound_by; /* candidate that IMPLIED and SURPASSED refer to */
    uint32_t key;      /* of its runs in a database: it stays, whatever else is played */
};

enum { PLAN_NO_CASE = PLAN_CASES_MAX };

/* How far what is chosen goes along one axis. */
struct plan_cliff {
    uint32_t first; /* of its points, which are candidates */
    uint32_t count;
    uint32_t holds; /* so many of them, from the first on */
    bool ends;      /* the next one does not hold, or is not known to; else all hold */
};

/* Where a cliff is when something else than its axis is changed too: plan_cliff.h. */
struct plan_move {
    uint32_t first; /* of its points, which are candidates, by value of the cliff's axis */
    uint32_t
        holds;   /* so many values, as far as it was played; fewer than the cliff: it is nearer */
    bool played; /* false: the budget or a stop came before */
    bool ends;   /* the next one does not hold */
};

struct plan_state {
    struct plan *plan;
    /* Those of the plan, the points of cliffs, those of moved cliffs, what plan_assumed.h changes.
     */
    struct plan_candidate *candidates;
    uint32_t count;  /* of the plan */
    uint32_t points; /* with cliffs */
    uint32_t own;    /* and with moved ones */
    uint32_t all;
    struct plan_assumed *assumed; /* in the arena; NULL: nobody asked */
    struct plan_cliff cliffs[PLAN_CLIFFS_MAX];
    struct plan_move *moves; /* in the arena: by cliff, then by lever */
    uint32_t lever_count;
    struct arena arena;                        /* of what is asked, and of the points' cells */
    const char *workloads[PLAN_WORKLOADS_MAX]; /* names, in the arena */
    uint32_t workload_count;
    uint32_t base; /* of keys in a database that another plan has too, which has those below */
    uint64_t seed; /* the template's own */
    /* Runs of a case after which other candidates come first: doubled once these are known, up to
     * most-seeds.  So runs go to the candidates that still matter. */
    uint32_t patience;
    int64_t runs, played;    /* known in all; of them played by this process */
    int64_t ahead, ahead_at; /* runs that may still be needed, of `runs`: plan_expect */
    int64_t events, packet_hops;
    int64_t chosen;          /* candidate, or -1 */
    bool proven;             /* nothing that is open could take its place */
    bool stopped;            /* by a signal */
    bool spent;              /* the budget */
    bool late;               /* and it was one of time */
    bool odd[GRID_AXES_MAX]; /* axes that were said to be monotone and are not */
    uint32_t odd_by[GRID_AXES_MAX]
                   [2]; /* the two candidates that show it: worse holds, better fails */
};

void plan_state_free(struct plan_state *state);

/* How many candidates of the plan have no verdict. */
uint32_t plan_open(const struct plan_state *state);

/* Candidates of the plan by result. */
void plan_count_results(const struct plan_state *state, uint32_t counts[PLAN_RESULT_COUNT]);

/* Of the whole plan: pass, one is chosen and nothing undecided could take its place; fail, all
 * candidates do. */
enum plan_result plan_result(const struct plan_state *state);

/* The probability that the answer may be wrong: plan_verdict.h. */
double plan_error(const struct plan_state *state);

/* From here on so many runs may still be needed: a guess, for people who wait. */
void plan_expect(struct plan_state *state, int64_t runs);

/* The time that is left after `elapsed_s` of playing, at the pace so far and within the budget;
 * less than 0: nothing is known yet. */
double plan_left_s(const struct plan_state *state, double elapsed_s);

/* Mean over its runs of a figure, with its 95 % interval (Student's t). */
struct plan_estimate {
    double mean, half; /* half of the interval; less than 0: of a single run it is not known */
    uint32_t runs;
    char text[96]; /* "446 us +- 21 us (20 runs)" */
};
struct plan_estimate plan_estimate(const struct plan_case_state *of, uint32_t figure);

/* Mean over its runs of a figure, and of its slack. */
double plan_mean(const struct plan_case_state *of, uint32_t figure);
double plan_mean_slack(const struct plan_case_state *of, uint32_t figure);

/* Mean over its runs of a measure; false: one of them has none. */
bool plan_mean_measure(const struct plan_case_state *of, uint32_t measure, double *mean);

/* The case in which the candidate is nearest to the limit of an objective of the plan. */
uint32_t plan_nearest_case(const struct plan_candidate *candidate, uint32_t slo);

/* Of a mean: 1 is as far from the limit as can be, 0 at it, less beyond it. */
double plan_headroom(const struct expectation *asked, double mean);

/* The longest run of a candidate, ps. */
int64_t plan_longest(const struct plan_state *state, const struct plan_candidate *candidate);

/* Headroom that is less apart than this is the same. */
double plan_tolerance(const struct plan_state *state);

/* Whether `a` is at least as good as `b` on every axis that is said to be monotone and was not
 * found to be otherwise, and equal on the others. */
bool plan_is_as_good(const struct plan_state *state, uint32_t a, uint32_t b);

/* Whether a mean is no further from its limit than the tolerance, on either side of it. */
bool plan_is_near(const struct plan_state *state, double slack);

/* How far a mean is from its limit, for people: "12 % to spare", "3 % beyond the limit".  A pass is
 * never negative: beyond its limit it is "within the tolerance of 5 %". */
struct plan_room {
    char text[96];
};
struct plan_room plan_room(double tolerance, double slack, double headroom, bool passes);

/* Of two with equal headroom the one whose axes are nearer to their better ends is the better. */
uint32_t plan_rank(const struct plan_state *state, uint32_t candidate);

/* The price, or with objective least-power the power. */
int64_t plan_cost(const struct plan_state *state, uint32_t candidate);

/* Whether `a` comes before `b` by what the plan's objective orders by; of equals the one that is
 * written first. */
bool plan_is_before(const struct plan_state *state, uint32_t a, uint32_t b);
void plan_sort(const struct plan_state *state, uint32_t *candidates, uint32_t count);

/* By cost alone, and of equals the one that is written first. */
void plan_sort_by_cost(const struct plan_state *state, uint32_t *candidates, uint32_t count);

/* The case of that name, or PLAN_NO_CASE. */
uint32_t plan_case_named(const struct plan_candidate *candidate, const char *name);

/* The case that is run first: the first choice of the last failure that is there from the start and
 * has the objectives of the plan, with the load of the last year; else that nothing fails. */
uint32_t plan_hardest_case(const struct plan_candidate *candidate);

/* A figure of an objective, with its unit. */
struct words plan_words(const struct expectation *asked, double value);

#endif
