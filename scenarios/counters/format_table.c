/* SPDX-License-Identifier: Apache-2.0
 * format_table - tables with named columns: SONiC, EOS, NX-OS and Cumulus.
 * A row has a port, a priority or both, and counts. columns.def identifies the columns by their
 * heads; columns "PFC3", "PG3" and "UC3" depend on the title above the table.
 * Source: sonic-utilities, scripts pfcstat, queuestat, wredstat, pg-drop, watermarkstat and
 * utilities_common/portstat.py; output of the switches. */
#include "scenarios/counters/tables.h"

#include <string.h>

enum key { KEY_NONE, KEY_PORT, KEY_PRIORITY, KEY_LABEL };

struct column {
    enum key key;
    bool text, wide, numbered;
    int number;                 /* number in "PFC3", or -1 */
    const char *head;           /* cleaned */
    struct counts_meaning what; /* meaning of the numbered columns */
};

struct table {
    struct column *columns;
    int count;
    bool has_port, by_label;
    bool begun; /* a row has been read */
    const char *sparse;
};

/* ---- heads ---- */

static enum key key_of(const char *head)
{
    static const struct {
        const char *head;
        enum key key;
    } keys[] = {{"Port", KEY_PORT},
                {"Port Rx", KEY_PORT},
                {"Port Tx", KEY_PORT},
                {"IFACE", KEY_PORT},
                {"Interface", KEY_PORT},
                {"TxQ", KEY_PRIORITY},
                {"Voq", KEY_PRIORITY},
                {"Priority", KEY_PRIORITY},
                {"CoS", KEY_PRIORITY},

                {"Queue", KEY_PRIORITY},
                {"priority-group", KEY_PRIORITY},
                {"PfcPriority", KEY_PRIORITY},
                {"traffic-class", KEY_PRIORITY},
                {"switch-priority", KEY_PRIORITY},
                {"Counter", KEY_LABEL}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(keys[i].head, head) == 0)
            return keys[i].key;
    return KEY_NONE;
}

static bool is_numbered(const char *head)
{
    return counts_number_after(head, strlen(head), "PFC") >= 0 ||
           counts_number_after(head, strlen(head), "PG") >= 0 ||
           counts_number_after(head, strlen(head), "UC") >= 0 ||
           counts_number_after(head, strlen(head), "MC") >= 0 ||
           counts_number_after(head, strlen(head), "ALL") >= 0;
}

static struct column make_column(struct counts_reader *reader, const char *head, const char *title)
{
    struct column column = {.key = key_of(head), .number = -1, .head = head};
    column.text = counts_column_is_text(head);
    column.wide = counts_column_is_wide(head);
    if (column.key == KEY_NONE && is_numbered(head)) {
        column.numbered = true;
        column.number = tables_queue(head, strlen(head));
        column.what = counts_title(title);
        column.what.priority = column.number;
        if (column.number < 0 || column.number > 7)
            column.what.name = NULL;
        column.head = arena_format(reader->arena, "%s %s", head, title);
    }
    return column;
}

static const char *clean(struct arena *arena, const char *text, size_t length)
{
    return counts_printable(arena, arena_text(arena, text, length));
}

static bool is_known(const struct column *column)
{
    return column->numbered || counts_column(column->head, -1).name != NULL ||
           counts_column(column->head, 0).name != NULL;
}

/* True if the first column is a key and some known column is a counter. */
static bool is_table(const struct table *table)
{
    bool counts = false;
    for (int i = 0; i < table->count; i++)
        counts = counts || is_known(&table->columns[i]) ||
                 strcmp(table->columns[i].head, "IFACE") == 0 ||
                 strcmp(table->columns[i].head, "TxQ") == 0 ||
                 strcmp(table->columns[i].head, "Voq") == 0;
    return counts || table->by_label;
}

static void add_column(struct counts_reader *reader, struct table *table, const char *head,
                       const char *title)
{
    const struct column column = make_column(reader, head, title);
    table->columns[table->count++] = column;
    table->has_port = table->has_port || column.key == KEY_PORT;
    table->by_label = table->by_label || column.key == KEY_LABEL;
}

/* NULL: these heads do not form a table. */
static struct table *make_table(struct counts_reader *reader, const struct tables_cell *heads,
                                int count)
{
    const char *title = reader->title == NULL ? "" : reader->title, *all = "";
    const char *first = count < 2 ? "" : clean(reader->arena, heads[0].at, heads[0].length);
    if (key_of(first) == KEY_NONE)
        return NULL;
    if (strncmp(first, "Port ", 5) == 0)
        title = first;
    struct table *table = arena_take(reader->arena, sizeof *table);
    table->columns = arena_array(reader->arena, (size_t)count, sizeof *table->columns);
    for (int i = 0; i < count; i++) {
        const char *text = clean(reader->arena, heads[i].at, heads[i].length);
        add_column(reader, table, text, title);
        all = arena_format(reader->arena, "%s %s", all, text);
    }
    if (!is_table(table) || (table->by_label && strstr(reader->lines.text, "Receive") == NULL))
        return NULL;
    const bool numbered = table->columns[count - 1].numbered;
    table->sparse = numbered || !table->has_port ? NULL : tables_begin(reader, all);
    return table;
}

/* Heads of one word each may be separated by one blank, others by at least two. */
static bool table_head(struct counts_reader *reader)
{
    struct tables_cell heads[TABLES_CELLS_MAX];
    struct table *table = NULL;
    for (int narrow = 0; narrow < 2 && table == NULL; narrow++)
        table = make_table(reader, heads, tables_heads(reader->lines.text, narrow == 1, heads));
    if (table == NULL)
        return false;
    reader->state = table;
    reader->title = NULL;
    return true;
}

/* ---- rows ---- */

struct row {
    const struct table *table;
    struct tables_cell cells[TABLES_CELLS_MAX];
    int count, shift; /* extra cells taken by a text column of several words */
    const char *port, *label;
    int priority;
    const char *queue; /* as written in the row */
};

/* The column that may have several words: a label, or the first such text; -1: none. */
static int wide_column(const struct table *table)
{
    for (int i = 0; i < table->count; i++)
        if (table->columns[i].key == KEY_LABEL || table->columns[i].wide)
            return i;
    return -1;
}

static const struct tables_cell *cell_of(const struct row *row, int column)
{
    const int wide = wide_column(row->table);
    const int at = wide >= 0 && column > wide && row->shift > 0 ? column + row->shift : column;
    return at < row->count ? &row->cells[at] : NULL;
}

static const char *label_of(struct counts_reader *reader, const struct row *row, int column)
{
    const struct tables_cell *from = &row->cells[column],
                             *to = &row->cells[column + (row->shift > 0 ? row->shift : 0)];
    return clean(reader->arena, from->at, (size_t)(to->at - from->at) + to->length);
}

static bool take_keys(struct counts_reader *reader, struct row *row)
{
    row->port = row->table->has_port ? NULL : counts_own_port(reader);
    row->priority = -1;
    for (int i = 0; i < row->table->count; i++) {
        const struct column *column = &row->table->columns[i];
        const struct tables_cell *cell = cell_of(row, i);
        if (cell == NULL || column->key == KEY_NONE)
            continue;
        if (column->key == KEY_PORT && counts_is_port(cell->at, cell->length))
            row->port = counts_port(reader, cell->at, cell->length);
        if (column->key == KEY_LABEL)
            row->label = label_of(reader, row, i);
        if (column->key == KEY_PRIORITY) {
            row->queue = clean(reader->arena, cell->at, cell->length);
            row->priority = tables_queue(cell->at, cell->length);
            if (!tables_is_queue(reader, row->priority, cell->at, cell->length))
                return false;
        }
    }
    return row->port != NULL;
}

/* A column that is not in columns.def may be text. */
static void take_cell(struct counts_reader *reader, const struct row *row, int at)
{
    const struct column *column = &row->table->columns[at];
    const struct tables_cell *cell = cell_of(row, at);
    if (cell == NULL) {
        counts_wrong(reader, reader->lines.text + strlen(reader->lines.text), 1,
                     "expected a count for each column of the table");
        return;
    }
    if (tables_is_nothing(cell->at, cell->length) || (!is_known(column) && !tables_is_count(*cell)))
        return;
    const char *source = column->head;
    if (row->label != NULL)
        source = arena_format(reader->arena, "%s %s", row->label, source);
    struct counts_meaning what = column->what;
    if (!column->numbered)
        what = counts_column(source, row->priority);
    if (row->queue != NULL)
        source = arena_format(reader->arena, "%s %s", row->queue, source);
    struct counts_item *item = tables_add(reader, row->port, source, what, *cell);
    if (item != NULL)
        item->table = row->table->sparse;
}

/* True if there are as many cells as columns, or if one column with several words takes the
 * rest. */
static bool check_cell_count(struct counts_reader *reader, const struct row *row)
{
    const struct table *table = row->table;
    if (table->has_port && !counts_is_port(row->cells[0].at, row->cells[0].length)) {
        counts_wrong(reader, row->cells[0].at, 1, "expected a port and its counts");
        return false;
    }
    if (row->shift <= 0 || wide_column(table) >= 0)
        return true;
    counts_wrong(reader, row->cells[table->count].at, row->cells[table->count].length,
                 "expected no more counts than the table has columns");
    return false;
}

static bool row(struct counts_reader *reader)
{
    struct table *table = reader->state;
    const char *text = reader->lines.text;
    const char *start = text + strspn(text, " \t");
    struct row row = {.table = table, .priority = -1};
    const bool has_counts = strpbrk(start, "0123456789") != NULL || strstr(start, "N/A") != NULL;
    if (start[strlen(start) - 1] == ':' || strstr(start, ": (Namespace ") != NULL ||
        (!has_counts && table->begun))
        return false;
    if (!has_counts)
        return true; /* heads on two lines */
    table->begun = true;
    row.count = tables_cells(text, row.cells);
    row.shift = row.count - table->count;
    const int errors = reader->diag->errors;
    if (!check_cell_count(reader, &row) || !take_keys(reader, &row))
        return true;
    for (int i = 0; i < table->count && reader->diag->errors == errors; i++)
        if (table->columns[i].key == KEY_NONE && !table->columns[i].text)
            take_cell(reader, &row, i);
    return true;
}

const struct counts_format format_table = {
    .name = "a switch's table", .head = table_head, .row = row};
