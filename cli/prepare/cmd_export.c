/* SPDX-License-Identifier: Apache-2.0
 * cmd_export - stormglass export. */
#include "base/memory.h"
#include "base/nearest.h"
#include "cli/cli.h"
#include "scenarios/check/check.h"
#include "scenarios/export/export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option export_options[] = {
    {"node", 0, "NAME", "the switch or host; optional if there is only one"},
    {"seed", 0, "N", "seed (default: the scenario's)"},
    {"set", 0, "PATH=VALUE", "change one value of the scenario; repeatable"},
    {"output", 'o', "FILE", "write to FILE instead of standard output"},
    {0},
};

/* The output, and notes about what could not be exported. */
struct work {
    const struct export_kind *kind;
    const struct scenario *scenario;
    const struct scenario_node *node;
    const char *other; /* path of the scenario relative to the output */
    struct notes *notes;
};

static const struct export_kind *find_kind(const char *name)
{
    struct nearest nearest = nearest_to(name);
    for (size_t i = 0; i < export_kind_count; i++) {
        if (strcmp(export_kinds[i]->name, name) == 0)
            return export_kinds[i];
        nearest_offer(&nearest, export_kinds[i]->name);
    }
    cli_error("export: unknown kind '%s'%s", name, nearest_hint(&nearest).text);
    return NULL;
}

static const char *word_of(const struct export_kind *kind)
{
    return kind->of == SCENARIO_SWITCH ? "switch" : "host";
}

/* Finds the node of that name, or the only one of its kind; NULL after a message. */
static const struct scenario_node *find_node(const struct scenario *scenario,
                                             const struct export_kind *kind, const char *name)
{
    const struct scenario_node *found = NULL;
    uint32_t count = 0;
    struct nearest nearest = nearest_to(name == NULL ? "" : name);
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        if (node->kind != kind->of)
            continue;
        nearest_offer(&nearest, node->name);
        if (name != NULL && strcmp(node->name, name) == 0)
            return node;
        found = node;
        count++;
    }
    if (name != NULL)
        cli_error("export %s: there is no %s '%s'%s", kind->name, word_of(kind), name,
                  nearest_hint(&nearest).text);
    else if (count != 1)
        cli_error("export %s: expected --node: the scenario has %u %s%s", kind->name,
                  (unsigned)count, word_of(kind),
                  count == 0                    ? "s"
                  : kind->of == SCENARIO_SWITCH ? "es"
                                                : "s");
    return name == NULL && count == 1 ? found : NULL;
}

static void write_node(FILE *out, const void *what)
{
    const struct work *work = what;
    if (work->kind->write_changes != NULL)
        work->kind->write_changes(work->scenario, work->other, out);
    else
        work->kind->write(work->scenario, work->node, out, work->notes);
}

/* Directory of a path, with symbolic links resolved; NULL: it does not exist. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL ? memory_text(".") : memory_text(path);
    if (slash != NULL)
        folder[slash == path ? 1 : slash - path] = '\0';
    char *real = realpath(folder, NULL);
    free(folder);
    return real;
}

/* `path` relative to the file `from`. A case has no path. */
static const char *relative_path(struct arena *arena, const char *path, const char *from)
{
    if (*path == '/' || from == NULL || access(path, F_OK) != 0)
        return path;
    char *to = folder_of(path), *at = folder_of(from);
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
    const char *found = path;
    if (to != NULL && at != NULL) {
        size_t same = 0, ups = 0;
        for (size_t i = 0; to[i] == at[i] || to[i] == '\0' || at[i] == '\0'; i++) {
            if ((to[i] == '/' || to[i] == '\0') && (at[i] == '/' || at[i] == '\0'))
                same = i;
            if (to[i] == '\0' || at[i] == '\0')
                break;
        }
        for (size_t i = same; at[i] != '\0'; i++)
            ups += at[i] == '/' && at[i + 1] != '\0';
        const char *rest = to + same + (to[same] == '/');
        found = "";
        for (; ups > 0; ups--)
            found = arena_format(arena, "../%s", found);
        found = arena_format(arena, "%s%s%s%s", found, rest, *rest == '\0' ? "" : "/", name);
    }
    free(to);
    free(at);
    return found;
}

/* Kinds that write the whole scenario do not accept a node. */
static bool is_whole(const struct cli_args *args, const struct export_kind *kind)
{
    if (!cli_given(args, "node"))
        return true;
    cli_error("export %s: --node is for a switch or a host", kind->name);
    return false;
}

/* Changes that `run` rejects are not written. */
static bool can_run(const struct scenario *scenario)
{
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    check_memories(scenario, diag);
    const bool can = !diag_failed(diag);
    diag_print(diag, stderr);
    free(diag);
    return can;
}

static int run_export(const struct cli_args *args)
{
    const struct export_kind *kind = find_kind(args->operands[0]);
    struct scenario *scenario = kind == NULL ? NULL : cli_load_changed_as(args, args->operands[1]);
    if (scenario == NULL)
        return CLI_USAGE;
    if (kind->write_changes != NULL && !can_run(scenario)) {
        scenario_free(scenario);
        return CLI_USAGE;
    }
    struct arena arena = {0};
    struct notes notes = {.arena = &arena};
    const bool whole = kind->write_changes != NULL;
    const struct work work = {
        .kind = kind,
        .scenario = scenario,
        .node = whole ? NULL : find_node(scenario, kind, cli_value(args, "node")),
        .other = relative_path(&arena, args->operands[1], cli_value(args, "output")),
        .notes = &notes};
    const bool well = whole ? is_whole(args, kind) : work.node != NULL;
    const int code = well ? cli_output_write(args, 1, write_node, &work) : CLI_USAGE;
    if (code == CLI_DONE)
        notes_print(&notes, "", stderr);
    arena_free(&arena);
    scenario_free(scenario);
    return code;
}

static void print_kinds(void)
{
    for (size_t i = 0; i < export_kind_count; i++)
        printf("  %-8s  %s\n", export_kinds[i]->name, export_kinds[i]->about);
    puts("Settings that the format cannot express are reported on standard error.");
}

const struct cli_command cmd_export = {
    .name = "export",
    .operands = "KIND SCENARIO",
    .about = "write a switch or host as configuration of real equipment, or a changed scenario",
    .details = "KIND is the output format:",
    .more = print_kinds,
    .examples =
        (const struct cli_example[]){
            {"A switch of a scenario as a SONiC configuration",
             "stormglass export sonic pause-storm --node leaf0 -o leaf0.json"},
            {"A changed scenario as a new file",
             "stormglass export scenario pause-storm --set fabric.switch.alpha=25% -o mine.yaml"},
            {0}},
    .exit_codes =
        (const struct cli_exit_code[]){
            {0, "the output was written"},
            {2, "the command line or the scenario is wrong; nothing was written"},
            {3, "the output could not be written"},
            {0}},
    .options = export_options,
    .operands_min = 2,
    .operands_max = 2,
    .run = run_export,
};
