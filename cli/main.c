/* SPDX-License-Identifier: Apache-2.0
 * main - the table of commands. */
#include "base/nearest.h"
#include "cli/cli.h"
#include "scenarios/embedded.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct cli_command *const commands[] = {
    &cmd_run,      &cmd_check,  &cmd_replay,    &cmd_diff,    &cmd_explain, &cmd_pcap,
    &cmd_query,    &cmd_draw,   &cmd_predict,   &cmd_compare, &cmd_list,    &cmd_bench,
    &cmd_headroom, &cmd_bridge, &cmd_calibrate, &cmd_import,  &cmd_report,  &cmd_explain_parameter,
    &cmd_counters, &cmd_step,
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_usage(FILE *out)
{
    fputs("usage: stormglass COMMAND [OPTIONS] ...\n"
          "Plays NVMe over Fabrics on lossless Ethernet, and says who was slow and why.\n\n",
          out);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-18s  %s\n", commands[i]->name, commands[i]->about);
    fputs("\nstormglass COMMAND --help tells more; stormglass --version tells the version.\n", out);
}

static int unknown_command(const char *name)
{
    struct nearest nearest = nearest_to(name);
    for (int i = 0; i < COMMANDS; i++)
        nearest_offer(&nearest, commands[i]->name);
    cli_error("there is no command '%s'%s", name,
              nearest.best[0] == '\0' ? "; see stormglass --help" : nearest_hint(&nearest).text);
    return CLI_USAGE;
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of the command that met it */
    if (argc < 2) {
        print_usage(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("stormglass %s\n", stormglass_version);
        return fflush(stdout) == 0 ? CLI_DONE : CLI_FAILED;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_usage(stdout);
        return fflush(stdout) == 0 ? CLI_DONE : CLI_FAILED;
    }
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, argv[1]) == 0)
            return cli_run(commands[i], argc - 1, argv + 1);
    return unknown_command(argv[1]);
}
