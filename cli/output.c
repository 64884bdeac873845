/* SPDX-License-Identifier: Apache-2.0
 * output - messages about the outputs of commands. */
#include "cli/cli.h"

#include <errno.h>
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
    if (why == EEXIST) {
        cli_error("%s: not replaced, since stormglass did not write it: expected a new directory, "
                  "or one that this command wrote",
                  path);
        return CLI_USAGE;
    }
    cli_error("%s: %s", path == NULL ? "standard output" : path, strerror(why));
    return CLI_FAILED;
}

int cli_output_write(const struct cli_args *args, int first,
                     void (*write)(FILE *out, const void *what), const void *what)
{
    const char *path = cli_value(args, "output");
    const struct output_inputs inputs = {(const char *const *)args->operands + first,
                                         (size_t)(args->operand_count - first)};
    struct output output;
    if (output_open(&output, path, &inputs)) {
        write(output.out, what);
        if (output_end(&output, true))
            return CLI_DONE;
    }
    return cli_output_failed(path, &inputs, errno);
}
