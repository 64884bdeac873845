/* SPDX-License-Identifier: Apache-2.0
 * cmd_predict - stormglass predict. */
#include "base/memory.h"
#include "base/plural.h"
#include "cli/cli.h"
#include "replay/compare/predict.h"
#include "replay/files/output_folder.h"
#include "replay/record/record_begin.h"
#include "reports/text/compare_csv.h"
#include "reports/text/predictions_json.h"
#include "reports/text/predictions_text.h"
#include "scenarios/load/library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct cli_option predict_options[] = {
    {"output", 'o', "DIR", "write predictions.json and each cell's database to DIR"},
    {"list", 0, NULL, "only print each cell's name and its --set options"},
    {"csv", 0, NULL, "one CSV row for each figure instead of the table"},
    {"seed", 0, "N", "seed of every cell (default: the scenario's)"},
    {"set", 0, "PATH=VALUE", "change one value of every cell; repeatable"},
    {"record", 0, "LEVEL",
     "record level of the databases: summary (default), counters, ios or packets"},
    CLI_OPTION_QUIET,
    {0},
};

static const char predictions_name[] = "predictions.json";

static struct grid *load_grid(const char *path)
{
    struct diag *diag = memory_new(sizeof *diag);
    struct grid *grid = grid_load_file(path, diag);
    diag_print(diag, stderr);
    free(diag);
    return grid;
}

/* The words need no quoting, because the grid allows only such words. */
static void list_cells(const struct grid *grid)
{
    for (uint32_t i = 0; i < grid->cell_count; i++) {
        printf("%s", grid->cells[i].name);
        for (uint32_t k = 0; k < grid->cells[i].set_count; k++)
            printf(" --set %s", grid->cells[i].sets[k]);
        putchar('\n');
    }
}

static char *path_in(const char *folder, const char *name, const char *ending)
{
    const size_t size = strlen(folder) + strlen(name) + strlen(ending) + 2;
    char *path = memory_new(size);
    snprintf(path, size, "%s/%s%s", folder, name, ending);
    return path;
}

/* ------------------------------------------------------------------ running */

struct predicting {
    const struct grid *grid;
    struct output_inputs inputs; /* the grid */
    struct predictions *predictions;
    const char *folder;
    enum record_level level;
    bool csv;
};

static int play_cell(const struct predicting *at, uint32_t index)
{
    const struct grid_cell *cell = &at->grid->cells[index];
    char *path = path_in(at->folder, cell->name, ".db"), error[STORE_ERROR_BYTES] = "";
    struct diag *diag = memory_new(sizeof *diag);
    struct scenario *scenario = library_load(at->grid->scenario, cell->sets, cell->set_count, diag);
    int code = CLI_FAILED;
    if (scenario != NULL) {
        *diag = (struct diag){0}; /* its notes were printed by check_cells */
        const struct run_options how = {.path = path, .level = at->level, .until = TIME_NEVER};
        const enum run_end end = predict_cell(at->predictions, index, scenario, &how, diag, error);
        diag_print(diag, stderr);
        if (end == RUN_BROKEN)
            cli_error("%s: %s", path, error);
        code = end == RUN_DONE ? CLI_DONE : end == RUN_REFUSED ? CLI_USAGE : CLI_FAILED;
    }
    free(diag);
    free(path);
    scenario_free(scenario);
    return code;
}

/* Reports a cell with unfinished work, whose prediction is less reliable than it looks. */
static void tell_unfinished(const struct prediction *cell)
{
    for (size_t i = 0; i < cell->figures.count; i++) {
        const struct figures_workload *workload = &cell->figures.workloads[i];
        if (workload->tallies[FIGURE_TALLY_failed] + workload->tallies[FIGURE_TALLY_unfinished] > 0)
            cli_error("%s: " SCENARIO_WORKLOAD_WORDS " did not complete", cell->name,
                      workload->name);
    }
}

static bool may_write(const struct predicting *at, const char *path,
                      const struct scenario *scenario)
{
    char why[OUTPUT_WHY_BYTES];
    const bool may =
        record_begin_may(path, scenario, why) && output_is_apart(path, &at->inputs, why);
    if (!may)
        cli_error("%s", why);
    return may;
}

static bool check_cell(const struct predicting *at, const struct grid_cell *cell)
{
    char *path = path_in(at->folder, cell->name, ".db");
    struct scenario *scenario = cli_load(at->grid->scenario, cell->sets, cell->set_count);
    if (scenario == NULL)
        cli_error("the scenario of cell %s cannot be loaded", cell->name);
    const bool well = scenario != NULL && path != NULL && may_write(at, path, scenario);
    scenario_free(scenario);
    free(path);
    return well;
}

/* Must be called before anything is written. */
static int check_cells(const struct predicting *at)
{
    for (uint32_t i = 0; i < at->grid->cell_count; i++)
        if (!check_cell(at, &at->grid->cells[i]))
            return CLI_USAGE;
    return CLI_DONE;
}

static int play_cells(const struct predicting *at)
{
    for (uint32_t i = 0; i < at->grid->cell_count; i++) {
        const int code = play_cell(at, i);
        if (code != CLI_DONE)
            return code;
        tell_unfinished(&at->predictions->cells[i]);
    }
    return CLI_DONE;
}

static int write_file(const struct predicting *at)
{
    struct output_folder folder;
    struct output output;
    const bool well = output_folder_open(&folder, at->folder, &at->inputs) &&
                      output_folder_file(&folder, predictions_name, &output) &&
                      output_end(&output, predictions_json(at->predictions, output.out));
    const int why = errno;
    if (well && at->csv)
        predictions_csv(at->predictions, stdout);
    else if (well)
        predictions_text(at->predictions, stdout);
    if (well)
        fprintf(at->csv ? stderr : stdout, "%s%s: %u %s frozen, digest %s\n", at->csv ? "" : "\n",
                folder.file, (unsigned)at->predictions->cell_count,
                plural(at->predictions->cell_count, "cell", "cells"), at->predictions->digest);
    const int code = well ? CLI_DONE : cli_output_failed(folder.file, &at->inputs, why);
    output_folder_close(&folder);
    return code;
}

static int predict(const struct cli_args *args, const struct grid *grid)
{
    const char *const reads[] = {args->operands[0], grid->scenario};
    struct predicting at = {.grid = grid,
                            .inputs = {reads, 2},
                            .folder = cli_value(args, "output"),
                            .csv = cli_given(args, "csv")};
    const char *level = cli_value(args, "record");
    if (level != NULL && !record_level_find(level, &at.level)) {
        cli_error("--record %s: expected summary, counters, ios or packets", level);
        return CLI_USAGE;
    }
    if (at.folder == NULL || at.folder[0] == '\0' || strcmp(at.folder, "-") == 0) {
        cli_error("predict: expected -o DIR for the results, or --list");
        return CLI_USAGE;
    }
    if (check_cells(&at) != CLI_DONE)
        return CLI_USAGE;
    struct output_folder folder; /* check before minutes of simulation that the result may be
                                  * written */
    const bool may = output_folder_open(&folder, at.folder, &at.inputs) &&
                     output_folder_may(&folder, predictions_name);
    const int why = errno;
    output_folder_close(&folder);
    if (!may)
        return cli_output_failed(folder.file, &at.inputs, why);
    at.predictions = predict_begin(grid);
    int code = play_cells(&at);
    if (code == CLI_DONE)
        code = write_file(&at);
    predictions_free(at.predictions);
    return code;
}

/* --set and --seed become settings of every cell, so that the frozen prediction contains them. */
static bool change(const struct cli_args *args, struct grid *grid)
{
    char why[DIAG_TEXT_BYTES] = "", seed[CLI_SEED_BYTES];
    uint32_t count;
    const char *const *sets = (const char *const *)cli_values(args, "set", &count);
    bool well = grid_set(grid, sets, count, why);
    if (well && cli_given(args, "seed")) {
        const char *const one = seed;
        if (!cli_seed(args, seed))
            return false;
        well = grid_set(grid, &one, 1, why);
    }
    if (!well)
        cli_error("predict: %s", why);
    return well;
}

static int run_predict(const struct cli_args *args)
{
    struct grid *grid = load_grid(args->operands[0]);
    if (grid == NULL)
        return CLI_USAGE;
    int code = CLI_DONE;
    if (!change(args, grid))
        code = CLI_USAGE;
    else if (cli_given(args, "list"))
        list_cells(grid);
    else
        code = predict(args, grid);
    grid_free(grid);
    return code;
}

const struct cli_command cmd_predict = {
    .name = "predict",
    .operands = "-o DIR GRID.yaml | --list GRID.yaml",
    .about = "run every combination of a parameter grid and save the predictions",
    .details = "Then measure, and compare with the frozen predictions:\n"
               "  stormglass predict --list GRID.yaml | while read -r cell sets; do\n"
               "      stormglass-bridge run BASE.yaml $sets ... -o DIR/$cell.db; done\n"
               "  stormglass compare --frozen predictions.json DIR",
    .examples =
        (const struct cli_example[]){{"Predict every cell of a grid and freeze the figures",
                                      "stormglass predict grid.yaml -o predicted"},
                                     {"Each cell's name and its --set options, to measure them",
                                      "stormglass predict --list grid.yaml"},
                                     {0}},
    .exit_codes =
        (const struct cli_exit_code[]){{0, "the predictions are frozen"},
                                       {2, "the command line, the grid or its scenario is wrong"},
                                       {3, "the results could not be written"},
                                       {0}},
    .options = predict_options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run_predict,
};
