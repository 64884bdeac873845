/* SPDX-License-Identifier: Apache-2.0
 * cmd_explain - stormglass explain. */
#include "base/memory.h"
#include "cli/cli.h"

#include "replay/database/stored.h"
#include "replay/experiment/confirm.h"
#include "replay/run/run.h"
#include "reports/explain/account.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option explain_options[] = {
    {"prove", 0, NULL, "rerun with each suspect removed in turn"},
    {"all", 0, NULL, "as --prove, with up to 48 suspects instead of the 14 most likely ones"},
    {"what-if", 0, NULL, "rerun with more of each resource in turn"},
    {"assumed", 0, NULL, "rerun with each assumed value changed in turn"},
    {"queue", 0, NULL, "rerun up to the moment when the worst queue was longest"},
    {"set", 0, "PATH=VALUE", "change one value of the scenario; repeatable"},
    {"seed", 0, "N", "seed (default: the scenario's)"},
    {"json", 0, NULL, "one JSON object instead of the text"},
    CLI_OPTION_COLOR,
    {0},
};

static int failed_to_write(void)
{
    cli_error("the explanation could not be written: %s", strerror(errno));
    return CLI_FAILED;
}

/* Input of the explanation: a stored run or a scenario, and any additional simulations. */
struct asked {
    const struct cli_args *args;
    struct store *store; /* NULL: a scenario */
    struct account_played played;
};

static bool print_played(const struct account_played *played, bool as_json)
{
    const struct paint paint = paint_for(stdout);
    struct json json;
    if (!as_json) {
        if (played->whatif != NULL)
            whatif_text(played->whatif, stdout, &paint);
        if (played->assumed != NULL)
            assumed_text(played->assumed, stdout, &paint);
        if (played->queued != NULL)
            queued_text(played->queued, stdout, &paint);
        return ferror(stdout) == 0;
    }
    json_begin(&json, stdout);
    if (played->whatif != NULL)
        whatif_json(played->whatif, &json);
    if (played->assumed != NULL)
        assumed_json(played->assumed, &json);
    if (played->queued != NULL)
        queued_json(played->queued, &json);
    json_end(&json);
    return ferror(stdout) == 0;
}

static int print(const struct asked *asked)
{
    struct account account;
    char why[STORE_ERROR_BYTES];
    const bool as_json = cli_given(asked->args, "json");
    int code = CLI_DONE;
    if (asked->store == NULL)
        return print_played(&asked->played, as_json) ? CLI_DONE : failed_to_write();
    if (!account_read(&account, asked->store, why)) {
        cli_error("%s: %s", asked->args->operands[0], why);
        code = CLI_USAGE;
    } else if (!(as_json ? account_json(&account, asked->played, stdout)
                         : account_text(&account, asked->played, stdout)))
        code = failed_to_write();
    account_free(&account);
    return code;
}

static int failed_to_play(const struct asked *asked, const char *why)
{
    cli_error("%s: %s%s", asked->args->operands[0],
              asked->store == NULL ? "" : "cannot be replayed: ", why);
    return CLI_FAILED;
}

static int try_values(struct asked *asked, const struct scenario *scenario, time_ps until)
{
    struct assumed assumed;
    if (!cli_given(asked->args, "assumed"))
        return print(asked);
    const bool well = assumed_run(&assumed, scenario, until);
    asked->played.assumed = &assumed;
    const int code = well ? print(asked) : failed_to_play(asked, assumed.why);
    assumed_free(&assumed);
    return code;
}

static int find_queue(struct asked *asked, const struct scenario *scenario, time_ps until)
{
    struct queued queued;
    if (!cli_given(asked->args, "queue"))
        return try_values(asked, scenario, until);
    struct diag *diag = memory_new(sizeof *diag);
    const struct queued_place place = asked->store == NULL
                                          ? (struct queued_place){.node = UINT32_MAX}
                                          : queued_root(asked->store);
    const bool well = queued_find(&queued, scenario, until, place, diag);
    if (diag_failed(diag))
        diag_print(diag, stderr);
    free(diag);
    asked->played.queued = &queued;
    const int code = well ? try_values(asked, scenario, until) : failed_to_play(asked, queued.why);
    queued_free(&queued);
    return code;
}

static int try_reliefs(struct asked *asked, const struct scenario *scenario, time_ps until)
{
    struct whatif whatif;
    if (!cli_given(asked->args, "what-if"))
        return find_queue(asked, scenario, until);
    const bool well = whatif_run(&whatif, scenario, until);
    asked->played.whatif = &whatif;
    const int code = well ? find_queue(asked, scenario, until) : failed_to_play(asked, whatif.why);
    whatif_free(&whatif);
    return code;
}

static bool is_tried(const struct cli_args *args)
{
    return cli_given(args, "what-if") || cli_given(args, "assumed") || cli_given(args, "queue");
}

static int try_stored(struct asked *asked, struct diag *diag)
{
    struct stored stored;
    int code = CLI_USAGE;
    if (!is_tried(asked->args))
        return print(asked);
    if (stored_load(&stored, asked->store, diag))
        code = try_reliefs(asked, stored.scenario, stored.until);
    else
        cli_error("%s: its scenario cannot be loaded", asked->args->operands[0]);
    stored_free(&stored);
    return code;
}

static bool is_proved(const struct cli_args *args)
{
    return cli_given(args, "prove") || cli_given(args, "all");
}

static_assert(PROVE_SUSPECTS_MAX == 48 && PROVE_BROKEN_MAX == 14, "they are in --help");

static int prove(struct asked *asked, struct diag *diag)
{
    struct prove proof;
    if (!is_proved(asked->args))
        return try_stored(asked, diag);
    switch (prove_run(&proof, asked->store, cli_given(asked->args, "all"), true, diag)) {
    case PROVE_DONE:
        asked->played.proof = &proof;
        return try_stored(asked, diag);
    case PROVE_UNUSABLE:
        cli_error("%s: %s", asked->args->operands[0], proof.why);
        return CLI_USAGE;
    case PROVE_BROKEN:
        break;
    }
    return failed_to_play(asked, proof.why);
}

static int explain(const struct cli_args *args, struct store *store)
{
    struct diag *diag = memory_new(sizeof *diag);
    struct asked asked = {.args = args, .store = store};
    const int code = prove(&asked, diag);
    if (diag_failed(diag))
        diag_print(diag, stderr);
    free(diag);
    return code;
}

/* Runs the scenario into a database in memory, and explains that. Causes are confirmed as by
 * `stormglass run`: both commands have one verdict of a scenario. */
static int explain_run(const struct cli_args *args, const struct scenario *scenario)
{
    struct confirm confirm = {.events = CONFIRM_EVENTS};
    const struct run_options how = {.level = RECORD_COUNTERS,
                                    .until = TIME_NEVER,
                                    .interval = SERIES_AUTO,
                                    .judge = confirm_judge,
                                    .judge_self = &confirm,
                                    .progress = true};
    struct run run;
    struct diag *diag = memory_new(sizeof *diag);
    int code = CLI_FAILED;
    switch (run_scenario(&run, scenario, &how, diag)) {
    case RUN_DONE:
        code = explain(args, record_store(run.record));
        break;
    case RUN_REFUSED:
        code = CLI_USAGE;
        break;
    case RUN_BROKEN:
        cli_error("the run: %s", run.error);
        break;
    }
    diag_print(diag, stderr);
    free(diag);
    run_close(&run);
    return confirm.crashed ? cli_crashed() : code;
}

static int explain_scenario(const struct cli_args *args)
{
    struct asked asked = {.args = args};
    struct scenario *scenario = cli_load_changed(args);
    if (scenario == NULL)
        return CLI_USAGE;
    const int code = is_tried(args) && !is_proved(args) ? try_reliefs(&asked, scenario, TIME_NEVER)
                                                        : explain_run(args, scenario);
    scenario_free(scenario);
    return code;
}

/* Also recognized by its name, so that a missing file gets the message for databases. */
static bool is_database(const char *path)
{
    const size_t length = strlen(path);
    return (length > 3 && strcmp(path + length - 3, ".db") == 0) || cli_is_database(path);
}

static int run_explain(const struct cli_args *args)
{
    char why[STORE_ERROR_BYTES];
    const bool changed = cli_given(args, "set") || cli_given(args, "seed");
    if (!is_database(args->operands[0]))
        return explain_scenario(args);
    if (changed) {
        cli_error("--set and --seed change a scenario; %s is a run database", args->operands[0]);
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
    .about = "show which ports paused others and why, and the bottleneck of each workload",
    .details =
        "A scenario is run first, and further runs confirm the causes as in stormglass run.\n"
        "With a scenario, --what-if, --assumed and --queue print only their own answer.\n"
        "\n"
        "A run recorded with --record counters also shows occupancies and thresholds.\n"
        "--what-if adds 10% to the capacity of each resource in turn. It shows the change of\n"
        "goodput (for workloads with a rate: of mean latency), the next bottleneck, and the\n"
        "capacity that a failed expectation needs.\n"
        "--assumed runs the scenario again, each time with one assumed or inferred value changed,\n"
        "and shows the values that change the bottleneck, the first cause, or an expectation.\n"
        "--queue shows the flows that waited in the congested queue when it was longest.\n"
        "--prove shows how much of the victims' delay disappears with each suspect removed,\n"
        "and with a few unaffected workloads removed.",
    .examples =
        (const struct cli_example[]){
            {"The ports that paused each other in the pause storm, and why",
             "stormglass explain pause-storm"},
            {"The same for a recorded run, with occupancies and thresholds",
             "stormglass run pause-storm -o storm.db --record counters && stormglass explain "
             "storm.db"},
            {"The gain from removing each suspect", "stormglass explain storm.db --prove"},
            {"The verdict with less headroom",
             "stormglass explain pause-storm --set fabric.switch.pfc.headroom=64KiB"},
            {0}},
    .exit_codes =
        (const struct cli_exit_code[]){
            {0, "the explanation was printed"},
            {2, "the scenario is invalid, the file is not the database of a finished run, or "
                "--prove cannot repeat the run"},
            {3, "the output could not be written, or the run could not be repeated"},
            {0}},
    .options = explain_options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run_explain,
};
