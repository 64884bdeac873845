/* SPDX-License-Identifier: Apache-2.0
 * cmd_list - stormglass list. */
#include "base/drop.h"
#include "base/nearest.h"
#include "base/probe.h"
#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "cli/parameters.h"
#include "net/switch/buffer.h"
#include "net/switch/buffer_kinds.h"
#include "nvme/media/media.h"
#include "replay/explain/verdict.h"
#include "reports/text/csv.h"
#include "reports/text/json_members.h"
#include "rnic/cc/cc.h"
#include "scenarios/check/check.h"
#include "scenarios/claim/claim.h"
#include "scenarios/embedded.h"
#include "scenarios/fabric/topology.h"
#include "scenarios/fault/fault_kinds.h"
#include "scenarios/workload/workload.h"
#include "tcp/tcp_cc.h"

#include <stdio.h>
#include <string.h>

static const struct cli_option list_options[] = {
    {"json", 0, NULL, "one JSON object with a list instead of lines"},
    {"csv", 0, NULL, "comma-separated values instead of lines"},
    {0}};

enum { NAME_WIDTH = 24, PATH_WIDTH = 58, PRESET_WIDTH = 12, PATH_BYTES = 160 };

/* `preset` NULL: no default. */
static void list_row(struct cli_list *list, const char *name, const char *preset, const char *about)
{
    char path[JSON_PATH_BYTES];
    const size_t at = list->count++;
    if (list->csv != NULL) {
        csv_text(list->csv, name);
        csv_text(list->csv, preset);
        csv_text(list->csv, about);
        csv_end_row(list->csv);
        return;
    }
    if (list->json == NULL && preset == NULL)
        printf("%-*s  %s\n", NAME_WIDTH, name, about);
    else if (list->json == NULL)
        printf("%-*s %-*s %s\n", PATH_WIDTH, name, PRESET_WIDTH, preset, about);
    if (list->json == NULL)
        return;
    json_text(list->json, json_member(path, list->name, at, "name"), name);
    if (preset != NULL)
        json_text(list->json, json_member(path, list->name, at, "default"), preset);
    json_text(list->json, json_member(path, list->name, at, "about"), about);
}

void cli_list_row(struct cli_list *list, const char *name, const char *about)
{
    list_row(list, name, NULL, about);
}

/* Value of a top-level key in a YAML file of the project. */
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

void cli_list_files(struct cli_list *list, const char *folder)
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
        cli_list_row(list, name, about);
    }
}

static void list_cases(struct cli_list *list)
{
    cli_list_files(list, "cases/");
}

static void list_lessons(struct cli_list *list)
{
    cli_list_files(list, "lessons/");
}

static void list_claims(struct cli_list *list)
{
    uint32_t count;
    struct claim **claims = claim_load_all(&count);
    for (uint32_t i = 0; i < count; i++)
        cli_list_row(list, claims[i]->name, claims[i]->statement);
    claim_free_all(claims);
}

static void list_profiles(struct cli_list *list)
{
    cli_list_files(list, "profiles/");
}

static void list_controls(struct cli_list *list)
{
    for (const struct cc_preset *preset = cc_list; preset->name != NULL; preset++)
        cli_list_row(list, preset->name, preset->about);
}

static void list_tcp_controls(struct cli_list *list)
{
    for (int i = 0; i < TCP_CCS; i++)
        cli_list_row(list, tcp_cc_list[i]->name, tcp_cc_list[i]->about);
}

static void list_media(struct cli_list *list)
{
    for (int i = 0; media_kinds[i] != NULL; i++)
        cli_list_row(list, media_kinds[i]->name, media_kinds[i]->about);
}

static void list_workloads(struct cli_list *list)
{
    for (int i = 0; workload_kinds[i] != NULL; i++)
        cli_list_row(list, workload_kinds[i]->name, workload_kinds[i]->about);
    cli_list_row(list, "fio", "the jobs of a fio job file, each as an nvme workload");
}

static void list_topologies(struct cli_list *list)
{
    for (int i = 0; topology_kinds[i] != NULL; i++)
        cli_list_row(list, topology_kinds[i]->name, topology_kinds[i]->about);
}

static void list_faults(struct cli_list *list)
{
    for (int i = 0; fault_kinds[i] != NULL; i++)
        cli_list_row(list, fault_kinds[i]->name, fault_kinds[i]->about);
}

static void list_statuses(struct cli_list *list)
{
    enum where { NONE, REQUESTER, RECEIVE, BOTH };
    static const struct {
        const char *name, *fault;
        enum where where;
    } statuses[] = {
#define WC_STATUS(name, where, text, fault) {#name, fault, where},
#include "rnic/qp/wc_status.def"
#undef WC_STATUS
    };
    static const char *const words[] = {"not modeled", "requester", "receive", "both ends"};
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        char about[320];
        snprintf(about, sizeof about, "%s: %s", words[statuses[i].where], statuses[i].fault);
        cli_list_row(list, statuses[i].name, about);
    }
}

static void list_drops(struct cli_list *list)
{
    for (int i = 0; i < PROBE_DROP_CAUSE_COUNT; i++)
        cli_list_row(list, probe_drops[i].word, probe_drops[i].about);
}

static void list_verdicts(struct cli_list *list)
{
    for (int i = 0; i < EXPLAIN_KINDS; i++)
        cli_list_row(list, verdicts[i].name, verdicts[i].about);
}

static void list_rules(struct cli_list *list)
{
    for (int i = 0; check_rules[i] != NULL; i++)
        cli_list_row(list, check_rules[i]->name, check_rules[i]->about);
}

static void list_policies(struct cli_list *list)
{
    for (int i = 0; i < BUFFER_POLICIES; i++)
        cli_list_row(list, buffer_policy_names[i], buffer_policies[i]->about);
}

static bool list_parameter(void *self, const struct parameter *parameter)
{
    char path[PATH_BYTES];
    parameters_path(parameter, path, sizeof path);
    list_row(self, path, parameter->row->preset, parameter->row->about);
    return true;
}

static void list_parameters(struct cli_list *list)
{
    parameters_each(list_parameter, list);
}

static bool list_path(void *self, const char *path, const char *about)
{
    list_row(self, path, NULL, about);
    return true;
}

static void list_paths(struct cli_list *list)
{
    parameters_each_path(list_path, list);
}

static const struct {
    const char *name, *about;
    void (*list)(struct cli_list *list);
} kinds[] = {
    {"cases", "built-in scenarios", list_cases},
    {"lessons", "scenarios of stormglass lesson", list_lessons},
    {"claims", "claims that stormglass claims tests", list_claims},
    {"works", "scenarios of stormglass bench", bench_list},
    {"profiles", "switches, RNICs and media, each value with its evidence", list_profiles},
    {"congestion-controls", "how an RNIC reacts to congestion", list_controls},
    {"tcp-congestion-controls", "congestion control algorithms of TCP", list_tcp_controls},
    {"media", "storage media of a namespace", list_media},
    {"workloads", "kinds of workload", list_workloads},
    {"topologies", "topologies", list_topologies},
    {"faults", "faults that a scenario can inject", list_faults},
    {"buffer-policies", "policies by which a switch shares its packet memory", list_policies},
    {"completion-statuses",
     "completion statuses of work requests, and the fault that produces each", list_statuses},
    {"drop-causes", "reasons for which a frame may be dropped", list_drops},
    {"verdicts", "root causes of pauses", list_verdicts},
    {"rules", "rules of stormglass check", list_rules},
    {"parameters", "every parameter with its default", list_parameters},
    {"paths", "paths for --set; lists are shown with their first element", list_paths},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static int unknown_kind(const char *name)
{
    struct nearest nearest = nearest_to(name);
    for (int i = 0; i < KINDS; i++)
        nearest_offer(&nearest, kinds[i].name);
    const struct nearest_hint hint = nearest_hint(&nearest);
    cli_error("list: unknown kind '%s'%s", name,
              hint.text[0] != '\0' ? hint.text : "; 'stormglass list' prints the kinds");
    return CLI_USAGE;
}

static void list_kinds(struct cli_list *list)
{
    for (int i = 0; i < KINDS; i++)
        cli_list_row(list, kinds[i].name, kinds[i].about);
}

static int give(const struct cli_args *args, const char *name, void (*list)(struct cli_list *list))
{
    struct json json;
    struct csv csv;
    struct cli_list to = {.name = name,
                          .json = cli_given(args, "json") ? &json : NULL,
                          .csv = cli_given(args, "csv") ? &csv : NULL};
    if (to.json != NULL)
        json_begin(&json, stdout);
    if (to.csv != NULL) {
        csv_table(&csv, stdout, "name,default,about");
    }
    list(&to);
    if (to.json != NULL)
        json_end(&json);
    return CLI_DONE;
}

static int run_list(const struct cli_args *args)
{
    if (args->operand_count == 0)
        return give(args, "kinds", list_kinds);
    for (int i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].name, args->operands[0]) == 0)
            return give(args, kinds[i].name, kinds[i].list);
    return unknown_kind(args->operands[0]);
}

const struct cli_command cmd_list = {
    .name = "list",
    .operands = "[KIND]",
    .about = "list cases, profiles, plug-ins and parameters",
    .examples = (const struct cli_example[]){{"The kinds of lists", "stormglass list"},
                                             {"The built-in scenarios", "stormglass list cases"},
                                             {"Every path that --set accepts, for a program",
                                              "stormglass list paths --json"},
                                             {0}},
    .exit_codes = (const struct cli_exit_code[]){{0, "the list was printed"},
                                                 {2, "unknown list"},
                                                 {3, "the output could not be written"},
                                                 {0}},
    .options = list_options,
    .operands_max = 1,
    .run = run_list,
};
