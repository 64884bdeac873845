/* SPDX-License-Identifier: Apache-2.0
 * load - scenarios of a command line. */
#include "cli/cli.h"
#include "scenarios/library.h"

#include <stdio.h>
#include <stdlib.h>

struct scenario *cli_load(const char *name, const char *const *sets, uint32_t set_count)
{
    struct diag *diag = calloc(1, sizeof *diag);
    if (diag == NULL)
        return NULL;
    struct scenario *scenario = library_load(name, sets, set_count, diag);
    diag_print(diag, stderr);
    free(diag);
    return scenario;
}
