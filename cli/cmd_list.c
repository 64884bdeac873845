/* SPDX-License-Identifier: Apache-2.0
 * cmd_list - stormglass list. */
#include "base/nearest.h"
#include "cli/bench.h"
#include "cli/cli.h"
#include "cli/parameters.h"
#include "net/buffer.h"
#include "nvme/media.h"
#include "rnic/cc.h"
#include "scenarios/embedded.h"
#include "scenarios/workload.h"

#include <stdio.h>
#include <string.h>

static const struct cli_option options[] = {{0}};

void cli_list_row(const char *name, const char *about)
{
    printf("%-24s  %s\n", name, about);
}

/* The value of a top-level key of a YAML file that the project wrote itself. */
static void top_value(const struct embedded_file *file, const char *key, char *text, size_t size)
{
    const char *at = (const char *)file->bytes;
    const size_t length = strlen(key);
    text[0] = '\0';
    for (; at != NULL; at = strchr(at, '\n'), at = at == NULL ? NULL : at + 1) {
        if (strncmp(at, key, length) != 0 || at[length] != ':')
            continue;
        at += length + 1 + strspn(at + length + 1, " \"");
        snprintf(text, size, "%.*s", (int)strcspn(at, "\"\n"), at);
        return;
    }
}

void cli_list_files(const char *folder)
{
    const size_t length = strlen(folder);
    for (const struct embedded_file *file = embedded_files; file->name != NULL; file++) {
        const char *suffix = strstr(file->name, ".yaml");
        if (strncmp(file->name, folder, length) != 0 || suffix == NULL)
            continue;
        char name[96], about[256];
        snprintf(name, sizeof name, "%.*s", (int)(suffix - file->name - (long)length),
                 file->name + length);
        top_value(file, "about", about, sizeof about);
        cli_list_row(name, about);
    }
}

static void list_cases(void)
{
    cli_list_files("cases/");
}

static void list_profiles(void)
{
    cli_list_files("profiles/");
}

static void list_controls(void)
{
    for (const struct cc_preset *preset = cc_list; preset->name != NULL; preset++)
        cli_list_row(preset->name, preset->about);
}

static void list_media(void)
{
    for (int i = 0; media_kinds[i] != NULL; i++)
        cli_list_row(media_kinds[i]->name, media_kinds[i]->about);
}

static void list_workloads(void)
{
    for (int i = 0; workload_kinds[i] != NULL; i++)
        cli_list_row(workload_kinds[i]->name, workload_kinds[i]->about);
    cli_list_row("fio", "the jobs of a fio job file, each as an nvme workload");
}

static void list_policies(void)
{
    for (int i = 0; buffer_policies[i] != NULL; i++)
        cli_list_row(buffer_policies[i]->name, buffer_policies[i]->about);
}

static bool print_parameter(void *self, const struct parameter *parameter)
{
    (void)self;
    char path[160];
    parameters_path(parameter, path, sizeof path);
    printf("%-58s %-12s %s\n", path, parameter->row->preset, parameter->row->about);
    return true;
}

static void list_parameters(void)
{
    parameters_each(print_parameter, NULL);
}

static const struct {
    const char *name, *about;
    void (*list)(void);
} kinds[] = {
    {"cases", "scenarios that the program carries", list_cases},
    {"works", "what bench measures the program's speed by", bench_list},
    {"profiles", "switches, RNICs and media whose values say how they are known", list_profiles},
    {"congestion-controls", "what an RNIC does about ECN marks", list_controls},
    {"media", "what stores the blocks of a namespace", list_media},
    {"workloads", "kinds of workload", list_workloads},
    {"buffer-policies", "how a switch shares its packet memory", list_policies},
    {"parameters", "every parameter with its default", list_parameters},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static int unknown_kind(const char *name)
{
    struct nearest nearest = nearest_to(name);
    for (int i = 0; i < KINDS; i++)
        nearest_offer(&nearest, kinds[i].name);
    cli_error("list: there is no kind '%s'%s", name, nearest_hint(&nearest).text);
    return CLI_USAGE;
}

static int run(const struct cli_args *args)
{
    if (args->operand_count == 0) {
        for (int i = 0; i < KINDS; i++)
            cli_list_row(kinds[i].name, kinds[i].about);
        return CLI_DONE;
    }
    for (int i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i].name, args->operands[0]) != 0)
            continue;
        kinds[i].list();
        return CLI_DONE;
    }
    return unknown_kind(args->operands[0]);
}

const struct cli_command cmd_list = {
    .name = "list",
    .operands = "[KIND]",
    .about = "lists cases, profiles, plug-ins and parameters",
    .options = options,
    .operands_max = 1,
    .run = run,
};
