/* SPDX-License-Identifier: Apache-2.0
 * cmd_compare - stormglass compare. */
#include "cli/cli.h"
#include "cli/compare_wire.h"

#include "base/quantity.h"
#include "replay/compare.h"
#include "reports/compare_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct cli_option options[] = {
    {"tolerance", 0, "PERCENT", "how far a figure may be off (15%)"},
    {"figures", 0, "LIST", "figures that are judged (p50,iops)"},
    {"any", 0, NULL, "two runs of the same kind; the first stands for the model"},
    {"wire", 0, NULL, "the files are captures, pcap or pcapng; of one alone: its frames in words"},
    {"json", 0, NULL, "one JSON object instead of the text"},
    {0},
};

static bool read_options(const struct cli_args *args, struct compare_options *with)
{
    const char *tolerance = cli_value(args, "tolerance"), *figures = cli_value(args, "figures");
    char why[QUANTITY_WHY_BYTES] = "";
    int64_t ppm = 150000;
    *with = (struct compare_options){.judged = COMPARE_JUDGED_PRESET,
                                     .any_kind = cli_given(args, "any")};
    if (tolerance != NULL && !quantity_parse(QUANTITY_PERCENT, tolerance, &ppm, why)) {
        cli_error("--tolerance %s: %s", tolerance, why);
        return false;
    }
    with->tolerance = (double)ppm / 1e6;
    if (figures == NULL || compare_parse_figures(figures, &with->judged))
        return true;
    cli_error("--figures %s: expected a list of mean,p50,p99,p99_9,max,iops,goodput", figures);
    return false;
}

static int compare_databases(const struct cli_args *args)
{
    struct compare_options with;
    if (!read_options(args, &with))
        return CLI_USAGE;
    struct compare compare;
    int code = CLI_USAGE;
    if (compare_runs(&compare, args->operands[0], args->operands[1], &with) == COMPARE_REFUSED) {
        cli_error("%s", compare.why);
    } else {
        const bool written = cli_given(args, "json") ? compare_json(&compare, stdout)
                                                     : compare_text(&compare, stdout);
        code = compare_equal(&compare) ? CLI_DONE : CLI_BROKEN;
        if (!written) {
            cli_error("the comparison could not be written: %s", strerror(errno));
            code = CLI_FAILED;
        }
    }
    compare_free(&compare);
    return code;
}

static int run(const struct cli_args *args)
{
    const char *second = args->operand_count > 1 ? args->operands[1] : NULL;
    if (cli_given(args, "wire"))
        return compare_wire(args->operands[0], second, cli_given(args, "json"));
    if (second != NULL)
        return compare_databases(args);
    cli_error("compare: expected two run databases, or --wire and captures");
    return CLI_USAGE;
}

const struct cli_command cmd_compare = {
    .name = "compare",
    .operands = "MODEL MEASURED",
    .about = "says how far the model is from a measurement of the same scenario",
    .details = "MEASURED.db is of stormglass-bridge.  Both are best recorded with --record ios.\n"
               "--wire compares captures frame by frame: opcode, length, PSN step, ACK request,\n"
               "acknowledgement, invalidated key, messages of the connection manager, capsules.\n"
               "Exit codes: 0 the protocol is equal and all figures are within the tolerance,\n"
               "1 not so, 2 the files cannot be compared.",
    .options = options,
    .operands_min = 1,
    .operands_max = 2,
    .run = run,
};
