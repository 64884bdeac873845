/* SPDX-License-Identifier: Apache-2.0
 * plan_search - who is next, and what follows from what was played. */
#include "replay/plan/plan_search.h"

#include "base/memory.h"
#include "replay/plan/plan_round.h"
#include "replay/run/stop.h"
#include "scenarios/load/library.h"
#include "scenarios/vary/oversubscription.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    AT_ONCE = 8, /* candidates of a round, where all are played: independent of processors */
    LOOKS = 256  /* candidates among which the one that tells most is looked for */
};

/* ------------------------------------------------------------------ what there is */

static void refuse_by_bound(struct plan_candidate *candidate, const struct scenario *scenario)
{
    const struct plan_case_state *of = &candidate->states[0];
    char why[PLAN_BOUND_BYTES];
    for (uint32_t i = 0; i < of->asked_count; i++)
        if (plan_bound_refuses(scenario, &of->asked[i], why)) {
            candidate->verdict = PLAN_VERDICT_REFUSED;
            snprintf(candidate->why, sizeof candidate->why, "%.128s: %s", of->asked[i].text, why);
            return;
        }
}

/* What is asked in each case; it is the same in every run. */
static void ask(struct plan_state *state, struct plan_candidate *candidate,
                const struct scenario *scenario, struct diag *diag)
{
    candidate->states = memory_zeroed(candidate->cases->count, sizeof *candidate->states);
    for (uint32_t i = 0; i < candidate->cases->count; i++) {
        struct plan_case_state *of = &candidate->states[i];
        of->asked = arena_array(&state->arena, PLAN_SLO_MAX, sizeof *of->asked);
        of->asked_count =
            plan_expectations(state->plan, &candidate->cases->cases[i], scenario, of->asked, diag);
        state->tests += of->asked_count;
    }
}

static struct scenario *load(const struct plan *plan, struct grid_cell *cell, struct arena *arena,
                             struct diag *diag)
{
    struct scenario *scenario =
        oversubscription_resolve(plan, cell, arena, diag)
            ? library_load(plan->grid.scenario, cell->sets, cell->set_count, diag)
            : NULL;
    if (scenario == NULL)
        plan_locate(plan, cell, diag);
    return scenario;
}

/* What all candidates have of it. */
static void take_template(struct plan_state *state, const struct scenario *scenario)
{
    state->seed = scenario->seed;
    for (; state->workload_count < scenario->workload_count &&
           state->workload_count < PLAN_WORKLOADS_MAX;
         state->workload_count++)
        state->workloads[state->workload_count] =
            arena_format(&state->arena, "%s", scenario->workloads[state->workload_count].name);
}

static bool open_candidate(struct plan_state *state, uint32_t index, struct grid_cell *cell,
                           struct diag *diag)
{
    struct plan *plan = state->plan;
    struct plan_candidate *candidate = &state->candidates[index];
    candidate->cell = cell;
    candidate->key = index;
    struct scenario *scenario = load(plan, cell, &state->arena, diag);
    char why[DIAG_TEXT_BYTES];
    bool well = scenario != NULL;
    candidate->headroom = 1;
    candidate->cases = memory_new(sizeof *candidate->cases);
    well = well && plan_cases_of(plan, scenario, candidate->cases, diag);
    const bool priced = plan->has_prices && index < state->count; /* points have no bill */
    if (well && priced && !prices_of(&plan->prices, scenario, &candidate->bill, why)) {
        diag_add(diag, DIAG_ERROR, (struct diag_place){0}, NULL, "%s", why);
        well = false;
    }
    if (well) {
        take_template(state, scenario);
        candidate->facts = plan_facts_of(scenario);
        ask(state, candidate, scenario, diag);
        refuse_by_bound(candidate, scenario);
    } else {
        diag_add(diag, DIAG_NOTE, (struct diag_place){0}, NULL, "this is candidate %.200s",
                 cell->name);
    }
    scenario_free(scenario);
    return well;
}

/* A cell, and one setting more. */
static struct grid_cell *cell_with(struct plan_state *state, const struct grid_cell *base,
                                   const char *name, const char *set)
{
    struct grid_cell *cell = arena_take(&state->arena, sizeof *cell);
    *cell = *base;
    cell->name = arena_format(&state->arena, "%s-%s", base->name, name);
    cell->sets = arena_array(&state->arena, base->set_count + 1, sizeof *cell->sets);
    memcpy(cell->sets, base->sets, base->set_count * sizeof *cell->sets);
    cell->sets[cell->set_count++] = set;
    return cell;
}

/* A message on the path, not on the value of a setting. */
static bool is_of_path(const struct diag_message *message, const struct grid_origin *origin)
{
    const int width = (int)strcspn(origin->set, "=");
    return origin->value != NULL && strcmp(message->file, origin->value->file->name) == 0 &&
           message->place.line == origin->path.line &&
           message->place.column >= origin->path.column &&
           message->place.column < origin->path.column + width;
}

/* A value may be one that nothing holds with; a path that names nothing is a mistake. */
static bool cliff_names_something(struct plan_state *state, const struct grid *cliff,
                                  struct diag *diag)
{
    const struct grid_cell *first = &cliff->cells[0];
    const struct grid_origin origin = plan_origin_of(state->plan, first->sets[0]);
    struct grid_cell *cell =
        cell_with(state, &state->plan->grid.cells[0], first->name, first->sets[0]);
    struct diag *own = memory_new(sizeof *own);
    bool well = true;
    scenario_free(load(state->plan, cell, &state->arena, own));
    for (int i = 0; i < own->count && well; i++)
        well = !is_of_path(&own->messages[i], &origin);
    if (!well)
        *diag = *own;
    free(own);
    return well;
}

bool plan_search_open(struct plan_state *state, struct plan *plan, struct diag *diag)
{
    *state = (struct plan_state){.plan = plan, .count = plan->grid.cell_count, .chosen = -1};
    state->all = state->count;
    for (uint32_t i = 0; i < plan->cliff_count; i++) {
        state->cliffs[i] = (struct plan_cliff){state->all, plan->cliffs[i].cell_count, 0, false};
        state->all += plan->cliffs[i].cell_count;
    }
    state->own = state->all;
    state->candidates = memory_zeroed(state->all, sizeof *state->candidates);
    for (uint32_t i = 0; i < state->count; i++)
        if (open_candidate(state, i, &plan->grid.cells[i], diag))
            *diag = (struct diag){0}; /* notes on the scenario: not for each candidate anew */
        else
            return false;
    for (uint32_t i = 0; i < plan->cliff_count; i++)
        if (!cliff_names_something(state, &plan->cliffs[i], diag))
            return false;
    return true;
}

/* ------------------------------------------------------------------ what follows */

static bool is_by_cost(const struct plan_state *state)
{
    return state->plan->rules.objective == PLAN_CHEAPEST ||
           state->plan->rules.objective == PLAN_POWER;
}

static void choose(struct plan_state *state)
{
    state->chosen = -1;
    for (uint32_t i = 0; i < state->count; i++)
        if (state->candidates[i].verdict == PLAN_VERDICT_HOLDS &&
            (state->chosen < 0 || plan_is_before(state, i, (uint32_t)state->chosen)))
            state->chosen = i;
}

/* Beyond doubt, by its own runs. */
static bool does_not_hold(const struct plan_candidate *candidate)
{
    return candidate->verdict == PLAN_VERDICT_FAILS || candidate->verdict == PLAN_VERDICT_IDLE;
}

static uint32_t differing_axes(const struct plan_state *state, uint32_t a, uint32_t b)
{
    uint32_t axes = 0;
    for (uint32_t i = 0; i < state->plan->grid.axis_count; i++)
        if (state->candidates[a].cell->at[i] != state->candidates[b].cell->at[i])
            axes |= 1u << i;
    return axes;
}

/* `better`, which is as good on every axis, does not hold; `other` does, or does clearly better
 * without failures in the objective that decided against it. */
static bool contradicts(const struct plan_state *state, uint32_t better, uint32_t other)
{
    const struct plan_candidate *a = &state->candidates[better], *b = &state->candidates[other];
    if (b->verdict == PLAN_VERDICT_HOLDS)
        return true;
    if (a->verdict != PLAN_VERDICT_FAILS || a->decided_slo < 0 || a->decided_by != 0 ||
        b->verdict != PLAN_VERDICT_FAILS || b->states[0].count == 0)
        return false;
    const uint32_t slo = (uint32_t)a->decided_slo;
    return plan_mean_slack(&b->states[0], slo) >
           plan_mean_slack(&a->states[0], slo) + (double)state->plan->rules.tolerance / 1e6;
}

/* `holds` does better though `fails` is as good on every axis. */
static void mark_odd(struct plan_state *state, uint32_t holds, uint32_t fails)
{
    const uint32_t axes = differing_axes(state, holds, fails);
    for (uint32_t i = 0; i < state->plan->grid.axis_count; i++)
        if ((axes >> i & 1) != 0) {
            state->odd[i] = true;
            state->odd_by[i][0] = holds;
            state->odd_by[i][1] = fails;
        }
}

/* First by pairs that differ in one axis alone, which is then known to be the one. */
static void find_odd_axes(struct plan_state *state)
{
    for (int alone = 1; alone >= 0; alone--)
        for (uint32_t a = 0; a < state->count; a++)
            for (uint32_t b = 0; b < state->count && does_not_hold(&state->candidates[a]); b++) {
                const uint32_t axes = differing_axes(state, a, b);
                if (a != b && (!alone || (axes & (axes - 1)) == 0) &&
                    plan_is_as_good(state, a, b) && contradicts(state, a, b))
                    mark_odd(state, b, a);
            }
}

/* What is not known by runs of its own follows anew from those that are. */
static void infer(const struct plan_search *search)
{
    struct plan_state *state = search->state;
    find_odd_axes(state);
    choose(state);
    for (uint32_t i = 0; i < state->count && !search->exhaustive; i++) {
        struct plan_candidate *candidate = &state->candidates[i];
        if (candidate->verdict != PLAN_VERDICT_OPEN && candidate->verdict != PLAN_VERDICT_IMPLIED &&
            candidate->verdict != PLAN_VERDICT_DEARER)
            continue;
        candidate->verdict = PLAN_VERDICT_OPEN;
        for (uint32_t k = 0; k < state->count && candidate->verdict == PLAN_VERDICT_OPEN; k++)
            if (state->candidates[k].verdict == PLAN_VERDICT_FAILS &&
                plan_is_as_good(state, k, i)) {
                candidate->verdict = PLAN_VERDICT_IMPLIED;
                candidate->bound_by = k;
            }
        if (is_by_cost(state) && state->chosen >= 0 &&
            plan_is_before(state, (uint32_t)state->chosen, i))
            candidate->verdict = PLAN_VERDICT_DEARER;
    }
}

/* ------------------------------------------------------------------ who is next */

/* How many open ones a verdict on `index` would settle, whichever it is. */
static uint32_t settles(const struct plan_state *state, const uint32_t *open, uint32_t count,
                        uint32_t index)
{
    uint32_t fails = 0, holds = 0;
    for (uint32_t i = 0; i < count; i++) {
        fails += plan_is_as_good(state, index, open[i]);
        holds += index == open[i] || plan_is_before(state, index, open[i]);
    }
    return fails < holds ? fails : holds;
}

static uint32_t list_open(const struct plan_state *state, enum plan_verdict verdict, uint32_t *open)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < state->count; i++)
        if (state->candidates[i].verdict == verdict)
            open[count++] = i;
    plan_sort(state, open, count);
    return count;
}

/* Before a conclusion decides, each axis that one rests on is tried by the first candidate, in the
 * order of costs, that it dropped. */
static uint32_t find_doubtful(const struct plan_state *state, uint32_t *open, uint32_t *tried)
{
    const uint32_t count = list_open(state, PLAN_VERDICT_IMPLIED, open);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t axes = differing_axes(state, open[i], state->candidates[open[i]].bound_by);
        if ((axes & ~*tried) == 0)
            continue;
        *tried |= axes;
        open[0] = open[i];
        return 1;
    }
    return 0;
}

/* The candidates of the next round, in their order; 0: there is nothing more to ask. */
static uint32_t next(const struct plan_search *search, uint32_t *open, uint32_t *tried)
{
    struct plan_state *state = search->state;
    const uint32_t count = list_open(state, PLAN_VERDICT_OPEN, open);
    if (count == 0)
        return search->exhaustive ? 0 : find_doubtful(state, open, tried);
    if (!is_by_cost(state) || search->exhaustive)
        return count < AT_ONCE ? count : AT_ONCE;
    uint32_t best = 0, most = 0;
    const uint32_t looks = count < LOOKS ? count : LOOKS;
    for (uint32_t i = 0; i < looks; i++) {
        const uint32_t at = (uint32_t)((uint64_t)i * count / looks);
        const uint32_t settled = settles(state, open, count, open[at]);
        if (settled > most) {
            most = settled;
            best = at;
        }
    }
    open[0] = open[best];
    return 1;
}

static void find_front(struct plan_state *state)
{
    for (uint32_t i = 0; i < state->count; i++) {
        struct plan_candidate *one = &state->candidates[i];
        one->front = one->verdict == PLAN_VERDICT_HOLDS;
        for (uint32_t k = 0; k < state->count && one->front; k++) {
            const struct plan_candidate *other = &state->candidates[k];
            const bool as_good =
                other->verdict == PLAN_VERDICT_HOLDS && other->bill.price <= one->bill.price &&
                other->bill.power <= one->bill.power && other->headroom >= one->headroom;
            const bool same = other->bill.price == one->bill.price &&
                              other->bill.power == one->bill.power &&
                              !(other->headroom > one->headroom);
            one->front = !as_good || (same && k >= i);
        }
    }
}

/* ------------------------------------------------------------------ cliffs */

bool plan_search_point(struct plan_state *state, uint32_t index, uint32_t of, const char *name,
                       const char *set)
{
    struct plan_candidate *point = &state->candidates[index];
    struct diag *diag = memory_new(sizeof *diag);
    const uint32_t tests = state->tests; /* points are no part of what shares the error */
    struct grid_cell *cell = cell_with(state, state->candidates[of].cell, name, set);
    const bool well = open_candidate(state, index, cell, diag);
    state->tests = tests;
    if (!well) {
        point->verdict = PLAN_VERDICT_REFUSED;
        snprintf(point->why, sizeof point->why, "%.400s",
                 diag->count > 0 ? diag->messages[0].text : "it cannot be played");
    }
    free(diag);
    return well;
}

/* From the first value on, until one does not hold. */
static void play_cliff(const struct plan_search *search, uint32_t index)
{
    struct plan_state *state = search->state;
    struct plan_cliff *cliff = &state->cliffs[index];
    for (uint32_t i = 0; i < cliff->count && !cliff->ends; i++) {
        const uint32_t point = cliff->first + i;
        const struct grid_cell *value = &state->plan->cliffs[index].cells[i];
        if (plan_search_point(state, point, (uint32_t)state->chosen, value->name, value->sets[0]) &&
            state->candidates[point].verdict == PLAN_VERDICT_OPEN)
            plan_round_play(search, &point, 1);
        cliff->ends = state->candidates[point].verdict != PLAN_VERDICT_HOLDS;
        cliff->holds += !cliff->ends;
    }
}

void plan_search_part(const struct plan_search *search, uint32_t part, uint32_t parts)
{
    const struct plan_state *state = search->state;
    for (uint32_t i = part; i < state->count && !state->stopped && !state->spent; i += parts)
        if (state->candidates[i].verdict == PLAN_VERDICT_OPEN)
            plan_round_play(search, &i, 1);
}

void plan_search_play(const struct plan_search *search)
{
    struct plan_state *state = search->state;
    uint32_t *open = memory_zeroed(state->count, sizeof *open);
    uint32_t count = 0, tried = 0; /* axes */
    infer(search);
    while (!state->stopped && !state->spent && (count = next(search, open, &tried)) > 0) {
        plan_round_play(search, open, count);
        infer(search);
    }
    state->proven = state->chosen >= 0;
    for (uint32_t i = 0; i < state->count && state->proven; i++)
        if (state->candidates[i].verdict == PLAN_VERDICT_OPEN ||
            state->candidates[i].verdict == PLAN_VERDICT_UNSURE)
            state->proven = is_by_cost(state) && plan_is_before(state, (uint32_t)state->chosen, i);
    find_front(state);
    for (uint32_t i = 0; i < state->plan->cliff_count && state->proven; i++)
        if (!state->stopped && !state->spent)
            play_cliff(search, i);
    free(open);
}
