/* SPDX-License-Identifier: Apache-2.0
 * cmd_replay - stormglass replay. */
#include "cli/cli.h"
#include "replay/verify.h"

#include <stdio.h>
#include <stdlib.h>

static const struct cli_option options[] = {
    {0},
};

static int replay(const char *path, struct diag *diag)
{
    struct verify verify;
    switch (verify_run(path, true, &verify, diag)) {
    case VERIFY_EQUAL:
        printf("equal: digest %s\n", verify.digest_now);
        return CLI_DONE;
    case VERIFY_DIFFERENT:
        printf("different: digest was %s and is %s\nfirst difference: %s\n", verify.digest_then,
               verify.digest_now, verify.difference);
        return CLI_BROKEN;
    case VERIFY_UNUSABLE:
        cli_error("%s: %s", path, verify.difference);
        return CLI_USAGE;
    case VERIFY_BROKEN:
        break;
    }
    cli_error("%s: it could not be played again: %s", path, verify.difference);
    return CLI_FAILED;
}

static int run(const struct cli_args *args)
{
    struct diag *diag = calloc(1, sizeof *diag);
    if (diag == NULL)
        return CLI_FAILED;
    const int code = replay(args->operands[0], diag);
    diag_print(diag, stderr);
    free(diag);
    return code;
}

const struct cli_command cmd_replay = {
    .name = "replay",
    .operands = "RUN.db",
    .about = "plays a stored run again from its database alone and compares the digest",
    .details = "Exit codes: 0 equal, 1 different.",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
