/* SPDX-License-Identifier: Apache-2.0
 * main - the program in a playground page: the commands that the page calls. */
#include "cli/cli.h"
#include "cli/playground/offers.h"

#include <stdio.h>
#include <string.h>

extern const struct cli_command cmd_run, cmd_report, cmd_step, cmd_lesson;

static const struct cli_command *const commands[] = {&cmd_run, &cmd_report, &cmd_step, &cmd_lesson,
                                                     &cmd_offers};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i]->name, argv[1]) == 0)
            return cli_run(commands[i], argc - 1, argv + 1);
    cli_error("unknown command");
    return CLI_USAGE;
}
