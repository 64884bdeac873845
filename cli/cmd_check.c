/* SPDX-License-Identifier: Apache-2.0
 * cmd_check - stormglass check. */
#include "cli/cli.h"
#include "scenarios/check.h"

#include <stdio.h>

static const struct cli_option options[] = {{0}};

static int check_one(const char *name)
{
    struct scenario *scenario = cli_load(name, NULL, 0);
    if (scenario == NULL)
        return CLI_USAGE;
    struct check_report report;
    check_scenario(scenario, &report);
    check_print(&report, stdout);
    if (report.count == 0)
        printf("%s: nothing found\n", name);
    const int code = report.errors > 0 ? CLI_BROKEN : CLI_DONE;
    check_free(&report);
    scenario_free(scenario);
    return code;
}

static int run(const struct cli_args *args)
{
    int worst = CLI_DONE;
    for (int i = 0; i < args->operand_count; i++) {
        const int code = check_one(args->operands[i]);
        worst = code > worst ? code : worst;
    }
    return worst;
}

const struct cli_command cmd_check = {
    .name = "check",
    .operands = "SCENARIO.yaml...",
    .about = "reads scenarios and says what is wrong with them, without a run",
    .details = "Exit codes: 0 no finding of level error, 1 one was found, 2 a file is wrong.",
    .options = options,
    .operands_min = 1,
    .operands_max = -1,
    .run = run,
};
