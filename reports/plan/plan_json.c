/* SPDX-License-Identifier: Apache-2.0
 * plan_json - the answer as JSON. */
#include "base/memory.h"
#include "base/quantity.h"
#include "reports/plan/plan_report.h"
#include "reports/text/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void text_member(FILE *out, const char *key, const char *text, const char *after)
{
    fprintf(out, "\"%s\": ", key);
    json_string(out, text == NULL || *text == '\0' ? NULL : text);
    fputs(after, out);
}

static void real_member(FILE *out, const char *key, bool known, double value, const char *after)
{
    fprintf(out, "\"%s\": ", key);
    json_real(out, known ? value : NAN);
    fputs(after, out);
}

void plan_text_member(FILE *out, const char *key, const char *text)
{
    text_member(out, key, text, ", ");
}

void plan_real_member(FILE *out, const char *key, bool known, double value)
{
    real_member(out, key, known, value, ", ");
}

static void cost_members(const struct plan_state *state, const struct plan_candidate *of, FILE *out)
{
    const bool priced = state->plan->has_prices;
    real_member(out, "cost", priced, (double)of->bill.price / QUANTITY_DECIMAL_ONE, ", ");
    real_member(out, "power_w", priced, (double)of->bill.power / QUANTITY_DECIMAL_ONE, ", ");
    real_member(out, "rack_units", priced, (double)of->bill.rack_units, ", ");
    real_member(out, "headroom", of->measured, of->headroom, "");
}

/* "path=value" as a member. */
static void set_member(FILE *out, const char *set, struct arena *arena)
{
    const char *equals = strchr(set, '=');
    json_string(out, arena_text(arena, set, (size_t)(equals - set)));
    fputs(": ", out);
    json_string(out, equals + 1);
}

static void print_facts(const struct plan_facts *facts, FILE *out)
{
    real_member(out, "oversubscription", facts->oversubscription > 0,
                (double)facts->oversubscription / 1000, ", ");
    fprintf(out,
            "\"switches\": %u, \"hosts\": %u, \"ports_used\": %u, \"ports_most\": %u, "
            "\"host_cables\": %u, \"fabric_cables\": %u, ",
            (unsigned)facts->switches, (unsigned)facts->hosts, (unsigned)facts->ports_used,
            (unsigned)facts->ports_most, (unsigned)facts->host_cables,
            (unsigned)facts->fabric_cables);
}

static void print_unmodelled(FILE *out)
{
    fputs("  \"not_modelled\": [", out);
    for (size_t i = 0; plan_unmodelled[i] != NULL; i++) {
        fputs(i == 0 ? "" : ", ", out);
        json_string(out, plan_unmodelled[i]);
    }
    fputs("],\n", out);
}

static void print_chosen(const struct plan_state *state, FILE *out, struct arena *arena)
{
    if (state->chosen < 0) {
        fputs("  \"chosen\": null,\n", out);
        return;
    }
    const struct plan_candidate *of = &state->candidates[state->chosen];
    fputs("  \"chosen\": {", out);
    for (uint32_t i = 0; i < of->cell->set_count; i++) {
        set_member(out, of->cell->sets[i], arena);
        fputs(", ", out);
    }
    text_member(out, "name", of->cell->name, ", ");
    print_facts(&of->facts, out);
    if (of->horizon != NULL) {
        fprintf(out, "\"run_ps\": %" PRId64 ", \"wait_ps\": %" PRId64 ", ", of->horizon->run,
                of->horizon->wait);
        text_member(out, "timers", of->horizon->timers, ", ");
    }
    cost_members(state, of, out);
    fputs("},\n", out);
}

static void print_command(const struct plan_state *state, uint32_t index, FILE *out)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = memory_stream(&text, &length);
    plan_command(state, index, state->candidates[index].decided_by, stream);
    memory_stream_end(stream);
    text_member(out, "command", text, "");
    free(text);
}

/* Means over the runs without failure, in base units (plan_measure.h). */
static void print_measures(const struct plan_state *state, const struct plan_candidate *of,
                           FILE *out)
{
    const char *gap = "";
    fputs("\"measures\": {", out);
    for (uint32_t i = 0; i < PLAN_MEASURES_MAX; i++) {
        char name[PLAN_MEASURE_BYTES];
        double mean;
        if (of->states == NULL || !plan_mean_measure(&of->states[0], i, &mean))
            continue;
        plan_measure_name(i, state->workloads, name);
        fputs(gap, out);
        json_string(out, name);
        fputs(": ", out);
        json_real(out, mean);
        gap = ", ";
    }
    fputs("}, ", out);
}

/* true, false, or null if undecided or not needed. */
static void held_member(enum plan_result result, FILE *out)
{
    fprintf(out, "\"held\": %s, ",
            result == PLAN_RESULT_PASS   ? "true"
            : result == PLAN_RESULT_FAIL ? "false"
                                         : "null");
}

/* NULL if the verdict is not needed. */
static const char *needed_word(enum plan_result result)
{
    return result == PLAN_RESULT_SKIPPED ? NULL : plan_result_word(result);
}

/* Each objective in each case that was run, with the 95 % interval of its mean. */
static void print_objectives(const struct plan_state *state, const struct plan_candidate *of,
                             FILE *out)
{
    const char *gap = "";
    fputs("\"objectives\": [", out);
    for (uint32_t k = 0; of->states != NULL && k < of->cases->count; k++)
        for (uint32_t i = 0; i < of->states[k].asked_count && of->states[k].count > 0; i++) {
            const struct expectation *asked = &of->states[k].asked[i];
            const bool mean = plan_is_mean(asked);
            const struct plan_estimate found = plan_estimate(&of->states[k], i);
            fprintf(out, "%s{", gap);
            text_member(out, "slo", asked->text, ", ");
            text_member(out, "failure", of->cases->cases[k].name, ", ");
            real_member(out, "mean", mean, found.mean, ", ");
            real_member(out, "low", mean && found.half >= 0, found.mean - found.half, ", ");
            real_member(out, "high", mean && found.half >= 0, found.mean + found.half, ", ");
            fprintf(out, "\"within_tolerance\": %s, \"runs\": %u, ",
                    !mean                                                     ? "null"
                    : plan_is_near(state, plan_mean_slack(&of->states[k], i)) ? "true"
                                                                              : "false",
                    (unsigned)found.runs);
            text_member(out, "case_result", needed_word(plan_result_of(of->states[k].verdict)),
                        "}");
            gap = ", ";
        }
    fputs("], ", out);
}

static void print_candidate(const struct plan_state *state, uint32_t index, FILE *out)
{
    const struct plan_candidate *of = &state->candidates[index];
    const struct grid *grid = &state->plan->grid;
    fputs("    {", out);
    text_member(out, "name", of->cell->name, ", ");
    text_member(out, "label", of->cell->label, ", \"values\": {");
    for (uint32_t i = 0; i < grid->axis_count; i++)
        text_member(out, grid->axes[i].as, grid->axes[i].values[of->cell->at[i]],
                    i + 1 < grid->axis_count ? ", " : "}, ");
    text_member(out, "verdict", plan_verdict_word(of->verdict), ", ");
    held_member(plan_result_of(of->verdict), out);
    text_member(out, "result", needed_word(plan_result_of(of->verdict)), ", ");
    print_objectives(state, of, out);
    text_member(out, "why",
                of->verdict == PLAN_VERDICT_IMPLIED ? state->candidates[of->bound_by].cell->name
                                                    : of->why,
                ", ");
    text_member(out, "bottleneck", of->limit, ", ");
    cost_members(state, of, out);
    fprintf(out, ", \"front\": %s, ", of->front ? "true" : "false");
    print_measures(state, of, out);
    print_command(state, index, out);
    fputs("}", out);
}

static void print_axes(const struct plan_state *state, FILE *out)
{
    static const char *const words[] = {NULL, "higher", "lower"};
    const struct grid *grid = &state->plan->grid;
    fputs("  \"axes\": [", out);
    for (uint32_t i = 0; i < grid->axis_count; i++) {
        fputs(i == 0 ? "{" : ", {", out);
        text_member(out, "path", grid->axes[i].path, ", ");
        text_member(out, "as", grid->axes[i].as, ", ");
        text_member(out, "better", words[grid->axes[i].better], ", \"monotone\": ");
        fputs(grid->axes[i].better == GRID_BETTER_UNKNOWN ? "null}"
              : state->odd[i]                             ? "false}"
                                                          : "true}",
              out);
    }
    fputs("],\n", out);
}

/* Results of runs beyond the cliff; `steps`: by how many values it passes further or less far. */
static void print_moves(const struct plan_state *state, uint32_t index, FILE *out)
{
    const struct plan_cliff *cliff = &state->cliffs[index];
    const struct grid_axis *axis = &state->plan->cliffs[index].axes[0];
    const char *gap = "";
    for (uint32_t i = 0; i < state->lever_count && cliff->ends; i++) {
        const struct plan_move *move = plan_cliff_move(state, index, i);
        struct plan_lever lever;
        if (!plan_cliff_lever(state, i, &lever))
            continue;
        fprintf(out, "%s{", gap);
        text_member(out, "path", lever.path, ", ");
        text_member(out, "value", lever.value, ", ");
        const bool ends = move->played && move->ends;
        fprintf(out, "\"played\": %s, \"steps\": %d, ", move->played ? "true" : "false",
                plan_cliff_steps(state, index, i));
        text_member(out, "holds_to",
                    move->played && move->holds > 0 ? axis->values[move->holds - 1] : NULL, ", ");
        text_member(out, "breaks_at", ends ? axis->values[move->holds] : NULL, ", ");
        text_member(out, "why", ends ? state->candidates[move->first + move->holds].why : NULL,
                    "}");
        gap = ", ";
    }
}

static void print_cliff(const struct plan_state *state, uint32_t index, FILE *out)
{
    const struct plan_cliff *cliff = &state->cliffs[index];
    const struct grid_axis *axis = &state->plan->cliffs[index].axes[0];
    fputs("    {", out);
    text_member(out, "path", axis->path, ", ");
    text_member(out, "as", axis->as, ", ");
    text_member(out, "holds_to", cliff->holds > 0 ? axis->values[cliff->holds - 1] : NULL, ", ");
    text_member(out, "breaks_at", cliff->ends ? axis->values[cliff->holds] : NULL,
                ", \"points\": [");
    for (uint32_t i = 0; i < cliff->holds + cliff->ends; i++) {
        const struct plan_candidate *point = &state->candidates[cliff->first + i];
        fputs(i == 0 ? "{" : ", {", out);
        text_member(out, "value", axis->values[i], ", ");
        text_member(out, "verdict", plan_verdict_word(point->verdict), ", ");
        text_member(out, "why", point->why, ", ");
        text_member(out, "bottleneck", point->limit, ", ");
        real_member(out, "headroom", point->measured, point->headroom, "}");
    }
    fputs("], \"moved_by\": [", out);
    print_moves(state, index, out);
    fputs("]}", out);
}

static void print_cliffs(const struct plan_state *state, FILE *out)
{
    const uint32_t count = state->proven ? state->plan->cliff_count : 0;
    fputs("  \"cliff\": [", out);
    for (uint32_t i = 0; i < count; i++) {
        fputs(i == 0 ? "\n" : ",\n", out);
        print_cliff(state, i, out);
    }
    fputs("],\n", out);
}

/* The result of the whole plan. */
static void print_result(const struct plan_state *state, FILE *out)
{
    uint32_t counts[PLAN_RESULT_COUNT];
    plan_count_results(state, counts);
    fputs("  ", out);
    text_member(out, "result", plan_result_word(plan_result(state)), ",\n  ");
    fprintf(out, "\"pass\": %u,\n  \"fail\": %u,\n  \"undecided\": %u,\n  ",
            (unsigned)counts[PLAN_RESULT_PASS], (unsigned)counts[PLAN_RESULT_FAIL],
            (unsigned)counts[PLAN_RESULT_UNDECIDED]);
    real_member(out, "error_probability", true, plan_error(state), ",\n");
}

void plan_json(const struct plan_state *state, FILE *out)
{
    static const char *const objectives[] = {
#define X(name, word) word,
        PLAN_OBJECTIVES(X)
#undef X
    };
    struct arena arena = {0};
    const char *gap = "";
    json_open(out);
    text_member(out, "plan", state->plan->grid.name, ",\n  ");
    text_member(out, "scenario", state->plan->grid.scenario, ",\n  ");
    text_member(out, "objective", objectives[state->plan->rules.objective], ",\n  ");
    text_member(out, "currency", state->plan->has_prices ? state->plan->prices.currency : NULL,
                ",\n");
    print_result(state, out);
    print_chosen(state, out, &arena);
    fprintf(out, "  \"proven\": %s,\n  \"stopped\": %s,\n  \"budget_spent\": %s,\n",
            state->proven ? "true" : "false", state->stopped ? "true" : "false",
            state->spent ? "true" : "false");
    fprintf(out,
            "  \"left\": %" PRIu32 ",\n  \"runs\": %" PRId64 ",\n  \"events\": %" PRId64
            ",\n  \"packet_hops\": %" PRId64 ",\n",
            plan_open(state), state->runs, state->events, state->packet_hops);
    print_axes(state, out);
    fputs("  \"candidates\": [\n", out);
    for (uint32_t i = 0; i < state->count; i++) {
        print_candidate(state, i, out);
        fputs(i + 1 < state->count ? ",\n" : "\n", out);
    }
    fputs("  ],\n", out);
    print_cliffs(state, out);
    plan_assumed_json(state, out);
    print_unmodelled(out);
    fputs("  \"front\": [", out);
    for (uint32_t i = 0; i < state->count; i++)
        if (state->candidates[i].front) {
            fputs(gap, out);
            json_string(out, state->candidates[i].cell->name);
            gap = ", ";
        }
    fputs("]\n}\n", out);
    arena_free(&arena);
}
