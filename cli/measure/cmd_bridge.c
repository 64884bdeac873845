/* SPDX-License-Identifier: Apache-2.0
 * cmd_bridge - stormglass bridge. */
#include "cli/exec_helper.h"

static int run_bridge(const struct cli_args *args)
{
    return exec_helper("stormglass-bridge", NULL, args->operands, args->operand_count);
}

const struct cli_command cmd_bridge = {
    .name = "bridge",
    .operands = "run SCENARIO.yaml --role host|target|both --address A ...",
    .about = "run a scenario's workloads in real time on RDMA devices or over TCP",
    .operands_max = -1,
    .passes = true,
    .run = run_bridge,
};
