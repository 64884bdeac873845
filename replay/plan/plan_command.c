/* SPDX-License-Identifier: Apache-2.0
 * plan_command - the command that repeats one run of a plan on its own. */
#include "replay/plan/plan_command.h"

#include "base/shell.h"

static void print_changed(const struct plan_state *state, const char *command,
                          const char *const *sets, uint32_t count, FILE *out)
{
    fprintf(out, "stormglass %s ", command);
    shell_print_word(out, state->plan->grid.scenario);
    for (uint32_t i = 0; i < count; i++) {
        fputs(" --set ", out);
        shell_print_word(out, sets[i]);
    }
}

/* The first run that crashed, otherwise the first run. */
static uint32_t run_of(const struct plan_case_state *of)
{
    for (uint32_t i = 0; i < of->count; i++)
        if (of->outcomes[i].end == PLAN_RUN_DEAD)
            return i;
    return 0;
}

uint32_t plan_telling_case(const struct plan_candidate *candidate)
{
    uint32_t first = PLAN_NO_CASE;
    for (uint32_t i = 0; candidate->states != NULL && i < candidate->cases->count; i++) {
        const struct plan_case_state *of = &candidate->states[i];
        if (of->count == 0)
            continue;
        if (of->verdict != PLAN_VERDICT_HOLDS && of->verdict != PLAN_VERDICT_OPEN)
            return i;
        first = first == PLAN_NO_CASE ? i : first;
    }
    return first;
}

const char **plan_command_sets(struct arena *arena, const struct plan_state *state,
                               uint32_t candidate, uint32_t of, uint32_t *count)
{
    const struct plan_candidate *mine = &state->candidates[candidate];
    const uint32_t run = run_of(&mine->states[of]);
    const struct plan_trial trial = {.plan = state->plan,
                                     .candidate = mine->cell,
                                     .of = &mine->cases->cases[of],
                                     .seed = state->seed + run};
    const int64_t duration =
        mine->states[of].count > 0 ? mine->states[of].outcomes[run].duration : 0;
    return plan_trial_sets(arena, &trial, duration, count);
}

void plan_command(const struct plan_state *state, uint32_t candidate, uint32_t of, FILE *out)
{
    struct arena arena = {0};
    uint32_t count;
    const char **sets = plan_command_sets(&arena, state, candidate, of, &count);
    print_changed(state, "run", sets, count, out);
    arena_free(&arena);
}

void plan_export_command(const struct plan_state *state, uint32_t candidate, FILE *out)
{
    const struct grid_cell *cell = state->candidates[candidate].cell;
    char file[PLAN_NAME_BYTES];
    snprintf(file, sizeof file, "%.100s.yaml", cell->name);
    print_changed(state, "export scenario", cell->sets, cell->set_count, out);
    fputs(" -o ", out);
    shell_print_word(out, file);
}
