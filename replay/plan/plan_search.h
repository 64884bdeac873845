/* SPDX-License-Identifier: Apache-2.0
 * plan_search - finds out which candidates pass, with as few runs as possible.
 * First, closed-form bounds (plan_bound.h) reject candidates that cannot pass. Then candidates are
 * run: without failures first, then in every case of failure, each with the seeds of the first
 * stage (common random numbers: the same for all), and with more seeds if a mean is close to its
 * limit, until plan_judge.h decides. A candidate is dropped by a bound, by its own runs, or by the
 * runs of a candidate that is at least as good on every monotone axis. If runs show that an axis is
 * not monotone, the axis is reported and no longer used. Before such a conclusion decides, the
 * cheapest candidate dropped by it is run as a probe.
 * With objective cheapest or least-power, candidates that cost more than a passing one are not run.
 * Finally, the cliffs of the chosen candidate are run: plan_cliff.h.
 * Decisions are made at the end of a round in the order of candidates and cases, so the result does
 * not depend on the number of processes. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_SEARCH_H
#define STORMGLASS_REPLAY_PLAN_PLAN_SEARCH_H

#include "replay/plan/plan_state.h"

struct jobs_elsewhere;

struct plan_search {
    struct plan_state *state;
    uint32_t at_once;                       /* parallel runs; 0: number of processors */
    const struct jobs_elsewhere *elsewhere; /* other processes for runs (replay/run/jobs.h) */
    bool exhaustive; /* runs every candidate regardless of conclusions; for tests of the search */
    void *self;
    /* Called when a run ends, in the order of their ends. */
    void (*played)(void *self, uint32_t candidate, uint32_t of, uint32_t seed);
    /* Fills in the outcome if an earlier search has it. May be NULL. */
    bool (*known)(void *self, uint32_t candidate, uint32_t of, uint32_t seed,
                  struct plan_outcome *outcome);
    /* Called when a known outcome was taken over. May be NULL. */
    void (*taken)(void *self, uint32_t candidate, uint32_t of, uint32_t seed);
    /* Whether the plan's time budget is used up. NULL: no time budget. */
    bool (*late)(void *self);
};

/* Loads every candidate with its bill of materials, its cases and bounds. Returns false and adds
 * messages if one is invalid. */
bool plan_search_open(struct plan_state *state, struct plan *plan, struct diag *diag);

/* What a point adds to the settings of a candidate: a name, and "path=value" texts. */
struct plan_extra {
    const char *name;
    const char *const *sets;
    uint32_t count; /* at most 2 */
};

/* Creates a candidate at a free index: like `of`, with additional settings. Returns false if it is
 * invalid; the reason is in its `why`. */
bool plan_search_point(struct plan_state *state, uint32_t index, uint32_t of,
                       const struct plan_extra *extra);

/* Runs the candidates of part `part` (from 0) of `parts`, each to its verdict without conclusions
 * from others. Many machines can do this in parallel before one of them searches with all
 * results. */
void plan_search_part(const struct plan_search *search, uint32_t part, uint32_t parts);

/* Runs until the answer is known, the budget is spent, or a stop is requested. */
void plan_search_play(const struct plan_search *search);

#endif
