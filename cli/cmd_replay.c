/* SPDX-License-Identifier: Apache-2.0
 * cmd_replay - stormglass replay. */
#include "cli/cli.h"
#include "replay/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const struct cli_option options[] = {
    {0},
};

static void tell_parting(const struct verify *verify)
{
    const struct checkpoint_parting *parting = &verify->parting;
    if (!parting->known) {
        printf("the database has no checkpoints that could tell where the runs part\n");
        return;
    }
    if (!parting->parted) {
        printf("all nodes are equal up to the last checkpoint, at %.6f us\n",
               (double)parting->before / PS_PER_US);
        return;
    }
    printf("the runs part after %.6f us and by %.6f us, in %s\n",
           (double)parting->after / PS_PER_US, (double)parting->before / PS_PER_US, verify->nodes);
    printf("the first of them executes %" PRIu64 " events in that time now%s\n",
           verify->event_count, verify->told > 0 ? ":" : "");
    for (uint32_t i = 0; i < verify->told; i++)
        printf("  %16.6f us  %-14s %s\n", (double)verify->events[i].at / PS_PER_US,
               verify->events[i].port, verify->events[i].what);
}

static int tell(const char *path, enum verify_end end, const struct verify *verify)
{
    switch (end) {
    case VERIFY_EQUAL:
        printf("equal: digest %s\n", verify->digest_now);
        return CLI_DONE;
    case VERIFY_DIFFERENT:
        printf("different: digest was %s and is %s\nfirst difference: %s\n", verify->digest_then,
               verify->digest_now, verify->difference);
        tell_parting(verify);
        return CLI_BROKEN;
    case VERIFY_UNUSABLE:
        cli_error("%s: %s", path, verify->difference);
        return CLI_USAGE;
    case VERIFY_BROKEN:
        break;
    }
    cli_error("%s: it could not be played again: %s", path, verify->difference);
    return CLI_FAILED;
}

static int replay(const char *path, struct diag *diag)
{
    struct verify verify;
    const int code = tell(path, verify_run(path, true, &verify, diag), &verify);
    verify_free(&verify);
    return code;
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
