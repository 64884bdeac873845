/* SPDX-License-Identifier: Apache-2.0
 * main - table of commands. */
#include "base/nearest.h"
#include "cli/cli.h"
#include "cli/completion.h"
#include "cli/exec_helper.h"
#include "cli/parameters.h"
#include "scenarios/embedded.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND(group, stem) extern const struct cli_command cmd_##stem;
#include "cli/command.def"
#undef COMMAND

enum group {
#define GROUP(group, title) GROUP_##group,
#define COMMAND(group, stem)
#include "cli/command.def"
#undef COMMAND
#undef GROUP
    GROUPS
};

static const char *const group_titles[] = {
#define GROUP(group, title) title,
#define COMMAND(group, stem)
#include "cli/command.def"
#undef COMMAND
#undef GROUP
};

static const struct cli_command *const commands[] = {
#define COMMAND(group, stem) &cmd_##stem,
#include "cli/command.def"
#undef COMMAND
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const enum group groups[COMMANDS] = {
#define COMMAND(group, stem) GROUP_##group,
#include "cli/command.def"
#undef COMMAND
};

static void print_group(enum group group, FILE *out)
{
    fprintf(out, "\n%s:\n", group_titles[group]);
    for (int i = 0; i < COMMANDS; i++)
        if (groups[i] == group)
            fprintf(out, "  %-18s  %s\n", commands[i]->name, commands[i]->about);
}

static void print_usage(FILE *out)
{
    fputs("usage: stormglass COMMAND [OPTIONS] ...\n"
          "Simulates NVMe over Fabrics on lossless Ethernet, and reports what was slow and why.\n",
          out);
    for (int group = 0; group < GROUPS; group++)
        print_group((enum group)group, out);
    fputs("\n"
          "stormglass COMMAND --help prints the options of a command; stormglass help PARAMETER "
          "explains a\n"
          "parameter; stormglass version prints the version; stormglass completion bash|zsh|fish "
          "prints a\n"
          "completion script.\n",
          out);
}

static int unknown_command(const char *name)
{
    struct nearest nearest = nearest_to(name);
    for (int i = 0; i < COMMANDS; i++)
        nearest_offer(&nearest, commands[i]->name);
    nearest_offer(&nearest, "completion");
    nearest_offer(&nearest, "help");
    nearest_offer(&nearest, "version");
    cli_error("unknown command '%s'%s", name,
              nearest.best[0] == '\0' ? "; see stormglass --help" : nearest_hint(&nearest).text);
    return CLI_USAGE;
}

static const struct cli_command *find_command(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int flushed(void)
{
    return fflush(stdout) == 0 ? CLI_DONE : CLI_FAILED;
}

struct sought {
    const char *name;
    bool found;
};

/* The own name of a parameter, or the end of its path. */
static bool match_name(void *self, const struct parameter *parameter)
{
    struct sought *sought = self;
    char path[160];
    parameters_path(parameter, path, sizeof path);
    const size_t whole = strlen(path), end = strlen(sought->name);
    sought->found = end > 0 && end <= whole && strcmp(path + whole - end, sought->name) == 0 &&
                    (end == whole || path[whole - end - 1] == '.');
    return !sought->found;
}

static bool is_parameter(const char *name)
{
    struct sought sought = {.name = name};
    parameters_each(match_name, &sought);
    return sought.found;
}

static int help(int argc, char **argv)
{
    static char option[] = "--help";
    if (argc < 2) {
        print_usage(stdout);
        return flushed();
    }
    const struct cli_command *command = find_command(argv[1]);
    if (command != NULL)
        return cli_run(command, 2, (char *[]){argv[1], option, NULL});
    if (is_parameter(argv[1]))
        return cli_run(&cmd_explain_parameter, 2, (char *[]){argv[1], argv[1], NULL});
    return unknown_command(argv[1]);
}

static int completion(int argc, char **argv)
{
    if (argc != 2) {
        cli_error("completion: expected one shell: bash, zsh or fish");
        return CLI_USAGE;
    }
    const int code = completion_print(argv[1], commands, COMMANDS);
    return code == CLI_DONE ? flushed() : code;
}

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words != NULL && strcmp(*words, word) != 0)
        words++;
    return *words != NULL;
}

/* Under `mpirun -n N`, N processes of this program start. Without the program that links MPI, each
 * would run the whole plan. Open MPI passes the number of processes in the environment. */
static bool is_for_many(const char *command)
{
    const char *ranks = getenv("OMPI_COMM_WORLD_SIZE");
    return strcmp(command, "plan") == 0 && ranks != NULL && strcmp(ranks, "1") != 0;
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* exceeding the file size limit then is an error of the command
                               * that writes the file */
    if (argc < 2) {
        print_usage(stderr);
        return CLI_USAGE;
    }
    if (is_one_of(argv[1], (const char *const[]){"version", "--version", "-V", NULL})) {
        printf("stormglass %s\n", stormglass_version);
        return flushed();
    }
    if (is_one_of(argv[1], (const char *const[]){"help", "--help", "-h", NULL}))
        return help(argc - 1, argv + 1);
    if (strcmp(argv[1], "completion") == 0)
        return completion(argc - 1, argv + 1);
    if (is_for_many(argv[1]))
        return exec_helper("stormglass-mpi", NULL, argv + 1, argc - 1);
    const struct cli_command *command = find_command(argv[1]);
    return command == NULL ? unknown_command(argv[1]) : cli_run(command, argc - 1, argv + 1);
}
