/* SPDX-License-Identifier: Apache-2.0
 * cmd_template - stormglass template. */
#include "cli/cli.h"

#include <stdio.h>

static const struct cli_option options[] = {{0}};

static int run(const struct cli_args *args)
{
    (void)args;
    puts("a template's command");
    return CLI_DONE;
}

const struct cli_command cmd_template = {
    .name = "template",
    .operands = "",
    .about = "says that it is here",
    .examples = (const struct cli_example[]){{"Whether it is here", "stormglass template"}, {0}},
    .exit_codes = (const struct cli_exit_code[]){{0, "it is here"}, {0}},
    .options = options,
    .run = run,
};
