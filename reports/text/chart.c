/* SPDX-License-Identifier: Apache-2.0
 * chart - growing tables of data. */
#include "reports/text/chart.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *copy(const char *text)
{
    char *made = memory_text(text);
    return made;
}

struct chart *charts_open(struct charts *charts, enum chart_kind kind, const char *id,
                          const char *unit, const char *title, const char *about)
{
    for (uint32_t i = 0; i < charts->count; i++)
        if (strcmp(charts->charts[i].id, id) == 0)
            return &charts->charts[i];
    charts->charts =
        memory_grown(charts->charts, charts->count, &charts->room, sizeof *charts->charts);
    struct chart *chart = &charts->charts[charts->count++];
    *chart = (struct chart){.about = about, .kind = kind, .unit = unit};
    snprintf(chart->id, sizeof chart->id, "%s", id);
    snprintf(chart->title, sizeof chart->title, "%s", title);
    return chart;
}

static void chart_free(struct chart *chart)
{
    for (uint32_t i = 0; i < chart->series_count; i++) {
        free(chart->series[i].name);
        free(chart->series[i].points);
    }
    for (uint32_t i = 0; i < chart->row_count; i++) {
        free(chart->rows[i].name);
        free(chart->rows[i].port);
    }
    free(chart->series);
    free(chart->rows);
    free(chart->bands);
    free(chart->cells);
}

void charts_free(struct charts *charts)
{
    for (uint32_t i = 0; i < charts->count; i++)
        chart_free(&charts->charts[i]);
    free(charts->charts);
    *charts = (struct charts){0};
}

struct chart_series *chart_add_series(struct chart *chart, const char *name)
{
    const uint32_t at = chart->series_count;
    chart->series = memory_grown(chart->series, at, &chart->series_room, sizeof *chart->series);
    chart->series[at] = (struct chart_series){.name = copy(name), .colour = at};
    chart->series_count++;
    return &chart->series[at];
}

void chart_add_point(struct chart_series *series, int64_t at, double value)
{
    series->points =
        memory_grown(series->points, series->count, &series->room, sizeof *series->points);
    series->points[series->count++] = (struct chart_point){at, value};
}

/* ------------------------------------------------------------------ pixels */

struct chart_pixels chart_pixels(time_ps span, int count)
{
    return (struct chart_pixels){.width = span / count + 1, .number = -1};
}

static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Extends the last run of equal values by moving its last point. */
static void put_point(struct chart_series *series, struct chart_point point)
{
    struct chart_point *last = series->count < 2 ? NULL : &series->points[series->count - 1];
    if (last != NULL && is_same(last->value, point.value) && is_same(last[-1].value, point.value))
        last->at = point.at;
    else
        chart_add_point(series, point.at, point.value);
}

void chart_pixels_end(struct chart_pixels *pixels, struct chart_series *series)
{
    const struct chart_point least = pixels->least, most = pixels->most;
    const bool rises = least.at <= most.at;
    if (pixels->number < 0)
        return;
    if (pixels->gap[0] >= 0)
        put_point(series, (struct chart_point){pixels->gap[0], NAN});
    if (pixels->any)
        put_point(series, rises ? least : most);
    if (pixels->any && least.at != most.at)
        put_point(series, rises ? most : least);
    if (pixels->gap[1] >= 0)
        put_point(series, (struct chart_point){pixels->gap[1], NAN});
    pixels->number = -1;
}

void chart_pixels_add(struct chart_pixels *pixels, struct chart_series *series, time_ps at,
                      double value)
{
    const struct chart_point point = {at, value};
    const int64_t number = at / pixels->width;
    if (number != pixels->number) {
        chart_pixels_end(pixels, series);
        *pixels = (struct chart_pixels){.width = pixels->width, .number = number, .gap = {-1, -1}};
    }
    if (isnan(value)) {
        pixels->gap[pixels->any] = at;
        return;
    }
    if (!pixels->any || value < pixels->least.value)
        pixels->least = point;
    if (!pixels->any || value > pixels->most.value)
        pixels->most = point;
    pixels->any = true;
    pixels->gap[1] = -1;
}

/* ------------------------------------------------------------------ steps and bands */

void chart_add_steps(const struct chart *chart, struct chart_series *series, const int64_t *values,
                     uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        chart_add_point(series, i * chart->step, values[i] < 0 ? NAN : (double)values[i]);
}

void chart_add_row(struct chart *chart, const char *name, const char *port, time_ps blocked)
{
    chart->rows =
        memory_grown(chart->rows, chart->row_count, &chart->row_room, sizeof *chart->rows);
    chart->rows[chart->row_count++] = (struct chart_row){copy(name), copy(port), blocked, 0, -1};
}

/* The integer that 8 log10 of the latency has. */
static uint32_t eighth_of(time_ps latency)
{
    static const int64_t edges[8] = {1000, 1334, 1779, 2372, 3163, 4217, 5624, 7499};
    int64_t scale = 1;
    uint32_t decade = 0, eighth = 7;
    for (; latency / 10 >= scale; scale *= 10)
        decade++;
    const int64_t mantissa =
        scale >= 1000 ? latency / (scale / 1000) : latency * 1000 / scale; /* 1000 to 9999 */
    while (eighth > 0 && mantissa < edges[eighth])
        eighth--;
    return 8 * decade + eighth;
}

void chart_add_latency(struct chart *chart, uint32_t step, time_ps latency)
{
    const uint32_t eighth = eighth_of(latency < 1 ? 1 : latency);
    struct chart_cell *last = chart->cell_count == 0 ? NULL : &chart->cells[chart->cell_count - 1];
    if (last != NULL && last->step == step && last->eighth == eighth) {
        last->count++;
        return;
    }
    chart->cells =
        memory_grown(chart->cells, chart->cell_count, &chart->cell_room, sizeof *chart->cells);
    chart->cells[chart->cell_count++] = (struct chart_cell){step, eighth, 1};
}

void chart_add_band(struct chart *chart, struct chart_band band)
{
    chart->bands =
        memory_grown(chart->bands, chart->band_count, &chart->band_room, sizeof *chart->bands);
    chart->bands[chart->band_count++] = band;
}

bool chart_has_data(const struct chart *chart)
{
    return chart->kind == CHART_BANDS ? chart->band_count > 0 : chart->series_count > 0;
}
