/* SPDX-License-Identifier: Apache-2.0
 * cmd_plan - stormglass plan. */
#include "base/memory.h"
#include "base/quantity.h"
#include "cli/cli.h"
#include "replay/plan/plan_assumed.h"
#include "replay/plan/plan_store.h"
#include "replay/record/record_begin.h"
#include "replay/run/jobs.h"
#include "replay/run/progress.h"
#include "replay/run/stop.h"
#include "reports/plan/plan_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option options[] = {
    {"output", 'o', "PLAN.db", "write the question, every run and the answer there (SQLite)"},
    {"resume", 0, "PLAN.db", "what is in this database is not played again; it is written on"},
    {"jobs", 'j', "N", "runs at once; the answer does not depend on it (default: processors)"},
    {"assumed", 0, NULL,
     "then changes one assumed value at a time: how far each moves the figures, which flip the "
     "choice"},
    {"list", 0, NULL, "only print each candidate: its settings, its cost, what can never hold"},
    {"exhaustive", 0, NULL, "play every candidate, whatever is known of it"},
    {"json", 0, NULL, "one JSON object instead of the summary"},
    {"csv", 0, NULL, "a line for each candidate instead of the summary"},
    {0},
};

/* One search under way. */
struct planning {
    struct plan_state state;
    struct plan_known *known;
    struct plan_store *store;
    bool shown; /* a line of progress is on the terminal */
    double begun_s;
};

static struct plan *load_plan(const char *path)
{
    struct diag *diag = memory_new(sizeof *diag);
    struct plan *plan = plan_load_file(path, diag);
    diag_print(diag, stderr);
    free(diag);
    return plan;
}

static bool open_search(struct planning *planning, struct plan *plan)
{
    struct diag *diag = memory_new(sizeof *diag);
    const bool well = plan_search_open(&planning->state, plan, diag);
    diag_print(diag, stderr);
    free(diag);
    return well;
}

static bool read_jobs(const struct cli_args *args, uint32_t *at_once)
{
    const char *text = cli_value(args, "jobs");
    char why[QUANTITY_WHY_BYTES];
    int64_t value = 0;
    if (text != NULL && (!quantity_parse(QUANTITY_INT, text, &value, why) || value < 1 ||
                         value > JOBS_AT_ONCE_MAX)) {
        cli_error("--jobs %s: expected a number from 1 to %d", text, JOBS_AT_ONCE_MAX);
        return false;
    }
    *at_once = (uint32_t)value;
    return true;
}

/* ------------------------------------------------------------------ while it is played */

static void show_progress(struct planning *planning)
{
    const struct plan_state *state = &planning->state;
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r%" PRId64 " runs in %.0f s; %u of %u candidates open%s%-40s", state->runs,
            progress_clock_s() - planning->begun_s, (unsigned)plan_open(state),
            (unsigned)state->count, state->chosen >= 0 ? "; best so far " : "",
            state->chosen >= 0 ? state->candidates[state->chosen].cell->name : "");
    fflush(stderr);
    planning->shown = true;
}

static void played(void *self, uint32_t candidate, uint32_t of, uint32_t seed)
{
    struct planning *planning = self;
    const struct plan_candidate *mine = &planning->state.candidates[candidate];
    const struct plan_case_state *state = &mine->states[of];
    if (planning->store != NULL)
        plan_store_run(planning->store, mine->key, of, seed, &state->outcomes[seed]);
    show_progress(planning);
}

static bool known(void *self, uint32_t candidate, uint32_t of, uint32_t seed,
                  struct plan_outcome *outcome)
{
    const struct planning *planning = self;
    return planning->known != NULL &&
           plan_known_find(planning->known, planning->state.candidates[candidate].key, of, seed,
                           outcome);
}

/* The budget of time, from the moment on when playing began. */
static bool late(void *self)
{
    const struct planning *planning = self;
    return progress_clock_s() - planning->begun_s >
           (double)planning->state.plan->most_time / (double)PS_PER_S;
}

/* ------------------------------------------------------------------ the database */

static bool open_store(const struct cli_args *args, struct planning *planning)
{
    char error[STORE_ERROR_BYTES];
    const char *resume = cli_value(args, "resume"), *path = cli_value(args, "output");
    if (resume != NULL) {
        planning->known = plan_known_read(resume, &planning->state, error);
        if (planning->known == NULL) {
            cli_error("--resume %s: %s", resume, error);
            return false;
        }
    }
    path = path != NULL ? path : resume;
    if (path == NULL)
        return true;
    planning->store = plan_store_create(path, &planning->state, planning->known, error);
    if (planning->store == NULL)
        cli_error("%s: %s", path, error);
    return planning->store != NULL;
}

/* What would be lost, before any work. */
static bool may_write(const struct cli_args *args, const struct plan *plan)
{
    const char *path = cli_value(args, "output");
    const char *inputs[] = {args->operands[0], plan->grid.scenario};
    const struct output_inputs apart = {inputs, 2};
    return path == NULL || cli_output_allowed(path, &apart);
}

/* ------------------------------------------------------------------ answers */

static int report(const struct cli_args *args, const struct plan_state *state)
{
    if (cli_given(args, "json"))
        plan_json(state, stdout);
    else if (cli_given(args, "csv"))
        plan_csv(state, stdout);
    else
        plan_text(state, stdout);
    if (fflush(stdout) != 0) {
        cli_error("the results could not be written: %s", strerror(errno));
        return CLI_FAILED;
    }
    return state->proven ? CLI_DONE : CLI_BROKEN;
}

static int play(const struct cli_args *args, struct planning *planning, uint32_t at_once)
{
    const struct plan_search search = {
        .state = &planning->state,
        .at_once = at_once,
        .exhaustive = cli_given(args, "exhaustive"),
        .self = planning,
        .played = played,
        .known = known,
        .late = planning->state.plan->most_time > 0 ? late : NULL,
    };
    struct stop former;
    char error[STORE_ERROR_BYTES];
    if (!open_store(args, planning))
        return CLI_USAGE;
    planning->begun_s = progress_clock_s();
    stop_catch(&former);
    plan_search_play(&search);
    if (cli_given(args, "assumed"))
        plan_assumed_play(&search);
    stop_release(&former);
    if (planning->shown)
        fprintf(stderr, "\r%-100s\r", "");
    int code = report(args, &planning->state);
    if (planning->store != NULL && !plan_store_close(planning->store, &planning->state, error)) {
        cli_error("the database: %s", error);
        code = CLI_FAILED;
    }
    planning->store = NULL;
    return code;
}

static int run(const struct cli_args *args)
{
    struct planning planning = {.store = NULL};
    uint32_t at_once;
    if (!read_jobs(args, &at_once))
        return CLI_USAGE;
    if (cli_given(args, "json") && cli_given(args, "csv")) {
        cli_error("--json and --csv: expected one of them");
        return CLI_USAGE;
    }
    struct plan *plan = load_plan(args->operands[0]);
    int code = CLI_USAGE;
    if (plan != NULL && may_write(args, plan) && open_search(&planning, plan))
        code = cli_given(args, "list") ? report(args, &planning.state)
                                       : play(args, &planning, at_once);
    if (cli_given(args, "list") && code == CLI_BROKEN)
        code = CLI_DONE;
    plan_known_free(planning.known);
    plan_state_free(&planning.state);
    plan_free(plan);
    return code;
}

const struct cli_command cmd_plan = {
    .name = "plan",
    .operands = "PLAN.yaml",
    .about = "finds the fabric that holds what is asked for, at the least cost",
    .details =
        "Plays as few runs as tell which candidates hold every objective, also with each failure.\n"
        "Ctrl-C keeps what was played: --resume goes on from there.\n"
        "Exit codes: 0 one is chosen and nothing that is open could take its place, 1 none holds,\n"
        "or that is not known, 2 the plan or the command line is wrong, 3 the database could not\n"
        "be written, 130 interrupted, 143 terminated.",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
