/* SPDX-License-Identifier: Apache-2.0
 * plan_search - which candidates hold, by as few exact runs as tell.
 * First the closed forms (plan_bound.h) refuse what can never hold.  Then candidates are played: a
 * candidate without failures first, then in every case of failure, each with the seeds of the first
 * stage (common random numbers: the same for all), and where a mean is too near to its limit with
 * more, until plan_judge.h tells.  A candidate is dropped by a bound, by its own runs, or by those
 * of one that is at least as good on every axis that is said to be monotone; where a run shows that
 * an axis is not, the axis is named and nothing rests on it any more.  Before such a conclusion
 * decides, the cheapest candidate that it dropped is played, to try it.
 * With objective cheapest or least-power what costs more than one that holds is not played.
 * When that is known, the cliffs of what is chosen are played: plan_cliff.h.
 * Decisions fall at the ends of rounds, in the order of candidates and cases: the result does not
 * depend on how many processes play. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_SEARCH_H
#define STORMGLASS_REPLAY_PLAN_PLAN_SEARCH_H

#include "replay/plan/plan_state.h"

struct jobs_elsewhere;

struct plan_search {
    struct plan_state *state;
    uint32_t at_once;                       /* runs; 0: as many as there are processors */
    const struct jobs_elsewhere *elsewhere; /* where runs are played too (replay/run/jobs.h) */
    bool exhaustive; /* every candidate is played whatever is known: for tests of the search */
    void *self;
    /* A run has ended, in the order in which they do. */
    void (*played)(void *self, uint32_t candidate, uint32_t of, uint32_t seed);
    /* Whether it is known from an earlier search; fills it in.  NULL: none was. */
    bool (*known)(void *self, uint32_t candidate, uint32_t of, uint32_t seed,
                  struct plan_outcome *outcome);
    /* One that was known has been taken.  NULL: nobody wants to know. */
    void (*taken)(void *self, uint32_t candidate, uint32_t of, uint32_t seed);
    /* Whether the time that the plan allows is over.  NULL: it never is. */
    bool (*late)(void *self);
};

/* Loads every candidate: its bill, its cases, whether a bound refuses it.  False and messages: one
 * cannot be played. */
bool plan_search_open(struct plan_state *state, struct plan *plan, struct diag *diag);

/* What a point has beside the settings of a candidate: a name, and "path=value". */
struct plan_extra {
    const char *name;
    const char *const *sets;
    uint32_t count; /* two at most */
};

/* Makes one more candidate, of an index that is free: as `of` is, with more settings.  False: it is
 * refused, and says why. */
bool plan_search_point(struct plan_state *state, uint32_t index, uint32_t of,
                       const struct plan_extra *extra);

/* Plays the candidates of one of `parts` parts, from 0 on, each to its verdict, whatever others do:
 * what many machines can do at once, before one of them searches with what all have played. */
void plan_search_part(const struct plan_search *search, uint32_t part, uint32_t parts);

/* Until the answer is known, the budget is spent, or a stop is asked for. */
void plan_search_play(const struct plan_search *search);

#endif
