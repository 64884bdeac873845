/* SPDX-License-Identifier: Apache-2.0
 * cmd_export - stormglass export. */
#include "base/nearest.h"
#include "cli/cli.h"
#include "scenarios/export/export.h"

#include <stdio.h>
#include <string.h>

static const struct cli_option options[] = {
    {"node", 0, "NAME", "this switch or host; needless where there is only one"},
    {"seed", 0, "N", "another seed than the scenario's"},
    {"set", 0, "PATH=VALUE", "change one value of the scenario; may be given often"},
    {"output", 'o', "FILE", "write there instead of to standard output"},
    {0},
};

/* What is written, and what could not be. */
struct work {
    const struct export_kind *kind;
    const struct scenario *scenario;
    const struct scenario_node *node;
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
    cli_error("export: there is no kind '%s'%s", name, nearest_hint(&nearest).text);
    return NULL;
}

static const char *word_of(const struct export_kind *kind)
{
    return kind->of == SCENARIO_SWITCH ? "switch" : "host";
}

/* The node of that name, or the only one of its kind; NULL after a message. */
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
    work->kind->write(work->scenario, work->node, out, work->notes);
}

static int run(const struct cli_args *args)
{
    const struct export_kind *kind = find_kind(args->operands[0]);
    struct scenario *scenario = kind == NULL ? NULL : cli_load_changed_as(args, args->operands[1]);
    if (scenario == NULL)
        return CLI_USAGE;
    struct arena arena = {0};
    struct notes notes = {.arena = &arena};
    const struct work work = {.kind = kind,
                              .scenario = scenario,
                              .node = find_node(scenario, kind, cli_value(args, "node")),
                              .notes = &notes};
    const int code = work.node == NULL ? CLI_USAGE : cli_output_write(args, 1, write_node, &work);
    if (code == CLI_DONE)
        notes_print(&notes, "", stderr);
    arena_free(&arena);
    scenario_free(scenario);
    return code;
}

const struct cli_command cmd_export = {
    .name = "export",
    .operands = "KIND SCENARIO",
    .about = "writes a switch or a host of a scenario as real equipment's configuration",
    .details = "KIND is what is written:\n"
               "  sonic     a switch as tables of SONiC's config_db.json\n"
               "  mlnx_qos  a host as the commands that give a ConnectX its classes\n"
               "What the kind cannot say is reported on standard error.\n"
               "Exit codes: 0 done, 2 the command line or a file is wrong, 3 it could not be "
               "carried out.",
    .options = options,
    .operands_min = 2,
    .operands_max = 2,
    .run = run,
};
