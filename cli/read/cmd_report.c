/* SPDX-License-Identifier: Apache-2.0
 * cmd_report - stormglass report. */
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/read/report_playground.h"
#include "cli/read/report_several.h"
#include "replay/database/stored.h"
#include "replay/files/output.h"
#include "replay/plan/plan_store.h"
#include "replay/step/queued.h"
#include "reports/page/page.h"
#include "reports/page/page_plan.h"
#include "reports/page/pair/page_pair.h"
#include "reports/summary/text.h"
#include "reports/text/compare_text.h"
#include "reports/text/diff_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum form { PAGE, TEXT, FIGURES, CSV };

/* Options of a report on one or two runs. */
struct order {
    int count;
    char *const *paths;
    struct store *stores[2];
    enum form form;
    const char *directory; /* for CSV */
    const char *reads[3];  /* the databases, and the measurements */
    struct output_inputs inputs;
    struct diff diff; /* for two runs */
    char *comparison; /* owned; NULL: none */
    struct stored stored;
    struct queued queued; /* names belong to the stored scenario */
    bool with_queue;
    bool plan; /* the only database contains a plan instead of a run */
};

static const struct cli_option report_options[] = {
    {"output", 'o', "OUT.html", "write to OUT.html instead of standard output"},
    {"measured", 0, "MEASURED.db", "compare the run with a measurement, in the page"},
    {"queue", 0, NULL,
     "rerun up to the moment when the worst queue was longest, and show that "
     "queue"},
    {"text", 0, NULL, "the summary of stormglass run, or of diff, instead of a page"},
    {"figures", 0, NULL, "the numbers of the charts as one JSON object instead of a page"},
    {"csv", 0, "DIRECTORY", "the numbers of the charts as CSV, one file each, instead of a page"},
    {"playground", 0, NULL, "a page that runs scenarios in the browser, SCENARIO first"},
    CLI_OPTION_COLOR,
    {0},
};

static bool choose_form(const struct cli_args *args, struct order *order)
{
    const bool text = cli_given(args, "text"), figures = cli_given(args, "figures");
    const bool csv = cli_given(args, "csv"), measured = cli_given(args, "measured");
    const char *output = cli_value(args, "output");
    order->form = text ? TEXT : figures ? FIGURES : csv ? CSV : PAGE;
    order->directory = cli_value(args, "csv");
    order->count = args->operand_count;
    order->paths = args->operands;
    for (int i = 0; i < order->count; i++)
        order->reads[i] = order->paths[i];
    order->reads[2] = cli_value(args, "measured");
    order->inputs = (struct output_inputs){order->reads, 3};
    order->with_queue = cli_given(args, "queue");
    if (text + figures + csv + measured > 1)
        cli_error("report: --text, --figures, --csv, --measured: expected one of them");
    else if (measured && order->count == 2)
        cli_error("report: --measured works with one run: expected one database");
    else if (order->with_queue && (order->form != PAGE || order->count == 2))
        cli_error("report: --queue works only for the page of one run");
    else if (csv && output != NULL)
        cli_error("report: --csv writes to its own directory: expected no --output");
    else if (order->form == PAGE && output == NULL && isatty(STDOUT_FILENO))
        cli_error("no page is written to a terminal: use -o OUT.html, or redirect the output");
    else
        return true;
    return false;
}

/* Adds the output of stormglass compare for the two. */
static bool compare_with(struct order *order, const char *measured)
{
    const struct compare_options with = {.judged = COMPARE_JUDGED_PRESET, .tolerance = 0.15};
    struct compare compare;
    size_t length = 0;
    const bool comparable =
        compare_runs(&compare, order->paths[0], measured, &with) == COMPARE_DONE;
    if (comparable) {
        FILE *memory = memory_stream(&order->comparison, &length);
        compare_text(&compare, memory);
        memory_stream_end(memory);
    } else {
        cli_error("%s", compare.why);
    }
    compare_free(&compare);
    return comparable;
}

/* Adds the output of stormglass explain --queue. */
static bool find_queue(struct order *order)
{
    struct diag *diag = memory_new(sizeof *diag);
    const bool done = stored_load(&order->stored, order->stores[0], diag) &&
                      queued_find(&order->queued, order->stored.scenario, order->stored.until,
                                  queued_root(order->stores[0]), diag);
    if (!done)
        cli_error("%s: cannot be run again", order->paths[0]);
    diag_print(diag, stderr);
    free(diag);
    return done;
}

/* Adds the differences found by stormglass diff. */
static bool find_differences(struct order *order)
{
    struct diag *diag = memory_new(sizeof *diag);
    const bool done =
        diff_runs(&order->diff, order->paths[0], order->paths[1], true, diag) == DIFF_DONE;
    if (!done)
        cli_error("%s", order->diff.why);
    diag_print(diag, stderr);
    free(diag);
    return done;
}

/* The answer to a plan has only one form here; stormglass plan has the others. */
static bool open_plan(struct order *order, bool measured)
{
    char error[STORE_ERROR_BYTES];
    if (order->form != PAGE || order->with_queue || measured) {
        cli_error("report: the database of a plan has only a page; for text, JSON and CSV "
                  "use stormglass plan --resume");
        return false;
    }
    order->plan = true;
    order->stores[0] = store_open(order->paths[0], error);
    const bool well = order->stores[0] != NULL && plan_store_is_readable(order->stores[0], error);
    if (!well)
        cli_error("%s: %s", order->paths[0], error);
    return well;
}

static bool open_stores(struct order *order)
{
    char error[STORE_ERROR_BYTES];
    for (int i = 0; i < order->count; i++)
        if (plan_store_is(order->paths[i]))
            return open_plan(order, order->reads[2] != NULL);
    for (int i = 0; i < order->count; i++) {
        order->stores[i] = stored_open(order->paths[i], error);
        if (order->stores[i] == NULL ||
            (order->form != TEXT && !stored_is_of_today(order->stores[i], error))) {
            cli_error("%s: %s", order->paths[i], error);
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ output */

static bool write_one(const struct order *order, FILE *out)
{
    if (order->plan)
        return page_plan_write(order->stores[0], false, out);
    switch (order->form) {
    case TEXT:
        return text_run(order->stores[0], out);
    case FIGURES:
        return page_figures(order->stores[0], out);
    default:
        return page_write(
            order->stores[0],
            (struct page_extra){order->comparison, order->with_queue ? &order->queued : NULL}, out);
    }
}

static bool write_two(struct order *order, FILE *out)
{
    switch (order->form) {
    case TEXT:
        return diff_text(&order->diff, false, out);
    case FIGURES:
        return page_pair_figures(order->stores, out);
    default:
        return page_pair_write(order->stores, &order->diff, out);
    }
}

static bool write_to(struct order *order, FILE *out)
{
    return order->count == 2 ? write_two(order, out) : write_one(order, out);
}

static bool write_file(struct order *order, const char *path)
{
    struct output output;
    return output_open(&output, path, &order->inputs) &&
           output_end(&output, write_to(order, output.out));
}

/* An unreadable database is an error of the command line; otherwise the output failed. */
static int exit_code_of(const struct order *order, bool well, const char *path)
{
    if (well)
        return CLI_DONE;
    const int why = errno;
    for (int i = 0; i < order->count; i++)
        if (store_error(order->stores[i]) != NULL) {
            cli_error("%s: %s", order->paths[i], store_error(order->stores[i]));
            return CLI_USAGE;
        }
    return cli_output_failed(path, &order->inputs, why);
}

static int make_report(struct order *order, const char *path)
{
    if (order->form != CSV)
        return exit_code_of(order, write_file(order, path), path);
    struct output_folder folder;
    bool well = output_folder_open(&folder, order->directory, &order->inputs);
    if (well)
        well = order->count == 2 ? page_pair_csv(order->stores, &order->diff, &folder)
                                 : page_csv(order->stores[0], &folder);
    const int code = exit_code_of(order, well, folder.file);
    output_folder_close(&folder);
    return code;
}

static int run_report(const struct cli_args *args)
{
    const char *measured = cli_value(args, "measured");
    struct order order = {0};
    int code = CLI_USAGE;
    if (cli_given(args, "playground"))
        return report_playground(args);
    if (args->operand_count == 0) {
        cli_error("report: missing argument: RUN.db");
        return CLI_USAGE;
    }
    if (report_is_several(args))
        return report_several(args);
    if (!choose_form(args, &order) || !cli_output_allowed(cli_value(args, "output"), &order.inputs))
        return CLI_USAGE;
    if (open_stores(&order) && (measured == NULL || compare_with(&order, measured)) &&
        (!order.with_queue || find_queue(&order)) && (order.count < 2 || find_differences(&order)))
        code = make_report(&order, cli_value(args, "output"));
    for (int i = 0; i < 2; i++)
        if (order.stores[i] != NULL)
            store_close(order.stores[i]);
    diff_free(&order.diff);
    queued_free(&order.queued);
    stored_free(&order.stored);
    free(order.comparison);
    return code;
}

const struct cli_command cmd_report = {
    .name = "report",
    .operands = "RUN.db|PLAN.db|INCIDENT... | --playground [SCENARIO.yaml]",
    .about =
        "write an HTML page about runs, plans and incidents: charts, topology, causes, settings",
    .details =
        "The page is self-contained and opens offline.\n"
        "--record counters adds pauses over time; --record ios also adds rates and latency.\n"
        "The page of two runs shows the changed settings, their effect, and both runs' charts "
        "overlaid.\n"
        "The page of a plan shows the chosen candidate and why, the Pareto front, maps, cliffs, "
        "assumed\n"
        "values and the bill of materials. An incident is a folder or a file of counters, logs "
        "and\n"
        "cables; its page shows the suspects and the fabric.\n"
        "Any number of runs, plans and incidents, in any order, make one page. It begins with a\n"
        "table: the answer of each input, and the data that it lacks. Three or more runs are\n"
        "compared in a second table.\n"
        "A playground has an editor for the scenario, sliders for its parameters, all cases and\n"
        "lessons, and the page of each run. It needs the engine that 'make playground' builds:\n"
        "  stormglass report --playground pause-storm -o playground.html",
    .examples =
        (const struct cli_example[]){
            {"The page of a run", "stormglass run pause-storm -o storm.db --record ios && "
                                  "stormglass report storm.db -o storm.html"},
            {"Two runs on one page: changed settings and their effect",
             "stormglass run pause-storm -o other.db --record ios --set fabric.switch.alpha=25% && "
             "stormglass report storm.db other.db -o both.html"},
            {"Three runs on one page, with a table of their key figures",
             "stormglass run pause-storm -o third.db --seed 2 && "
             "stormglass report storm.db other.db third.db -o all.html"},
            {"The numbers of the charts for a spreadsheet",
             "stormglass report storm.db --csv charts"},
            {0}},
    .exit_codes =
        (const struct cli_exit_code[]){
            {0, "the page was written"},
            {2, "the command line or an input is wrong; nothing was written"},
            {3, "the page could not be written"},
            {0}},
    .options = report_options,
    .operands_min = 0,
    .operands_max = -1,
    .run = run_report,
};
