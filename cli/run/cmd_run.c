/* SPDX-License-Identifier: Apache-2.0
 * cmd_run - stormglass run. */
#include "base/memory.h"
#include "base/quantity.h"
#include "cli/cli.h"
#include "cli/library/settings.h"
#include "cli/run/run_many.h"
#include "replay/database/store.h"
#include "replay/database/words.h"
#include "replay/run/run.h"
#include "replay/run/seeds.h"
#include "replay/run/stop.h"
#include "reports/summary/seeds_text.h"
#include "reports/summary/text.h"
#include "reports/summary/workloads_csv.h"
#include "reports/text/json.h"
#include "reports/tools/fio_json.h"
#include "scenarios/world/division.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    {"output", 'o', "RUN.db",
     "write the run database (SQLite); for several scenarios: a directory"},
    {"jobs", 'j', "N", "number of scenarios to run in parallel (default: processors)"},
    {"seed", 0, "N", "seed (default: the scenario's)"},
    {"seeds", 0, "N", "run N consecutive seeds, one on each processor"},
    {"set", 0, "PATH=VALUE", "change one value of the scenario; repeatable"},
    {"until", 0, "T", "stop at this virtual time, such as 5ms"},
    {"threads", 0, "N",
     "number of threads; auto: as many as speed up the run; results are the same for any number"},
    {"record", 0, "LEVEL", "summary (default), counters, ios or packets"},
    {"interval", 0, "T", "interval between samples of rates and queues; 0: none"},
    {"confirm", 0, "N",
     "total event limit of the reruns that confirm causes (20000000); 0: no reruns"},
    {"waits", 0, NULL, "record the time breakdown of every command: each wait and its place"},
    {"json", 0, NULL, "one JSON object instead of the summary"},
    {"csv", 0, NULL, "one CSV row for each workload, or with --seeds for each of its figures"},
    {"as", 0, "FORM", "fio: the JSON output of fio, with a job for each workload"},
    CLI_OPTION_COLOR,
    CLI_OPTION_QUIET,
    {0},
};

/* The options that the library has, too. */
static bool read_settings(const struct cli_args *args, struct settings *settings)
{
    char why[SETTINGS_WHY_BYTES];
    for (int i = 0; settings_names[i] != NULL; i++) {
        const char *name = settings_names[i];
        const char *value = cli_value(args, name);
        if (cli_given(args, name) && value == NULL)
            value = "true";
        if (settings_read(settings, name, value, why))
            continue;
        cli_error("--%s %s: %s", name, value, why);
        return false;
    }
    return true;
}

/* A number given by the user is used, with a note if fewer threads may be faster. */
static void advise_threads(const struct run_options *how, const struct scenario *scenario)
{
    const uint32_t threads = how->threads;
    if (threads < 2 || threads == RUN_THREADS_AUTO)
        return;
    const uint32_t pay = division_worthwhile(scenario, threads);
    if (pay < threads)
        cli_note("--threads %" PRIu32 ": %" PRIu32
                 " may be faster, since short links or few hosts leave little work for each thread "
                 "(--threads auto)",
                 threads, pay);
}

/* Whether the scenario can be run so. */
static bool check_settings(const struct settings *settings, const struct scenario *scenario)
{
    char why[SETTINGS_WHY_BYTES];
    const char *name;
    const bool fits = settings_fit(settings, scenario, &name, why);
    if (!fits && strcmp(name, "output") == 0)
        cli_error("-o %s", why);
    else if (!fits)
        cli_error("--%s: %s", name, why);
    return fits;
}

static int report(struct run *run, const struct cli_args *args)
{
    struct store *store = record_store(run->record);
    const bool well = cli_given(args, "as")     ? fio_json(store, stdout)
                      : cli_given(args, "json") ? json_run(store, stdout)
                      : cli_given(args, "csv")  ? workloads_csv(store, stdout)
                                                : text_run(store, stdout);
    if (!well) {
        cli_error("the results could not be written: %s",
                  store_error(store) != NULL ? store_error(store) : strerror(errno));
        return CLI_FAILED;
    }
    return result_held(&run->result) ? CLI_DONE : CLI_BROKEN;
}

static int play(const struct scenario *scenario, const struct run_options *how,
                const struct cli_args *args)
{
    struct run run;
    struct diag *diag = memory_new(sizeof *diag);
    int code = CLI_FAILED;
    switch (run_scenario(&run, scenario, how, diag)) {
    case RUN_DONE:
        code = report(&run, args);
        break;
    case RUN_REFUSED:
        code = CLI_USAGE;
        break;
    case RUN_BROKEN:
        cli_error("%s: %s", how->path != NULL ? how->path : "the run", run.error);
        break;
    }
    diag_print(diag, stderr);
    free(diag);
    const time_ps reached = run.reached;
    if (!run_close(&run) && code != CLI_FAILED) {
        cli_error("%s: the last writes failed", how->path);
        code = CLI_FAILED;
    }
    if (stop_asked() != 0 && how->path != NULL && code != CLI_FAILED)
        cli_note("stopped at %s; %s is usable and covers the run so far", words_time(reached).text,
                 how->path);
    return code;
}

static bool read_seeds(const struct cli_args *args, uint32_t *count)
{
    const char *text = cli_value(args, "seeds");
    char why[QUANTITY_WHY_BYTES];
    int64_t value = 0;
    *count = 0;
    if (text == NULL)
        return true;
    if (!quantity_parse(QUANTITY_INT, text, &value, why) || value < 1 || value > SEEDS_AT_MOST) {
        cli_error("--seeds %s: expected a number from 1 to %d", text, SEEDS_AT_MOST);
        return false;
    }
    static const char *const alone[] = {"output",  "record", "interval", "as",
                                        "threads", "waits",  "confirm"};
    for (size_t i = 0; i < sizeof alone / sizeof alone[0]; i++)
        if (cli_given(args, alone[i])) {
            cli_error("--seeds runs several seeds: --%s works with one run only", alone[i]);
            return false;
        }
    *count = (uint32_t)value;
    return true;
}

static int play_seeds(const struct cli_args *args, const struct scenario *scenario, uint32_t count,
                      time_ps until)
{
    struct seeds seeds;
    int code = CLI_DONE;
    seeds_play(&seeds, scenario, count, until);
    for (uint32_t i = 0; i < count; i++)
        if (!seeds.runs[i].played)
            code = CLI_FAILED;
        else if (!seeds.runs[i].held && code == CLI_DONE)
            code = CLI_BROKEN;
    if (!(cli_given(args, "json")  ? seeds_json
          : cli_given(args, "csv") ? seeds_csv
                                   : seeds_text)(&seeds, stdout)) {
        cli_error("the results could not be written: %s", strerror(errno));
        code = CLI_FAILED;
    }
    seeds_free(&seeds);
    return code;
}

static bool read_form(const struct cli_args *args)
{
    const char *form = cli_value(args, "as");
    if (form == NULL ||
        (strcmp(form, "fio") == 0 && !cli_given(args, "json") && !cli_given(args, "csv")))
        return true;
    cli_error("--as %s: expected fio, without --json and --csv", form);
    return false;
}

static int run_with(const struct cli_args *args, struct settings *settings)
{
    uint32_t seeds;
    struct run_options *how = &settings->how;
    if (!read_settings(args, settings) || !read_seeds(args, &seeds) || !read_form(args))
        return CLI_USAGE;
    how->progress = true;
    if (settings_limit(settings))
        cli_note("--record and --interval are ignored without -o");
    how->brief = how->brief && !cli_given(args, "as"); /* it has the histograms, too */
    struct scenario *scenario = cli_load_changed(args);
    if (scenario == NULL)
        return CLI_USAGE;
    advise_threads(how, scenario);
    int code = CLI_USAGE;
    if (seeds > 0)
        code = play_seeds(args, scenario, seeds, how->until);
    else if (check_settings(settings, scenario))
        code = play(scenario, how, args);
    scenario_free(scenario);
    return code;
}

static int run_one(const struct cli_args *args)
{
    struct settings settings;
    settings_init(&settings);
    const int code = run_with(args, &settings);
    const bool crashed = settings.confirm.crashed;
    settings_free(&settings);
    return crashed ? cli_crashed() : code;
}

static int run_command(const struct cli_args *args)
{
    uint32_t at_once;
    if (!cli_jobs(args, &at_once))
        return CLI_USAGE;
    return args->operand_count > 1 ? run_many(args, at_once, run_one) : run_one(args);
}

const struct cli_command cmd_run = {
    .name = "run",
    .operands = "SCENARIO.yaml...",
    .about = "simulate a scenario and report what was slow and why",
    .details =
        "SCENARIO.yaml may also be the name of a built-in case (stormglass list cases).\n"
        "Ctrl-C ends the run cleanly, with a report so far.\n"
        "Several scenarios run in parallel (-j) and are printed in order; the exit code is the\n"
        "largest.",
    .examples =
        (const struct cli_example[]){
            {"The pause storm; keep the run for explain, report and query",
             "stormglass run pause-storm -o storm.db"},
            {"The p99 latency without congestion control",
             "stormglass run incast-8to1 --set hosts.defaults.rnic.congestion-control=none --json "
             "| jq '.workloads[0].latency_ns.p99'"},
            {"The results as fio prints them, for tools that read fio's JSON",
             "stormglass run pause-storm --as fio > fio.json"},
            {"Three scenarios, two at once, each with its database in runs/",
             "stormglass run pause-storm first-io incast-8to1 -j 2 -o runs"},
            {"The dependence of the results on the seed", "stormglass run first-io --seeds 5"},
            {0}},
    .exit_codes =
        (const struct cli_exit_code[]){
            {0, "all expectations are met"},
            {1, "an expectation is not met"},
            {2, "the scenario or the command line is wrong; nothing was written"},
            {3, "the run could not be carried out (disk, memory, internal error)"},
            {130, "interrupted by Ctrl-C (SIGINT); the database is usable"},
            {143, "terminated (SIGTERM); the database is usable"},
            {0}},
    .options = options,
    .operands_min = 1,
    .operands_max = -1,
    .run = run_command,
};
