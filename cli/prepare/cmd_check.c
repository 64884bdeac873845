/* SPDX-License-Identifier: Apache-2.0
 * cmd_check - stormglass check. */
#include "base/memory.h"
#include "base/plural.h"
#include "cli/cli.h"
#include "replay/plan/plan_search.h"
#include "reports/text/csv.h"
#include "reports/text/json_members.h"
#include "scenarios/agreement/agreements.h"
#include "scenarios/check/check.h"
#include "scenarios/format/filekind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option check_options[] = {
    {"seed", 0, "N", "seed (default: the scenario's)"},
    {"set", 0, "PATH=VALUE", "change one value of the scenarios; repeatable"},
    {"agreements", 0, NULL, "count the settings that must agree on a path, for each transport"},
    {"strict", 0, NULL, "exit with code 1 also for warnings"},
    {"json", 0, NULL, "one JSON object with all findings instead of lines"},
    {"csv", 0, NULL, "one CSV row for each finding"},
    CLI_OPTION_QUIET,
    {0},
};

/* Findings in all files so far. */
struct found {
    struct json *json; /* NULL, as `csv`: lines of text */
    struct csv *csv;
    size_t findings, agreements;
    uint32_t errors, warnings, notes;
};

static const char *file_of(struct diag_place place, const char *name)
{
    return place.file == NULL ? name : place.file;
}

static void tell_places(struct found *found, size_t at, const char *name,
                        const struct check_finding *finding)
{
    char list[48], path[JSON_PATH_BYTES];
    snprintf(list, sizeof list, "findings[%zu].places", at);
    for (size_t i = 0; i < finding->count; i++) {
        const struct check_place *place = &finding->places[i];
        json_member(path, list, i, "name");
        if (place->name == NULL)
            json_null(found->json, path);
        else
            json_text(found->json, path, place->name);
        json_text(found->json, json_member(path, list, i, "file"), file_of(place->file, name));
        json_integer(found->json, json_member(path, list, i, "line"), place->file.line);
        json_integer(found->json, json_member(path, list, i, "column"), place->file.column);
    }
}

static void tell_remedy(struct found *found, size_t at, const struct remedy *remedy)
{
    char path[JSON_PATH_BYTES];
    if (remedy->text == NULL)
        return;
    json_text(found->json, json_member(path, "findings", at, "remedy"), remedy->text);
    if (remedy->set_count == 0)
        json_empty(found->json, json_member(path, "findings", at, "set"));
    for (size_t i = 0; i < remedy->set_count; i++) {
        snprintf(path, sizeof path, "findings[%zu].set[%zu]", at, i);
        json_text(found->json, path, remedy->sets[i]);
    }
}

static void tell_json(struct found *found, const char *name, const struct check_report *report)
{
    char path[JSON_PATH_BYTES];
    for (size_t i = 0; i < report->count; i++) {
        const struct check_finding *finding = &report->findings[i];
        const size_t at = found->findings++;
        const struct {
            const char *member, *text;
        } texts[] = {{"scenario", name},
                     {"level", diag_level_name(finding->level)},
                     {"text", finding->text},
                     {"file", file_of(finding->place, name)}};
        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
            json_text(found->json, json_member(path, "findings", at, texts[k].member),
                      texts[k].text);
        json_integer(found->json, json_member(path, "findings", at, "line"), finding->place.line);
        json_integer(found->json, json_member(path, "findings", at, "column"),
                     finding->place.column);
        if (finding->shown != NULL)
            json_text(found->json, json_member(path, "findings", at, "shown"), finding->shown);
        tell_remedy(found, at, &finding->remedy);
        json_text(found->json, json_member(path, "findings", at, "rule"), finding->rule);
        json_integer(found->json, json_member(path, "findings", at, "count"),
                     (int64_t)finding->count);
        tell_places(found, at, name, finding);
    }
}

static void tell_csv(const struct found *found, const char *name, const struct check_report *report)
{
    struct csv *csv = found->csv;
    for (size_t i = 0; i < report->count; i++) {
        const struct check_finding *finding = &report->findings[i];
        csv_text(csv, name);
        csv_text(csv, diag_level_name(finding->level));
        csv_text(csv, finding->rule);
        csv_text(csv, file_of(finding->place, name));
        csv_integer(csv, finding->place.line);
        csv_integer(csv, finding->place.column);
        csv_integer(csv, (int64_t)finding->count);
        csv_text(csv, finding->text);
        csv_text(csv, finding->remedy.text);
        csv_end_row(csv);
    }
}

/* Prints the report and frees it. */
static int print_report(const struct cli_args *args, const char *name, struct check_report *report,
                        struct found *found)
{
    if (found->json != NULL)
        tell_json(found, name, report);
    else if (found->csv != NULL)
        tell_csv(found, name, report);
    else
        check_print(report, stdout);
    if (found->json == NULL && found->csv == NULL && report->count == 0)
        printf("%s: no findings\n", strcmp(name, "-") == 0 ? "<stdin>" : name);
    found->errors += report->errors;
    found->warnings += report->warnings;
    found->notes += report->notes;
    const bool broken = report->errors > 0 || (cli_given(args, "strict") && report->warnings > 0);
    check_free(report);
    return broken ? CLI_BROKEN : CLI_DONE;
}

/* ------------------------------------------------------------------ agreements */

static void print_agreements(const struct agreements *all, size_t count)
{
    puts(count == 0 ? "No workload has a path." : "Settings that must agree on the longest path");
    for (size_t i = 0; i < count; i++) {
        const struct agreements *of = &all[i];
        printf("  %-10s  %zu %s in %u %s; %u %s on the path\n", of->transport, of->count,
               plural((int64_t)of->count, "setting", "settings"), of->values,
               plural(of->values, "place", "places"), of->switches,
               plural(of->switches, "switch", "switches"));
        for (size_t k = 0; k < of->count; k++)
            printf("    %6s.%-16s  set in %2u %s; %s must agree\n", of->settings[k].section,
                   of->settings[k].row->name, of->settings[k].values,
                   plural(of->settings[k].values, "place", "places"),
                   opt_agree_words(of->settings[k].row->agrees.at));
    }
}

static void tell_agreement(struct found *found, const char *name, const struct agreements *of)
{
    struct json *json = found->json;
    const size_t at = found->agreements++;
    char path[JSON_PATH_BYTES], list[48];
    json_text(json, json_member(path, "agreements", at, "scenario"), name);
    json_text(json, json_member(path, "agreements", at, "transport"), of->transport);
    json_integer(json, json_member(path, "agreements", at, "count"), (int64_t)of->count);
    json_integer(json, json_member(path, "agreements", at, "places"), of->values);
    json_integer(json, json_member(path, "agreements", at, "switches"), of->switches);
    snprintf(list, sizeof list, "agreements[%zu].settings", at);
    JSON_EACH(json, list, of->count)
    {
        const struct agreement *setting = &of->settings[i];
        json_text(json, json_member(path, list, i, "section"), setting->section);
        json_text(json, json_member(path, list, i, "name"), setting->row->name);
        json_text(json, json_member(path, list, i, "at"), opt_agree_words(setting->row->agrees.at));
        json_integer(json, json_member(path, list, i, "places"), setting->values);
    }
}

/* After the findings; --csv has no columns for them. */
static void count_agreements(const struct cli_args *args, const struct scenario *scenario,
                             const char *name, struct found *found)
{
    if (!cli_given(args, "agreements"))
        return;
    struct arena arena = {0};
    struct agreements *all;
    const size_t count = agreements_of(scenario, &arena, &all);
    if (found->json == NULL && found->csv == NULL)
        print_agreements(all, count);
    for (size_t i = 0; found->json != NULL && i < count; i++)
        tell_agreement(found, name, &all[i]);
    arena_free(&arena);
}

static int check_one(const struct cli_args *args, const char *name, struct found *found)
{
    struct scenario *scenario = cli_load_changed_as(args, name);
    if (scenario == NULL)
        return CLI_USAGE;
    struct check_report report;
    check_scenario(scenario, &report);
    const int code = print_report(args, name, &report, found);
    count_agreements(args, scenario, name, found);
    scenario_free(scenario);
    return code;
}

/* ------------------------------------------------------------------ plans */

static void add_finding(struct check_report *report, enum diag_level level,
                        const struct tree_node *at, const char *text)
{
    struct check_place *place = arena_array(&report->arena, 1, sizeof *place);
    *place = (struct check_place){.file = at->place};
    place->file.file = at->file->name;
    struct check_finding *finding = arena_push(&report->arena, (void **)(void *)&report->findings,
                                               &report->count, sizeof *report->findings);
    *finding = (struct check_finding){.level = level,
                                      .place = place->file,
                                      .text = text,
                                      .words = text,
                                      .rule = "plan",
                                      .places = place,
                                      .count = 1};
    report->errors += level == DIAG_ERROR;
    report->notes += level == DIAG_NOTE;
}

/* True if all candidates with this value of the axis are rejected. */
static bool is_refused_with(const struct plan_state *state, uint32_t axis, uint32_t value)
{
    for (uint32_t i = 0; i < state->count; i++)
        if (state->candidates[i].cell->at[axis] == value &&
            state->candidates[i].verdict != PLAN_VERDICT_REFUSED)
            return false;
    return true;
}

/* The value of the first axis for which all candidates are rejected; otherwise the list of axes. */
static const struct tree_node *refused_at(const struct plan_state *state, uint32_t index,
                                          struct arena *arena)
{
    const struct grid *grid = &state->plan->grid;
    const struct grid_cell *cell = state->candidates[index].cell;
    for (uint32_t i = 0; i < grid->axis_count; i++) {
        const struct grid_axis *axis = &grid->axes[i];
        const char *set = grid_axis_set(arena, axis, cell->at[i]);
        if (is_refused_with(state, i, cell->at[i]))
            return grid_origin_of(grid, set).value;
    }
    return grid->vary;
}

static uint32_t count_refused(const struct plan_state *state)
{
    uint32_t refused = 0;
    for (uint32_t i = 0; i < state->count; i++)
        refused += state->candidates[i].verdict == PLAN_VERDICT_REFUSED;
    return refused;
}

/* If all candidates are rejected, this is reported first and for the template, because no single
 * axis is the cause. */
static void find_in_plan(const struct plan_state *state, struct check_report *report)
{
    const struct grid *grid = &state->plan->grid;
    const uint32_t refused = count_refused(state);
    const bool none = refused == state->count;
    uint32_t cases = 0;
    if (none)
        add_finding(report, DIAG_ERROR, grid->template, "no candidate can meet the objectives");
    for (uint32_t i = 0; i < state->count; i++) {
        const struct plan_candidate *candidate = &state->candidates[i];
        cases += candidate->cases == NULL ? 0 : candidate->cases->count;
        if (candidate->verdict == PLAN_VERDICT_REFUSED)
            add_finding(report, DIAG_NOTE,
                        none ? grid->template : refused_at(state, i, &report->arena),
                        arena_format(&report->arena, "%s cannot pass: %s", candidate->cell->name,
                                     candidate->why));
    }
    add_finding(report, DIAG_NOTE, grid->vary,
                arena_format(&report->arena, "%u %s, of which %u cannot pass; %u %s",
                             (unsigned)state->count,
                             plural(state->count, "candidate", "candidates"), (unsigned)refused,
                             (unsigned)cases, plural(cases, "case", "cases")));
}

/* Checks that need no simulation: the plan, its candidates, and its template as a scenario. */
static int check_plan(const struct cli_args *args, const char *name, struct found *found)
{
    struct diag *diag = memory_new(sizeof *diag);
    struct plan_state state = {.count = 0};
    struct plan *plan = plan_load_file(name, diag);
    const bool well = plan != NULL && plan_search_open(&state, plan, diag);
    int code = CLI_USAGE;
    diag_print(diag, stderr);
    if (well) {
        struct check_report report = {.count = 0};
        code = check_one(args, plan->grid.scenario, found);
        find_in_plan(&state, &report);
        const int own = print_report(args, name, &report, found);
        code = own > code ? own : code;
    }
    plan_state_free(&state);
    plan_free(plan);
    free(diag);
    return code;
}

static void end_json(struct found *found)
{
    if (found->findings == 0)
        json_empty(found->json, "findings");
    json_integer(found->json, "errors", found->errors);
    json_integer(found->json, "warnings", found->warnings);
    json_integer(found->json, "notes", found->notes);
    json_end(found->json);
}

static int run_check(const struct cli_args *args)
{
    struct json json;
    struct csv csv;
    struct found found = {.json = cli_given(args, "json") ? &json : NULL,
                          .csv = cli_given(args, "csv") ? &csv : NULL};
    int worst = CLI_DONE;
    if (found.json != NULL)
        json_begin(&json, stdout);
    if (found.csv != NULL) {
        csv_table(&csv, stdout, "scenario,level,rule,file,line,column,count,text,remedy");
    }
    for (int i = 0; i < args->operand_count; i++) {
        const char *name = args->operands[i];
        const int code = filekind_of_file(name) == FILEKIND_PLAN ? check_plan(args, name, &found)
                                                                 : check_one(args, name, &found);
        worst = code > worst ? code : worst;
    }
    if (found.json != NULL)
        end_json(&found);
    return worst;
}

const struct cli_command cmd_check = {
    .name = "check",
    .operands = "SCENARIO.yaml...",
    .about = "check scenarios for mistakes without running them",
    .examples =
        (const struct cli_example[]){{"Check a built-in scenario", "stormglass check pause-storm"},
                                     {"Check a change before running it; warnings fail, too",
                                      "stormglass check pause-storm --set "
                                      "fabric.switch.ecn-kmin=100KB --strict || echo 'findings'"},
                                     {"Count the settings that must agree for each transport",
                                      "stormglass check transports --agreements"},
                                     {0}},
    .exit_codes =
        (const struct cli_exit_code[]){{0, "no errors (with --strict: no warnings either)"},
                                       {1, "errors (with --strict: or warnings)"},
                                       {2, "a file or the command line is wrong"},
                                       {3, "the output could not be written"},
                                       {0}},
    .options = check_options,
    .operands_min = 1,
    .operands_max = -1,
    .run = run_check,
};
