/* SPDX-License-Identifier: Apache-2.0
 * main - stormglass-bridge: table of commands. */
#include "cli/bridge/bridge_options.h"
#include "scenarios/embedded.h"

#include <stdio.h>
#include <string.h>

static const struct cli_command *const commands[] = {&bridge_run, &bridge_calibrate};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_usage(FILE *out)
{
    fputs("usage: stormglass-bridge COMMAND [OPTIONS] ...\n"
          "Runs scenarios on real RDMA devices (libibverbs, librdmacm).\n"
          "\n",
          out);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-10s  %s\n", commands[i]->name, commands[i]->about);
    fputs("\nstormglass-bridge COMMAND --help: details; --version: the version.\n", out);
}

int main(int argc, char **argv)
{
    const char *word = argc < 2 ? "" : argv[1];
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, word) == 0)
            return cli_run(commands[i], argc - 1, argv + 1);
    if (strcmp(word, "--version") == 0) {
        printf("stormglass-bridge %s\n", stormglass_version);
        return fflush(stdout) == 0 ? CLI_DONE : CLI_FAILED;
    }
    const bool asked = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
    print_usage(asked ? stdout : stderr);
    return !asked ? CLI_USAGE : fflush(stdout) == 0 ? CLI_DONE : CLI_FAILED;
}
