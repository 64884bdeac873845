/* SPDX-License-Identifier: Apache-2.0
 * matrix_text - one line per row, the largest error first; then maps of the errors. */
#include "reports/text/matrix_text.h"

#include "replay/database/words.h"
#include "reports/text/compare_text.h"
#include "reports/text/paint.h"

#include <string.h>
#include <time.h>

static void date_of(int64_t unix_s, char text[16])
{
    const time_t at = (time_t)unix_s;
    struct tm when;
    text[0] = '\0';
    if (gmtime_r(&at, &when) != NULL)
        strftime(text, 16, "%Y-%m-%d", &when);
}

void matrix_when(const struct matrix *matrix, char text[MATRIX_WHEN_BYTES])
{
    char first[16], last[16];
    date_of(matrix->first_unix_s, first);
    date_of(matrix->last_unix_s, last);
    if (strcmp(first, last) == 0)
        snprintf(text, MATRIX_WHEN_BYTES, "%s", first);
    else
        snprintf(text, MATRIX_WHEN_BYTES, "%s to %s", first, last);
}

bool matrix_next_plane(const struct matrix *matrix, uint32_t places[GRID_AXES_MAX])
{
    for (uint32_t i = matrix->predictions->axis_count; i-- > 2;) {
        if (++places[i] < matrix->predictions->axes[i].value_count)
            return true;
        places[i] = 0;
    }
    return false;
}

void matrix_plane_words(const struct matrix *matrix, const uint32_t places[GRID_AXES_MAX],
                        char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 2; i < matrix->predictions->axis_count && used < size; i++) {
        const struct grid_axis *axis = &matrix->predictions->axes[i];
        used += (size_t)snprintf(text + used, size - used, "%s%s %s", i == 2 ? "" : ", ", axis->as,
                                 axis->values[places[i]]);
    }
}

/* ------------------------------------------------------------------ rows */

struct page {
    const struct matrix *matrix;
    FILE *out;
    struct paint paint;
};

static void write_pair(const struct page *page, const struct compare_figure *figure,
                       enum figure_kind kind)
{
    if (figure->known)
        fprintf(page->out, "%11s%11s%10s", compare_value(kind, figure->model).text,
                compare_value(kind, figure->measured).text,
                compare_error_words(figure->error).text);
    else
        fprintf(page->out, "%11s%11s%10s", "-", "-", "-");
}

static void write_row(const struct page *page, const struct matrix_row *row)
{
    const struct compare_figure *figures = row->figures.figures;
    fprintf(page->out, "  %s%-7s%s %-26s", row->holds ? page->paint.good : page->paint.bad,
            !row->measured ? "missing"
            : row->holds   ? "within"
                           : "beyond",
            page->paint.off, row->name);
    if (row->measured) {
        write_pair(page, &figures[FIGURE_P50], FIGURE_P50);
        write_pair(page, &figures[FIGURE_IOPS], FIGURE_IOPS);
        fprintf(page->out, "%10s%10s", compare_error_words(figures[FIGURE_MEAN].error).text,
                compare_error_words(figures[FIGURE_P99].error).text);
        fprintf(page->out, "  %s%s%s", figure_range_name(row->figures.model->range),
                row->protocol[0] == '\0' ? "" : "; ", row->protocol);
    }
    fputc('\n', page->out);
}

static void write_rows(const struct page *page)
{
    fprintf(page->out, "\n%s%-36s%11s%11s%10s%11s%11s%10s%10s%10s%s\n", page->paint.bold,
            "Cells, worst first", "p50 model", "measured", "error", "IOPS model", "measured",
            "error", "mean", "p99", page->paint.off);
    for (uint32_t i = 0; i < page->matrix->row_count; i++)
        write_row(page, &page->matrix->rows[page->matrix->worst_first[i]]);
}

/* ------------------------------------------------------------------ error maps */

static void write_plane(const struct page *page, uint32_t places[GRID_AXES_MAX],
                        enum figure_kind kind)
{
    const struct predictions *predictions = page->matrix->predictions;
    const uint32_t columns = predictions->axis_count > 1 ? predictions->axes[1].value_count : 1;
    char words[256];
    matrix_plane_words(page->matrix, places, words, sizeof words);
    fprintf(page->out, "  %s %-*s", figure_rows[kind].heading,
            (int)(20 - strlen(figure_rows[kind].heading)), words);
    for (uint32_t i = 0; predictions->axis_count > 1 && i < columns; i++)
        fprintf(page->out, "%10s", predictions->axes[1].values[i]);
    fputc('\n', page->out);
    for (places[0] = 0; places[0] < predictions->axes[0].value_count; places[0]++) {
        fprintf(page->out, "    %s %-*s", predictions->axes[0].as,
                (int)(18 - strlen(predictions->axes[0].as)),
                predictions->axes[0].values[places[0]]);
        for (places[1] = 0; places[1] < columns; places[1]++) {
            const struct matrix_row *row = matrix_at(page->matrix, places, 0);
            const struct compare_figure *figure = &row->figures.figures[kind];
            fprintf(page->out, "%10s",
                    figure->known ? compare_error_words(figure->error).text : "-");
        }
        fputc('\n', page->out);
    }
    places[0] = places[1] = 0;
}

static void write_shape(const struct page *page)
{
    static const enum figure_kind kinds[] = {FIGURE_P50, FIGURE_IOPS};
    fprintf(page->out, "\n%sErrors over the grid%s\n", page->paint.bold, page->paint.off);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        uint32_t places[GRID_AXES_MAX] = {0};
        do
            write_plane(page, places, kinds[i]);
        while (matrix_next_plane(page->matrix, places));
    }
}

bool matrix_text(const struct matrix *matrix, FILE *out)
{
    const struct page page = {matrix, out, paint_for(out)};
    const struct predictions *predictions = matrix->predictions;
    char when[MATRIX_WHEN_BYTES];
    matrix_when(matrix, when);
    fprintf(out, "%s%s%s  %s\n", page.paint.bold, predictions->grid, page.paint.off,
            predictions->about);
    fprintf(out, "  predicted  stormglass %s, digest %s\n", predictions->version,
            predictions->digest);
    fprintf(out, "  measured   %s: %s%s, Linux %s, %s\n", matrix->folder, matrix->on.device,
            matrix->several_devices ? " and others" : "", matrix->on.kernel, when);
    write_rows(&page);
    write_shape(&page);
    fprintf(out, "\n%sVerdict%s  %u of %u within %g%%", page.paint.bold, page.paint.off,
            (unsigned)matrix->holding, (unsigned)matrix->row_count,
            100 * matrix->options.tolerance);
    if (matrix->measured < matrix->row_count)
        fprintf(out, "; not measured: %u", (unsigned)(matrix->row_count - matrix->measured));
    fputc('\n', out);
    return ferror(out) == 0;
}
