/* SPDX-License-Identifier: Apache-2.0
 * cmd_compare - stormglass compare. */
#include "cli/cli.h"
#include "cli/compare_wire.h"

static const struct cli_option options[] = {
    {"wire", 0, NULL, "the files are captures, pcap or pcapng; of one alone: its frames in words"},
    {"json", 0, NULL, "one JSON object"},
    {0},
};

static int run(const struct cli_args *args)
{
    if (!cli_given(args, "wire")) {
        cli_error("compare: expected --wire and two captures");
        return CLI_USAGE;
    }
    return compare_wire(args->operands[0], args->operand_count > 1 ? args->operands[1] : NULL,
                        cli_given(args, "json"));
}

const struct cli_command cmd_compare = {
    .name = "compare",
    .operands = "MODEL MEASURED",
    .about = "compares a run of the model with what was measured",
    .details =
        "--wire compares captures frame by frame: opcode, length, PSN step, ACK request,\n"
        "acknowledgement, invalidated key, messages of the connection manager, capsules.\n"
        "Connections to the same port are paired in the order of their REQs; addresses, QPNs,\n"
        "keys, first PSNs, identifiers and times are each capture's own.",
    .options = options,
    .operands_min = 1,
    .operands_max = 2,
    .run = run,
};
