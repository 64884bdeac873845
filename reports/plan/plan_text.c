/* SPDX-License-Identifier: Apache-2.0
 * plan_text - the answer as text. */
#include "base/memory.h"
#include "base/plural.h"
#include "base/quantity.h"
#include "replay/database/words.h"
#include "reports/plan/plan_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OTHERS_TOLD = 12, FRONT_SHOWN = 20 };

static const struct plan_candidate *chosen_of(const struct plan_state *state)
{
    return state->chosen < 0 ? NULL : &state->candidates[state->chosen];
}

/* ------------------------------------------------------------------ sections */

static void print_cost(const struct plan_state *state, const struct plan_candidate *candidate,
                       FILE *out)
{
    if (!state->plan->has_prices)
        return;
    const struct prices_bill *bill = &candidate->bill;
    fprintf(out, "%s %s", state->plan->prices.currency,
            words_count(bill->price / QUANTITY_DECIMAL_ONE).text);
    if (bill->power > 0)
        fprintf(out, ", %s W", words_count(bill->power / QUANTITY_DECIMAL_ONE).text);
    if (bill->rack_units > 0)
        fprintf(out, ", %" PRId64 " rack unit%s", bill->rack_units,
                plural(bill->rack_units, "", "s"));
}

/* The reason why the plan stopped early, and how to continue. */
static void print_end(const struct plan_state *state, FILE *out)
{
    const uint32_t open = plan_open(state);
    const char *known =
        state->proven || open == 0 ? "after the answer was known" : "before the answer was known";
    if (state->stopped)
        fprintf(out, "  stopped %s\n", known);
    if (state->late)
        fprintf(out, "  the time budget of %s ran out %s\n",
                words_time(state->plan->most_time).text, known);
    else if (state->spent)
        fprintf(out, "  the budget of %s %s ran out %s\n",
                words_count(state->plan->rules.most_runs).text,
                plural(state->plan->rules.most_runs, "run", "runs"), known);
    if ((state->stopped || state->spent) && !state->proven && open > 0)
        fprintf(out, "  %s candidate%s undecided; continue with --resume%s\n",
                words_count(open).text, plural(open, " is", "s are"),
                state->spent ? " and a larger budget" : "");
}

/* "6 candidates: 1 pass, 3 fail, 0 undecided, 2 not needed". */
static void print_results(const struct plan_state *state, FILE *out)
{
    static const enum plan_result order[] = {PLAN_RESULT_PASS, PLAN_RESULT_FAIL,
                                             PLAN_RESULT_UNDECIDED, PLAN_RESULT_SKIPPED};
    uint32_t counts[PLAN_RESULT_COUNT];
    const char *gap = ":";
    plan_count_results(state, counts);
    fprintf(out, "  %s %s", words_count(state->count).text,
            plural(state->count, "candidate", "candidates"));
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (order[i] == PLAN_RESULT_SKIPPED && counts[order[i]] == 0)
            continue;
        fprintf(out, "%s %u %s", gap, (unsigned)counts[order[i]], plan_result_word(order[i]));
        gap = ",";
    }
    fputc('\n', out);
}

static void print_verdicts(const struct plan_state *state, FILE *out)
{
    uint32_t by[PLAN_VERDICT_COUNT] = {0};
    const char *gap = "    ";
    for (uint32_t i = 0; i < state->count; i++)
        by[state->candidates[i].verdict]++;
    for (int i = 0; i < PLAN_VERDICT_COUNT; i++)
        if (by[i] > 0) {
            fprintf(out, "%s%u %s", gap, (unsigned)by[i], plan_verdict_many((enum plan_verdict)i));
            gap = ", ";
        }
    fputc('\n', out);
}

static void print_head(const struct plan_state *state, FILE *out)
{
    fprintf(out, "%s  %s\n", state->plan->grid.name, state->plan->grid.about);
    print_results(state, out);
    print_verdicts(state, out);
    fprintf(out, "  %s %s, %s %s; probability of a wrong answer at most %.3g%%\n",
            words_count(state->runs).text, plural(state->runs, "run", "runs"),
            words_count(state->packet_hops).text,
            plural(state->packet_hops, "packet-hop", "packet-hops"), 100 * plan_error(state));
    print_end(state, out);
}

static void print_odd_axes(const struct plan_state *state, FILE *out)
{
    const struct grid *grid = &state->plan->grid;
    for (uint32_t i = 0; i < grid->axis_count; i++)
        if (state->odd[i])
            fprintf(out,
                    "Not monotone    %s: %s has better results than %s, so this axis is not used "
                    "to rule out candidates\n",
                    grid->axes[i].path, state->candidates[state->odd_by[i][0]].cell->label,
                    state->candidates[state->odd_by[i][1]].cell->label);
}

/* Each objective in the case in which it is closest to its limit. */
static void print_objectives(const struct plan_state *state, const struct plan_candidate *candidate,
                             FILE *out)
{
    for (uint32_t i = 0; i < state->plan->slo_count; i++) {
        const struct expectation *asked = &candidate->states[0].asked[i];
        const uint32_t worst = plan_nearest_case(candidate, i);
        fprintf(out, "  %-40s", asked->text);
        if (!plan_is_mean(asked)) {
            fprintf(out, "  met in every run\n");
            continue;
        }
        const struct plan_estimate found = plan_estimate(&candidate->states[worst], i);
        const char *name = candidate->cases->cases[worst].name;
        const double slack = plan_mean_slack(&candidate->states[worst], i);
        fprintf(
            out, "  %s, %s%s%s\n", found.text,
            plan_room(plan_tolerance(state), slack, plan_headroom(asked, found.mean), true).text,
            *name == '\0' ? "" : "; with ", name);
    }
}

static void print_bill(const struct plan_state *state, const struct plan_candidate *candidate,
                       FILE *out)
{
    const struct prices *prices = &state->plan->prices;
    if (!state->plan->has_prices)
        return;
    fprintf(out, "\nBill of materials for %s, in %s%s%s%s%s\n", candidate->cell->label,
            prices->currency, *prices->date == '\0' ? "" : "; prices of ", prices->date,
            *prices->source == '\0' ? "" : ", ", prices->source);
    for (size_t i = 0; i < prices->count; i++) {
        char text[PLAN_NAME_BYTES];
        const uint32_t count = candidate->bill.counts[i];
        prices_part_text(&prices->parts[i], text, sizeof text);
        if (count > 0)
            fprintf(out, "  %6u  %-36s %12s each %14s\n", (unsigned)count, text,
                    words_count(prices->parts[i].price / QUANTITY_DECIMAL_ONE).text,
                    words_count(prices->parts[i].price * count / QUANTITY_DECIMAL_ONE).text);
    }
    fprintf(out, "  %6s  %-36s %12s      %14s\n", "", "Total", "",
            words_count(candidate->bill.price / QUANTITY_DECIMAL_ONE).text);
}

/* "oversubscription 1.5:1; 6 switches with 60 ports in use, at most 15 on one switch; ..." */
static void print_facts(const struct plan_facts *facts, FILE *out)
{
    fputs("  ", out);
    if (facts->oversubscription > 0)
        fprintf(out, "oversubscription %.4g:1; ", (double)facts->oversubscription / 1000);
    fprintf(out,
            "%u switch%s with %u %s in use, at most %u on one switch; %u %s to hosts, %u between "
            "switches\n",
            (unsigned)facts->switches, plural(facts->switches, "", "es"),
            (unsigned)facts->ports_used, plural(facts->ports_used, "port", "ports"),
            (unsigned)facts->ports_most, (unsigned)facts->host_cables,
            plural(facts->host_cables, "cable", "cables"), (unsigned)facts->fabric_cables);
}

/* The failures during the run, and how long outstanding operations then have to finish. */
static void print_horizon(const struct plan_state *state, const struct plan_horizon *horizon,
                          FILE *out)
{
    const char *gap = "  failures during the run: ";
    if (horizon == NULL)
        return;
    for (uint32_t i = 0; i < state->plan->failure_count; i++) {
        const struct plan_failure *failure = &state->plan->failures[i];
        if (failure->at == NULL)
            continue;
        fprintf(out, "%s%s at %s", gap, failure->name, failure->at);
        gap = ", ";
    }
    fprintf(out, " of %s; outstanding operations then have up to %s to finish (%s)\n",
            words_time(horizon->run).text, words_time(horizon->wait).text, horizon->timers);
}

static void print_unmodelled(FILE *out)
{
    fputs("\nNot modeled (complete list: docs/model.md)\n", out);
    for (size_t i = 0; plan_unmodelled[i] != NULL; i++)
        fprintf(out, "  %s\n", plan_unmodelled[i]);
}

static void print_chosen(const struct plan_state *state, FILE *out)
{
    const struct plan_candidate *candidate = chosen_of(state);
    if (candidate == NULL) {
        fprintf(out, "\nNo candidate chosen: %s\n",
                plan_result(state) == PLAN_RESULT_FAIL
                    ? "every candidate fails"
                    : "no candidate passes yet, but some are undecided");
        return;
    }
    fprintf(out, "\nChosen          %s", candidate->cell->label);
    fputs(state->plan->has_prices ? "  " : "", out);
    print_cost(state, candidate, out);
    fprintf(out, "%s\n",
            state->proven ? "" : "  (the best so far: other candidates are undecided)");
    for (uint32_t i = 0; i < candidate->cell->set_count; i++)
        fprintf(out, "  %s\n", candidate->cell->sets[i]);
    print_objectives(state, candidate, out);
    print_facts(&candidate->facts, out);
    print_horizon(state, candidate->horizon, out);
    fputs("  Run its hardest case: ", out);
    plan_command(state, (uint32_t)state->chosen, candidate->least_case, out);
    fputs("\n  Save it as a scenario: ", out);
    plan_export_command(state, (uint32_t)state->chosen, out);
    fprintf(out, "\n  Draw that scenario: stormglass draw %.100s.yaml -o %.100s.svg\n",
            candidate->cell->name, candidate->cell->name);
}

/* ------------------------------------------------------------------ other candidates */

static void print_one(const struct plan_state *state, uint32_t index, FILE *out)
{
    const struct plan_candidate *candidate = &state->candidates[index];
    fprintf(out, "  %s%s", candidate->cell->label, state->plan->has_prices ? " (" : "");
    print_cost(state, candidate, out);
    fprintf(out, "%s: %s\n", state->plan->has_prices ? ")" : "",
            plan_result_word(plan_result_of(candidate->verdict)));
    if (candidate->verdict == PLAN_VERDICT_IMPLIED)
        fprintf(out, "      not run: %s fails, although it is at least as good on every axis\n",
                state->candidates[candidate->bound_by].cell->label);
    else
        fprintf(out, "      %s\n",
                candidate->why[0] != '\0' ? candidate->why
                                          : plan_verdict_about(candidate->verdict));
    if (candidate->limit[0] != '\0')
        fprintf(out, "      %s\n", candidate->limit);
    if (candidate->verdict == PLAN_VERDICT_DIED) {
        fputs("      ", out);
        plan_command(state, index, candidate->decided_by, out);
        fputc('\n', out);
    }
}

static bool is_told(const struct plan_state *state, const uint32_t *order, uint32_t at)
{
    const enum plan_result result = plan_result_of(state->candidates[order[at]].verdict);
    return result == PLAN_RESULT_FAIL || result == PLAN_RESULT_UNDECIDED;
}

/* True if a cheaper candidate fails for the same reason. */
static bool is_alike(const struct plan_state *state, const uint32_t *order, uint32_t at)
{
    const struct plan_candidate *mine = &state->candidates[order[at]];
    for (uint32_t i = 0; i < at && mine->why[0] != '\0'; i++) {
        const struct plan_candidate *other = &state->candidates[order[i]];
        if (is_told(state, order, i) && other->verdict == mine->verdict &&
            strcmp(other->why, mine->why) == 0)
            return true;
    }
    return false;
}

/* Candidates that fail or are undecided, cheapest first; each reason once. */
static void print_others(const struct plan_state *state, FILE *out)
{
    uint32_t *order = memory_zeroed(state->count, sizeof *order), told = 0, left = 0, alike = 0;
    for (uint32_t i = 0; i < state->count; i++)
        order[i] = i;
    plan_sort(state, order, state->count);
    for (uint32_t i = 0; i < state->count; i++) {
        if (!is_told(state, order, i))
            continue;
        if (told + alike == 0)
            fprintf(out, "\n%s\n",
                    state->chosen < 0 ? "Why none was chosen" : "Why the others were not chosen");
        if (is_alike(state, order, i))
            alike++;
        else if (told++ < OTHERS_TOLD)
            print_one(state, order[i], out);
        else
            left++;
    }
    if (alike > 0)
        fprintf(out, "  %u more %s; the %s %s listed above\n", (unsigned)alike,
                plural(alike, "candidate", "candidates"), plural(alike, "reason", "reasons"),
                plural(alike, "is", "are"));
    if (left > 0)
        fprintf(out, "  ... and %u more %s (--json lists all)\n", (unsigned)left,
                plural(left, "candidate", "candidates"));
    free(order);
}

static void print_front(const struct plan_state *state, FILE *out)
{
    uint32_t count = 0, shown = 0;
    for (uint32_t i = 0; i < state->count; i++)
        count += state->candidates[i].front;
    if (count < 2)
        return;
    fprintf(out, "\nPareto front in price, power and headroom\n");
    for (uint32_t i = 0; i < state->count && shown < FRONT_SHOWN; i++) {
        const struct plan_candidate *candidate = &state->candidates[i];
        if (!candidate->front)
            continue;
        fprintf(out, "  %-28s ", candidate->cell->label);
        print_cost(state, candidate, out);
        const char *gap = state->plan->has_prices ? ", " : "";
        if (candidate->headroom < 0) /* it passes, so it is within the tolerance */
            fprintf(out, "%swithin the tolerance of %.3g%%\n", gap, 100 * plan_tolerance(state));
        else
            fprintf(out, "%sheadroom %.3g%%\n", gap, 100 * candidate->headroom);
        shown++;
    }
}

/* True if the same value fails for the same reason as without the change. */
static bool is_as_before(const struct plan_state *state, uint32_t index,
                         const struct plan_move *move)
{
    const struct plan_cliff *cliff = &state->cliffs[index];
    const char *before = state->candidates[cliff->first + cliff->holds].why;
    return move->holds == cliff->holds &&
           strcmp(state->candidates[move->first + move->holds].why, before) == 0;
}

/* "with fabric.switch.buffer=64MB: passes up to 5km, fails at 10km", "with ...: fails already at
 * ... (why)", "...: still fails at ... (why)". */
static void print_move(const struct plan_state *state, uint32_t index, uint32_t number, FILE *out)
{
    const struct grid_axis *axis = &state->plan->cliffs[index].axes[0];
    const struct plan_move *move = plan_cliff_move(state, index, number);
    struct plan_lever lever;
    if (!move->played || is_as_before(state, index, move) ||
        !plan_cliff_lever(state, number, &lever))
        return;
    const int32_t steps = plan_cliff_steps(state, index, number);
    const char *why = state->candidates[move->first + move->holds].why;
    fprintf(out, "      with %s=%s: ", lever.path, lever.value);
    if (steps == 0)
        fprintf(out, "still fails at %s (%s)\n", axis->values[move->holds], why);
    else if (!move->ends)
        fprintf(out, "passes up to %s, the highest value of the plan\n",
                axis->values[move->holds - 1]);
    else if (move->holds > 0)
        fprintf(out, "passes up to %s, fails at %s\n", axis->values[move->holds - 1],
                axis->values[move->holds]);
    else
        fprintf(out, "fails already at %s (%s)\n", axis->values[0], why);
}

/* Changes without effect share one line. */
static void print_moves(const struct plan_state *state, uint32_t index, FILE *out)
{
    const char *gap = "      the limit stays the same with ";
    struct plan_lever lever;
    for (uint32_t i = 0; i < state->lever_count; i++)
        print_move(state, index, i, out);
    for (uint32_t i = 0; i < state->lever_count; i++) {
        const struct plan_move *move = plan_cliff_move(state, index, i);
        if (!move->played || !is_as_before(state, index, move) ||
            !plan_cliff_lever(state, i, &lever))
            continue;
        fprintf(out, "%s%s=%s", gap, lever.path, lever.value);
        gap = ", ";
    }
    if (*gap == ',')
        fputc('\n', out);
}

/* The last value that passes, and the reason why the next one fails. */
static void print_cliffs(const struct plan_state *state, FILE *out)
{
    const struct plan *plan = state->plan;
    for (uint32_t i = 0; i < plan->cliff_count && state->proven; i++) {
        const struct plan_cliff *cliff = &state->cliffs[i];
        const struct grid_axis *axis = &plan->cliffs[i].axes[0];
        if (i == 0)
            fprintf(out, "\nLimits of %s: one value rises until an objective fails\n",
                    chosen_of(state)->cell->label);
        fprintf(out, "  %-40s ", axis->path);
        if (cliff->holds == 0)
            fprintf(out, "fails already at %s\n", axis->values[0]);
        else if (!cliff->ends)
            fprintf(out, "passes up to %s, the highest value of the plan\n",
                    axis->values[cliff->count - 1]);
        else if (state->candidates[cliff->first + cliff->holds].verdict == PLAN_VERDICT_OPEN)
            fprintf(out, "passes up to %s; higher values were not run\n",
                    axis->values[cliff->holds - 1]);
        else
            fprintf(out, "passes up to %s, fails at %s\n", axis->values[cliff->holds - 1],
                    axis->values[cliff->holds]);
        if (!cliff->ends)
            continue;
        const struct plan_candidate *point = &state->candidates[cliff->first + cliff->holds];
        fprintf(out, "      %s\n",
                point->why[0] != '\0' ? point->why : plan_verdict_about(point->verdict));
        if (point->limit[0] != '\0')
            fprintf(out, "      %s\n", point->limit);
        print_moves(state, i, out);
    }
}

void plan_text(const struct plan_state *state, bool table, FILE *out)
{
    print_head(state, out);
    if (table)
        plan_table(state, out);
    print_odd_axes(state, out);
    print_chosen(state, out);
    print_others(state, out);
    print_front(state, out);
    print_cliffs(state, out);
    plan_assumed_text(state, out);
    if (chosen_of(state) != NULL)
        print_bill(state, chosen_of(state), out);
    print_unmodelled(out);
}
