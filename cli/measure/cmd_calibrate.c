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
    .about = "measures an RDMA device, and writes the profile with which the model is like it",
    .operands_max = -1,
    .passes = true,
    .run = run,
};
