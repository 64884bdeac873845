/* SPDX-License-Identifier: Apache-2.0
 * cmd_predict - stormglass predict. */
#include "cli/cli.h"
#include "replay/predict.h"
#include "reports/predictions_json.h"
#include "scenarios/library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct cli_option options[] = {
    {"output", 'o', "DIR", "write predictions.json and each cell's database there"},
    {"list", 0, NULL, "only print each cell's name and the --set that make it"},
    {"record", 0, "LEVEL", "of the databases: summary (default), counters, ios or packets"},
    {0},
};

static struct grid *load_grid(const char *path)
{
    struct diag *diag = calloc(1, sizeof *diag);
    struct grid *grid = diag == NULL ? NULL : grid_load_file(path, diag);
    if (diag != NULL)
        diag_print(diag, stderr);
    free(diag);
    return grid;
}

/* A shell takes the words as they are: the grid has seen to that. */
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
    char *path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%s/%s%s", folder, name, ending);
    return path;
}

/* ------------------------------------------------------------------ playing */

struct predicting {
    const struct grid *grid;
    struct predictions *predictions;
    const char *folder;
    enum record_level level;
};

static int play_cell(const struct predicting *at, uint32_t index)
{
    const struct grid_cell *cell = &at->grid->cells[index];
    char *path = path_in(at->folder, cell->name, ".db"), error[STORE_ERROR_BYTES] = "";
    struct diag *diag = calloc(1, sizeof *diag);
    struct scenario *scenario =
        diag == NULL ? NULL : library_load(at->grid->scenario, cell->sets, cell->set_count, diag);
    int code = CLI_FAILED;
    if (path != NULL && scenario != NULL) {
        *diag = (struct diag){0}; /* its notes were printed when it was checked */
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

/* A cell of which some work was left undone predicts less than it looks like. */
static void tell_unfinished(const struct prediction *cell)
{
    for (size_t i = 0; i < cell->figures.count; i++) {
        const struct figures_workload *workload = &cell->figures.workloads[i];
        if (workload->tallies[FIGURE_TALLY_failed] + workload->tallies[FIGURE_TALLY_unfinished] > 0)
            cli_error("%s: %s left work undone", cell->name, workload->name);
    }
}

/* Before anything is written. */
static int check_cells(const struct grid *grid)
{
    bool well = true;
    for (uint32_t i = 0; well && i < grid->cell_count; i++) {
        const struct grid_cell *cell = &grid->cells[i];
        struct scenario *scenario = cli_load(grid->scenario, cell->sets, cell->set_count);
        well = scenario != NULL;
        if (!well)
            cli_error("the scenario of cell %s cannot be loaded", cell->name);
        scenario_free(scenario);
    }
    return well ? CLI_DONE : CLI_USAGE;
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

/* Beside the file, and renamed when it is whole. */
static int write_file(struct predictions *predictions, const char *folder)
{
    char *path = path_in(folder, "predictions.json", ""),
         *beside = path_in(folder, "predictions.json", ".new");
    FILE *out = path == NULL || beside == NULL ? NULL : fopen(beside, "wb");
    bool well = out != NULL && predictions_json(predictions, out);
    well = out != NULL && fclose(out) == 0 && well && rename(beside, path) == 0;
    if (!well)
        cli_error("%s: %s", path == NULL ? folder : path, strerror(errno));
    else
        printf("%s: %u cells frozen, digest %s\n", path, (unsigned)predictions->cell_count,
               predictions->digest);
    if (!well && out != NULL)
        unlink(beside);
    free(path);
    free(beside);
    return well ? CLI_DONE : CLI_FAILED;
}

static int predict(const struct cli_args *args, const struct grid *grid)
{
    struct predicting at = {.grid = grid, .folder = cli_value(args, "output")};
    const char *level = cli_value(args, "record");
    if (level != NULL && !record_level_find(level, &at.level)) {
        cli_error("--record %s: expected summary, counters, ios or packets", level);
        return CLI_USAGE;
    }
    if (at.folder == NULL || at.folder[0] == '\0') {
        cli_error("predict: expected -o DIR for what it finds, or --list");
        return CLI_USAGE;
    }
    if (check_cells(grid) != CLI_DONE)
        return CLI_USAGE;
    if (mkdir(at.folder, 0777) != 0 && errno != EEXIST) {
        cli_error("%s: %s", at.folder, strerror(errno));
        return CLI_FAILED;
    }
    at.predictions = predict_begin(grid);
    int code = play_cells(&at);
    if (code == CLI_DONE)
        code = write_file(at.predictions, at.folder);
    predictions_free(at.predictions);
    return code;
}

static int run(const struct cli_args *args)
{
    struct grid *grid = load_grid(args->operands[0]);
    if (grid == NULL)
        return CLI_USAGE;
    int code = CLI_DONE;
    if (cli_given(args, "list"))
        list_cells(grid);
    else
        code = predict(args, grid);
    grid_free(grid);
    return code;
}

const struct cli_command cmd_predict = {
    .name = "predict",
    .operands = "GRID.yaml",
    .about = "plays every cell of a grid and freezes what the model says",
    .details =
        "Then measure, and compare with what was frozen:\n"
        "  stormglass predict --list GRID.yaml | while read -r cell sets; do\n"
        "      stormglass-bridge run BASE.yaml $sets ... -o DIR/$cell.db; done\n"
        "  stormglass compare --frozen predictions.json DIR\n"
        "Exit codes: 0 frozen, 2 the grid or its scenario is wrong, 3 it could not be written.",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
