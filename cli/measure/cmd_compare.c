/* SPDX-License-Identifier: Apache-2.0
 * cmd_compare - stormglass compare. */
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/measure/compare_wire.h"

#include "base/quantity.h"
#include "replay/compare/matrix.h"
#include "reports/text/compare_csv.h"
#include "reports/text/compare_text.h"
#include "reports/text/matrix_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option cmd_compare_options[] = {
    {"tolerance", 0, "PERCENT", "tolerance of a figure (15%)"},
    {"figures", 0, "LIST", "figures that must be within the tolerance (p50,iops)"},
    {"frozen", 0, "PREDICTIONS", "compare a grid with a directory of measurements"},
    {"share", 0, "PERCENT", "for a grid: share of cells that must be within the tolerance (100%)"},
    {"markdown", 0, NULL, "for a grid: print Markdown"},
    {"any", 0, NULL, "also accept two runs of the same kind; the first counts as the model"},
    {"wire", 0, NULL, "compare two captures (pcap, pcapng), or list the frames of one"},
    {"json", 0, NULL, "one JSON object instead of the text"},
    {"csv", 0, NULL, "one CSV row for each figure, or with --wire for each stream"},
    CLI_OPTION_COLOR,
    CLI_OPTION_QUIET,
    {0},
};

enum { MILLION = 1000000 };

/* `ppm` is unchanged if the option is not given. */
static bool read_percent(const struct cli_args *args, const char *option, int64_t *ppm)
{
    const char *text = cli_value(args, option);
    char why[QUANTITY_WHY_BYTES] = "";
    if (text == NULL || quantity_parse(QUANTITY_PERCENT, text, ppm, why))
        return true;
    cli_error("--%s %s: %s", option, text, why);
    return false;
}

/* Options without meaning here are rejected, because users expect them to have an effect. */
static bool check_unused_options(const struct cli_args *args, const char *where,
                                 const char *const *none)
{
    for (; *none != NULL; none++)
        if (cli_given(args, *none)) {
            cli_error("compare: --%s has no effect %s", *none, where);
            return false;
        }
    return true;
}

static bool options_fit(const struct cli_args *args)
{
    static const char *const of_runs[] = {"tolerance", "figures", "frozen", "share",
                                          "markdown",  "any",     NULL};
    static const char *const of_grids[] = {"share", "markdown", NULL};
    static const char *const of_pairs[] = {"json", "csv", NULL};
    if (!cli_given(args, "wire"))
        return cli_given(args, "frozen") ||
               check_unused_options(args, "without --frozen", of_grids);
    return check_unused_options(args, "with --wire", of_runs) &&
           (args->operand_count > 1 || check_unused_options(args, "with one capture", of_pairs));
}

static bool read_options(const struct cli_args *args, struct compare_options *with)
{
    const char *figures = cli_value(args, "figures");
    int64_t tolerance = 15 * MILLION / 100;
    *with = (struct compare_options){.judged = COMPARE_JUDGED_PRESET,
                                     .any_kind = cli_given(args, "any")};
    if (!read_percent(args, "tolerance", &tolerance))
        return false;
    with->tolerance = (double)tolerance / MILLION;
    if (figures == NULL || compare_parse_figures(figures, &with->judged))
        return true;
    cli_error("--figures %s: expected a list of mean,p50,p99,p99_9,max,iops,goodput", figures);
    return false;
}

static int exit_code_of(bool written, bool well)
{
    if (written)
        return well ? CLI_DONE : CLI_BROKEN;
    cli_error("the comparison could not be written: %s", strerror(errno));
    return CLI_FAILED;
}

/* ------------------------------------------------------------------ two runs */

static int compare_two(const struct cli_args *args, const struct compare_options *with)
{
    struct compare compare;
    int code = CLI_USAGE;
    if (compare_runs(&compare, args->operands[0], args->operands[1], with) == COMPARE_REFUSED)
        cli_error("%s", compare.why);
    else
        code = exit_code_of(cli_given(args, "json")  ? compare_json(&compare, stdout)
                            : cli_given(args, "csv") ? compare_csv(&compare, stdout)
                                                     : compare_text(&compare, stdout),
                            compare_equal(&compare));
    compare_free(&compare);
    return code;
}

/* ------------------------------------------------------------------ a grid */

static bool write_matrix(const struct cli_args *args, const struct matrix *matrix)
{
    if (cli_given(args, "json"))
        return matrix_json(matrix, stdout);
    if (cli_given(args, "csv"))
        return matrix_csv(matrix, stdout);
    if (cli_given(args, "markdown"))
        return matrix_markdown(matrix, stdout);
    return matrix_text(matrix, stdout);
}

static int compare_grid(const struct cli_args *args, const struct compare_options *with,
                        const struct predictions *predictions)
{
    struct matrix matrix = {0};
    int64_t share = MILLION;
    int code = CLI_USAGE;
    if (!read_percent(args, "share", &share))
        return CLI_USAGE;
    if (!predictions_are_of_this_model(predictions, matrix.why) ||
        matrix_compare(&matrix, predictions, args->operands[0], with) == COMPARE_REFUSED)
        cli_error("%s", matrix.why);
    else
        code = exit_code_of(write_matrix(args, &matrix),
                            (int64_t)matrix.holding * MILLION >= share * matrix.row_count);
    matrix_free(&matrix);
    return code;
}

static int compare_frozen(const struct cli_args *args, const struct compare_options *with)
{
    struct diag *diag = memory_new(sizeof *diag);
    struct predictions *predictions = predictions_load_file(cli_value(args, "frozen"), diag);
    const int code = predictions == NULL ? CLI_USAGE : compare_grid(args, with, predictions);
    diag_print(diag, stderr);
    predictions_free(predictions);
    free(diag);
    return code;
}

static int run_compare(const struct cli_args *args)
{
    struct compare_options with;
    const bool frozen = cli_given(args, "frozen");
    if (!options_fit(args))
        return CLI_USAGE;
    if (cli_given(args, "wire"))
        return compare_wire(args->operands[0], args->operand_count > 1 ? args->operands[1] : NULL,
                            cli_given(args, "json")  ? WIRE_JSON
                            : cli_given(args, "csv") ? WIRE_CSV
                                                     : WIRE_TEXT);
    if (!read_options(args, &with))
        return CLI_USAGE;
    if (args->operand_count != (frozen ? 1 : 2)) {
        cli_error("compare: expected %s", frozen ? "one directory of measurements with --frozen"
                                                 : "two databases, MODEL.db and MEASURED.db");
        return CLI_USAGE;
    }
    return frozen ? compare_frozen(args, &with) : compare_two(args, &with);
}

const struct cli_command cmd_compare = {
    .name = "compare",
    .operands = "MODEL.db MEASURED.db | --frozen PREDICTIONS DIR | --wire CAPTURE [CAPTURE]",
    .about = "compare the model with a measurement of the same scenario",
    .details = "MEASURED.db is from stormglass-bridge.  Record both with --record ios.\n"
               "PREDICTIONS is from stormglass predict; DIR has a CELL.db for each cell.\n"
               "--wire compares captures frame by frame: opcode, length, PSN step, ACK request,\n"
               "acknowledgment, invalidated key, messages of the connection manager, capsules;\n"
               "captures of NVMe/TCP are compared PDU by PDU.",
    .examples =
        (const struct cli_example[]){{"A model's run with a measurement of the same scenario",
                                      "stormglass compare model.db measured.db --any"},
                                     {"Two captures, frame by frame",
                                      "stormglass compare --wire model.pcapng measured.pcapng"},
                                     {0}},
    .exit_codes =
        (const struct cli_exit_code[]){
            {0, "the protocol is equal and every figure is within the tolerance; the captures do "
                "not differ"},
            {1, "the protocol, a figure or a frame differs"},
            {2, "the command line is wrong, or the files cannot be compared"},
            {3, "the output could not be written"},
            {0}},
    .options = cmd_compare_options,
    .operands_min = 1,
    .operands_max = 2,
    .run = run_compare,
};
