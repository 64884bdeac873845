/* SPDX-License-Identifier: Apache-2.0
 * plan_versus - two designs side by side, as text, JSON and CSV. */
#include "replay/plan/plan_versus.h"

#include "base/memory.h"
#include "base/plural.h"
#include "base/quantity.h"
#include "replay/plan/plan_answer.h"
#include "reports/plan/plan_report.h"
#include "reports/text/csv.h"
#include "reports/text/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const char *const names[PLAN_VERSUS_SIDES] = {"A", "B"};

static const struct plan_candidate *design_of(const struct plan_versus *versus, int side)
{
    return &versus->states[side]->candidates[versus->designs[side]];
}

static const char *case_of(const struct plan_versus *versus, const struct plan_versus_case *of)
{
    return design_of(versus, 0)->cases->cases[of->of[0]].name;
}

static bool both_priced(const struct plan_versus *versus)
{
    return versus->states[0]->plan->has_prices && versus->states[1]->plan->has_prices;
}

/* ------------------------------------------------------------------ text */

static void print_design(const struct plan_versus *versus, int side, FILE *out)
{
    const struct plan_state *state = versus->states[side];
    const struct plan_candidate *mine = design_of(versus, side);
    fprintf(out, "  %s  %s of %s: %s%s%s\n", names[side], mine->cell->label, state->plan->grid.name,
            plan_result_word(plan_result_of(mine->verdict)), mine->why[0] == '\0' ? "" : ", ",
            mine->why);
    fputs("     ", out);
    plan_command(state, versus->designs[side], 0, out);
    fputc('\n', out);
}

static void print_cost(const char *what, int64_t first, int64_t second, FILE *out)
{
    const int64_t apart = second - first;
    fprintf(out, "  %-32s%14s%14s", what, words_count(first).text, words_count(second).text);
    fprintf(out, "%2s%s", apart > 0 ? "+" : "", words_count(apart).text);
    if (first > 0 && apart != 0)
        fprintf(out, " (%+.3g%%)", 100 * (double)apart / (double)first);
    fputc('\n', out);
}

static void print_costs(const struct plan_versus *versus, FILE *out)
{
    const struct prices_bill *first = &design_of(versus, 0)->bill;
    const struct prices_bill *second = &design_of(versus, 1)->bill;
    char price[24];
    if (!both_priced(versus))
        return;
    snprintf(price, sizeof price, "price, %.8s", versus->states[0]->plan->prices.currency);
    print_cost(price, first->price / QUANTITY_DECIMAL_ONE, second->price / QUANTITY_DECIMAL_ONE,
               out);
    print_cost("power, W", first->power / QUANTITY_DECIMAL_ONE,
               second->power / QUANTITY_DECIMAL_ONE, out);
    print_cost("rack units", first->rack_units, second->rack_units, out);
}

/* Measures that are absent in both, such as pauses without any, are omitted. */
static bool is_there(const struct plan_difference *found)
{
    return fabs(found->means[0]) > 0 || fabs(found->means[1]) > 0;
}

static void print_difference(const struct plan_versus *versus, const struct plan_difference *found,
                             FILE *out)
{
    char name[PLAN_MEASURE_BYTES], apart[PLAN_MEASURE_BYTES];
    plan_measure_name(found->measure, versus->states[0]->workloads, name);
    plan_answer_signed(found->measure, found->mean, apart);
    fprintf(out, "  %-32s%14s%14s", name, plan_measure_words(found->measure, found->means[0]).text,
            plan_measure_words(found->measure, found->means[1]).text);
    fprintf(out, "  %s +- %s", apart, plan_measure_words(found->measure, found->half).text);
    if (!found->differs)
        fputs("  no significant difference", out);
    else if (found->means[0] > 0)
        fprintf(out, "  %+.3g%%", 100 * found->mean / found->means[0]);
    fputc('\n', out);
}

static void print_case(const struct plan_versus *versus, const struct plan_versus_case *of,
                       FILE *out)
{
    const char *failure = case_of(versus, of);
    fprintf(out, "\n%s%s\n", *failure == '\0' ? "Without failures" : "With ", failure);
    if (of->count == 0)
        fprintf(out, "  not compared: %s\n", of->why);
    for (uint32_t i = 0; i < of->count; i++)
        if (is_there(&of->differences[i]))
            print_difference(versus, &of->differences[i], out);
}

void plan_versus_text(const struct plan_versus *versus, FILE *out)
{
    fprintf(out, "%s and %s\n", versus->states[0]->plan->grid.name,
            versus->states[1]->plan->grid.name);
    if (versus->why[0] != '\0') {
        fprintf(out, "  not compared: %s\n", versus->why);
        return;
    }
    for (int i = 0; i < PLAN_VERSUS_SIDES; i++)
        print_design(versus, i, out);
    if (versus->unlike[0] != '\0')
        fprintf(out, "  Their loads differ: %s\n", versus->unlike);
    if (!versus->played) {
        fputs("  not compared: stopped before the runs of both were complete\n", out);
        return;
    }
    fprintf(
        out,
        "  %u %s, the same for both; differences are means of paired runs, with 95%% confidence "
        "intervals\n\n  %-32s%14s%14s  B - A\n",
        (unsigned)versus->seeds, plural(versus->seeds, "seed", "seeds"), "", "A", "B");
    print_costs(versus, out);
    for (uint32_t i = 0; i < versus->count; i++)
        print_case(versus, &versus->cases[i], out);
}

/* ------------------------------------------------------------------ JSON */

static void json_design(const struct plan_versus *versus, int side, FILE *out)
{
    const struct plan_state *state = versus->states[side];
    const struct plan_candidate *mine = design_of(versus, side);
    const bool priced = state->plan->has_prices;
    char *command = NULL;
    size_t length = 0;
    FILE *stream = memory_stream(&command, &length);
    plan_command(state, versus->designs[side], 0, stream);
    memory_stream_end(stream);
    fputs("    {", out);
    plan_text_member(out, "plan", state->plan->grid.name);
    plan_text_member(out, "scenario", state->plan->grid.scenario);
    plan_text_member(out, "name", mine->cell->name);
    plan_text_member(out, "verdict", plan_verdict_word(mine->verdict));
    plan_text_member(out, "result", plan_result_word(plan_result_of(mine->verdict)));
    plan_text_member(out, "why", mine->why);
    plan_real_member(out, "cost", priced, (double)mine->bill.price / QUANTITY_DECIMAL_ONE);
    plan_real_member(out, "power_w", priced, (double)mine->bill.power / QUANTITY_DECIMAL_ONE);
    plan_real_member(out, "rack_units", priced, (double)mine->bill.rack_units);
    fputs("\"command\": ", out);
    json_string(out, command);
    fputs("}", out);
    free(command);
}

static void json_difference(const struct plan_versus *versus, const struct plan_versus_case *of,
                            const struct plan_difference *found, FILE *out)
{
    char name[PLAN_MEASURE_BYTES];
    plan_measure_name(found->measure, versus->states[0]->workloads, name);
    fputs("    {", out);
    plan_text_member(out, "failure", case_of(versus, of));
    plan_text_member(out, "measure", name);
    plan_text_member(out, "unit", plan_measure_unit(found->measure));
    plan_real_member(out, "a", true, found->means[0]);
    plan_real_member(out, "b", true, found->means[1]);
    plan_real_member(out, "difference", true, found->mean);
    plan_real_member(out, "half", true, found->half);
    fprintf(out, "\"differs\": %s}", found->differs ? "true" : "false");
}

void plan_versus_json(const struct plan_versus *versus, FILE *out)
{
    const char *gap = "\n";
    json_open(out);
    plan_text_member(out, "why", versus->why);
    plan_text_member(out, "unlike", versus->unlike);
    fprintf(out, "\"seeds\": %u,\n  \"designs\": [", (unsigned)versus->seeds);
    for (int i = 0; i < PLAN_VERSUS_SIDES && versus->why[0] == '\0'; i++) {
        fputs(i == 0 ? "\n" : ",\n", out);
        json_design(versus, i, out);
    }
    fputs("],\n  \"differences\": [", out);
    for (uint32_t i = 0; i < versus->count; i++)
        for (uint32_t k = 0; k < versus->cases[i].count; k++) {
            fputs(gap, out);
            json_difference(versus, &versus->cases[i], &versus->cases[i].differences[k], out);
            gap = ",\n";
        }
    fputs("]\n}\n", out);
}

/* ------------------------------------------------------------------ CSV */

void plan_versus_csv(const struct plan_versus *versus, FILE *out)
{
    struct csv csv;
    csv_table(&csv, out, "failure,measure,unit,a,b,difference,half,differs");
    for (uint32_t i = 0; i < versus->count; i++)
        for (uint32_t k = 0; k < versus->cases[i].count; k++) {
            const struct plan_difference *found = &versus->cases[i].differences[k];
            char name[PLAN_MEASURE_BYTES];
            plan_measure_name(found->measure, versus->states[0]->workloads, name);
            csv_text(&csv, case_of(versus, &versus->cases[i]));
            csv_text(&csv, name);
            csv_text(&csv, plan_measure_unit(found->measure));
            csv_real(&csv, found->means[0]);
            csv_real(&csv, found->means[1]);
            csv_real(&csv, found->mean);
            csv_real(&csv, found->half);
            csv_boolean(&csv, found->differs);
            csv_end_row(&csv);
        }
}
