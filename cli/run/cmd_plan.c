/* SPDX-License-Identifier: Apache-2.0
 * cmd_plan - stormglass plan. */
#include "cli/run/cmd_plan.h"

#include "base/plural.h"
#include "base/quantity.h"
#include "cli/run/pages.h"
#include "cli/run/plan_picture.h"
#include "cli/run/planning.h"
#include "cli/run/slurm.h"
#include "replay/plan/plan_assumed.h"
#include "replay/run/jobs.h"
#include "replay/run/stop.h"
#include "reports/plan/plan_report.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option plan_options[] = {
    {"output", 'o', "PLAN.db", "write the plan, every run and the answer to PLAN.db (SQLite)"},
    {"resume", 0, "PLAN.db", "continue with this database: runs in it are not repeated"},
    {"jobs", 'j', "N",
     "number of parallel runs; the answer is the same for any number (default: processors)"},
    {"vs", 0, "OTHER.yaml",
     "compare with the choice of another plan under the same load: differences with intervals"},
    {"assumed", 0, NULL,
     "also run the plan with one assumed value changed at a time, and show its effect"},
    {"share", 0, "K/N", "run only the K-th of N shares of the candidates"},
    {"gather", 0, "DIRECTORY",
     "continue from the share-*.db files in DIRECTORY: runs in them are not repeated"},
    {"slurm", 0, "DIRECTORY",
     "only write a Slurm array job to DIRECTORY: one task for each share, and a job that gathers "
     "them"},
    {"pages", 0, "DIRECTORY",
     "also write the answer as HTML to DIRECTORY: index.html, with a linked run of each candidate"},
    {"list", 0, NULL,
     "only list the candidates with settings, cost, and the objectives that cannot pass"},
    {"exhaustive", 0, NULL,
     "run every candidate, even if its result is known without a run, and list the measures of "
     "all"},
    {"json", 0, NULL, "one JSON object instead of the summary"},
    {"csv", 0, NULL, "one CSV row for each candidate, or difference, instead of the summary"},
    CLI_OPTION_QUIET,
    {0},
};

/* One plan, or two plans to compare. */
struct session {
    struct planning sides[PLAN_VERSUS_SIDES];
    uint32_t count;
    struct plan_versus versus;
};

/* Number of the share of candidates; count 0: no shares. */
struct part {
    uint32_t number, count;
};

static bool read_part(const struct cli_args *args, struct part *part)
{
    const char *text = cli_value(args, "share");
    char more;
    *part = (struct part){0};
    if (text == NULL)
        return true;
    if (strspn(text, "0123456789/") == strlen(text) &&
        sscanf(text, "%6" SCNu32 "/%6" SCNu32 "%c", &part->number, &part->count, &more) == 2 &&
        part->number >= 1 && part->number <= part->count)
        return true;
    cli_error("--share %s: expected K/N, such as 3/12, with K from 1 to N", text);
    return false;
}

/* ------------------------------------------------------------------ plans */

/* Keys of the second plan follow those of the first, and its runs have the same seeds. */
static bool open_plans(const struct cli_args *args, struct session *session)
{
    const char *paths[PLAN_VERSUS_SIDES] = {args->operands[0], cli_value(args, "vs")};
    session->count = paths[1] == NULL ? 1 : PLAN_VERSUS_SIDES;
    for (uint32_t i = 0; i < session->count; i++)
        if (!planning_open(&session->sides[i], paths[i]))
            return false;
    const struct plan_state *first = &session->sides[0].state;
    session->sides[1].state.base = plan_assumed_key(first, first->count, 0, 0);
    session->sides[1].state.seed = first->seed;
    return true;
}

/* Checks before any work that the output would not overwrite an input. */
static bool may_write(const struct cli_args *args, const struct session *session)
{
    const char *path = cli_value(args, "output");
    const char *inputs[2 * PLAN_VERSUS_SIDES];
    struct output_inputs apart = {inputs, 0};
    const char *files[PLAN_VERSUS_SIDES] = {args->operands[0], cli_value(args, "vs")};
    for (uint32_t i = 0; i < session->count; i++) {
        inputs[apart.count++] = files[i];
        inputs[apart.count++] = session->sides[i].plan->grid.scenario;
    }
    return path == NULL || cli_output_allowed(path, &apart);
}

/* ------------------------------------------------------------------ database */

static bool read_known(const struct cli_args *args, struct session *session)
{
    char error[STORE_ERROR_BYTES];
    const char *resume = cli_value(args, "resume");
    for (uint32_t i = 0; i < session->count && resume != NULL; i++) {
        struct planning *side = &session->sides[i];
        side->known = plan_stored_runs_read(resume, &side->state, error);
        if (side->known == NULL) {
            cli_error("--resume %s: %s", resume, error);
            return false;
        }
    }
    return true;
}

/* Reads the results of all shares in a directory. Those that the search uses are written, so the
 * database does not depend on which process ran them. */
static bool gather(const struct cli_args *args, struct session *session)
{
    char error[STORE_ERROR_BYTES], pattern[PATH_MAX];
    const char *folder = cli_value(args, "gather");
    struct planning *side = &session->sides[0];
    glob_t found = {.gl_pathc = 0};
    if (folder == NULL)
        return true;
    snprintf(pattern, sizeof pattern, "%s/share-*.db", folder);
    bool well = glob(pattern, 0, NULL, &found) == 0;
    if (!well)
        cli_error("--gather %s: no share-*.db in this directory", folder);
    side->known = plan_stored_runs_none();
    side->gathers = true;
    for (size_t i = 0; i < found.gl_pathc && well; i++) {
        well = plan_stored_runs_add(side->known, found.gl_pathv[i], &side->state, error);
        if (!well)
            cli_error("%s: %s", found.gl_pathv[i], error);
    }
    globfree(&found);
    return well;
}

static bool open_store(const struct cli_args *args, struct session *session)
{
    char error[STORE_ERROR_BYTES];
    const char *path = cli_value(args, "output");
    struct plan_side sides[PLAN_VERSUS_SIDES];
    path = path != NULL ? path : cli_value(args, "resume");
    if (!read_known(args, session) || !gather(args, session))
        return false;
    if (path == NULL)
        return true;
    for (uint32_t i = 0; i < session->count; i++)
        sides[i] = (struct plan_side){&session->sides[i].state,
                                      session->sides[i].gathers ? NULL : session->sides[i].known};
    struct plan_store *store = plan_store_create(path, sides, session->count, error);
    if (store == NULL)
        cli_error("%s: %s", path, error);
    for (uint32_t i = 0; i < session->count; i++)
        session->sides[i].store = store;
    return store != NULL;
}

static bool close_store(struct session *session)
{
    char error[STORE_ERROR_BYTES];
    const struct planning *first = &session->sides[0];
    const struct plan_versus *versus = session->count > 1 ? &session->versus : NULL;
    if (first->store == NULL)
        return true;
    char *picture = plan_picture(&first->state);
    plan_store_picture(first->store, picture);
    free(picture);
    if (plan_store_close(first->store, &first->state, versus, error))
        return true;
    cli_error("the database: %s", error);
    return false;
}

/* ------------------------------------------------------------------ results */

static int code_of(enum plan_result result)
{
    return result == PLAN_RESULT_PASS   ? CLI_DONE
           : result == PLAN_RESULT_FAIL ? CLI_BROKEN
                                        : CLI_UNDECIDED;
}

/* Two plans with a choice that were not compared, because the budget was exhausted, are
 * undecided. */
static int exit_code(const struct session *session)
{
    const struct plan_versus *versus = &session->versus;
    int code = CLI_DONE;
    for (uint32_t i = 0; i < session->count; i++) {
        const int of_side = code_of(plan_result(&session->sides[i].state));
        code = of_side > code ? of_side : code;
    }
    if (session->count > 1 && code == CLI_DONE && (versus->why[0] != '\0' || !versus->played))
        code = CLI_UNDECIDED;
    return code;
}

/* Reports the verdicts of a share's candidates. */
static int report_part(const struct plan_state *state, const struct part *part)
{
    uint32_t all = 0, open = 0;
    for (uint32_t i = part->number - 1; i < state->count; i += part->count) {
        all++;
        open += state->candidates[i].verdict == PLAN_VERDICT_OPEN;
    }
    printf("%s: part %u of %u: %u of %u %s decided by %" PRId64 " %s\n", state->plan->grid.name,
           (unsigned)part->number, (unsigned)part->count, (unsigned)(all - open), (unsigned)all,
           plural(all, "candidate", "candidates"), state->runs, plural(state->runs, "run", "runs"));
    return open == 0 ? CLI_DONE : CLI_UNDECIDED;
}

static int report(const struct cli_args *args, const struct session *session)
{
    struct part part;
    if (read_part(args, &part) && part.count > 0)
        return report_part(&session->sides[0].state, &part);
    const struct plan_state *state = &session->sides[0].state;
    const struct plan_versus *versus = &session->versus;
    const bool two = session->count > 1;
    if (cli_given(args, "json"))
        two ? plan_versus_json(versus, stdout) : plan_json(state, stdout);
    else if (cli_given(args, "csv"))
        two ? plan_versus_csv(versus, stdout) : plan_csv(state, stdout);
    else
        two ? plan_versus_text(versus, stdout)
            : plan_text(state, cli_given(args, "exhaustive"), stdout);
    if (fflush(stdout) != 0) {
        cli_error("the results could not be written: %s", strerror(errno));
        return CLI_FAILED;
    }
    return exit_code(session);
}

static void search(const struct cli_args *args, struct session *session)
{
    struct part part;
    if (read_part(args, &part) && part.count > 0) {
        planning_begin(&session->sides[0]);
        plan_search_part(&session->sides[0].search, part.number - 1, part.count);
        return;
    }
    for (uint32_t i = 0; i < session->count; i++) {
        planning_begin(&session->sides[i]);
        plan_search_play(&session->sides[i].search);
    }
    if (session->count > 1) {
        const struct plan_search *searches[] = {&session->sides[0].search,
                                                &session->sides[1].search};
        plan_versus_play(searches, &session->versus);
    }
    if (cli_given(args, "assumed"))
        plan_assumed_play(&session->sides[0].search);
}

/* If other processes execute runs, too, the default is one run at a time here. */
static void set_parallelism(struct session *session, const struct cmd_plan_others *others,
                            uint32_t at_once)
{
    for (uint32_t i = 0; i < session->count; i++) {
        struct plan_search *search = &session->sides[i].search;
        search->at_once = others != NULL && at_once == 0 ? 1 : at_once;
        search->elsewhere = others == NULL ? NULL : &others->elsewhere;
    }
}

static bool agree(const struct session *session, const struct cmd_plan_others *others)
{
    char text[PLANNING_FINGERPRINT_BYTES];
    planning_fingerprint(session->sides, session->count, text);
    return others == NULL || others->agree(others->elsewhere.self, text);
}

static const char *database_of(const struct cli_args *args)
{
    const char *path = cli_value(args, "output");
    return path != NULL ? path : cli_value(args, "resume");
}

static int write_pages(const struct cli_args *args, const struct session *session)
{
    return pages_write(&session->sides[0].state, database_of(args), cli_value(args, "pages"));
}

static bool may_make_pages(const struct cli_args *args)
{
    if (!cli_given(args, "pages"))
        return true;
    if (database_of(args) == NULL)
        cli_error("--pages: expected --output too, the database from which the pages are made");
    return database_of(args) != NULL && pages_begin(cli_value(args, "pages")) == CLI_DONE;
}

static bool is_answer(int code)
{
    return code == CLI_DONE || code == CLI_BROKEN || code == CLI_UNDECIDED;
}

static int play(const struct cli_args *args, struct session *session)
{
    struct stop former;
    if (!may_make_pages(args) || !open_store(args, session))
        return CLI_USAGE;
    for (uint32_t i = 0; i < session->count; i++)
        session->sides[i].search.exhaustive = cli_given(args, "exhaustive");
    stop_catch(&former);
    search(args, session);
    for (uint32_t i = 0; i < session->count; i++)
        planning_hide_progress(&session->sides[i]);
    int code =
        session->sides[0].failed || session->sides[1].failed ? CLI_FAILED : report(args, session);
    code = close_store(session) ? code : CLI_FAILED;
    if (cli_given(args, "pages") && is_answer(code) && stop_asked() == 0) {
        const int pages = write_pages(args, session);
        code = pages == CLI_DONE ? code : pages;
    }
    stop_release(&former);
    return code;
}

/* Reports the first two options that cannot be combined. */
static bool are_together(const struct cli_args *args)
{
    static const char *const apart[][2] = {
        {"vs", "list"},      {"vs", "assumed"},    {"share", "vs"},     {"share", "list"},
        {"share", "gather"}, {"share", "assumed"}, {"gather", "vs"},    {"gather", "resume"},
        {"slurm", "vs"},     {"slurm", "share"},   {"slurm", "gather"}, {"slurm", "list"},
        {"pages", "list"},   {"pages", "share"},   {"pages", "slurm"}};
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
        if (cli_given(args, apart[i][0]) && cli_given(args, apart[i][1])) {
            cli_error("--%s and --%s: expected one of them", apart[i][0], apart[i][1]);
            return false;
        }
    return true;
}

int cmd_plan_run(const struct cli_args *args, const struct cmd_plan_others *others)
{
    struct session session = {.count = 0};
    uint32_t at_once;
    int code = CLI_USAGE;
    struct part part;
    if (!cli_jobs(args, &at_once) || !read_part(args, &part) || !are_together(args))
        return CLI_USAGE;
    if (open_plans(args, &session) && may_write(args, &session) && agree(&session, others)) {
        set_parallelism(&session, others, at_once);
        code = cli_given(args, "slurm")  ? slurm_write(args, &session.sides[0].state, at_once)
               : cli_given(args, "list") ? report(args, &session)
                                         : play(args, &session);
    }
    if (cli_given(args, "list") && is_answer(code))
        code = CLI_DONE;
    plan_versus_free(&session.versus);
    for (uint32_t i = 0; i < session.count; i++)
        planning_close(&session.sides[i]);
    return code;
}

static int run_plan(const struct cli_args *args)
{
    return cmd_plan_run(args, NULL);
}

const struct cli_command cmd_plan = {
    .name = "plan",
    .operands = "PLAN.yaml",
    .about = "find the cheapest fabric that meets all objectives with and without failures",
    .details =
        "A plan names a scenario, the settings to vary, objectives, failures to survive, and "
        "prices:\n"
        "\n"
        "    stormglass-plan: 1\n"
        "    name: mine\n"
        "    scenario: site.yaml            # runs with stormglass run; its fio jobs are in the "
        "same directory\n"
        "    vary:\n"
        "      - {path: fabric.host-links.rate, as: nic, values: [25Gbps, 100Gbps]}\n"
        "      - {path: fabric.topology.spines, as: spines, values: {from: 1, to: 4, step: 1}}\n"
        "    slo: [\"oltp.latency.p99 < 1ms\", no-lossless-drop]\n"
        "    survive: [{name: one spine down, kind: switch-down, each: spines}]\n"
        "    prices:                        # or a file name\n"
        "      currency: USD\n"
        "      parts: [{part: nic, rate: 25Gbps, price: 100}, {part: nic, rate: 100Gbps, price: "
        "400},\n"
        "              {part: switch, price: 5000}]\n"
        "    cliff: [{path: workloads.backup.queue-depth, as: qd, values: [4, 16, 64]}]\n"
        "\n"
        "stormglass check validates a plan; stormglass-plan(1) describes every key.\n"
        "plan runs only the simulations that it needs to decide which candidates meet every "
        "objective,\n"
        "with and without each failure. After Ctrl-C, --resume continues from the finished runs.",
    .examples =
        (const struct cli_example[]){
            {"List the candidates of a plan and their costs",
             "stormglass plan scenarios/plans/array.yaml --list"},
            {"Find the cheapest fabric, keep every run, and write a page",
             "stormglass plan scenarios/plans/two-sites.yaml -o sites.db && "
             "stormglass report sites.db -o sites.html"},
            {0}},
    .exit_codes =
        (const struct cli_exit_code[]){
            {0, "a candidate is chosen, and no undecided candidate can replace it"},
            {1, "every candidate fails"},
            {2, "the plan, its scenario, its prices or the command line is wrong"},
            {3, "the results could not be written"},
            {4, "undecided when the budget was used up; the answer includes the command that "
                "continues"},
            {130, "interrupted by Ctrl-C (SIGINT); --resume continues from the database"},
            {143, "terminated (SIGTERM); --resume continues from the database"},
            {0}},
    .options = plan_options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run_plan,
};
