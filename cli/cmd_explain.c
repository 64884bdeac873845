/* SPDX-License-Identifier: Apache-2.0
 * cmd_explain - stormglass explain. */
#include "cli/cli.h"

#include "reports/account.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct cli_option options[] = {
    {"json", 0, NULL, "one JSON object instead of the text"},
    {0},
};

static int explain(const struct cli_args *args, struct store *store)
{
    struct account account;
    char why[STORE_ERROR_BYTES];
    int code = CLI_USAGE;
    if (!account_read(&account, store, why)) {
        cli_error("%s: %s", args->operands[0], why);
    } else if (cli_given(args, "json") ? account_json(&account, stdout)
                                       : account_text(&account, stdout)) {
        code = CLI_DONE;
    } else {
        cli_error("the account could not be written: %s", strerror(errno));
        code = CLI_FAILED;
    }
    account_free(&account);
    return code;
}

static int run(const struct cli_args *args)
{
    char why[STORE_ERROR_BYTES];
    struct store *store = store_open(args->operands[0], why);
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
    .about = "says who paused whom and why, and what kept each workload from going faster",
    .details = "A run recorded with --record counters also tells the occupancies and thresholds.",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
