/* SPDX-License-Identifier: Apache-2.0
 * chart - the data of a page's charts, in memory and as output.
 * Readers of a database add charts and series; pages, JSON and CSV are written from them. Names are
 * copied. A pointer to a chart or series is valid until the next one is added.
 * Units: times in ps; values in the chart's unit. Owner: charts_free. */
#ifndef STORMGLASS_REPORTS_TEXT_CHART_H
#define STORMGLASS_REPORTS_TEXT_CHART_H

#include "base/units.h"
#include "replay/files/output_folder.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum chart_kind {
    CHART_BANDS,  /* rows with time intervals */
    CHART_STEPS,  /* a value for each time step, starting at 0 */
    CHART_POINTS, /* values at given times */
    CHART_LINES,  /* CHART_POINTS joined by lines */
    CHART_TAIL    /* a distribution: shares above a latency */
};

struct chart_point {
    int64_t at;   /* ps; for steps: start of the step; for a tail: the latency */
    double value; /* NAN: none */
};

enum { CHART_ID_BYTES = 64, CHART_TITLE_BYTES = 300, CHART_WHY_BYTES = 100 };

struct chart_series {
    char *name;
    struct chart_point *points;
    uint32_t count, room;
    uint32_t colour; /* index of its color in the chart */
    bool dashed;     /* second run of a comparison */
    bool hidden;     /* until the reader selects it */
};

struct chart_row {
    char *name, *port;
    time_ps blocked, from; /* in total; the first begin */
    int64_t cause;         /* row of the transmitter whose queue caused it most often, or -1 */
};

/* Number of operations of a step whose latency is in an eighth of a decade: from 10^(eighth/8). */
struct chart_cell {
    uint32_t step, eighth, count;
};

struct chart_band {
    uint32_t row;
    time_ps from, until, blocked;
};

struct chart {
    char id[CHART_ID_BYTES], title[CHART_TITLE_BYTES];
    const char *about; /* owned by the caller, like `unit` */
    enum chart_kind kind;
    const char *unit;              /* identifier known to the page's script */
    char missing[CHART_WHY_BYTES]; /* why there are no data; "": there are */
    time_ps step;                  /* CHART_STEPS */
    bool held;                     /* CHART_LINES: a value lasts until the next one */
    struct chart_series *series;
    struct chart_row *rows; /* CHART_BANDS, like `bands` */
    struct chart_band *bands;
    struct chart_cell *cells; /* CHART_STEPS of latencies: a heat map, by step and eighth */
    uint32_t cell_count, cell_room;
    uint32_t series_count, series_room, row_count, row_room, band_count, band_room;
};

struct charts {
    struct chart *charts;
    uint32_t count, room;
};

/* The chart with that id, created if necessary. */
struct chart *charts_open(struct charts *charts, enum chart_kind kind, const char *id,
                          const char *unit, const char *title, const char *about);
void charts_free(struct charts *charts);

struct chart_series *chart_add_series(struct chart *chart, const char *name);
void chart_add_point(struct chart_series *series, int64_t at, double value);

/* Keeps the minimum and maximum of each pixel in order of time; a run of equal values becomes two
 * points. NAN is a gap that separates its neighbors; a gap between two values of the same pixel is
 * invisible. */
struct chart_pixels {
    time_ps width;
    int64_t number; /* of the current pixel; -1: none */
    bool any;       /* minimum and maximum are valid */
    struct chart_point least, most;
    time_ps gap[2]; /* ps; last gap before its values, and after them; or -1 */
};
struct chart_pixels chart_pixels(time_ps span, int count);
void chart_pixels_add(struct chart_pixels *pixels, struct chart_series *series, time_ps at,
                      double value);
void chart_pixels_end(struct chart_pixels *pixels, struct chart_series *series);

/* Adds all steps of a series; values below 0 are gaps. */
void chart_add_steps(const struct chart *chart, struct chart_series *series, const int64_t *values,
                     uint32_t count);
void chart_add_row(struct chart *chart, const char *name, const char *port, time_ps blocked);
/* Counts an operation; calls must be in the order of steps and latencies. */
void chart_add_latency(struct chart *chart, uint32_t step, time_ps latency);
void chart_add_band(struct chart *chart, struct chart_band band);

/* Whether there is something to draw. */
bool chart_has_data(const struct chart *chart);

/* Writes a value; `none` if it is not a number. */
void chart_number(const struct chart *chart, double value, const char *none, FILE *out);

/* The object of one chart, see page.h. */
void chart_json(const struct chart *chart, FILE *out);

/* A table with a header line, as from the page's button: one line per band or point, or one column
 * per series of steps. */
void chart_csv(const struct chart *chart, FILE *out);
/* Writes a file ID.csv for each chart with data. Returns false with errno; folder->file is the file
 * that failed. */
bool charts_write_csv(const struct charts *charts, struct output_folder *folder);

/* Opens NAME.csv in the folder. Owner: output_end. */
bool chart_table_open(struct output_folder *folder, const char *name, struct output *output);

#endif
