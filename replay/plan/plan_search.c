/* SPDX-License-Identifier: Apache-2.0
 * plan_search - chooses the next candidates and draws conclusions from runs. */
#include "replay/plan/plan_search.h"

#include "base/memory.h"
#include "replay/plan/plan_cliff.h"
#include "replay/plan/plan_conclusions.h"
#include "replay/plan/plan_front.h"
#include "replay/plan/plan_next.h"
#include "replay/plan/plan_round.h"
#include "replay/plan/plan_verdict.h"
#include "scenarios/check/check.h"
#include "scenarios/load/library.h"
#include "scenarios/vary/oversubscription.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE_FIRST = 40 }; /* runs of a case before other candidates have priority */

/* ------------------------------------------------------------------ candidates */

/* Rejects a candidate whose headroom and reserved buffers exceed the switch memory. */
static void refuse_by_memory(struct plan_candidate *candidate, const struct scenario *scenario)
{
    struct diag *diag = memory_new(sizeof *diag);
    check_memories(scenario, diag);
    if (diag_failed(diag)) {
        candidate->verdict = PLAN_VERDICT_REFUSED;
        snprintf(candidate->why, sizeof candidate->why, "%.400s", diag_error(diag, ""));
    }
    free(diag);
}

static void refuse_by_bound(struct plan_candidate *candidate, const struct scenario *scenario)
{
    const struct plan_case_state *of = &candidate->states[0];
    char why[PLAN_BOUND_BYTES];
    refuse_by_memory(candidate, scenario);
    for (uint32_t i = 0; i < of->asked_count; i++)
        if (plan_bound_refuses(scenario, &of->asked[i], why)) {
            candidate->verdict = PLAN_VERDICT_REFUSED;
            snprintf(candidate->why, sizeof candidate->why, "%.128s: %s", of->asked[i].text, why);
            return;
        }
}

/* The objectives of each case; the same in every run. */
static void set_objectives(struct plan_state *state, struct plan_candidate *candidate,
                           const struct scenario *scenario, struct diag *diag)
{
    candidate->states = memory_zeroed(candidate->cases->count, sizeof *candidate->states);
    for (uint32_t i = 0; i < candidate->cases->count; i++) {
        struct plan_case_state *of = &candidate->states[i];
        of->asked = arena_array(&state->arena, PLAN_SLO_MAX, sizeof *of->asked);
        of->asked_count =
            plan_expectations(state->plan, &candidate->cases->cases[i], scenario, of->asked, diag);
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

/* Properties common to all candidates. */
static void take_template(struct plan_state *state, const struct scenario *scenario)
{
    state->seed = scenario->seed;
    for (; state->workload_count < scenario->workload_count &&
           state->workload_count < PLAN_WORKLOADS_MAX;
         state->workload_count++)
        state->workloads[state->workload_count] =
            arena_format(&state->arena, "%s", scenario->workloads[state->workload_count].name);
}

static void take_horizon(struct plan_state *state, struct plan_candidate *candidate,
                         const struct scenario *scenario)
{
    for (uint32_t i = 0; i < state->plan->failure_count && candidate->horizon == NULL; i++)
        if (state->plan->failures[i].at != NULL) {
            candidate->horizon = arena_take(&state->arena, sizeof *candidate->horizon);
            plan_horizon_of(scenario, PLAN_WAIT, candidate->horizon);
        }
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
        tree_error(diag, plan->prices.written, "%s", why);
        well = false;
    }
    if (well) {
        take_template(state, scenario);
        candidate->facts = plan_facts_of(scenario);
        take_horizon(state, candidate, scenario);
        candidate->duration = scenario->duration;
        set_objectives(state, candidate, scenario, diag);
        refuse_by_bound(candidate, scenario);
        if (priced && candidate->verdict == PLAN_VERDICT_OPEN &&
            grow_refuses(&plan->grow, &plan->prices, &candidate->bill, candidate->why))
            candidate->verdict = PLAN_VERDICT_REFUSED;
    } else {
        diag_add(diag, DIAG_NOTE, (struct diag_place){0}, NULL, "in candidate %.200s", cell->name);
    }
    scenario_free(scenario);
    return well;
}

/* A cell with additional settings. */
static struct grid_cell *cell_with(struct plan_state *state, const struct grid_cell *base,
                                   const struct plan_extra *extra)
{
    struct grid_cell *cell = arena_take(&state->arena, sizeof *cell);
    *cell = *base;
    cell->name = arena_format(&state->arena, "%s-%s", base->name, extra->name);
    cell->label = arena_format(&state->arena, "%s, %s", base->label, extra->name);
    cell->sets = arena_array(&state->arena, base->set_count + extra->count, sizeof *cell->sets);
    memcpy(cell->sets, base->sets, base->set_count * sizeof *cell->sets);
    for (uint32_t i = 0; i < extra->count; i++)
        cell->sets[cell->set_count++] = extra->sets[i];
    return cell;
}

/* A value may fail in every candidate, or be valid for some candidates only. If it is valid for
 * none, it is an error, and so is a path that does not exist. */
static bool value_is_of_something(struct plan_state *state, const struct grid_cell *value,
                                  struct diag *diag)
{
    const struct plan_extra extra = {value->name, (const char *const *)value->sets, 1};
    struct diag *own = memory_new(sizeof *own);
    bool well = false;
    for (uint32_t i = 0; i < state->count && !well; i++) {
        *own = (struct diag){0};
        struct grid_cell *cell = cell_with(state, &state->plan->grid.cells[i], &extra);
        struct scenario *scenario = load(state->plan, cell, &state->arena, own);
        well = scenario != NULL;
        scenario_free(scenario);
        if (i == 0 && !well)
            *diag = *own;
    }
    if (well)
        *diag = (struct diag){0};
    free(own);
    return well;
}

static bool names_something(struct plan_state *state, const struct grid *grid, struct diag *diag)
{
    for (uint32_t i = 0; i < grid->cell_count; i++)
        if (!value_is_of_something(state, &grid->cells[i], diag))
            return false;
    return true;
}

/* Whether the quantity grows with the duration of the run. Limits that only distinguish none from
 * some do not depend on it. */
static bool grows_with_the_run(const struct expectation *asked)
{
    static const enum expect_quantity steady[] = {EXPECT_IOPS,         EXPECT_STEADY_IOPS,
                                                  EXPECT_MEMBERS,      EXPECT_MEMBERS_IDLE,
                                                  EXPECT_QUEUES_ASKED, EXPECT_QUEUES_GRANTED};
    const enum quantity_kind kind = expect_kind(asked->quantity);
    for (size_t i = 0; i < sizeof steady / sizeof *steady; i++)
        if (asked->quantity == steady[i])
            return false;
    return (kind == QUANTITY_INT || kind == QUANTITY_SIZE ||
            asked->quantity == EXPECT_PFC_PAUSED) &&
           asked->value > 0 && !(asked->value == 1 && asked->op == EXPECT_LT);
}

/* A run lasts until it is steady, so an absolute limit on a count is arbitrary. */
static void warn_of_counts(const struct plan_state *state, struct diag *diag)
{
    const struct plan_candidate *candidate = &state->candidates[0];
    for (uint32_t i = 0; i < candidate->states[0].asked_count; i++) {
        char text[DIAG_TEXT_BYTES];
        if (!grows_with_the_run(&candidate->states[0].asked[i]))
            continue;
        snprintf(text, sizeof text,
                 "this count grows with the run, which lasts until it is steady (%s or more): "
                 "expected a rate, or a limit of 0",
                 words_time(candidate->duration).text);
        tree_message(diag, DIAG_WARNING, state->plan->slo[i].written,
                     state->plan->slo[i].written->place, text);
    }
}

bool plan_search_open(struct plan_state *state, struct plan *plan, struct diag *diag)
{
    *state = (struct plan_state){.plan = plan, .count = plan->grid.cell_count, .chosen = -1};
    if (!plan_cliff_open(state, diag))
        return false;
    state->candidates = memory_zeroed(state->all, sizeof *state->candidates);
    for (uint32_t i = 0; i < state->count; i++)
        if (open_candidate(state, i, &plan->grid.cells[i], diag))
            *diag = (struct diag){0}; /* notes on the scenario are not repeated for each
                                       * candidate */
        else
            return false;
    if (!plan_check_failures(plan, state->candidates[0].cell, state->candidates[0].cases, diag))
        return false;
    for (uint32_t i = 0; i < plan->cliff_count; i++)
        if (!names_something(state, &plan->cliffs[i], diag))
            return false;
    for (uint32_t i = 0; i < plan->what_if_count; i++)
        if (!names_something(state, &plan->what_ifs[i], diag))
            return false;
    warn_of_counts(state, diag);
    return true;
}

/* ------------------------------------------------------------------ points */

bool plan_search_point(struct plan_state *state, uint32_t index, uint32_t of,
                       const struct plan_extra *extra)
{
    struct plan_candidate *point = &state->candidates[index];
    struct diag *diag = memory_new(sizeof *diag);
    struct grid_cell *cell = cell_with(state, state->candidates[of].cell, extra);
    const bool well = open_candidate(state, index, cell, diag);
    if (!well) {
        point->verdict = PLAN_VERDICT_REFUSED;
        snprintf(point->why, sizeof point->why, "%.400s",
                 diag_error(diag, "this candidate cannot be run"));
    }
    free(diag);
    return well;
}

void plan_search_part(const struct plan_search *search, uint32_t part, uint32_t parts)
{
    struct plan_state *state = search->state;
    state->patience = (uint32_t)state->plan->rules.most_seeds;
    for (uint32_t i = part; i < state->count && !state->stopped && !state->spent; i += parts)
        if (state->candidates[i].verdict == PLAN_VERDICT_OPEN)
            plan_round_play(search, &i, 1);
}

static bool reopen_cases(const struct plan_search *search, uint32_t index)
{
    struct plan_candidate *candidate = &search->state->candidates[index];
    if (candidate->verdict != PLAN_VERDICT_UNSURE ||
        (!search->exhaustive && !plan_is_rival(search->state, index)))
        return false;
    candidate->verdict = PLAN_VERDICT_OPEN;
    plan_verdict_find(search->state, candidate);
    return candidate->verdict == PLAN_VERDICT_OPEN;
}

/* Allows more runs per case for candidates that could still be chosen; returns false if there is
 * none or all have reached the limit. */
static bool reopen_undecided(const struct plan_search *search)
{
    struct plan_state *state = search->state;
    const uint32_t most = (uint32_t)state->plan->rules.most_seeds;
    bool any = false;
    while (state->patience < most && !any) {
        state->patience = 2 * state->patience < most ? 2 * state->patience : most;
        for (uint32_t i = 0; i < state->count; i++)
            any |= reopen_cases(search, i);
    }
    return any;
}

/* Testing whether an axis is monotone takes a comparison, not a verdict: the runs of the first
 * stage are enough. */
static void try_axis(const struct plan_search *search, const struct plan_part *part)
{
    struct plan_candidate *candidate = &search->state->candidates[part->candidate];
    candidate->verdict = PLAN_VERDICT_OPEN;
    plan_round_fill(search, part->candidate, &part->of, 1,
                    (uint32_t)search->state->plan->rules.seeds);
    plan_verdict_find(search->state, candidate);
}

static void play_all(const struct plan_search *search, struct plan_next *next)
{
    while (plan_next_find(next)) {
        if (next->brief)
            try_axis(search, next->parts);
        else
            plan_round_cases(search, next->parts, next->part_count);
        if (!search->state->stopped && !search->state->spent)
            continue;
        plan_update_conclusions(search);
        return;
    }
}

void plan_search_play(const struct plan_search *search)
{
    struct plan_state *state = search->state;
    struct plan_next *next = memory_new(sizeof *next);
    plan_next_open(next, search);
    state->patience = PATIENCE_FIRST;
    do
        play_all(search, next);
    while (!state->stopped && !state->spent && reopen_undecided(search));
    plan_front_take(next);
    state->proven = plan_is_proven(state);
    plan_next_free(next);
    free(next);
    state->patience = (uint32_t)state->plan->rules.most_seeds;
    if (state->proven)
        plan_cliff_play(search);
}
