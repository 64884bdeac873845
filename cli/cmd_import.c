/* SPDX-License-Identifier: Apache-2.0
 * cmd_import - stormglass import. */
#include "base/memory.h"
#include "base/nearest.h"
#include "cli/cli.h"
#include "scenarios/incident.h"
#include "scenarios/mlxconfig.h"
#include "scenarios/sonic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {{0}};

static int import_sonic(const struct cli_args *args)
{
    const size_t count = (size_t)args->operand_count - 1;
    struct sonic_input *inputs = memory_zeroed(count, sizeof *inputs);
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    struct sonic_result result;
    for (size_t i = 0; i < count; i++)
        inputs[i].name = args->operands[i + 1];
    const bool fine = sonic_import(inputs, count, &result, diag);
    diag_print(diag, stderr);
    if (fine) {
        fputs(result.notes, stderr);
        fputs(result.scenario, stdout);
    }
    sonic_free(&result);
    free(diag);
    free(inputs);
    return fine ? CLI_DONE : CLI_USAGE;
}

static int import_counters(const struct cli_args *args)
{
    if (args->operand_count != 3) {
        cli_error("import counters: expected two files, an earlier and a later one");
        return CLI_USAGE;
    }
    const struct incident_input before = {.name = args->operands[1]};
    const struct incident_input after = {.name = args->operands[2]};
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    struct incident_result result;
    const bool fine = incident_counters(&before, &after, &result, diag);
    diag_print(diag, stderr);
    if (fine) {
        fputs(result.notes, stderr);
        fputs(result.json, stdout);
    }
    incident_free(&result);
    free(diag);
    return fine ? CLI_DONE : CLI_USAGE;
}

static int import_mlxconfig(const struct cli_args *args)
{
    if (args->operand_count != 2) {
        cli_error("import mlxconfig: expected one file");
        return CLI_USAGE;
    }
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    struct mlxconfig_result result;
    const bool fine = mlxconfig_import(args->operands[1], NULL, 0, &result, diag);
    diag_print(diag, stderr);
    if (fine) {
        fputs(result.notes, stderr);
        fputs(result.yaml, stdout);
    }
    mlxconfig_free(&result);
    free(diag);
    return fine ? CLI_DONE : CLI_USAGE;
}

struct kind {
    const char *name;
    int (*import)(const struct cli_args *args);
};

static const struct kind kinds[] = {
    {"sonic", import_sonic}, {"counters", import_counters}, {"mlxconfig", import_mlxconfig}};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static int run(const struct cli_args *args)
{
    const char *name = args->operands[0];
    struct nearest nearest = nearest_to(name);
    for (int i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i].name, name) == 0)
            return kinds[i].import(args);
        nearest_offer(&nearest, kinds[i].name);
    }
    if (nearest.best != NULL)
        cli_error("import: there is no kind '%s'; did you mean '%s'?", name, nearest.best);
    else
        cli_error("import: there is no kind '%s'; there are sonic, counters and mlxconfig", name);
    return CLI_USAGE;
}

const struct cli_command cmd_import = {
    .name = "import",
    .operands = "KIND FILE...",
    .about = "makes a scenario of switches' configuration, or reads their counters",
    .details =
        "KIND sonic: SONiC's config_db.json, one FILE for each switch.  The scenario goes to\n"
        "standard output; what has no counterpart is told on standard error and in its\n"
        "comments.\n"
        "Exit codes: 0 done, 2 the command line or a file is wrong, 3 it could not be done.",
    .options = options,
    .operands_min = 2,
    .operands_max = -1,
    .run = run,
};
