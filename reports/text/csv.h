/* SPDX-License-Identifier: Apache-2.0
 * csv - tables as comma-separated values (RFC 4180, with line feeds as line ends).
 * The first line has the names of the columns; every line has as many fields as there are names.
 * Fields are written in order, each by one call; csv_end_row ends a line. */
#ifndef STORMGLASS_REPORTS_TEXT_CSV_H
#define STORMGLASS_REPORTS_TEXT_CSV_H

#include "replay/database/store.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct csv {
    FILE *out;
    bool terminal; /* control characters are escaped there */
    unsigned columns, at;
    bool named; /* the names are complete */
};

void csv_begin(struct csv *csv, FILE *out);

/* Names of columns, separated by commas; further names may follow, until the first csv_end_row. */
void csv_names(struct csv *csv, const char *names);
void csv_end_row(struct csv *csv);

/* Begins a table with just these columns. */
void csv_table(struct csv *csv, FILE *out, const char *names);

/* A text is in quotes if it has a comma, a quote, or a line break; NULL: an empty field. */
void csv_text(struct csv *csv, const char *text);
void csv_integer(struct csv *csv, int64_t value);
void csv_boolean(struct csv *csv, bool value); /* 1 or 0 */
/* An empty field if the value is not finite. */
void csv_real(struct csv *csv, double value);
void csv_empty(struct csv *csv);

/* For a field that the caller writes to csv->out: a number of another format. */
void csv_begin_field(struct csv *csv);

/* All rows of a query, with its columns; blobs in hexadecimal. */
void csv_rows(FILE *out, struct store_statement *rows);

#endif
