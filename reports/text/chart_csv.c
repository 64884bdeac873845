/* SPDX-License-Identifier: Apache-2.0
 * chart_csv - charts as tables, RFC 4180 except for line endings. */
#include "reports/text/chart.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>

void chart_csv_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void bands(const struct chart *chart, FILE *out)
{
    fputs("port,from_ps,until_ps,blocked_ps\n", out);
    for (uint32_t i = 0; i < chart->band_count; i++) {
        const struct chart_band *band = &chart->bands[i];
        chart_csv_text(out, chart->rows[band->row].name);
        fprintf(out, ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n", band->from, band->until,
                band->blocked);
    }
}

/* All series of steps have the same steps. */
static void steps(const struct chart *chart, FILE *out)
{
    fputs("from_ps", out);
    for (uint32_t i = 0; i < chart->series_count; i++) {
        fputc(',', out);
        chart_csv_text(out, chart->series[i].name);
    }
    fputc('\n', out);
    for (uint32_t row = 0; row < chart->series[0].count; row++) {
        fprintf(out, "%" PRId64, chart->series[0].points[row].at);
        for (uint32_t i = 0; i < chart->series_count; i++) {
            fputc(',', out);
            chart_number(chart, chart->series[i].points[row].value, "", out);
        }
        fputc('\n', out);
    }
}

static void points(const struct chart *chart, FILE *out)
{
    fputs(chart->kind == CHART_TAIL ? "series,latency_ps,share\n" : "series,at_ps,value\n", out);
    for (uint32_t i = 0; i < chart->series_count; i++)
        for (uint32_t row = 0; row < chart->series[i].count; row++) {
            chart_csv_text(out, chart->series[i].name);
            fprintf(out, ",%" PRId64 ",", chart->series[i].points[row].at);
            chart_number(chart, chart->series[i].points[row].value, "", out);
            fputc('\n', out);
        }
}

void chart_csv(const struct chart *chart, FILE *out)
{
    if (chart->kind == CHART_BANDS)
        bands(chart, out);
    else if (chart->kind == CHART_STEPS)
        steps(chart, out);
    else
        points(chart, out);
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
