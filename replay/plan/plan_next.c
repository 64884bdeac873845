/* SPDX-License-Identifier: Apache-2.0
 * plan_next - leading candidates, bounds on headroom, and probes. */
#include "replay/plan/plan_next.h"

#include "base/memory.h"
#include "replay/plan/plan_conclusions.h"
#include "replay/plan/plan_front.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOOKS = 256, /* candidates compared to find the most informative one */
    AT_ONCE = 8  /* candidates per round if all are run; independent of the number of processors */
};

void plan_next_open(struct plan_next *next, const struct plan_search *search)
{
    const struct plan_state *state = search->state;
    *next = (struct plan_next){.search = search, .bar = -HUGE_VAL};
    next->decisive = memory_zeroed(PLAN_CASES_MAX, sizeof *next->decisive);
    next->by_cost = memory_zeroed(state->count, sizeof *next->by_cost);
    next->some = memory_zeroed(state->count, sizeof *next->some);
    for (uint32_t i = 0; i < state->count; i++)
        next->by_cost[i] = i;
    plan_sort_by_cost(state, next->by_cost, state->count);
}

void plan_next_free(struct plan_next *next)
{
    free(next->decisive);
    free(next->by_cost);
    free(next->some);
}

struct plan_candidate *plan_next_at(const struct plan_next *next, uint32_t index)
{
    return &next->search->state->candidates[index];
}

/* ------------------------------------------------------------------ decisive cases */

static bool did_not_hold(const struct plan_candidate *candidate)
{
    return candidate->verdict == PLAN_VERDICT_FAILS || candidate->verdict == PLAN_VERDICT_IDLE ||
           candidate->verdict == PLAN_VERDICT_UNSETTLED;
}

static void find_decisive(struct plan_next *next)
{
    const struct plan_state *state = next->search->state;
    uint32_t kills[PLAN_CASES_MAX] = {0};
    const struct plan_candidate *first = plan_next_at(next, 0);
    next->decisive[0] = first->cases->cases[plan_hardest_case(first)].name;
    next->decisive_count = 1;
    for (uint32_t i = 0; i < state->count; i++) {
        const struct plan_candidate *candidate = &state->candidates[i];
        if (!did_not_hold(candidate))
            continue;
        const char *name = candidate->cases->cases[candidate->decided_by].name;
        uint32_t place = 0;
        while (place < next->decisive_count && strcmp(next->decisive[place], name) != 0)
            place++;
        if (place == PLAN_CASES_MAX)
            continue;
        next->decisive[place] = name;
        next->decisive_count += place == next->decisive_count;
        kills[place]++;
    }
    for (uint32_t i = 1; i < next->decisive_count; i++)
        for (uint32_t k = i; k > 0 && kills[k] > kills[k - 1]; k--) {
            const uint32_t count = kills[k];
            const char *name = next->decisive[k];
            kills[k] = kills[k - 1];
            next->decisive[k] = next->decisive[k - 1];
            kills[k - 1] = count;
            next->decisive[k - 1] = name;
        }
}

/* The first decisive case without a verdict; PLAN_NO_CASE if the candidate passes them all and so
 * leads. */
static uint32_t decisive_case(const struct plan_next *next, uint32_t index)
{
    const struct plan_candidate *candidate = plan_next_at(next, index);
    for (uint32_t i = 0; i < next->decisive_count; i++) {
        uint32_t of = plan_case_named(candidate, next->decisive[i]);
        if (i == 0 && of == PLAN_NO_CASE)
            of = plan_hardest_case(candidate);
        if (of != PLAN_NO_CASE && candidate->states[of].verdict == PLAN_VERDICT_OPEN)
            return of;
    }
    return PLAN_NO_CASE;
}

enum plan_standing plan_next_standing(const struct plan_next *next, uint32_t index)
{
    const struct plan_candidate *candidate = plan_next_at(next, index);
    /* monotone axes are only known to be so within the tolerance, and so are conclusions from
     * others */
    const double slack = candidate->most_by == index ? 0 : plan_tolerance(next->search->state);
    if (candidate->most + slack < next->bar)
        return PLAN_BELOW;
    if (candidate->verdict == PLAN_VERDICT_HOLDS)
        return candidate->headroom < next->bar ? PLAN_BELOW : PLAN_HOLDING;
    if (candidate->verdict != PLAN_VERDICT_OPEN)
        return PLAN_BELOW;
    return decisive_case(next, index) == PLAN_NO_CASE ? PLAN_LEADING : PLAN_UNKNOWN;
}

/* ------------------------------------------------------------------ cases of one candidate */

static void add_part(struct plan_next *next, uint32_t candidate, uint32_t of)
{
    next->parts[next->part_count++] = (struct plan_part){candidate, of};
}

/* Whether some choice of this failure has a verdict already. */
static bool is_begun(const struct plan_candidate *candidate, const struct plan_failure *failure)
{
    for (uint32_t i = 0; i < candidate->cases->count; i++)
        if (candidate->cases->cases[i].failure == failure &&
            candidate->states[i].verdict != PLAN_VERDICT_OPEN)
            return true;
    return false;
}

/* First the years without failure and one choice of each failure, then all others. */
static void ask_rest(struct plan_next *next, uint32_t index)
{
    const struct plan_candidate *candidate = plan_next_at(next, index);
    const struct plan_failure *last = NULL;
    for (uint32_t i = 0; i < candidate->cases->count; i++) {
        const struct plan_failure *failure = candidate->cases->cases[i].failure;
        const bool first = failure == NULL ? candidate->states[i].verdict == PLAN_VERDICT_OPEN
                                           : failure != last && !is_begun(candidate, failure);
        if (first)
            add_part(next, index, i);
        last = failure;
    }
    for (uint32_t i = 0; i < candidate->cases->count && next->part_count == 0; i++)
        if (candidate->states[i].verdict == PLAN_VERDICT_OPEN)
            add_part(next, index, i);
    /* all cases have verdicts, but the candidate's verdict was not drawn yet */
    if (next->part_count == 0)
        add_part(next, index, 0);
}

void plan_next_ask(struct plan_next *next, uint32_t index)
{
    const uint32_t of = decisive_case(next, index);
    if (of != PLAN_NO_CASE)
        add_part(next, index, of);
    else
        ask_rest(next, index);
}

/* ------------------------------------------------------------------ by cost */

/* Among `count` sorted candidates, the one whose verdict settles the most others, whether it passes
 * or fails. */
static uint32_t most_telling(const struct plan_next *next, const uint32_t *some, uint32_t count)
{
    const uint32_t looks = count < LOOKS ? count : LOOKS;
    uint32_t best = some[0], most = 0;
    for (uint32_t i = 0; i < looks; i++) {
        const uint32_t place = (uint32_t)((uint64_t)i * count / looks);
        uint32_t fails = 0;
        for (uint32_t k = 0; k < count; k++)
            fails += plan_is_as_good(next->search->state, some[place], some[k]);
        const uint32_t settled = fails < count - place ? fails : count - place;
        if (settled <= most)
            continue;
        most = settled;
        best = some[place];
    }
    return best;
}

static bool ask_by_cost(struct plan_next *next)
{
    const struct plan_state *state = next->search->state;
    uint32_t count = 0, first = state->count;
    enum plan_standing how = PLAN_BELOW;
    for (uint32_t i = 0; i < state->count && how < PLAN_LEADING; i++) {
        first = next->by_cost[i];
        how = plan_next_standing(next, first);
        if (how == PLAN_UNKNOWN)
            next->some[count++] = first;
    }
    if (count > 0)
        plan_next_ask(next, most_telling(next, next->some, count));
    else if (how == PLAN_LEADING)
        plan_next_ask(next, first);
    return next->part_count > 0;
}

/* ------------------------------------------------------------------ most headroom */

/* Whether `a` may have more headroom than `b`; with equal bounds, whether `a` is nearer to the
 * better ends of the axes. */
bool plan_next_may_have_more(const struct plan_next *next, uint32_t a, uint32_t b)
{
    const struct plan_candidate *one = plan_next_at(next, a), *other = plan_next_at(next, b);
    return one->most > other->most ||
           (!(one->most < other->most) &&
            plan_rank(next->search->state, a) > plan_rank(next->search->state, b));
}

static bool ask_for_most(struct plan_next *next)
{
    const struct plan_state *state = next->search->state;
    const double known = plan_most_headroom(state);
    uint32_t best = state->count;
    for (uint32_t i = 0; i < state->count; i++) {
        if (state->candidates[i].verdict != PLAN_VERDICT_OPEN || state->candidates[i].most <= known)
            continue;
        if (best == state->count || plan_next_may_have_more(next, i, best))
            best = i;
    }
    if (best < state->count)
        plan_next_ask(next, best);
    else if (state->plan->has_prices) {
        next->bar = known - plan_tolerance(next->search->state);
        return ask_by_cost(next);
    }
    return next->part_count > 0;
}

/* ------------------------------------------------------------------ probes */

/* Distance in steps, over all axes. */
static uint32_t steps(const struct plan_state *state, uint32_t a, uint32_t b)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < state->plan->grid.axis_count; i++) {
        const uint32_t of_a = state->candidates[a].cell->at[i];
        const uint32_t of_b = state->candidates[b].cell->at[i];
        all += of_a < of_b ? of_b - of_a : of_a - of_b;
    }
    return all;
}

/* The verdict behind a conclusion: a better candidate fails (FAILS), has idle members (IDLE) or has
 * no more headroom. */
static enum plan_verdict concluded_from(const struct plan_next *next, uint32_t index)
{
    const struct plan_candidate *candidate = plan_next_at(next, index);
    return candidate->verdict == PLAN_VERDICT_IMPLIED
               ? plan_next_at(next, candidate->bound_by)->verdict
               : candidate->verdict;
}

/* Finds a dropped candidate to probe, whose conclusion rests on an axis not yet probed with this
 * verdict. Among implied failures, or among those nearest to the candidate with more headroom,
 * takes the one at the best ends of the other axes, where nothing else hides the effect of this
 * axis, and the cheapest among equals. */
static uint32_t find_doubtful(const struct plan_next *next, enum plan_verdict verdict)
{
    const struct plan_state *state = next->search->state;
    uint32_t best = state->count, least = UINT32_MAX, most = 0;
    for (uint32_t i = 0; i < state->count; i++) {
        const uint32_t index = next->by_cost[i], rank = plan_rank(state, index);
        const struct plan_candidate *candidate = &state->candidates[index];
        if (candidate->verdict != verdict ||
            (plan_differing_axes(state, index, candidate->bound_by) &
             ~next->tried[concluded_from(next, index)]) == 0)
            continue;
        const uint32_t apart =
            verdict == PLAN_VERDICT_IMPLIED ? 0 : steps(state, index, candidate->bound_by);
        if (best < state->count && (apart > least || (apart == least && rank <= most)))
            continue;
        least = apart;
        most = rank;
        best = index;
    }
    return best;
}

/* A probe that did not become steady or is undecided says nothing about the axes, so the next one
 * must be run. */
static void take_try(struct plan_next *next)
{
    const enum plan_verdict verdict = plan_next_at(next, next->try)->verdict;
    if (verdict != PLAN_VERDICT_UNSETTLED && verdict != PLAN_VERDICT_UNSURE &&
        verdict != PLAN_VERDICT_DIED && verdict != PLAN_VERDICT_REFUSED)
        next->tried[next->concluded] |= next->trying;
    next->trying = 0;
}

static bool ask_doubtful(struct plan_next *next)
{
    const struct plan_state *state = next->search->state;
    if (next->trying != 0)
        take_try(next);
    uint32_t index = find_doubtful(next, PLAN_VERDICT_IMPLIED);
    if (index == state->count)
        index = find_doubtful(next, PLAN_VERDICT_SURPASSED);
    if (index == state->count)
        return false;
    const struct plan_candidate *mine = plan_next_at(next, index),
                                *other = plan_next_at(next, mine->bound_by);
    const bool fails = mine->verdict == PLAN_VERDICT_IMPLIED;
    const uint32_t decided = fails ? other->decided_by : other->least_case;
    const uint32_t of = plan_case_named(mine, other->cases->cases[decided].name);
    next->trying = plan_differing_axes(state, index, mine->bound_by);
    next->concluded = concluded_from(next, index);
    next->try = index;
    if (of != PLAN_NO_CASE && mine->states[of].verdict == PLAN_VERDICT_OPEN) {
        add_part(next, index, of);
        next->brief = fails;
    } else {
        ask_rest(next, index);
    }
    return true;
}

/* ------------------------------------------------------------------ entry points */

/* Candidates that were not needed are surpassed: by the one that bounds their headroom. */
static void drop_the_rest(struct plan_next *next)
{
    const struct plan_state *state = next->search->state;
    const int64_t objective = state->plan->rules.objective;
    for (uint32_t i = 0; i < state->count; i++) {
        struct plan_candidate *candidate = &state->candidates[i];
        if (candidate->verdict != PLAN_VERDICT_OPEN ||
            (objective != PLAN_HEADROOM && objective != PLAN_FRONT))
            continue;
        const bool by_cost = candidate->most_by == i && candidate->most >= next->bar &&
                             objective == PLAN_HEADROOM && state->plan->has_prices;
        candidate->verdict = by_cost ? PLAN_VERDICT_DEARER : PLAN_VERDICT_SURPASSED;
        candidate->bound_by = candidate->most_by;
    }
}

static bool ask_next(struct plan_next *next)
{
    const struct plan_state *state = next->search->state;
    next->bar = -HUGE_VAL;
    switch ((enum plan_objective)state->plan->rules.objective) {
    case PLAN_HEADROOM:
        return ask_for_most(next);
    case PLAN_FRONT:
        return plan_front_ask(next);
    case PLAN_CHEAPEST:
    case PLAN_POWER:
        break;
    }
    return ask_by_cost(next);
}

static bool ask_all(struct plan_next *next)
{
    const struct plan_state *state = next->search->state;
    uint32_t asked = 0;
    for (uint32_t i = 0; i < state->count && asked < AT_ONCE; i++) {
        const struct plan_candidate *candidate = plan_next_at(next, next->by_cost[i]);
        if (candidate->verdict == PLAN_VERDICT_OPEN)
            next->some[asked++] = next->by_cost[i];
    }
    plan_round_play(next->search, next->some, asked);
    return asked > 0;
}

/* Estimate: two bisections because there is more than one axis, plus one candidate in all its
 * cases; or everything, if all are run. */
static int64_t runs_ahead(const struct plan_next *next)
{
    const struct plan_state *state = next->search->state;
    int64_t open = 0, cases = 0, halves = 0, all = 0;
    for (uint32_t i = 0; i < state->count; i++) {
        const struct plan_candidate *candidate = &state->candidates[i];
        if (candidate->verdict != PLAN_VERDICT_OPEN)
            continue;
        open++;
        all += candidate->cases->count;
        cases = candidate->cases->count > cases ? candidate->cases->count : cases;
    }
    while (open >> halves > 0)
        halves++;
    const bool every = next->search->exhaustive || state->plan->rules.objective == PLAN_FRONT;
    return state->plan->rules.seeds * (every ? all : 2 * halves + cases);
}

bool plan_next_find(struct plan_next *next)
{
    plan_update_conclusions(next->search);
    if (plan_prices_cores(next->search->state, 0))
        plan_sort_by_cost(next->search->state, next->by_cost, next->search->state->count);
    next->part_count = 0;
    next->brief = false;
    plan_expect(next->search->state, runs_ahead(next));
    if (next->search->exhaustive)
        return ask_all(next);
    find_decisive(next);
    if (ask_next(next))
        return true;
    drop_the_rest(next);
    return ask_doubtful(next);
}
