/* SPDX-License-Identifier: Apache-2.0
 * output - what commands say of their outputs. */
#include "cli/cli.h"

#include <string.h>

bool cli_output_allowed(const char *path, const struct output_inputs *inputs)
{
    char why[OUTPUT_WHY_BYTES];
    const bool allowed = output_is_apart(path, inputs, why);
    if (!allowed)
        cli_error("%s", why);
    return allowed;
}

int cli_output_failed(const char *path, const struct output_inputs *inputs, int why)
{
    if (!cli_output_allowed(path, inputs))
        return CLI_USAGE;
    cli_error("%s: %s", path == NULL ? "standard output" : path, strerror(why));
    return CLI_FAILED;
}
