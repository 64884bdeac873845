/* SPDX-License-Identifier: Apache-2.0
 * cmd_calibrate - stormglass calibrate: fits to the output of other tools; stormglass-bridge
 * measures. */
#include "base/memory.h"
#include "cli/exec_helper.h"
#include "replay/readings/tool.h"
#include "reports/text/deduced.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option table[] = {
    {"base", 0, "PROFILE", "profile for all other values, of RDMA or NVMe/TCP (default rnic-100g)"},
    {"rate", 0, "RATE", "rate of the link, such as 25Gbps (default: that of the base profile)"},
    {"together", 0, NULL, "perftest files with the same test ran in parallel: add their rates"},
    {"no-drive", 0, NULL, "fio files: the namespaces had no drive (null_blk)"},
    {"output", 'o', "FILE", "write the profile to FILE"},
    {"name", 0, "NAME", "name of the profile (default: calibrated)"},
    {"json", 0, NULL, "one JSON object instead of a table"},
    {"csv", 0, NULL, "one CSV row for each parameter"},
    {0},
};

/* ------------------------------------------------------------------ input from files */

static bool is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-.";
    return name[0] != '\0' && strspn(name, letters) == strlen(name) && strlen(name) < 64;
}

static bool wrong(const struct cli_args *args)
{
    const char *name = cli_value(args, "name"), *output = cli_value(args, "output");
    const struct output_inputs inputs = {(const char *const *)args->operands,
                                         (size_t)args->operand_count};
    if (args->operand_count == 0)
        cli_error("calibrate: expected files, or --address of an RDMA device, or --from");
    else if (name != NULL && !is_name(name))
        cli_error("calibrate: --name %s: expected lower-case letters, digits, '-' and '.'", name);
    else if (output != NULL && strcmp(output, "-") == 0)
        cli_error("calibrate: -o -: expected the name of a file: standard output has the table");
    else
        return output != NULL && !cli_output_allowed(output, &inputs);
    return true;
}

static int write_profile(const struct cli_args *args, const struct deduced *deduced)
{
    const char *name = cli_value(args, "name"), *path = cli_value(args, "output");
    const struct output_inputs inputs = {(const char *const *)args->operands,
                                         (size_t)args->operand_count};
    struct output output;
    if (path == NULL)
        return CLI_DONE;
    if (output_open(&output, path, &inputs) &&
        output_end(&output,
                   deduced_profile(deduced, name == NULL ? "calibrated" : name, output.out)))
        return CLI_DONE;
    return cli_output_failed(path, &inputs, errno);
}

static int report(const struct cli_args *args, const struct deduced *deduced)
{
    const bool fine = cli_given(args, "json")  ? deduced_json(deduced, stdout)
                      : cli_given(args, "csv") ? deduced_csv(deduced, stdout)
                                               : deduced_text(deduced, stdout);
    return fine ? write_profile(args, deduced) : cli_output_failed(NULL, NULL, errno);
}

static int from_files(const struct cli_args *args, struct diag *diag)
{
    const char *base = cli_value(args, "base");
    const struct deduce_ask ask = {.base = base == NULL ? "rnic-100g" : base,
                                   .rate = cli_value(args, "rate"),
                                   .no_drive = cli_given(args, "no-drive"),
                                   .together = cli_given(args, "together")};
    struct readings readings = {0};
    struct deduced deduced = {0};
    bool fine = true;
    int code = CLI_USAGE;
    for (int i = 0; i < args->operand_count; i++)
        fine = readings_read(&readings, args->operands[i], NULL, 0, diag) && fine;
    if (fine && readings.count == 0)
        cli_error("calibrate: the files contain nothing that the model uses");
    else if (fine && deduce(&deduced, &readings, &ask, diag))
        code = report(args, &deduced);
    deduced_free(&deduced);
    readings_free(&readings);
    return code;
}

static int run_files(const struct cli_args *args)
{
    if (wrong(args))
        return CLI_USAGE;
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    const int code = from_files(args, diag);
    diag_print(diag, stderr);
    free(diag);
    return code;
}

static void list_tools(void)
{
    printf("\n"
           "FILE is the output of one of these tools:\n");
    for (const struct tool *const *tool = tool_all; *tool != NULL; tool++)
        printf("  %s\n", (*tool)->about);
}

static const struct cli_command files = {
    .name = "calibrate",
    .operands = "FILE... | --address A [--peer B] | --from FIGURES.json",
    .about = "write a profile of an RDMA device from the output of other tools or from a "
             "measurement",
    .details = "--address measures the device and --from fits earlier measurements; for the "
               "options of both see\nstormglass-bridge calibrate --help.",
    .more = list_tools,
    .examples =
        (const struct cli_example[]){
            {"A profile from the output of perftest",
             "stormglass calibrate write_bw.txt write_lat.txt --base connectx-5-100g -o mine.yaml"},
            {0}},
    .exit_codes =
        (const struct cli_exit_code[]){
            {0, "the profile was written"},
            {2, "the command line or a file is wrong; nothing was written"},
            {3,
             "no usable device, a benchmark did not complete, or the output could not be written"},
            {0}},
    .options = table,
    .operands_max = -1,
    .run = run_files,
};

/* ------------------------------------------------------------------ choice of the program */

static bool is_option(const char *text, const char *option)
{
    const size_t length = strlen(option);
    return strncmp(text, option, length) == 0 && (text[length] == '\0' || text[length] == '=');
}

static int run_calibrate(const struct cli_args *args)
{
    for (int i = 0; i < args->operand_count; i++)
        if (is_option(args->operands[i], "--address") || is_option(args->operands[i], "--from"))
            return exec_helper("stormglass-bridge", "calibrate", args->operands,
                               args->operand_count);
    char **argv = memory_zeroed((size_t)args->operand_count + 2, sizeof *argv);
    argv[0] = (char *)(uintptr_t)files.name;
    for (int i = 0; i < args->operand_count; i++)
        argv[i + 1] = args->operands[i];
    const int code = cli_run(&files, args->operand_count + 1, argv);
    free(argv);
    return code;
}

const struct cli_command cmd_calibrate = {
    .name = "calibrate",
    .operands = "FILE... | --address A [--peer B] | --from FIGURES.json",
    .about = "write a profile of an RDMA device from the output of other tools or from a "
             "measurement",
    .operands_max = -1,
    .passes = true,
    .run = run_calibrate,
};
