/* SPDX-License-Identifier: Apache-2.0
 * plan_conclusions - compares pairs of candidates in which one is at least as good on every axis.
 * */
#include "replay/plan/plan_conclusions.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* Part of the tolerance by which the worse end of an axis must do better to show that the axis is
 * not monotone. */
enum { ODD_PART = 10 };

static bool is_by_cost(const struct plan_state *state)
{
    return state->plan->rules.objective == PLAN_CHEAPEST ||
           state->plan->rules.objective == PLAN_POWER;
}

/* ------------------------------------------------------------------ chosen candidate */

double plan_most_headroom(const struct plan_state *state)
{
    double most = -HUGE_VAL;
    for (uint32_t i = 0; i < state->count; i++)
        if (state->candidates[i].verdict == PLAN_VERDICT_HOLDS &&
            state->candidates[i].headroom > most)
            most = state->candidates[i].headroom;
    return most;
}

static bool is_better(const struct plan_state *state, uint32_t a, uint32_t b)
{
    const uint32_t of_a = plan_rank(state, a), of_b = plan_rank(state, b);
    if (of_a != of_b)
        return of_a > of_b;
    if (state->candidates[a].headroom > state->candidates[b].headroom ||
        state->candidates[a].headroom < state->candidates[b].headroom)
        return state->candidates[a].headroom > state->candidates[b].headroom;
    return a < b;
}

uint32_t plan_best_of(const struct plan_state *state, const uint32_t *some, uint32_t count)
{
    double most = -HUGE_VAL;
    uint32_t best = state->count;
    for (uint32_t i = 0; i < count; i++)
        if (state->candidates[some[i]].verdict == PLAN_VERDICT_HOLDS &&
            state->candidates[some[i]].headroom > most)
            most = state->candidates[some[i]].headroom;
    for (uint32_t i = 0; i < count; i++)
        if (state->candidates[some[i]].verdict == PLAN_VERDICT_HOLDS &&
            state->candidates[some[i]].headroom >= most - plan_tolerance(state) &&
            (best == state->count || is_better(state, some[i], best)))
            best = some[i];
    return best;
}

/* The cheapest candidate among those with the most headroom, within the tolerance. */
static void choose_by_headroom(struct plan_state *state)
{
    const double least = plan_most_headroom(state) - plan_tolerance(state);
    uint32_t *some = memory_zeroed(state->count, sizeof *some), count = 0;
    for (uint32_t i = 0; i < state->count; i++)
        if (state->candidates[i].verdict == PLAN_VERDICT_HOLDS &&
            state->candidates[i].headroom >= least)
            some[count++] = i;
    if (count > 0 && state->plan->has_prices)
        plan_sort_by_cost(state, some, count);
    if (count > 0)
        state->chosen = state->plan->has_prices ? some[0] : plan_best_of(state, some, count);
    free(some);
}

static void choose(struct plan_state *state)
{
    state->chosen = -1;
    if (state->plan->rules.objective == PLAN_HEADROOM) {
        choose_by_headroom(state);
        return;
    }
    for (uint32_t i = 0; i < state->count; i++)
        if (state->candidates[i].verdict == PLAN_VERDICT_HOLDS &&
            (state->chosen < 0 || plan_is_before(state, i, (uint32_t)state->chosen)))
            state->chosen = i;
}

/* Headroom of the runs so far although they are not steady, i.e. queues still grow. */
static double unsteady_headroom(const struct plan_candidate *candidate)
{
    double least = 1;
    for (uint32_t i = 0; i < candidate->cases->count; i++) {
        const struct plan_case_state *of = &candidate->states[i];
        for (uint32_t k = 0; of->count > 0 && k < of->asked_count; k++) {
            const double mean = plan_is_mean(&of->asked[k]) ? plan_mean(of, k) : 0;
            const double headroom = mean > 0 ? plan_headroom(&of->asked[k], mean) : 1;
            least = headroom < least ? headroom : least;
        }
    }
    return least;
}

/* False if its bound is below the chosen candidate's headroom or it would be ranked after it
 * anyway. */
static bool could_have_more(const struct plan_state *state, uint32_t index)
{
    const struct plan_candidate *mine = &state->candidates[index];
    const double known = plan_most_headroom(state);
    const double most =
        mine->verdict == PLAN_VERDICT_UNSETTLED ? unsteady_headroom(mine) : mine->most;
    if (most > known || most < known - plan_tolerance(state))
        return most > known;
    uint32_t pair[2] = {(uint32_t)state->chosen, index};
    if (!state->plan->has_prices)
        return plan_rank(state, pair[1]) >= plan_rank(state, pair[0]);
    plan_sort_by_cost(state, pair, 2);
    return pair[0] == index;
}

static bool could_replace(const struct plan_state *state, uint32_t index)
{
    if (is_by_cost(state))
        return !plan_is_before(state, (uint32_t)state->chosen, index);
    return state->plan->rules.objective != PLAN_HEADROOM || could_have_more(state, index);
}

bool plan_is_rival(const struct plan_state *state, uint32_t index)
{
    return plan_result_of(state->candidates[index].verdict) == PLAN_RESULT_UNDECIDED &&
           (state->chosen < 0 || could_replace(state, index));
}

bool plan_is_proven(const struct plan_state *state)
{
    bool proven = state->chosen >= 0;
    for (uint32_t i = 0; i < state->count && proven; i++)
        proven = !plan_is_rival(state, i);
    return proven;
}

/* ------------------------------------------------------------------ axes that are not monotone */

uint32_t plan_differing_axes(const struct plan_state *state, uint32_t a, uint32_t b)
{
    uint32_t axes = 0;
    for (uint32_t i = 0; i < state->plan->grid.axis_count; i++)
        if (state->candidates[a].cell->at[i] != state->candidates[b].cell->at[i])
            axes |= 1u << i;
    return axes;
}

/* Certain from its own runs. */
static bool does_not_hold(const struct plan_candidate *candidate)
{
    return candidate->verdict == PLAN_VERDICT_FAILS || candidate->verdict == PLAN_VERDICT_IDLE;
}

static bool is_measured(const struct plan_case_state *of)
{
    for (uint32_t i = 0; i < of->count; i++)
        if (of->outcomes[i].end != PLAN_RUN_PLAYED)
            return false;
    return of->count > 0;
}

/* Headroom may exceed the tolerance with other values of other axes, so a much smaller difference
 * already shows that an axis is not monotone. */
static double seen_to_differ(const struct plan_state *state)
{
    return plan_tolerance(state) / ODD_PART;
}

/* Mean gain in slack of `b` over `a` with the same seeds, less its standard error; all runs of both
 * must be done. */
static double gain_of(const struct plan_case_state *a, const struct plan_case_state *b,
                      uint32_t slo)
{
    const uint32_t count = a->count < b->count ? a->count : b->count;
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double gain = b->outcomes[i].figures[slo].slack - a->outcomes[i].figures[slo].slack;
        sum += gain;
        squares += gain * gain;
    }
    const double rest = squares - sum * sum / count;
    return sum / count - (count > 1 && rest > 0 ? sqrt(rest / (count - 1) / count) : 0);
}

/* `b` was run in the case that decided against `a`, and passes it or is clearly better. */
static bool does_better(const struct plan_state *state, const struct plan_candidate *a,
                        const struct plan_candidate *b)
{
    const uint32_t of = plan_case_named(b, a->cases->cases[a->decided_by].name);
    if (of == PLAN_NO_CASE)
        return false;
    const struct plan_case_state *ours = &a->states[a->decided_by], *theirs = &b->states[of];
    if (theirs->verdict == PLAN_VERDICT_HOLDS)
        return true;
    if (a->decided_slo < 0 || !is_measured(theirs) || !is_measured(ours) ||
        theirs->count < state->plan->rules.seeds)
        return false;
    return gain_of(ours, theirs, (uint32_t)a->decided_slo) > seen_to_differ(state);
}

/* Compares the objective and case in which `a` has the least headroom. */
static bool has_more(const struct plan_state *state, const struct plan_candidate *a,
                     const struct plan_candidate *b)
{
    const uint32_t of = plan_case_named(b, a->cases->cases[a->least_case].name);
    if (is_by_cost(state) || !a->measured || of == PLAN_NO_CASE ||
        b->states[of].verdict == PLAN_VERDICT_OPEN || !is_measured(&b->states[of]))
        return false;
    return plan_headroom(&b->states[of].asked[a->least_slo],
                         plan_mean(&b->states[of], a->least_slo)) >
           a->headroom + seen_to_differ(state);
}

/* `better` is at least as good on every axis, yet `other` does better. */
static bool contradicts_order(const struct plan_state *state, uint32_t better, uint32_t other)
{
    const struct plan_candidate *a = &state->candidates[better], *b = &state->candidates[other];
    if (does_not_hold(a))
        return b->verdict == PLAN_VERDICT_HOLDS || does_better(state, a, b);
    return has_more(state, a, b); /* more cases can only lower its headroom */
}

/* `holds` does better although `fails` is at least as good on every axis. */
static void mark_odd(struct plan_state *state, uint32_t holds, uint32_t fails)
{
    const uint32_t axes = plan_differing_axes(state, holds, fails);
    for (uint32_t i = 0; i < state->plan->grid.axis_count; i++)
        if ((axes >> i & 1) != 0) {
            state->odd[i] = true;
            state->odd_by[i][0] = holds;
            state->odd_by[i][1] = fails;
        }
}

static bool has_any_run(const struct plan_candidate *candidate)
{
    for (uint32_t i = 0; i < candidate->cases->count; i++)
        if (candidate->states[i].count > 0)
            return true;
    return false;
}

/* Starts with pairs that differ on one axis only, which identifies that axis. */
static void find_odd_axes(struct plan_state *state)
{
    uint32_t *some = memory_zeroed(state->count, sizeof *some), count = 0;
    for (uint32_t i = 0; i < state->count; i++)
        if (has_any_run(&state->candidates[i]))
            some[count++] = i;
    for (int alone = 1; alone >= 0; alone--)
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t k = 0; k < count; k++) {
                const uint32_t axes = plan_differing_axes(state, some[i], some[k]);
                if (i != k && (!alone || (axes & (axes - 1)) == 0) &&
                    plan_is_as_good(state, some[i], some[k]) &&
                    contradicts_order(state, some[i], some[k]))
                    mark_odd(state, some[k], some[i]);
            }
    free(some);
}

/* ------------------------------------------------------------------ implied verdicts */

/* Bounds headroom by its own cases and by candidates that are at least as good on every axis. */
static void bound_headroom(struct plan_state *state)
{
    uint32_t *some = memory_zeroed(state->count, sizeof *some), count = 0;
    for (uint32_t i = 0; i < state->count; i++)
        if (state->candidates[i].measured)
            some[count++] = i;
    for (uint32_t i = 0; i < state->count; i++) {
        struct plan_candidate *candidate = &state->candidates[i];
        candidate->most = candidate->measured ? candidate->headroom : 1;
        candidate->most_by = i;
        for (uint32_t k = 0; k < count; k++) {
            const struct plan_candidate *other = &state->candidates[some[k]];
            if (other->headroom < candidate->most && plan_is_as_good(state, some[k], i)) {
                candidate->most = other->headroom;
                candidate->most_by = some[k];
            }
        }
    }
    free(some);
}

static bool is_of_others(const struct plan_candidate *candidate)
{
    return candidate->verdict == PLAN_VERDICT_IMPLIED ||
           candidate->verdict == PLAN_VERDICT_DEARER ||
           candidate->verdict == PLAN_VERDICT_SURPASSED;
}

/* Undecided status from its own runs. */
static enum plan_verdict open_verdict(const struct plan_candidate *candidate)
{
    for (uint32_t i = 0; i < candidate->cases->count; i++)
        if (candidate->states[i].verdict == PLAN_VERDICT_UNSURE)
            return PLAN_VERDICT_UNSURE;
    return PLAN_VERDICT_OPEN;
}

static bool is_undecided(const struct plan_candidate *candidate)
{
    return candidate->verdict == PLAN_VERDICT_OPEN || candidate->verdict == PLAN_VERDICT_UNSURE;
}

static void imply(struct plan_state *state, uint32_t index)
{
    struct plan_candidate *candidate = &state->candidates[index];
    for (uint32_t k = 0; k < state->count && is_undecided(candidate); k++)
        if (does_not_hold(&state->candidates[k]) && plan_is_as_good(state, k, index)) {
            candidate->verdict = PLAN_VERDICT_IMPLIED;
            candidate->bound_by = k;
        }
    if (is_by_cost(state) && state->chosen >= 0 &&
        plan_is_before(state, (uint32_t)state->chosen, index))
        candidate->verdict = PLAN_VERDICT_DEARER;
}

void plan_update_conclusions(const struct plan_search *search)
{
    struct plan_state *state = search->state;
    for (uint32_t i = 0; i < state->count; i++)
        if (is_of_others(&state->candidates[i]))
            state->candidates[i].verdict = open_verdict(&state->candidates[i]);
    find_odd_axes(state);
    choose(state);
    bound_headroom(state);
    for (uint32_t i = 0; i < state->count && !search->exhaustive; i++)
        if (is_undecided(&state->candidates[i]))
            imply(state, i);
}
