/* SPDX-License-Identifier: Apache-2.0
 * cmd_import - stormglass import. */
#include "base/memory.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "cli/prepare/import.h"
#include "net/port/port.h"
#include "scenarios/counters/counts.h"
#include "scenarios/device/device.h"
#include "scenarios/import/cabling_import.h"
#include "scenarios/import/clab.h"
#include "scenarios/import/dot.h"
#include "scenarios/import/hpcc.h"
#include "scenarios/import/htsim.h"
#include "scenarios/sonic/sonic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option import_options[] = {
    {"output", 'o', "FILE", "write to FILE instead of standard output"},
    {"verbose", 0, NULL, "sonic: also list tables and fields without a counterpart"},
    {"hosts", 0, "PATTERN", "dot, clab: patterns of nodes that are hosts, such as server*,client?"},
    {"host-rate", 0, "RATE", "dot, clab: rate of host links that have no rate in FILE"},
    {"fabric-rate", 0, "RATE", "dot, clab: rate of other links that have no rate in FILE"},
    {"device", 0, "MAJOR,MINOR", "trace, blktrace: only this device, such as 259,0"},
    {"issued", 0, NULL,
     "trace, blktrace: requests as issued to the device (D) instead of as queued (Q)"},
    {0},
};

/* Names in a configuration may contain any bytes: line ends are the program's own, other
 * unprintable characters are escaped. */
static void write_printable(FILE *out, const void *text)
{
    char *shown = printable_new(text, true);
    fputs(shown, out);
    free(shown);
}

int import_give(const struct cli_args *args, bool fine, const char *text, const char *notes,
                struct diag *diag)
{
    diag_print(diag, stderr);
    free(diag);
    if (!fine)
        return CLI_USAGE;
    write_printable(stderr, notes);
    return cli_output_write(args, 1, write_printable, text);
}

bool import_one_file(const struct cli_args *args)
{
    if (args->operand_count == 2)
        return true;
    cli_error("import %s: expected one file", args->operands[0]);
    return false;
}

static int take_sonic(const struct cli_args *args)
{
    const size_t count = (size_t)args->operand_count - 1;
    struct sonic_input *inputs = memory_zeroed(count, sizeof *inputs);
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    struct sonic_result result;
    for (size_t i = 0; i < count; i++)
        inputs[i].name = args->operands[i + 1];
    const struct sonic_ask ask = {
        .inputs = inputs, .count = count, .verbose = cli_given(args, "verbose")};
    const bool fine = sonic_import(&ask, &result, diag);
    const int code = import_give(args, fine, result.scenario, result.notes, diag);
    sonic_free(&result);
    free(inputs);
    return code;
}

const struct import_kind import_sonic = {
    "sonic", "config_db.json of each SONiC switch; writes a scenario", take_sonic, {"verbose"}};

static int take_counters(const struct cli_args *args)
{
    if (args->operand_count != 3) {
        cli_error("import counters: expected two files or folders, an earlier and a later one");
        return CLI_USAGE;
    }
    const struct counts_input before = {.name = args->operands[1]};
    const struct counts_input after = {.name = args->operands[2]};
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    struct counts_result result;
    const bool fine = counts_import(&before, &after, &result, diag);
    const int code = import_give(args, fine, result.json, result.notes, diag);
    counts_free(&result);
    return code;
}

const struct import_kind import_counters = {
    "counters",
    "counters of cards and switches, before and after; writes an object for stormglass diff",
    take_counters,
    {NULL}};

/* ---- configuration of one device ---- */

static const struct {
    const char *name;
    device_read_fn *read;
} devices[] = {
#define DEVICE(stem, about) {#stem, device_##stem},
#include "scenarios/device/device.def"
#undef DEVICE
};

static int take_device(const struct cli_args *args)
{
    size_t index = 0;
    if (!import_one_file(args))
        return CLI_USAGE;
    while (strcmp(devices[index].name, args->operands[0]) != 0)
        index++;
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    struct device_result result;
    const bool fine = device_import(devices[index].read, args->operands[1], NULL, 0, &result, diag);
    const int code = import_give(args, fine, result.yaml, result.notes, diag);
    device_free(&result);
    return code;
}

#define DEVICE(stem, about)                                                                        \
    const struct import_kind import_##stem = {#stem, about, take_device, {NULL}};
#include "scenarios/device/device.def"
#undef DEVICE

/* ---- cables ---- */

static bool is_rate(const struct cli_args *args, const char *option)
{
    char why[OPT_WHY_BYTES];
    int64_t rate;
    const char *text = cli_value(args, option);
    if (text == NULL || opt_parse(opt_find(port_opts, "rate"), text, &rate, why))
        return true;
    cli_error("--%s: %s", option, why);
    return false;
}

/* Imports a kind with a file of cables and, with `several`, further files. */
static int import_cables(const struct cli_args *args, cabling_reader *read, bool several)
{
    if (!several && !import_one_file(args))
        return CLI_USAGE;
    if (!is_rate(args, "host-rate") || !is_rate(args, "fabric-rate"))
        return CLI_USAGE;
    const struct cabling_input input = {.kind = args->operands[0],
                                        .read = read,
                                        .name = args->operands[1],
                                        .others = (const char *const *)args->operands + 2,
                                        .other_count = (size_t)args->operand_count - 2,
                                        .host_pattern = cli_value(args, "hosts"),
                                        .host_rate = cli_value(args, "host-rate"),
                                        .other_rate = cli_value(args, "fabric-rate")};
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    struct cabling_result result;
    const bool fine = cabling_import(&input, &result, diag);
    const int code = import_give(args, fine, result.scenario, result.notes, diag);
    cabling_import_free(&result);
    return code;
}

static int take_dot(const struct cli_args *args)
{
    return import_cables(args, dot_read, false);
}

const struct import_kind import_dot = {
    "dot",
    "topology.dot of Cumulus Linux or another DOT graph; writes a scenario",
    take_dot,
    {"hosts", "host-rate", "fabric-rate"}};

static int take_clab(const struct cli_args *args)
{
    return import_cables(args, clab_read, false);
}

const struct import_kind import_clab = {"clab",
                                        "NAME.clab.yml of containerlab; writes a scenario",
                                        take_clab,
                                        {"hosts", "host-rate", "fabric-rate"}};

static int take_hpcc(const struct cli_args *args)
{
    return import_cables(args, hpcc_read, true);
}

const struct import_kind import_hpcc = {
    "hpcc",
    "topology, flow and config files of the HPCC simulator (ns-3); writes a scenario",
    take_hpcc,
    {NULL}};

static int take_htsim(const struct cli_args *args)
{
    return import_cables(args, htsim_read, true);
}

const struct import_kind import_htsim = {
    "htsim",
    "fat tree (.topo) and connection matrix (.cm) of htsim; writes a scenario",
    take_htsim,
    {NULL}};

/* ---- kinds ---- */

static const struct import_kind *const kinds[] = {
#define IMPORT(stem) &import_##stem,
#include "cli/prepare/import.def"
#undef IMPORT
};

enum { KINDS = sizeof kinds / sizeof kinds[0], KINDS_BYTES = 256 };

static bool heeds(const struct import_kind *kind, const char *option)
{
    for (size_t i = 0; i < IMPORT_OPTIONS && kind->options[i] != NULL; i++)
        if (strcmp(kind->options[i], option) == 0)
            return true;
    return false;
}

/* Names the kinds that accept the option, as in "dot and clab". */
static void heeded_by(const char *option, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < KINDS; i++)
        if (heeds(kinds[i], option))
            snprintf(text + strlen(text), size - strlen(text), "%s%s",
                     text[0] == '\0' ? "" : " and ", kinds[i]->name);
}

/* An option that the kind does not use is an error. */
static int import(const struct import_kind *kind, const struct cli_args *args)
{
    for (const struct cli_option *option = import_options; option->name != NULL; option++) {
        char kinds_of[KINDS_BYTES];
        if (!cli_given(args, option->name) || option->letter == 'o' || heeds(kind, option->name))
            continue;
        heeded_by(option->name, kinds_of, sizeof kinds_of);
        cli_error("import %s: --%s is for %s", kind->name, option->name, kinds_of);
        return CLI_USAGE;
    }
    return kind->import(args);
}

static int run_import(const struct cli_args *args)
{
    const char *name = args->operands[0];
    struct nearest nearest = nearest_to(name);
    for (int i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i]->name, name) == 0)
            return import(kinds[i], args);
        nearest_offer(&nearest, kinds[i]->name);
    }
    cli_error("import: unknown kind '%s'%s", name, nearest_hint(&nearest).text);
    return CLI_USAGE;
}

static void print_kinds(void)
{
    for (size_t i = 0; i < KINDS; i++)
        printf("  %-9s  %s\n", kinds[i]->name, kinds[i]->about);
    puts("Settings that are not imported are reported on standard error and in the scenario's "
         "comments.");
}

static const char *const kind_words[] = {
#define IMPORT(stem) #stem,
#include "cli/prepare/import.def"
#undef IMPORT
    NULL,
};

const struct cli_command cmd_import = {
    .name = "import",
    .operands = "KIND FILE...",
    .about = "convert real configuration or cabling to a scenario, or read counters and I/O traces",
    .details = "KIND is the kind of the input files:",
    .more = print_kinds,
    .examples =
        (const struct cli_example[]){
            {"A scenario from the configurations of SONiC switches",
             "stormglass import sonic leaf0.json leaf1.json spine0.json -o fabric.yaml"},
            {"A scenario from a DOT graph of the cabling",
             "stormglass import dot cables.dot --hosts 'a,b' --fabric-rate 400Gbps > cables.yaml"},
            {"The difference between two outputs of ethtool -S",
             "stormglass import counters before.txt after.txt > incident.json"},
            {0}},
    .exit_codes =
        (const struct cli_exit_code[]){
            {0, "the output was written"},
            {2, "the command line or an input file is wrong; nothing was written"},
            {3, "the output could not be written"},
            {0}},
    .options = import_options,
    .operand_words = kind_words,
    .operands_min = 2,
    .operands_max = -1,
    .run = run_import,
};
