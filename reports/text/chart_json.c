/* SPDX-License-Identifier: Apache-2.0
 * chart_json - a chart as an object. */
#include "reports/text/chart.h"
#include "reports/text/json.h"

#include <inttypes.h>
#include <math.h>

static const char *const kinds[] = {[CHART_BANDS] = "bands",
                                    [CHART_STEPS] = "steps",
                                    [CHART_POINTS] = "points",
                                    [CHART_LINES] = "lines",
                                    [CHART_TAIL] = "tail"};

static void member(FILE *out, const char *before, const char *name, const char *text)
{
    fprintf(out, "%s\"%s\":", before, name);
    json_string(out, text);
}

/* All values except shares are counts. Values outside the range of a count come from a damaged
 * database and are written as `none`. */
void chart_number(const struct chart *chart, double value, const char *none, FILE *out)
{
    if (!(fabs(value) < 9e18))
        fputs(none, out);
    else if (chart->kind == CHART_TAIL)
        json_real(out, value);
    else
        fprintf(out, "%" PRId64, (int64_t)value);
}

static void points(const struct chart *chart, const struct chart_series *series, FILE *out)
{
    const bool steps = chart->kind == CHART_STEPS;
    fputs(steps ? ",\"values\":[" : ",\"points\":[", out);
    for (uint32_t i = 0; i < series->count; i++) {
        fputs(i == 0 ? "" : ",", out);
        if (!steps)
            fprintf(out, "[%" PRId64 ",", series->points[i].at);
        chart_number(chart, series->points[i].value, "null", out);
        fputs(steps ? "" : "]", out);
    }
    fputs("]", out);
}

static void write_series(const struct chart *chart, FILE *out)
{
    if (chart->kind == CHART_STEPS)
        fprintf(out, ",\"step_ps\":%" PRId64, chart->step);
    for (uint32_t i = 0; i < chart->cell_count; i++)
        fprintf(out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]%s", i == 0 ? ",\"heat\":[" : ",",
                chart->cells[i].step, chart->cells[i].eighth, chart->cells[i].count,
                i + 1 == chart->cell_count ? "]" : "");
    fputs(chart->held ? ",\"held\":true" : "", out);
    fputs(",\"series\":[", out);
    for (uint32_t i = 0; i < chart->series_count; i++) {
        const struct chart_series *series = &chart->series[i];
        member(out, i == 0 ? "{" : ",{", "name", series->name);
        if (series->colour != i)
            fprintf(out, ",\"colour\":%" PRIu32, series->colour);
        fputs(series->dashed ? ",\"dashed\":true" : "", out);
        fputs(series->hidden ? ",\"hidden\":true" : "", out);
        points(chart, series, out);
        fputs("}", out);
    }
    fputs("]", out);
}

static void bands(const struct chart *chart, FILE *out)
{
    fputs(",\"rows\":[", out);
    for (uint32_t i = 0; i < chart->row_count; i++) {
        member(out, i == 0 ? "{" : ",{", "name", chart->rows[i].name);
        member(out, ",", "port", chart->rows[i].port);
        fprintf(out, ",\"blocked_ps\":%" PRId64 ",\"from_ps\":%" PRId64, chart->rows[i].blocked,
                chart->rows[i].from);
        if (chart->rows[i].cause >= 0)
            fprintf(out, ",\"cause\":%" PRId64, chart->rows[i].cause);
        fputs("}", out);
    }
    fputs("],\"bands\":[", out);
    for (uint32_t i = 0; i < chart->band_count; i++) {
        const struct chart_band *band = &chart->bands[i];
        fprintf(out, "%s[%" PRIu32 ",%" PRId64 ",%" PRId64 ",%" PRId64 "]", i == 0 ? "" : ",",
                band->row, band->from, band->until, band->blocked);
    }
    fputs("]", out);
}

void chart_json(const struct chart *chart, FILE *out)
{
    member(out, "{", "id", chart->id);
    member(out, ",", "kind", kinds[chart->kind]);
    member(out, ",", "unit", chart->unit);
    member(out, ",", "title", chart->title);
    member(out, ",", "about", chart->about);
    const bool is_missing = chart->missing[0] != '\0';
    if (is_missing)
        member(out, ",", "missing", chart->missing);
    if (!is_missing || chart_has_data(chart))
        (chart->kind == CHART_BANDS ? bands : write_series)(chart, out);
    fputs("}", out);
}
