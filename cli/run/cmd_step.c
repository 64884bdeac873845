/* SPDX-License-Identifier: Apache-2.0
 * cmd_step - stormglass step. */
#include "base/memory.h"
#include "cli/cli.h"

#include "replay/database/stored.h"
#include "replay/step/step.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option step_options[] = {
    {"script", 's', "FILE", "read commands from FILE instead of standard input"},
    {"seed", 0, "N", "seed (default: the scenario's)"},
    {"set", 0, "PATH=VALUE", "change one value of the scenario; repeatable"},
    {0},
};

static int code_of(enum step_result result)
{
    switch (result) {
    case STEP_DONE:
        return CLI_DONE;
    case STEP_DIFFERENT:
        return CLI_BROKEN;
    case STEP_WRONG:
        return CLI_USAGE;
    case STEP_BROKEN:
        break;
    }
    return CLI_FAILED;
}

static int play(const struct cli_args *args, struct step_session *session, struct diag *diag)
{
    const char *script = cli_value(args, "script");
    session->in = script == NULL ? stdin : fopen(script, "r");
    session->name = script == NULL ? "stdin" : script;
    session->terminal = script == NULL && isatty(STDIN_FILENO) == 1;
    session->out = stdout;
    session->wrong = stderr;
    if (session->in == NULL) {
        cli_error("%s: %s", script, strerror(errno));
        return CLI_USAGE;
    }
    const int code = code_of(step_run(session, diag));
    if (script != NULL)
        fclose(session->in);
    return code;
}

/* ------------------------------------------------------------------ a scenario */

static int step_scenario(const struct cli_args *args, struct diag *diag)
{
    struct scenario *scenario = cli_load_changed(args);
    if (scenario == NULL)
        return CLI_USAGE;
    struct step_session session = {.scenario = scenario, .until = TIME_NEVER};
    const int code = play(args, &session, diag);
    scenario_free(scenario);
    return code;
}

/* ------------------------------------------------------------------ stored run */

static int step_stored(const struct cli_args *args, struct store *store, struct diag *diag)
{
    const char *path = args->operands[0];
    struct stored stored;
    int code = CLI_USAGE;
    if (stored_load(&stored, store, diag)) {
        struct step_checks checks;
        step_checks_read(&checks, store, stored.scenario->node_count);
        struct step_session session = {
            .scenario = stored.scenario, .checks = &checks, .until = stored.until};
        code = play(args, &session, diag);
        step_checks_free(&checks);
    } else {
        cli_error("%s: its scenario cannot be run", path);
    }
    stored_free(&stored);
    return code;
}

static int step_database(const struct cli_args *args, struct diag *diag)
{
    char why[STORE_ERROR_BYTES];
    if (cli_given(args, "seed") || cli_given(args, "set")) {
        cli_error("--seed and --set apply to a scenario, not to a stored run");
        return CLI_USAGE;
    }
    struct store *store = stored_open(args->operands[0], why);
    if (store == NULL) {
        cli_error("%s: %s", args->operands[0], why);
        return CLI_USAGE;
    }
    const int code = step_stored(args, store, diag);
    store_close(store);
    return code;
}

static int run_step(const struct cli_args *args)
{
    if (strcmp(args->operands[0], "-") == 0 && !cli_given(args, "script")) {
        cli_error("step: standard input cannot be both the scenario and the commands: "
                  "expected --script FILE too");
        return CLI_USAGE;
    }
    struct diag *diag = memory_new(sizeof *diag);
    const int code =
        cli_is_database(args->operands[0]) ? step_database(args, diag) : step_scenario(args, diag);
    diag_print(diag, stderr);
    free(diag);
    return code;
}

const struct cli_command cmd_step = {
    .name = "step",
    .operands = "SCENARIO|RUN.db",
    .about = "step through a run forward and backward, and show the cause of each wait",
    .details = "Commands are lines of standard input; 'help' lists them.  A wrong line ends a\n"
               "script with exit code 2.  A stored run is compared with its checkpoints.",
    .examples =
        (const struct cli_example[]){
            {"Step through the pause storm at a prompt",
             "echo 'next pause by host0' | stormglass step pause-storm"},
            {"A script of commands",
             "echo 'next 30' > steps && stormglass step pause-storm --script steps"},
            {0}},
    .exit_codes =
        (const struct cli_exit_code[]){
            {0, "every command was carried out"},
            {1, "the run differs from the stored run (a checkpoint, or the digest at the end)"},
            {2, "the command line, the scenario or a line of the script is wrong"},
            {3, "the run could not be carried out (a process died, or out of memory)"},
            {0}},
    .options = step_options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run_step,
};
