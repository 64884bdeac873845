/* SPDX-License-Identifier: Apache-2.0
 * cmd_explain - stormglass explain. */
#include "base/memory.h"
#include "cli/cli.h"

#include "replay/database/stored.h"
#include "reports/text/account.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    {"prove", 0, NULL, "runs it again with one suspect removed at a time"},
    {"json", 0, NULL, "one JSON object instead of the text"},
    {0},
};

/* `proof` NULL: none was asked for. */
static int print(const struct cli_args *args, struct store *store, const struct prove *proof)
{
    struct account account;
    char why[STORE_ERROR_BYTES];
    int code = CLI_USAGE;
    if (!account_read(&account, store, why)) {
        cli_error("%s: %s", args->operands[0], why);
    } else if (cli_given(args, "json") ? account_json(&account, proof, stdout)
                                       : account_text(&account, proof, stdout)) {
        code = CLI_DONE;
    } else {
        cli_error("the account could not be written: %s", strerror(errno));
        code = CLI_FAILED;
    }
    account_free(&account);
    return code;
}

static int prove(const struct cli_args *args, struct store *store, struct diag *diag)
{
    struct prove proof;
    switch (prove_run(&proof, store, true, diag)) {
    case PROVE_DONE:
        return print(args, store, &proof);
    case PROVE_UNUSABLE:
        cli_error("%s: %s", args->operands[0], proof.why);
        return CLI_USAGE;
    case PROVE_BROKEN:
        break;
    }
    cli_error("%s: cannot be replayed: %s", args->operands[0], proof.why);
    return CLI_FAILED;
}

static int explain(const struct cli_args *args, struct store *store)
{
    if (!cli_given(args, "prove"))
        return print(args, store, NULL);
    struct diag *diag = memory_new(sizeof *diag);
    const int code = prove(args, store, diag);
    if (diag_failed(diag))
        diag_print(diag, stderr);
    free(diag);
    return code;
}

static int run(const struct cli_args *args)
{
    char why[STORE_ERROR_BYTES];
    struct store *store = stored_open(args->operands[0], why);
    if (store == NULL) {
        cli_error("%s: %s", args->operands[0], why);
        return CLI_USAGE;
    }
    const int code = explain(args, store);
    store_close(store);
    return code;
}

const struct cli_command cmd_explain = {
    .name = "explain",
    .operands = "RUN.db",
    .about = "shows who paused whom and why, and what limited each workload",
    .details = "A run recorded with --record counters also shows occupancies and "
               "thresholds.\n--prove shows how much of the victims' lost time is recovered with "
               "each suspect\nremoved, and with a few innocent workloads removed.",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
