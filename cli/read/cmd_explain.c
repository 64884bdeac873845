/* SPDX-License-Identifier: Apache-2.0
 * cmd_explain - stormglass explain. */
#include "base/memory.h"
#include "cli/cli.h"

#include "replay/database/stored.h"
#include "reports/explain/account.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    {"prove", 0, NULL, "runs it again with one suspect removed at a time"},
    {"what-if", 0, NULL, "runs it again with more of one resource at a time; also of a scenario"},
    {"set", 0, "PATH=VALUE", "with --what-if, of a scenario: change one value; may be given often"},
    {"seed", 0, "N", "likewise: another seed than the scenario's"},
    {"json", 0, NULL, "one JSON object instead of the text"},
    {0},
};

static int failed_to_write(void)
{
    cli_error("the account could not be written: %s", strerror(errno));
    return CLI_FAILED;
}

/* NULL: none was asked for. */
struct experiments {
    const struct prove *proof;
    const struct whatif *whatif;
};

static int print(const struct cli_args *args, struct store *store, struct experiments with)
{
    struct account account;
    char why[STORE_ERROR_BYTES];
    int code = CLI_DONE;
    if (!account_read(&account, store, why)) {
        cli_error("%s: %s", args->operands[0], why);
        code = CLI_USAGE;
    } else if (!(cli_given(args, "json") ? account_json(&account, with.proof, with.whatif, stdout)
                                         : account_text(&account, with.proof, with.whatif, stdout)))
        code = failed_to_write();
    account_free(&account);
    return code;
}

static int try_reliefs(const struct cli_args *args, struct store *store, struct diag *diag,
                       const struct prove *proof)
{
    struct stored stored;
    struct whatif whatif;
    int code = CLI_USAGE;
    if (!cli_given(args, "what-if"))
        return print(args, store, (struct experiments){proof, NULL});
    if (!stored_load(&stored, store, diag)) {
        cli_error("%s: its scenario cannot be loaded", args->operands[0]);
    } else if (!whatif_run(&whatif, stored.scenario, stored.until)) {
        cli_error("%s: cannot be replayed: %s", args->operands[0], whatif.why);
        code = CLI_FAILED;
        whatif_free(&whatif);
    } else {
        code = print(args, store, (struct experiments){proof, &whatif});
        whatif_free(&whatif);
    }
    stored_free(&stored);
    return code;
}

static int prove(const struct cli_args *args, struct store *store, struct diag *diag)
{
    struct prove proof;
    if (!cli_given(args, "prove"))
        return try_reliefs(args, store, diag, NULL);
    switch (prove_run(&proof, store, true, diag)) {
    case PROVE_DONE:
        return try_reliefs(args, store, diag, &proof);
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
    struct diag *diag = memory_new(sizeof *diag);
    const int code = prove(args, store, diag);
    if (diag_failed(diag))
        diag_print(diag, stderr);
    free(diag);
    return code;
}

static bool print_reliefs(const struct whatif *whatif, bool as_json)
{
    const struct paint paint = paint_for(stdout);
    struct json json;
    if (!as_json) {
        whatif_text(whatif, stdout, &paint);
        return ferror(stdout) == 0;
    }
    json_begin(&json, stdout);
    whatif_json(whatif, &json);
    json_end(&json);
    return ferror(stdout) == 0;
}

static int explain_scenario(const struct cli_args *args)
{
    struct scenario *scenario = cli_load_changed(args);
    struct whatif whatif;
    int code = CLI_DONE;
    if (scenario == NULL)
        return CLI_USAGE;
    if (!whatif_run(&whatif, scenario, TIME_NEVER)) {
        cli_error("%s: %s", args->operands[0], whatif.why);
        code = CLI_FAILED;
    } else if (!print_reliefs(&whatif, cli_given(args, "json")))
        code = failed_to_write();
    whatif_free(&whatif);
    scenario_free(scenario);
    return code;
}

static int run(const struct cli_args *args)
{
    char why[STORE_ERROR_BYTES];
    const bool changed = cli_given(args, "set") || cli_given(args, "seed");
    if (cli_given(args, "what-if") && !cli_is_database(args->operands[0]))
        return explain_scenario(args);
    if (changed) {
        cli_error("--set and --seed are for --what-if of a scenario");
        return CLI_USAGE;
    }
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
    .operands = "RUN.db|SCENARIO.yaml",
    .about = "shows who paused whom and why, and what limited each workload",
    .details = "A run recorded with --record counters also shows occupancies and "
               "thresholds.\n--what-if shows what goodput (of open loops: mean latency) gains with "
               "a tenth\nmore of each resource, the next limit, and what failed expectations "
               "need.\n--prove shows how much of the victims' lost time is recovered with "
               "each suspect\nremoved, and with a few innocent workloads removed.",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
