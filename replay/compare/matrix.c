/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/compare/matrix.h"

#include "base/check.h"
#include "base/plural.h"
#include "replay/database/stored.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((format(printf, 2, 3))) static bool refuse(struct matrix *matrix, const char *format,
                                                         ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(matrix->why, sizeof matrix->why, format, arguments);
    va_end(arguments);
    return false;
}

/* ------------------------------------------------------------------ one cell */

/* The counts that differ, as text. */
static const char *differing_counts(struct matrix *matrix, const struct figures_workload *model,
                                    const struct figures_workload *measured)
{
    const char *text = "";
    for (int i = 0; i < FIGURE_TALLY_COUNT; i++)
        if (figures_tally_holds(model, i) && model->tallies[i] != measured->tallies[i])
            text = arena_format(&matrix->arena, "%s%s%s: %" PRId64 " and %" PRId64, text,
                                *text == '\0' ? "" : ", ", figure_tallies[i].word,
                                model->tallies[i], measured->tallies[i]);
    return text;
}

static void judge_row(struct matrix *matrix, struct matrix_row *row,
                      const struct figures_workload *measured)
{
    uint32_t judged = 0, within = 0;
    row->measured = true;
    row->figures.measured = measured;
    compare_figures(&row->figures, &matrix->options, &judged, &within);
    row->protocol = differing_counts(matrix, row->figures.model, measured);
    for (int i = 0; i < FIGURE_COUNT; i++) {
        const struct compare_figure *figure = &row->figures.figures[i];
        const double error = figure->known ? fabs(figure->error) : HUGE_VAL;
        if (figure->judged && error > row->worst)
            row->worst = error;
    }
    row->holds = judged == within && row->protocol[0] == '\0';
    matrix->measured++;
    matrix->holding += row->holds;
}

/* Whether the measurement is of the predicted work and by the same version. */
static bool is_of_the_cell(struct matrix *matrix, const struct prediction *cell,
                           struct store *store, const struct compare_side *side)
{
    char work[DIGEST_TEXT_BYTES];
    compare_work(store, work);
    if (store_error(store) != NULL)
        return refuse(matrix, "%.200s: %.250s", side->path, store_error(store));
    if (!side->measured && !matrix->options.any_kind)
        return refuse(matrix, "%.200s is a model run, not a measurement", side->path);
    if (strcmp(side->version, matrix->predictions->version) != 0)
        return refuse(matrix, "%.200s was made by stormglass %.40s, the predictions by %.40s",
                      side->path, side->version, matrix->predictions->version);
    if (strcmp(work, cell->work) != 0)
        return refuse(
            matrix,
            "%.200s did not do the work predicted for %.100s: its scenario or settings differ",
            side->path, cell->name);
    return true;
}

/* Records the device and kernel of a measurement. */
static void note_side(struct matrix *matrix, const struct compare_side *side)
{
    if (matrix->on.path == NULL) {
        matrix->on = *side;
        matrix->first_unix_s = matrix->last_unix_s = side->started_unix_s;
    }
    if (strcmp(matrix->on.device, side->device) != 0 ||
        strcmp(matrix->on.kernel, side->kernel) != 0)
        matrix->several_devices = true;
    if (side->started_unix_s < matrix->first_unix_s)
        matrix->first_unix_s = side->started_unix_s;
    if (side->started_unix_s > matrix->last_unix_s)
        matrix->last_unix_s = side->started_unix_s;
}

static bool compare_cell(struct matrix *matrix, const struct prediction *cell,
                         struct matrix_row *rows)
{
    char error[STORE_ERROR_BYTES];
    const char *path = arena_format(&matrix->arena, "%s/%s.db", matrix->folder, cell->name);
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return true; /* not measured */
    struct store *store = stored_open(path, error);
    if (store == NULL)
        return refuse(matrix, "%.200s: %.250s", path, error);
    struct compare_side side;
    struct figures measured = {0};
    compare_side_read(&side, &matrix->arena, store, path);
    bool fits = is_of_the_cell(matrix, cell, store, &side);
    if (fits)
        figures_read(store, &matrix->arena, &measured);
    if (fits && (store_error(store) != NULL || measured.count != cell->figures.count))
        fits = refuse(matrix, "%.200s: its workloads cannot be read", path);
    for (size_t i = 0; fits && i < measured.count; i++)
        judge_row(matrix, &rows[i], &measured.workloads[i]);
    if (fits)
        note_side(matrix, &side);
    store_close(store);
    return fits;
}

/* ------------------------------------------------------------------ all cells */

static void make_rows(struct matrix *matrix)
{
    const struct predictions *predictions = matrix->predictions;
    size_t count = 0;
    for (uint32_t i = 0; i < predictions->cell_count; i++)
        count += predictions->cells[i].figures.count;
    matrix->rows = arena_array(&matrix->arena, count, sizeof *matrix->rows);
    matrix->worst_first = arena_array(&matrix->arena, count, sizeof *matrix->worst_first);
    for (uint32_t i = 0; i < predictions->cell_count; i++) {
        const struct prediction *cell = &predictions->cells[i];
        for (uint32_t k = 0; k < cell->figures.count; k++) {
            const struct figures_workload *workload = &cell->figures.workloads[k];
            matrix->worst_first[matrix->row_count] = matrix->row_count;
            matrix->rows[matrix->row_count++] = (struct matrix_row){
                .name = cell->figures.count == 1
                            ? cell->name
                            : arena_format(&matrix->arena, "%s %s", cell->name, workload->name),
                .cell = i,
                .workload = k,
                .protocol = "",
                .figures = {.model = workload},
            };
        }
    }
}

static bool is_worse(const struct matrix_row *a, const struct matrix_row *b)
{
    if (a->measured != b->measured)
        return !a->measured;
    const bool a_parted = a->protocol[0] != '\0', b_parted = b->protocol[0] != '\0';
    if (a_parted != b_parted)
        return a_parted;
    return a->worst > b->worst;
}

/* Insertion sort keeps equal cells in order; there are a few thousand rows at most. */
static void sort_rows(struct matrix *matrix)
{
    for (uint32_t i = 1; i < matrix->row_count; i++) {
        const uint32_t moving = matrix->worst_first[i];
        uint32_t at = i;
        for (;
             at > 0 && is_worse(&matrix->rows[moving], &matrix->rows[matrix->worst_first[at - 1]]);
             at--)
            matrix->worst_first[at] = matrix->worst_first[at - 1];
        matrix->worst_first[at] = moving;
    }
}

enum compare_end matrix_compare(struct matrix *matrix, const struct predictions *predictions,
                                const char *folder, const struct compare_options *options)
{
    *matrix = (struct matrix){.options = *options, .predictions = predictions};
    matrix->folder = arena_text(&matrix->arena, folder, strlen(folder));
    make_rows(matrix);
    struct matrix_row *rows = matrix->rows;
    for (uint32_t i = 0; i < predictions->cell_count; i++) {
        if (!compare_cell(matrix, &predictions->cells[i], rows))
            return COMPARE_REFUSED;
        rows += predictions->cells[i].figures.count;
    }
    sort_rows(matrix);
    if (matrix->measured > 0)
        return COMPARE_DONE;
    refuse(matrix, "%.200s: no measurement of any of the %u %s", folder,
           (unsigned)predictions->cell_count, plural(predictions->cell_count, "cell", "cells"));
    return COMPARE_REFUSED;
}

void matrix_free(struct matrix *matrix)
{
    arena_free(&matrix->arena);
}

const struct matrix_row *matrix_at(const struct matrix *matrix,
                                   const uint32_t places[GRID_AXES_MAX], uint32_t workload)
{
    uint32_t cell = 0;
    for (uint32_t i = 0; i < matrix->predictions->axis_count; i++)
        cell = cell * matrix->predictions->axes[i].value_count + places[i];
    for (uint32_t i = 0; i < matrix->row_count; i++)
        if (matrix->rows[i].cell == cell && matrix->rows[i].workload == workload)
            return &matrix->rows[i];
    return NULL;
}
