/* SPDX-License-Identifier: Apache-2.0
 * plan_next - conclusions from the runs so far, and which cases of which candidates to run next.
 * Decisive cases of a candidate are run first: no failure, and each case that some candidate did
 * not pass, most frequent first. A candidate that passes these leads. Only a leader that no other
 * can precede any more is run in all its cases.
 *   by cost        next is the candidate whose verdict settles the most others: if it fails, all
 *                  worse ones fail; if it leads, all more expensive ones wait
 *   most-headroom  a candidate has no more headroom than in any of its cases, and no more than a
 *                  candidate that is at least as good on every axis. The one with the highest bound
 *                  is next, until the maximum is known; then by cost among those that may be within
 *                  the tolerance of it
 *   front          plan_front.h
 * Before a conclusion from a monotone axis decides, a candidate dropped by it is probed: one that
 * was dropped because a better one fails, one because a better one has idle members (which says
 * little about an axis, because no traffic passes a partitioned fabric), and one because it cannot
 * have more headroom.
 * Owner: plan_next_free. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_NEXT_H
#define STORMGLASS_REPLAY_PLAN_PLAN_NEXT_H

#include "replay/plan/plan_round.h"
#include "replay/plan/plan_search.h"

struct plan_next {
    const struct plan_search *search;
    uint32_t tried[PLAN_VERDICT_COUNT]; /* probed axes, by the verdict concluded from them */
    uint32_t trying;                    /* axes of the current probe, */
    enum plan_verdict concluded;        /* the conclusion that it checks, */
    uint32_t try;                       /* and the candidate run for it */
    const char **decisive;              /* names of the decisive cases */
    uint32_t decisive_count;
    double bar; /* least headroom of interest; -HUGE_VAL: any */
    uint32_t *by_cost, *some;
    struct plan_part parts[PLAN_CASES_MAX];
    uint32_t part_count;
    bool brief; /* the part is a probe, which needs no verdict */
};

void plan_next_open(struct plan_next *next, const struct plan_search *search);
void plan_next_free(struct plan_next *next);

/* Redraws all conclusions and fills in the parts of the next round; returns false if there is
 * nothing left to run. */
bool plan_next_find(struct plan_next *next);

struct plan_candidate *plan_next_at(const struct plan_next *next, uint32_t index);

/* Below the bar or useless; unknown; passed all decisive cases; passed all cases. */
enum plan_standing { PLAN_BELOW, PLAN_UNKNOWN, PLAN_LEADING, PLAN_HOLDING };
enum plan_standing plan_next_standing(const struct plan_next *next, uint32_t index);

/* Whether `a` may have more headroom than `b`; with equal bounds, whether `a` is nearer to the
 * better ends of the axes. */
bool plan_next_may_have_more(const struct plan_next *next, uint32_t a, uint32_t b);

/* Fills in the parts with the candidate's decisive case, or with the remaining cases. */
void plan_next_ask(struct plan_next *next, uint32_t index);

#endif
