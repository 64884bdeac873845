/* SPDX-License-Identifier: Apache-2.0
 * chart_csv - charts as tables. */
#include "reports/text/chart.h"
#include "reports/text/csv.h"

#include <errno.h>
#include <limits.h>

static void write_bands(struct csv *csv, const struct chart *chart)
{
    csv_names(csv, "port,from_ps,until_ps,blocked_ps");
    csv_end_row(csv);
    for (uint32_t i = 0; i < chart->band_count; i++) {
        const struct chart_band *band = &chart->bands[i];
        csv_text(csv, chart->rows[band->row].name);
        csv_integer(csv, band->from);
        csv_integer(csv, band->until);
        csv_integer(csv, band->blocked);
        csv_end_row(csv);
    }
}

static void write_value(struct csv *csv, const struct chart *chart, double value)
{
    csv_begin_field(csv);
    chart_number(chart, value, "", csv->out);
}

/* All series of steps have the same steps. */
static void write_steps(struct csv *csv, const struct chart *chart)
{
    csv_names(csv, "from_ps");
    for (uint32_t i = 0; i < chart->series_count; i++)
        csv_text(csv, chart->series[i].name);
    csv_end_row(csv);
    for (uint32_t row = 0; row < chart->series[0].count; row++) {
        csv_integer(csv, chart->series[0].points[row].at);
        for (uint32_t i = 0; i < chart->series_count; i++)
            write_value(csv, chart, chart->series[i].points[row].value);
        csv_end_row(csv);
    }
}

static void write_points(struct csv *csv, const struct chart *chart)
{
    csv_names(csv, chart->kind == CHART_TAIL ? "series,latency_ps,share" : "series,at_ps,value");
    csv_end_row(csv);
    for (uint32_t i = 0; i < chart->series_count; i++)
        for (uint32_t row = 0; row < chart->series[i].count; row++) {
            csv_text(csv, chart->series[i].name);
            csv_integer(csv, chart->series[i].points[row].at);
            write_value(csv, chart, chart->series[i].points[row].value);
            csv_end_row(csv);
        }
}

void chart_csv(const struct chart *chart, FILE *out)
{
    struct csv csv;
    csv_begin(&csv, out);
    if (chart->kind == CHART_BANDS)
        write_bands(&csv, chart);
    else if (chart->kind == CHART_STEPS)
        write_steps(&csv, chart);
    else
        write_points(&csv, chart);
}

bool chart_table_open(struct output_folder *folder, const char *name, struct output *output)
{
    char file[NAME_MAX + 1];
    const int length = snprintf(file, sizeof file, "%s.csv", name);
    if (length >= 0 && length <= NAME_MAX)
        return output_folder_file(folder, file, output);
    errno = ENAMETOOLONG;
    return false;
}

bool charts_write_csv(const struct charts *charts, struct output_folder *folder)
{
    for (uint32_t i = 0; i < charts->count; i++) {
        const struct chart *chart = &charts->charts[i];
        struct output output;
        if (!chart_has_data(chart))
            continue;
        if (!chart_table_open(folder, chart->id, &output))
            return false;
        chart_csv(chart, output.out);
        if (!output_end(&output, true))
            return false;
    }
    return true;
}
