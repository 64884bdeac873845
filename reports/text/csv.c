/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/text/csv.h"

#include "base/check.h"
#include "base/printable.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void csv_begin(struct csv *csv, FILE *out)
{
    *csv = (struct csv){.out = out, .terminal = isatty(fileno(out)) != 0};
}

void csv_begin_field(struct csv *csv)
{
    CHECK(!csv->named || csv->at < csv->columns);
    if (csv->at++ > 0)
        fputc(',', csv->out);
}

static void write_text(FILE *out, const char *text)
{
    const bool quoted = text[strcspn(text, ",\"\r\n")] != '\0';
    if (quoted)
        fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    if (quoted)
        fputc('"', out);
}

void csv_text(struct csv *csv, const char *text)
{
    csv_begin_field(csv);
    if (text == NULL)
        return;
    char *printed = csv->terminal ? printable_new(text, false) : NULL;
    write_text(csv->out, printed == NULL ? text : printed);
    free(printed);
}

void csv_names(struct csv *csv, const char *names)
{
    CHECK(!csv->named);
    for (; *names != '\0'; names += strspn(names, ",")) {
        const size_t length = strcspn(names, ",");
        csv_begin_field(csv);
        fwrite(names, 1, length, csv->out);
        names += length;
    }
}

void csv_end_row(struct csv *csv)
{
    if (!csv->named)
        csv->columns = csv->at;
    CHECK(csv->at == csv->columns);
    csv->named = true;
    csv->at = 0;
    fputc('\n', csv->out);
}

void csv_table(struct csv *csv, FILE *out, const char *names)
{
    csv_begin(csv, out);
    csv_names(csv, names);
    csv_end_row(csv);
}

void csv_integer(struct csv *csv, int64_t value)
{
    csv_begin_field(csv);
    fprintf(csv->out, "%" PRId64, value);
}

void csv_boolean(struct csv *csv, bool value)
{
    csv_integer(csv, value);
}

void csv_real(struct csv *csv, double value)
{
    csv_begin_field(csv);
    if (isfinite(value))
        fprintf(csv->out, "%.15g", value);
}

void csv_empty(struct csv *csv)
{
    csv_begin_field(csv);
}

/* ------------------------------------------------------------------ rows of a query */

static void write_blob(struct csv *csv, const struct store_statement *rows, int column)
{
    size_t bytes;
    const unsigned char *blob = store_column_blob(rows, column, &bytes);
    csv_begin_field(csv);
    for (size_t i = 0; i < bytes; i++)
        fprintf(csv->out, "%02x", blob[i]);
}

static void write_value(struct csv *csv, const struct store_statement *rows, int column)
{
    switch (store_column_type(rows, column)) {
    case STORE_NULL:
        csv_empty(csv);
        break;
    case STORE_INTEGER:
        csv_integer(csv, store_column_int(rows, column));
        break;
    case STORE_REAL:
        csv_real(csv, store_column_real(rows, column));
        break;
    case STORE_TEXT:
        csv_text(csv, store_column_raw_text(rows, column));
        break;
    case STORE_BLOB:
        write_blob(csv, rows, column);
        break;
    }
}

void csv_rows(FILE *out, struct store_statement *rows)
{
    struct csv csv;
    csv_begin(&csv, out);
    const int columns = store_columns(rows);
    for (int i = 0; i < columns; i++)
        csv_text(&csv, store_column_name(rows, i));
    csv_end_row(&csv);
    while (store_step(rows)) {
        for (int i = 0; i < columns; i++)
            write_value(&csv, rows, i);
        csv_end_row(&csv);
    }
}
