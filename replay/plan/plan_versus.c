/* SPDX-License-Identifier: Apache-2.0
 * plan_versus - selects the designs, checks that their load is the same, runs both, computes
 * differences. */
#include "replay/plan/plan_versus.h"

#include "base/memory.h"
#include "base/plural.h"
#include "replay/plan/plan_judge.h"
#include "replay/plan/plan_round.h"
#include "scenarios/load/library.h"
#include "scenarios/load/load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ paired observations */

struct plan_difference plan_versus_paired(const double *first, const double *second, uint32_t count)
{
    struct plan_difference found = {.measure = 0};
    double squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        found.means[0] += first[i] / count;
        found.means[1] += second[i] / count;
        found.mean += (second[i] - first[i]) / count;
    }
    for (uint32_t i = 0; i < count; i++) {
        const double apart = second[i] - first[i] - found.mean;
        squares += apart * apart;
    }
    found.half = plan_student_95(count - 1) * sqrt(squares / (count - 1) / count);
    found.differs = fabs(found.mean) > found.half;
    return found;
}

/* ------------------------------------------------------------------ designs */

/* The candidate that a plan chooses, or its only candidate, whatever its verdict. */
static bool pick_design(const struct plan_state *state, uint32_t *design, char *why)
{
    if (state->chosen < 0 && state->count > 1) {
        snprintf(why, PLAN_VERSUS_WHY_BYTES, "%.100s chooses none of its %u %s: nothing to compare",
                 state->plan->grid.name, (unsigned)state->count,
                 plural(state->count, "candidate", "candidates"));
        return false;
    }
    *design = state->chosen < 0 ? 0 : (uint32_t)state->chosen;
    return true;
}

/* ------------------------------------------------------------------ load */

struct load {
    struct arena arena;
    const char **paths, **values;
    uint32_t count, room, values_room;
};

static void take_setting(void *self, const struct scenario_setting_text *setting)
{
    struct load *load = self;
    if (strncmp(setting->path, "workloads.", strlen("workloads.")) != 0)
        return;
    load->paths = memory_grown(load->paths, load->count, &load->room, sizeof *load->paths);
    load->values =
        memory_grown(load->values, load->count, &load->values_room, sizeof *load->values);
    load->paths[load->count] = arena_format(&load->arena, "%s", setting->path);
    load->values[load->count++] = arena_format(&load->arena, "%s", setting->value);
}

static void load_free(struct load *load)
{
    free(load->paths);
    free(load->values);
    arena_free(&load->arena);
}

static const char *value_of(const struct load *load, const char *path)
{
    for (uint32_t i = 0; i < load->count; i++)
        if (strcmp(load->paths[i], path) == 0)
            return load->values[i];
    return "nothing";
}

static bool is_fio(const struct scenario_source *source)
{
    const size_t length = strlen(source->name);
    return length > 4 && strcmp(source->name + length - 4, ".fio") == 0;
}

/* A source with fio jobs must also be among the sources of the other scenario. */
static bool has_source(const struct scenario *scenario, const struct scenario_source *source)
{
    for (uint32_t i = 0; i < scenario->source_count; i++)
        if (scenario->sources[i].length == source->length &&
            memcmp(scenario->sources[i].text, source->text, source->length) == 0)
            return true;
    return false;
}

static const struct scenario_workload *workload_of(const struct scenario *scenario,
                                                   const char *name)
{
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        if (strcmp(scenario->workloads[i].name, name) == 0)
            return &scenario->workloads[i];
    return NULL;
}

/* Writes the first difference between the loads of the two scenarios, or nothing. */
static void compare_workloads(const struct scenario *first, const struct scenario *second,
                              char *unlike)
{
    for (uint32_t i = 0; i < first->workload_count && *unlike == '\0'; i++) {
        const struct scenario_workload *mine = &first->workloads[i];
        const struct scenario_workload *theirs = workload_of(second, mine->name);
        if (theirs == NULL)
            snprintf(unlike, PLAN_VERSUS_WHY_BYTES, "only the first has %.100s", mine->name);
        else if (theirs->pair_count != mine->pair_count)
            snprintf(unlike, PLAN_VERSUS_WHY_BYTES,
                     "%.100s has %u host %s in one plan and %u in the other", mine->name,
                     (unsigned)mine->pair_count, plural(mine->pair_count, "pair", "pairs"),
                     (unsigned)theirs->pair_count);
    }
    for (uint32_t i = 0; i < second->workload_count && *unlike == '\0'; i++)
        if (workload_of(first, second->workloads[i].name) == NULL)
            snprintf(unlike, PLAN_VERSUS_WHY_BYTES, "only the second has %.100s",
                     second->workloads[i].name);
}

static void compare_loads(const struct scenario *first, const struct scenario *second, char *unlike)
{
    struct load loads[PLAN_VERSUS_SIDES] = {{.count = 0}, {.count = 0}};
    compare_workloads(first, second, unlike);
    scenario_settings(first, take_setting, &loads[0]);
    scenario_settings(second, take_setting, &loads[1]);
    for (uint32_t i = 0; i < loads[0].count && *unlike == '\0'; i++) {
        const char *theirs = value_of(&loads[1], loads[0].paths[i]);
        if (strcmp(loads[0].values[i], theirs) != 0)
            snprintf(unlike, PLAN_VERSUS_WHY_BYTES,
                     "%.100s is %.100s in one plan and %.100s in the other", loads[0].paths[i],
                     loads[0].values[i], theirs);
    }
    for (uint32_t i = 0; i < first->source_count && *unlike == '\0'; i++)
        if (is_fio(&first->sources[i]) && !has_source(second, &first->sources[i]))
            snprintf(unlike, PLAN_VERSUS_WHY_BYTES, "the fio jobs of %.200s differ",
                     first->sources[i].name);
    for (int i = 0; i < PLAN_VERSUS_SIDES; i++)
        load_free(&loads[i]);
}

static struct scenario *load_design(const struct plan_state *state, uint32_t design,
                                    struct diag *diag)
{
    const struct grid_cell *cell = state->candidates[design].cell;
    return library_load(state->plan->grid.scenario, cell->sets, cell->set_count, diag);
}

/* Both scenarios were loaded when the search was opened. */
static void look_at_loads(struct plan_versus *versus)
{
    struct diag *diag = memory_new(sizeof *diag);
    struct scenario *designs[PLAN_VERSUS_SIDES];
    for (int i = 0; i < PLAN_VERSUS_SIDES; i++)
        designs[i] = load_design(versus->states[i], versus->designs[i], diag);
    if (designs[0] != NULL && designs[1] != NULL)
        compare_loads(designs[0], designs[1], versus->unlike);
    for (int i = 0; i < PLAN_VERSUS_SIDES; i++)
        scenario_free(designs[i]);
    free(diag);
}

/* ------------------------------------------------------------------ comparison */

static const struct plan_candidate *design_of(const struct plan_versus *versus, int side)
{
    return &versus->states[side]->candidates[versus->designs[side]];
}

static void find_cases(struct plan_versus *versus)
{
    const struct plan_cases *first = design_of(versus, 0)->cases;
    const struct plan_cases *second = design_of(versus, 1)->cases;
    versus->cases = memory_zeroed(first->count, sizeof *versus->cases);
    for (uint32_t i = 0; i < first->count; i++)
        for (uint32_t k = 0; k < second->count; k++)
            if (strcmp(first->cases[i].name, second->cases[k].name) == 0)
                versus->cases[versus->count++] = (struct plan_versus_case){.of = {i, k}};
}

/* Finds the measure of the workload with the same name; false if the second design has none. */
static bool measure_of_second(const struct plan_versus *versus, uint32_t measure, uint32_t *found)
{
    *found = measure;
    if (measure < PLAN_MEASURES_RUN)
        return true;
    const uint32_t workload = (measure - PLAN_MEASURES_RUN) / PLAN_MEASURES_WORKLOAD;
    const struct plan_state *first = versus->states[0], *second = versus->states[1];
    for (uint32_t i = 0; i < second->workload_count; i++)
        if (strcmp(first->workloads[workload], second->workloads[i]) == 0) {
            *found = measure + (i - workload) * PLAN_MEASURES_WORKLOAD;
            return true;
        }
    return false;
}

static bool take_values(const struct plan_case_state *of, uint32_t measure, uint32_t seeds,
                        double *values)
{
    for (uint32_t i = 0; i < seeds; i++) {
        const struct plan_outcome *outcome = &of->outcomes[i];
        if (i >= of->count || outcome->end < PLAN_RUN_UNSETTLED ||
            measure >= outcome->measure_count || !outcome->measures[measure].known)
            return false;
        values[i] = outcome->measures[measure].value;
    }
    return true;
}

/* Finds the first run of either design that makes a comparison meaningless. */
static void find_unfit(const struct plan_versus *versus, struct plan_versus_case *of)
{
    for (int side = 0; side < PLAN_VERSUS_SIDES; side++) {
        const struct plan_case_state *mine = &design_of(versus, side)->states[of->of[side]];
        for (uint32_t i = 0; i < versus->seeds && i < mine->count; i++)
            if (mine->outcomes[i].end < PLAN_RUN_UNSETTLED) {
                snprintf(of->why, sizeof of->why, "%s: %s", side == 0 ? "A" : "B",
                         mine->outcomes[i].why);
                return;
            }
    }
}

static void compare(struct plan_versus *versus, struct plan_versus_case *of)
{
    const struct plan_state *first = versus->states[0];
    const uint32_t measures = PLAN_MEASURES_RUN + first->workload_count * PLAN_MEASURES_WORKLOAD;
    double *values[PLAN_VERSUS_SIDES];
    for (int i = 0; i < PLAN_VERSUS_SIDES; i++)
        values[i] = memory_zeroed(versus->seeds, sizeof *values[i]);
    of->differences = memory_zeroed(measures, sizeof *of->differences);
    for (uint32_t i = 0; i < measures; i++) {
        uint32_t other;
        if (!measure_of_second(versus, i, &other) ||
            !take_values(&design_of(versus, 0)->states[of->of[0]], i, versus->seeds, values[0]) ||
            !take_values(&design_of(versus, 1)->states[of->of[1]], other, versus->seeds, values[1]))
            continue;
        struct plan_difference *found = &of->differences[of->count++];
        *found = plan_versus_paired(values[0], values[1], versus->seeds);
        found->measure = i;
    }
    if (of->count == 0)
        find_unfit(versus, of);
    for (int i = 0; i < PLAN_VERSUS_SIDES; i++)
        free(values[i]);
}

static uint32_t seeds_of(const struct plan_versus *versus)
{
    const uint32_t first = (uint32_t)versus->states[0]->plan->rules.seeds;
    const uint32_t second = (uint32_t)versus->states[1]->plan->rules.seeds;
    return first > second ? first : second;
}

static bool run_designs(const struct plan_search *const searches[PLAN_VERSUS_SIDES],
                        const struct plan_versus *versus)
{
    bool well = true;
    for (int side = 0; side < PLAN_VERSUS_SIDES && well; side++) {
        uint32_t *cases = memory_zeroed(versus->count, sizeof *cases);
        for (uint32_t i = 0; i < versus->count; i++)
            cases[i] = versus->cases[i].of[side];
        well = plan_round_fill(searches[side], versus->designs[side], cases, versus->count,
                               versus->seeds);
        free(cases);
    }
    return well;
}

bool plan_versus_play(const struct plan_search *const searches[PLAN_VERSUS_SIDES],
                      struct plan_versus *versus)
{
    *versus = (struct plan_versus){.states = {searches[0]->state, searches[1]->state}};
    for (int i = 0; i < PLAN_VERSUS_SIDES; i++)
        if (!pick_design(versus->states[i], &versus->designs[i], versus->why))
            return false;
    look_at_loads(versus);
    find_cases(versus);
    versus->seeds = seeds_of(versus);
    versus->played = run_designs(searches, versus);
    for (uint32_t i = 0; i < versus->count && versus->played; i++)
        compare(versus, &versus->cases[i]);
    return true;
}

void plan_versus_free(struct plan_versus *versus)
{
    for (uint32_t i = 0; i < versus->count; i++)
        free(versus->cases[i].differences);
    free(versus->cases);
    *versus = (struct plan_versus){.why = ""};
}
