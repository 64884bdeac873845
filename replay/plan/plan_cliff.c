/* SPDX-License-Identifier: Apache-2.0
 * plan_cliff - steps through values in order, and through levers in order. */
#include "replay/plan/plan_cliff.h"

#include "replay/plan/plan_round.h"

/* One step down and up on each axis, then each value of `what-if`. */
static uint32_t levers_of(const struct plan *plan)
{
    uint32_t count = 2 * plan->grid.axis_count;
    for (uint32_t i = 0; i < plan->what_if_count; i++)
        count += plan->what_ifs[i].cell_count;
    return count;
}

bool plan_cliff_open(struct plan_state *state, struct diag *diag)
{
    const struct plan *plan = state->plan;
    uint64_t values = 0;
    for (uint32_t i = 0; i < plan->cliff_count; i++) {
        state->cliffs[i] = (struct plan_cliff){.first = state->count + (uint32_t)values,
                                               .count = plan->cliffs[i].cell_count};
        values += plan->cliffs[i].cell_count;
    }
    state->lever_count = levers_of(plan);
    if (values * (state->lever_count + 1) > PLAN_CLIFF_POINTS_MAX) {
        diag_add(diag, DIAG_ERROR, (struct diag_place){.file = plan->grid.template->file->name},
                 NULL, "cliff has more than %d points, counting each value once per what-if change",
                 PLAN_CLIFF_POINTS_MAX);
        return false;
    }
    state->points = state->own = state->count + (uint32_t)values;
    state->moves = arena_array(&state->arena, plan->cliff_count * state->lever_count + 1,
                               sizeof *state->moves);
    for (uint32_t i = 0; i < plan->cliff_count; i++)
        for (uint32_t k = 0; k < state->lever_count; k++) {
            state->moves[i * state->lever_count + k] = (struct plan_move){.first = state->own};
            state->own += plan->cliffs[i].cell_count;
        }
    state->all = state->own;
    return true;
}

const struct plan_move *plan_cliff_move(const struct plan_state *state, uint32_t cliff,
                                        uint32_t lever)
{
    return &state->moves[cliff * state->lever_count + lever];
}

int32_t plan_cliff_steps(const struct plan_state *state, uint32_t cliff, uint32_t lever)
{
    const struct plan_move *move = plan_cliff_move(state, cliff, lever);
    return move->played ? (int32_t)move->holds - (int32_t)state->cliffs[cliff].holds : 0;
}

/* ------------------------------------------------------------------ levers */

/* The candidate that differs from the chosen one by one step on one axis. */
static bool step_aside(const struct plan_state *state, uint32_t axis, int step,
                       struct plan_lever *lever)
{
    const struct grid *grid = &state->plan->grid;
    const uint32_t *at = state->candidates[state->chosen].cell->at;
    const int64_t wanted = (int64_t)at[axis] + step;
    for (uint32_t i = 0; i < state->count; i++) {
        const uint32_t *other = state->candidates[i].cell->at;
        uint32_t apart = 0;
        for (uint32_t k = 0; k < grid->axis_count; k++)
            apart += k != axis && other[k] != at[k];
        if (apart > 0 || other[axis] != wanted)
            continue;
        *lever =
            (struct plan_lever){grid->axes[axis].path, grid->axes[axis].values[wanted], i, NULL};
        return true;
    }
    return false;
}

bool plan_cliff_lever(const struct plan_state *state, uint32_t index, struct plan_lever *lever)
{
    const struct plan *plan = state->plan;
    if (index < 2 * plan->grid.axis_count)
        return step_aside(state, index / 2, index % 2 == 0 ? -1 : 1, lever);
    index -= 2 * plan->grid.axis_count;
    for (uint32_t i = 0; i < plan->what_if_count; i++) {
        const struct grid *grid = &plan->what_ifs[i];
        if (index < grid->cell_count) {
            *lever = (struct plan_lever){grid->axes[0].path, grid->axes[0].values[index],
                                         (uint32_t)state->chosen, grid->cells[index].sets[0]};
            return true;
        }
        index -= grid->cell_count;
    }
    return false;
}

/* ------------------------------------------------------------------ runs */

/* Runs a point: a value of the cliff's axis together with the lever's change. */
static enum plan_verdict play_point(const struct plan_search *search, uint32_t point,
                                    const struct plan_lever *lever, const struct grid_cell *value)
{
    struct plan_state *state = search->state;
    const char *sets[2];
    uint32_t count = 0;
    if (lever->set != NULL)
        sets[count++] = lever->set;
    sets[count++] = value->sets[0];
    const struct plan_extra extra = {value->name, sets, count};
    if (plan_search_point(state, point, lever->candidate, &extra) &&
        state->candidates[point].verdict == PLAN_VERDICT_OPEN)
        plan_round_play(search, &point, 1);
    return state->candidates[point].verdict;
}

/* Number of values of this cliff and all later ones. */
static uint32_t values_from(const struct plan_state *state, uint32_t index)
{
    uint32_t values = 0;
    for (uint32_t i = index; i < state->plan->cliff_count; i++)
        values += state->cliffs[i].count;
    return values;
}

/* Announces the runs of so many points of the chosen candidate. */
static void expect_points(struct plan_state *state, uint64_t points)
{
    const struct plan_candidate *chosen = &state->candidates[state->chosen];
    plan_expect(state, (int64_t)(points * chosen->cases->count) * state->plan->rules.seeds);
}

/* Runs value after value until one does not pass. */
static void play_cliff(const struct plan_search *search, uint32_t index)
{
    const struct plan_state *state = search->state;
    struct plan_cliff *cliff = &search->state->cliffs[index];
    const struct plan_lever none = {.candidate = (uint32_t)state->chosen};
    for (uint32_t i = 0; i < cliff->count && !cliff->ends; i++) {
        expect_points(search->state, values_from(state, index) - i + state->lever_count);
        cliff->ends = play_point(search, cliff->first + i, &none,
                                 &state->plan->cliffs[index].cells[i]) != PLAN_VERDICT_HOLDS;
        cliff->holds += !cliff->ends;
    }
}

/* Starts where the cliff is and continues while points pass; if the first does not pass, goes back
 * to a value that does. */
static void play_move(const struct plan_search *search, uint32_t index,
                      const struct plan_lever *lever, struct plan_move *move)
{
    const struct plan_state *state = search->state;
    const struct plan_cliff *cliff = &state->cliffs[index];
    const struct grid_cell *values = state->plan->cliffs[index].cells;
    move->holds = cliff->holds;
    while (move->holds < cliff->count && !move->ends) {
        const enum plan_verdict verdict =
            play_point(search, move->first + move->holds, lever, &values[move->holds]);
        if (verdict == PLAN_VERDICT_OPEN)
            return;
        move->ends = verdict != PLAN_VERDICT_HOLDS;
        move->holds += !move->ends;
    }
    enum plan_verdict verdict = PLAN_VERDICT_FAILS;
    while (move->holds > 0 && move->holds <= cliff->holds && verdict != PLAN_VERDICT_HOLDS) {
        verdict =
            play_point(search, move->first + move->holds - 1, lever, &values[move->holds - 1]);
        if (verdict == PLAN_VERDICT_OPEN)
            return;
        move->holds -= verdict != PLAN_VERDICT_HOLDS;
    }
    move->played = true;
}

static bool goes_on(const struct plan_state *state)
{
    return !state->stopped && !state->spent;
}

static bool is_known(const struct plan_state *state, const struct plan_cliff *cliff)
{
    return cliff->ends &&
           state->candidates[cliff->first + cliff->holds].verdict != PLAN_VERDICT_OPEN;
}

void plan_cliff_play(const struct plan_search *search)
{
    struct plan_state *state = search->state;
    const uint32_t count = state->plan->cliff_count;
    struct plan_lever lever;
    for (uint32_t i = 0; i < count && goes_on(state); i++)
        play_cliff(search, i);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < state->lever_count; k++)
            if (goes_on(state) && is_known(state, &state->cliffs[i]) &&
                plan_cliff_lever(state, k, &lever)) {
                expect_points(state, (uint64_t)(count - i) * state->lever_count - k);
                play_move(search, i, &lever, &state->moves[i * state->lever_count + k]);
            }
}
