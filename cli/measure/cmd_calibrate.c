/* SPDX-License-Identifier: Apache-2.0
 * cmd_calibrate - stormglass calibrate. */
#include "cli/hand_over.h"

static int run(const struct cli_args *args)
{
    return hand_over("calibrate", args);
}

const struct cli_command cmd_calibrate = {
    .name = "calibrate",
    .operands = "--address A [--peer B] | --from FIGURES.json ...",
    .about = "measures an RDMA device and writes a profile that makes the model match it",
    .operands_max = -1,
    .passes = true,
    .run = run,
};
