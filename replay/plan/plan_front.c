/* SPDX-License-Identifier: Apache-2.0
 * plan_front - the Pareto front; candidates wait for cheaper ones that are at least as good on
 * every axis. */
#include "replay/plan/plan_front.h"

#include "base/memory.h"
#include "replay/plan/plan_conclusions.h"

#include <math.h>
#include <stdlib.h>

static bool is_as_cheap(const struct plan_candidate *a, const struct plan_candidate *b)
{
    return a->bill.price <= b->bill.price && a->bill.power <= b->bill.power;
}

/* Its runs, or conclusions from them, bound the headroom of worse candidates. */
static bool speaks_for_worse(const struct plan_candidate *candidate)
{
    return candidate->verdict == PLAN_VERDICT_OPEN || candidate->verdict == PLAN_VERDICT_HOLDS ||
           candidate->verdict == PLAN_VERDICT_FAILS || candidate->verdict == PLAN_VERDICT_IDLE ||
           candidate->verdict == PLAN_VERDICT_IMPLIED;
}

/* Another candidate costs no more and is at least as good on every axis: if that one fails, so does
 * this one; if it passes, this one has no more headroom. So it is not run before the other is
 * known. */
static bool is_eclipsed(const struct plan_next *next, uint32_t index)
{
    const struct plan_state *state = next->search->state;
    for (uint32_t i = 0; i < state->count; i++)
        if (i != index && is_as_cheap(plan_next_at(next, i), plan_next_at(next, index)) &&
            speaks_for_worse(plan_next_at(next, i)) && plan_is_as_good(state, i, index))
            return true;
    return false;
}

/* A candidate that is no better leads or passes. */
static bool is_presumed(const struct plan_next *next, uint32_t index)
{
    const struct plan_state *state = next->search->state;
    for (uint32_t i = 0; i < state->count; i++)
        if (i != index && plan_is_as_good(state, index, i) &&
            plan_next_standing(next, i) >= PLAN_LEADING)
            return true;
    return false;
}

/* Searches the border between failing and leading candidates. */
static bool ask_at_border(struct plan_next *next)
{
    const struct plan_state *state = next->search->state;
    uint32_t count = 0, best = 0, most = 0;
    for (uint32_t i = 0; i < state->count; i++)
        if (plan_next_standing(next, next->by_cost[i]) == PLAN_UNKNOWN &&
            !is_eclipsed(next, next->by_cost[i]) && !is_presumed(next, next->by_cost[i]))
            next->some[count++] = next->by_cost[i];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t worse = 0, better = 0;
        for (uint32_t k = 0; k < count; k++) {
            worse += plan_is_as_good(state, next->some[i], next->some[k]);
            better += plan_is_as_good(state, next->some[k], next->some[i]);
        }
        const uint32_t settled = worse < better ? worse : better;
        if (settled <= most)
            continue;
        most = settled;
        best = next->some[i];
    }
    if (count > 0)
        plan_next_ask(next, best);
    return count > 0;
}

/* The most headroom on the front at no higher cost, plus the tolerance. */
static double headroom_to_beat(const struct plan_next *next, uint32_t index)
{
    const struct plan_state *state = next->search->state;
    double most = -HUGE_VAL;
    for (uint32_t i = 0; i < state->count; i++)
        if (state->candidates[i].front &&
            is_as_cheap(&state->candidates[i], &state->candidates[index]) &&
            state->candidates[i].headroom > most)
            most = state->candidates[i].headroom;
    return most + plan_tolerance(next->search->state);
}

/* Of a group of equal cost, the best candidate (within the tolerance) with more headroom than
 * `limit`; state->count if there is none. */
static uint32_t best_beyond(const struct plan_state *state, const uint32_t *group, uint32_t count,
                            double limit)
{
    uint32_t *some = memory_zeroed(count, sizeof *some), beyond = 0;
    for (uint32_t i = 0; i < count; i++)
        if (state->candidates[group[i]].headroom > limit)
            some[beyond++] = group[i];
    const uint32_t best = plan_best_of(state, some, beyond);
    free(some);
    return best;
}

/* The best of a group of `count` candidates is on the front. Returns true if one of them must be
 * run first. */
static bool walk_group(struct plan_next *next, const uint32_t *group, uint32_t count, bool asking)
{
    const struct plan_state *state = next->search->state;
    const double limit = headroom_to_beat(next, group[0]);
    const uint32_t best = best_beyond(state, group, count, limit);
    const double known = best == state->count ? -HUGE_VAL : plan_next_at(next, best)->headroom;
    uint32_t first = state->count;
    for (uint32_t i = 0; i < count && asking; i++) {
        const struct plan_candidate *candidate = plan_next_at(next, group[i]);
        if (candidate->verdict == PLAN_VERDICT_OPEN && candidate->most > limit &&
            candidate->most >= known - plan_tolerance(next->search->state) &&
            !is_eclipsed(next, group[i]) &&
            (first == state->count || plan_next_may_have_more(next, group[i], first)))
            first = group[i];
    }
    if (first < state->count)
        plan_next_ask(next, first);
    else if (best < state->count)
        plan_next_at(next, best)->front = true;
    return first < state->count;
}

/* Of the candidates with unbounded headroom, the one that bounds the most others: if headroom stops
 * growing, more expensive candidates need not be run. */
static bool ask_for_bound(struct plan_next *next)
{
    const struct plan_state *state = next->search->state;
    uint32_t count = 0, best = 0, most = 0;
    for (uint32_t i = 0; i < state->count; i++)
        if (plan_next_at(next, i)->verdict == PLAN_VERDICT_OPEN &&
            plan_next_at(next, i)->most_by == i && !plan_next_at(next, i)->measured &&
            !is_eclipsed(next, i))
            next->some[count++] = i;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t worse = 0;
        for (uint32_t k = 0; k < count; k++)
            worse += k != i && plan_is_as_good(state, next->some[i], next->some[k]);
        if (worse <= most)
            continue;
        most = worse;
        best = next->some[i];
    }
    if (most > 0)
        plan_next_ask(next, best);
    return most > 0;
}

static int by_bill(const struct plan_candidate *a, const struct plan_candidate *b)
{
    if (a->bill.price != b->bill.price)
        return a->bill.price < b->bill.price ? -1 : 1;
    return a->bill.power < b->bill.power ? -1 : a->bill.power > b->bill.power;
}

/* Walks the groups in order of cost. */
static bool walk_front(struct plan_next *next, bool asking)
{
    const struct plan_state *state = next->search->state;
    uint32_t *order = next->some;
    for (uint32_t i = 0; i < state->count; i++) { /* only equal prices are out of order */
        uint32_t k = i;
        for (; k > 0 &&
               by_bill(plan_next_at(next, next->by_cost[i]), plan_next_at(next, order[k - 1])) < 0;
             k--)
            order[k] = order[k - 1];
        order[k] = next->by_cost[i];
        state->candidates[i].front = false;
    }
    for (uint32_t i = 0, end; i < state->count; i = end) {
        for (end = i + 1; end < state->count; end++)
            if (by_bill(plan_next_at(next, order[i]), plan_next_at(next, order[end])) != 0)
                break;
        if (walk_group(next, order + i, end - i, asking))
            return true;
    }
    return false;
}

void plan_front_take(struct plan_next *next)
{
    struct plan_state *state = next->search->state;
    walk_front(next, false);
    if (state->plan->rules.objective != PLAN_FRONT)
        return;
    state->chosen = -1;
    for (uint32_t i = 0; i < state->count && state->chosen < 0; i++)
        if (plan_next_at(next, next->by_cost[i])->front)
            state->chosen = next->by_cost[i];
}

bool plan_front_ask(struct plan_next *next)
{
    return ask_at_border(next) || ask_for_bound(next) || walk_front(next, true);
}
