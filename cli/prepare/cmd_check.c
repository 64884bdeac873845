/* SPDX-License-Identifier: Apache-2.0
 * cmd_check - stormglass check. */
#include "cli/cli.h"
#include "reports/text/json_members.h"
#include "scenarios/check/check.h"

#include <stdio.h>
#include <string.h>

static const struct cli_option options[] = {
    {"seed", 0, "N", "another seed than the scenario's"},
    {"set", 0, "PATH=VALUE", "change one value of the scenarios; may be given often"},
    {"strict", 0, NULL, "warnings give exit code 1, too"},
    {"json", 0, NULL, "one JSON object with all findings instead of lines"},
    {0},
};

/* What has been found in all the files so far. */
struct found {
    struct json *json; /* NULL: lines of text */
    size_t findings;
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
        if (finding->remedy != NULL)
            json_text(found->json, json_member(path, "findings", at, "remedy"), finding->remedy);
        json_text(found->json, json_member(path, "findings", at, "rule"), finding->rule);
        json_integer(found->json, json_member(path, "findings", at, "count"),
                     (int64_t)finding->count);
        tell_places(found, at, name, finding);
    }
}

static int check_one(const struct cli_args *args, const char *name, struct found *found)
{
    struct scenario *scenario = cli_load_changed_as(args, name);
    if (scenario == NULL)
        return CLI_USAGE;
    struct check_report report;
    check_scenario(scenario, &report);
    if (found->json != NULL)
        tell_json(found, name, &report);
    else
        check_print(&report, stdout);
    if (found->json == NULL && report.count == 0)
        printf("%s: nothing found\n", strcmp(name, "-") == 0 ? "<stdin>" : name);
    found->errors += report.errors;
    found->warnings += report.warnings;
    found->notes += report.notes;
    const bool broken = report.errors > 0 || (cli_given(args, "strict") && report.warnings > 0);
    check_free(&report);
    scenario_free(scenario);
    return broken ? CLI_BROKEN : CLI_DONE;
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

static int run(const struct cli_args *args)
{
    struct json json;
    struct found found = {.json = cli_given(args, "json") ? &json : NULL};
    int worst = CLI_DONE;
    if (found.json != NULL)
        json_begin(&json, stdout);
    for (int i = 0; i < args->operand_count; i++) {
        const int code = check_one(args, args->operands[i], &found);
        worst = code > worst ? code : worst;
    }
    if (found.json != NULL)
        end_json(&found);
    return worst;
}

const struct cli_command cmd_check = {
    .name = "check",
    .operands = "SCENARIO.yaml...",
    .about = "checks scenarios for mistakes without running them",
    .details = "Exit codes: 0 no finding of level error (with --strict: nor a warning), 1 one was "
               "found, 2 a file is wrong.",
    .options = options,
    .operands_min = 1,
    .operands_max = -1,
    .run = run,
};
