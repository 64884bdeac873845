/* SPDX-License-Identifier: Apache-2.0
 * compare_csv - a comparison as one line for each figure of a workload. */
#include "reports/text/compare_csv.h"

#include "reports/text/csv.h"

static const char *unit_of(enum figure_kind kind)
{
    switch (figure_rows[kind].unit) {
    case FIGURE_TIME:
        return "ps";
    case FIGURE_RATE:
        return "bps";
    case FIGURE_COUNTED:
        break;
    }
    return "1/s";
}

static void write_values(struct csv *csv, const struct compare_figure *figure)
{
    const double values[] = {figure->model, figure->measured, figure->error};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (figure->known)
            csv_real(csv, values[i]);
        else
            csv_empty(csv);
}

bool compare_csv(const struct compare *compare, FILE *out)
{
    struct csv csv;
    csv_table(&csv, out, "workload,range,figure,unit,model,measured,error,judged,within");
    for (size_t i = 0; i < compare->workload_count; i++)
        for (int k = 0; k < FIGURE_COUNT; k++) {
            const struct compare_workload *workload = &compare->workloads[i];
            const struct compare_figure *figure = &workload->figures[k];
            csv_text(&csv, workload->model->name);
            csv_text(&csv, figure_range_name(workload->model->range));
            csv_text(&csv, figure_rows[k].word);
            csv_text(&csv, unit_of((enum figure_kind)k));
            write_values(&csv, figure);
            csv_boolean(&csv, figure->judged);
            csv_boolean(&csv, figure->within);
            csv_end_row(&csv);
        }
    return ferror(out) == 0;
}

bool matrix_csv(const struct matrix *matrix, FILE *out)
{
    struct csv csv;
    csv_table(&csv, out,
              "cell,workload,range,measured_cell,within,protocol,figure,unit,model,measured,"
              "error");
    for (uint32_t i = 0; i < matrix->row_count; i++)
        for (int k = 0; k < FIGURE_COUNT; k++) {
            const struct matrix_row *row = &matrix->rows[i];
            csv_text(&csv, matrix->predictions->cells[row->cell].name);
            csv_text(&csv, row->figures.model->name);
            csv_text(&csv, figure_range_name(row->figures.model->range));
            csv_boolean(&csv, row->measured);
            csv_boolean(&csv, row->holds);
            csv_text(&csv, row->protocol);
            csv_text(&csv, figure_rows[k].word);
            csv_text(&csv, unit_of((enum figure_kind)k));
            write_values(&csv, &row->figures.figures[k]);
            csv_end_row(&csv);
        }
    return ferror(out) == 0;
}

void predictions_csv(const struct predictions *predictions, FILE *out)
{
    struct csv csv;
    csv_table(&csv, out, "cell,workload,range,completed,failed,unfinished,figure,unit,value");
    for (uint32_t i = 0; i < predictions->cell_count; i++)
        for (size_t w = 0; w < predictions->cells[i].figures.count; w++)
            for (int k = 0; k < FIGURE_COUNT; k++) {
                const struct figures_workload *workload =
                    &predictions->cells[i].figures.workloads[w];
                csv_text(&csv, predictions->cells[i].name);
                csv_text(&csv, workload->name);
                csv_text(&csv, figure_range_name(workload->range));
                csv_integer(&csv, workload->tallies[FIGURE_TALLY_completed]);
                csv_integer(&csv, workload->tallies[FIGURE_TALLY_failed]);
                csv_integer(&csv, workload->tallies[FIGURE_TALLY_unfinished]);
                csv_text(&csv, figure_rows[k].word);
                csv_text(&csv, unit_of((enum figure_kind)k));
                if (workload->known[k])
                    csv_real(&csv, workload->values[k]);
                else
                    csv_empty(&csv);
                csv_end_row(&csv);
            }
}
