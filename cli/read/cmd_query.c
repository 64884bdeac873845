/* SPDX-License-Identifier: Apache-2.0
 * cmd_query - stormglass query.
 * Prints columns on a terminal, otherwise values separated by tabs; the first line has the names.
 * Columns are as wide as their widest value in the first rows, which are buffered until the width
 * is known. */
#include "base/memory.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "cli/cli.h"
#include "replay/database/stored.h"
#include "replay/plan/plan_store.h"
#include "reports/text/csv.h"
#include "reports/text/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEPT_ROWS = 200, WIDTH_MAX = 60 };

static const struct cli_option query_options[] = {
    {"json", 0, NULL, "an array of objects"},
    {"csv", 0, NULL, "comma-separated values"},
    {"tabs", 0, NULL, "separate values by tabs, also on a terminal"},
    {0},
};

/* A value as text, a blob in hexadecimal; valid until the next call. */
static const char *cell_text(const struct store_statement *rows, int column)
{
    static char *text;
    size_t bytes;
    if (store_column_type(rows, column) != STORE_BLOB)
        return store_column_raw_text(rows, column);
    const unsigned char *blob = store_column_blob(rows, column, &bytes);
    text = memory_resized(text, 2 * bytes + 1, 1);
    for (size_t i = 0; i < bytes; i++)
        snprintf(text + 2 * i, 3, "%02x", blob[i]);
    return text;
}

/* The first line of a value, made safe for a terminal. Owner: the caller, with free. */
static char *shown(const char *text)
{
    char *line = memory_text(text);
    line[strcspn(line, "\n\r")] = '\0';
    char *printed = printable_new(line, false);
    free(line);
    return printed;
}

/* Tabs and line breaks inside a value would look like those of the table. Other characters are
 * printed unchanged for programs. */
static void print_field(const char *text, bool last)
{
    char *line = memory_text(text);
    for (char *at = line; *at != '\0'; at++)
        *at = *at == '\t' || *at == '\n' || *at == '\r' ? ' ' : *at;
    char *printed = isatty(STDOUT_FILENO) ? printable_new(line, false) : NULL;
    fputs(printed == NULL ? line : printed, stdout);
    putchar(last ? '\n' : '\t');
    free(printed);
    free(line);
}

static void print_tabs(struct store_statement *rows)
{
    const int columns = store_columns(rows);
    for (int i = 0; i < columns; i++)
        print_field(store_column_name(rows, i), i == columns - 1);
    while (store_step(rows))
        for (int i = 0; i < columns; i++)
            print_field(cell_text(rows, i), i == columns - 1);
}

static void print_json_value(const struct store_statement *rows, int column)
{
    switch (store_column_type(rows, column)) {
    case STORE_NULL:
        fputs("null", stdout);
        break;
    case STORE_INTEGER:
        printf("%" PRId64, store_column_int(rows, column));
        break;
    case STORE_REAL:
        json_real(stdout, store_column_real(rows, column));
        break;
    case STORE_TEXT:
    case STORE_BLOB:
        json_string(stdout, cell_text(rows, column));
        break;
    }
}

static void print_json(struct store_statement *rows)
{
    putchar('[');
    for (int row = 0; store_step(rows); row++) {
        fputs(row == 0 ? "\n {" : ",\n {", stdout);
        for (int i = 0; i < store_columns(rows); i++) {
            fputs(i == 0 ? "" : ", ", stdout);
            json_string(stdout, store_column_name(rows, i));
            fputs(": ", stdout);
            print_json_value(rows, i);
        }
        putchar('}');
    }
    fputs("\n]\n", stdout);
}

struct kept {
    char **cells; /* KEPT_ROWS rows of `columns` cells */
    int *widths;
    int columns, rows;
};

static void keep_cell(struct kept *kept, int column, const char *text)
{
    char *copy = shown(text);
    kept->cells[kept->rows * kept->columns + column] = copy;
    const int length = (int)strlen(copy);
    if (length > kept->widths[column])
        kept->widths[column] = length < WIDTH_MAX ? length : WIDTH_MAX;
}

static void print_cell(const struct kept *kept, int column, const char *text)
{
    if (column == kept->columns - 1)
        printf("%s\n", text);
    else
        printf("%-*s  ", kept->widths[column], text);
}

static void print_kept(struct kept *kept)
{
    for (int i = 0; i < kept->rows * kept->columns; i++) {
        print_cell(kept, i % kept->columns, kept->cells[i]);
        free(kept->cells[i]);
    }
    kept->rows = 0;
}

static void print_columns(struct store_statement *rows)
{
    struct kept kept = {.columns = store_columns(rows)};
    kept.cells = memory_zeroed((size_t)kept.columns * (KEPT_ROWS + 1), sizeof *kept.cells);
    kept.widths = memory_zeroed((size_t)kept.columns, sizeof *kept.widths);
    for (int i = 0; i < kept.columns; i++)
        keep_cell(&kept, i, store_column_name(rows, i));
    kept.rows = 1;
    while (kept.rows <= KEPT_ROWS && store_step(rows)) {
        for (int i = 0; i < kept.columns; i++)
            keep_cell(&kept, i, cell_text(rows, i));
        kept.rows++;
    }
    const bool more = kept.rows > KEPT_ROWS;
    print_kept(&kept);
    while (more && store_step(rows))
        for (int i = 0; i < kept.columns; i++) {
            char *text = shown(cell_text(rows, i));
            print_cell(&kept, i, text);
            free(text);
        }
    free(kept.cells);
    free(kept.widths);
}

/* Reports an error with a suggestion for a misspelled name. Uses a new connection, because errors
 * of a store are permanent. */
static void tell_error(const char *path, const char *error)
{
    static const char words[] = "no such table: ";
    char why[STORE_ERROR_BYTES];
    const char *name = strstr(error, words);
    struct store *store = name == NULL ? NULL : store_open(path, why);
    if (store == NULL) {
        cli_error("%s", error);
        return;
    }
    struct nearest nearest = nearest_to(name + strlen(words));
    struct store_statement *rows = store_prepare(store, "SELECT name FROM sqlite_schema");
    while (store_step(rows))
        nearest_offer(&nearest, store_text(rows, "name"));
    store_finish(rows);
    cli_error("%s%s", error, nearest_hint(&nearest).text);
    store_close(store);
}

/* The database of a run or of a plan, unless a later version wrote it. */
static struct store *open_readable(const char *path, char error[STORE_ERROR_BYTES])
{
    struct store *store = store_open(path, error);
    if (store == NULL || (store_kind(store) == STORE_PLAN ? plan_store_is_readable(store, error)
                                                          : stored_is_readable(store, error)))
        return store;
    store_close(store);
    return NULL;
}

static int run_query(const struct cli_args *args)
{
    char error[STORE_ERROR_BYTES];
    struct store *store = open_readable(args->operands[0], error);
    if (store == NULL) {
        cli_error("%s: %s", args->operands[0], error);
        return CLI_USAGE;
    }
    store_read_only(store);
    struct store_statement *rows = store_prepare(store, args->operands[1]);
    if (rows != NULL && cli_given(args, "json"))
        print_json(rows);
    else if (rows != NULL && cli_given(args, "csv"))
        csv_rows(stdout, rows);
    else if (rows != NULL && (cli_given(args, "tabs") || !isatty(STDOUT_FILENO)))
        print_tabs(rows);
    else if (rows != NULL)
        print_columns(rows);
    const bool well = store_error(store) == NULL;
    if (!well)
        tell_error(args->operands[0], store_error(store));
    store_finish(rows);
    store_close(store);
    return well ? CLI_DONE : CLI_USAGE;
}

const struct cli_command cmd_query = {
    .name = "query",
    .operands = "RUN.db SQL",
    .about = "run a read-only SQL query on a run database",
    .details =
        "Tables and views document themselves:\n"
        "  stormglass query RUN.db \"SELECT sql FROM sqlite_schema\"\n"
        "Views for reading: v_workload v_stage v_io v_flow v_pause v_pause_interval v_pause_edge\n"
        "v_blocked v_victim v_deadlock v_drop v_drop_event v_counter v_ethtool v_sonic v_changed\n"
        "v_state v_event v_queue v_member; over time: v_series_port v_series_switch v_series_rnic\n"
        "v_series_flow v_series_workload",
    .examples =
        (const struct cli_example[]){
            {"The results of each workload",
             "stormglass run pause-storm -o storm.db && stormglass query "
             "storm.db 'SELECT * FROM v_workload'"},
            {"The tables and views, with their descriptions",
             "stormglass query storm.db 'SELECT sql FROM sqlite_schema'"},
            {"For a program", "stormglass query storm.db 'SELECT * FROM v_pause' --json"},
            {0}},
    .exit_codes =
        (const struct cli_exit_code[]){
            {0, "the statement was carried out"},
            {2, "the file is not a stormglass database or is from a later version, or the "
                "statement is invalid or not read-only"},
            {3, "the output could not be written"},
            {0}},
    .options = query_options,
    .operands_min = 2,
    .operands_max = 2,
    .run = run_query,
};
