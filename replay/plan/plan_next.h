/* SPDX-License-Identifier: Apache-2.0
 * plan_next - what follows from what was played, and which cases of whom are played next.
 * A candidate is looked at by its decisive cases first: nothing fails, and each that some candidate
 * did not hold in, the most frequent first.  One that holds in these leads; only a leader that
 * nobody can precede any more is played in all its cases.
 *   by cost        the next one is that whose verdict settles the most, whichever it is: if it
 *                  fails all that are worse do, if it leads all that are dearer wait
 *   most-headroom  no candidate has more headroom than in one of its cases, or than one that is as
 *                  good on every axis: the one that may have the most is next, until the most is
 *                  known; then by cost among those that may have as much within the tolerance
 *   front          plan_front.h
 * Before an axis that was said to be monotone decides, a candidate that was dropped by it is tried:
 * one that is said to fail because a better one fails, one because a better one does nothing (which
 * tells little of an axis: nothing comes through a fabric that is cut), and one that is said to
 * have no more headroom.
 * Owner: plan_next_free. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_NEXT_H
#define STORMGLASS_REPLAY_PLAN_PLAN_NEXT_H

#include "replay/plan/plan_round.h"
#include "replay/plan/plan_search.h"

struct plan_next {
    const struct plan_search *search;
    uint32_t tried[PLAN_VERDICT_COUNT]; /* axes, by what was concluded from them */
    uint32_t trying;                    /* those that the last try was of ... */
    enum plan_verdict concluded;        /* ... for this ... */
    uint32_t try;                       /* ... and who was played for it, while there are any */
    const char **decisive;              /* names of cases */
    uint32_t decisive_count;
    double bar; /* what has less headroom is not the one; -HUGE_VAL: no matter */
    uint32_t *by_cost, *some;
    struct plan_part parts[PLAN_CASES_MAX];
    uint32_t part_count;
    bool brief; /* the part is a try, which needs no verdict */
};

void plan_next_open(struct plan_next *next, const struct plan_search *search);
void plan_next_free(struct plan_next *next);

/* Draws all conclusions anew, and fills in the parts of the next round; false: nothing more is to
 * be asked. */
bool plan_next_find(struct plan_next *next);

struct plan_candidate *plan_next_at(const struct plan_next *next, uint32_t index);

/* Below the bar, or of no use; not known; holding in all decisive cases; in all cases. */
enum plan_standing { PLAN_BELOW, PLAN_UNKNOWN, PLAN_LEADING, PLAN_HOLDING };
enum plan_standing plan_next_standing(const struct plan_next *next, uint32_t index);

/* Of equals it is the one that is nearer to the better ends. */
bool plan_next_may_have_more(const struct plan_next *next, uint32_t a, uint32_t b);

/* Fills in the parts: its decisive case, or the rest. */
void plan_next_ask(struct plan_next *next, uint32_t index);

#endif
