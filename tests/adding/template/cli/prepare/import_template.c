/* SPDX-License-Identifier: Apache-2.0
 * import_template - stormglass import template. */
#include "base/memory.h"
#include "cli/prepare/import.h"

static int take(const struct cli_args *args)
{
    if (!import_one_file(args))
        return CLI_USAGE;
    return import_give(args, true, "# a template's scenario\n", "",
                       memory_zeroed(1, sizeof(struct diag)));
}

const struct import_kind import_template = {
    "template", "a template of the tests: nothing", take, {NULL}};
