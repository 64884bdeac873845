/* SPDX-License-Identifier: Apache-2.0
 * chart - the numbers of the figures of a page, in memory and written down.
 * Whoever reads a database adds charts and what they show; pages, JSON and CSV are made from that.
 * Names are copied.  A pointer to a chart or a series holds until the next one is added.
 * Units: times ps; values as the chart's unit says.  Owner: charts_free. */
#ifndef STORMGLASS_REPORTS_TEXT_CHART_H
#define STORMGLASS_REPORTS_TEXT_CHART_H

#include "base/units.h"
#include "replay/files/output_folder.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum chart_kind {
    CHART_BANDS,  /* rows, and from when until when something lasted in them */
    CHART_STEPS,  /* a value for each step of time, from 0 on */
    CHART_POINTS, /* values at their times */
    CHART_LINES,  /* likewise, and what lies between two of them is on a line */
    CHART_TAIL    /* a distribution: shares above a latency */
};

struct chart_point {
    int64_t at;   /* ps; of steps: where the step begins; of a tail: the latency */
    double value; /* NAN: none */
};

enum { CHART_ID_BYTES = 64, CHART_TITLE_BYTES = 300, CHART_WHY_BYTES = 100 };

struct chart_series {
    char *name;
    struct chart_point *points;
    uint32_t count, room;
    uint32_t colour; /* among the chart's */
    bool dashed;     /* the second run of a comparison */
    bool hidden;     /* until the reader asks for it */
};

struct chart_row {
    char *name, *port;
    time_ps blocked;
};

struct chart_band {
    uint32_t row;
    time_ps from, until, blocked;
};

struct chart {
    char id[CHART_ID_BYTES], title[CHART_TITLE_BYTES];
    const char *about; /* the caller's, as the unit */
    enum chart_kind kind;
    const char *unit;              /* a word that the page's script knows */
    char missing[CHART_WHY_BYTES]; /* why there is nothing; "": what there is, is here */
    time_ps step;                  /* CHART_STEPS */
    bool held;                     /* CHART_LINES: a value holds until the next one */
    struct chart_series *series;
    struct chart_row *rows; /* CHART_BANDS, as the bands */
    struct chart_band *bands;
    uint32_t series_count, series_room, row_count, row_room, band_count, band_room;
};

struct charts {
    struct chart *charts;
    uint32_t count, room;
};

/* The chart of that id, which is made when there is none yet. */
struct chart *charts_open(struct charts *charts, enum chart_kind kind, const char *id,
                          const char *unit, const char *title, const char *about);
void charts_free(struct charts *charts);

struct chart_series *chart_add_series(struct chart *chart, const char *name);
void chart_add_point(struct chart_series *series, int64_t at, double value);

/* Of each pixel the least and the most, in the order of time; values that stay the same are two
 * points.  NAN is none, and parts what is around it; between two values of one pixel it is not
 * seen. */
struct chart_pixels {
    time_ps width;
    int64_t number; /* of the pixel that is being filled; -1: none */
    bool any;       /* it has a value: least and most */
    struct chart_point least, most;
    time_ps gap[2]; /* when there was none, latest: before its values, and behind them; or -1 */
};
struct chart_pixels chart_pixels(time_ps span, int count);
void chart_pixels_add(struct chart_pixels *pixels, struct chart_series *series, time_ps at,
                      double value);
void chart_pixels_end(struct chart_pixels *pixels, struct chart_series *series);

/* A whole series of steps; values below 0 are none. */
void chart_add_steps(const struct chart *chart, struct chart_series *series, const int64_t *values,
                     uint32_t count);
void chart_add_row(struct chart *chart, const char *name, const char *port, time_ps blocked);
void chart_add_band(struct chart *chart, struct chart_band band);

/* Something to draw. */
bool chart_has_data(const struct chart *chart);

/* A value as it is written; `none` where there is no number. */
void chart_number(const struct chart *chart, double value, const char *none, FILE *out);

/* The object of one chart, see page.h. */
void chart_json(const struct chart *chart, FILE *out);

/* A table with a head line, as the page's button gives it: of bands and points a line for each, of
 * steps a column for each series. */
void chart_csv(const struct chart *chart, FILE *out);
/* In quotes. */
void chart_csv_text(FILE *out, const char *text);

/* A file ID.csv for each chart with data.  False: errno; folder->file could not be written. */
bool charts_write_csv(const struct charts *charts, struct output_folder *folder);

/* Opens NAME.csv there.  Owner: output_end. */
bool chart_table_open(struct output_folder *folder, const char *name, struct output *output);

#endif
