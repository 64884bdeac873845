/* SPDX-License-Identifier: Apache-2.0
 * tables - cells, heads and queues of switch tables. */
#include "scenarios/counters/tables.h"

#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t";

/* NVUE and SONiC print sizes and rates in IEC units under their short names. */
static const struct {
    const char *name;
    int64_t bytes;
} units[] = {{"B", 1},        {"Bytes", 1},       {"KB", 1024},
             {"MB", 1048576}, {"GB", 1073741824}, {"TB", 1099511627776}};
enum { UNITS = sizeof units / sizeof units[0] };

/* Accepts "KB/s" and a remark in brackets, too. */
static bool is_unit(const char *word, size_t length)
{
    for (int i = 0; i < UNITS; i++)
        if (counts_is(word, length, units[i].name))
            return true;
    return *word == '(' ||
           (length > 2 && (*word < '0' || *word > '9') && strncmp(word + length - 2, "/s", 2) == 0);
}

/* ---- cells ---- */

static int cells_between_bars(const char *line, struct tables_cell cells[TABLES_CELLS_MAX])
{
    int count = 0;
    const char *at = line + strspn(line, blanks);
    at += *at == '|';
    while (*at != '\0' && count < TABLES_CELLS_MAX) {
        const size_t width = strcspn(at, "|");
        const char *from = at + strspn(at, blanks);
        size_t length = from < at + width ? (size_t)(at + width - from) : 0;
        while (length > 0 && strchr(blanks, from[length - 1]) != NULL)
            length--;
        if (length > 0)
            cells[count++] = (struct tables_cell){from, length};
        at += width + (at[width] == '|');
    }
    return count;
}

int tables_cells(const char *line, struct tables_cell cells[TABLES_CELLS_MAX])
{
    int count = 0;
    size_t length;
    if (line[strspn(line, blanks)] == '|' || strstr(line, " |") != NULL)
        return cells_between_bars(line, cells);
    for (const char *at = line, *word = counts_word(&at, &length);
         length > 0 && count < TABLES_CELLS_MAX; word = counts_word(&at, &length)) {
        if (count > 0 && is_unit(word, length))
            cells[count - 1].length = (size_t)(word + length - cells[count - 1].at);
        else
            cells[count++] = (struct tables_cell){word, length};
    }
    return count;
}

/* True if a head ends at the blank `at`. */
static bool is_gap(const char *at, bool narrow)
{
    return narrow || at[1] == '\0' || strchr(blanks, at[1]) != NULL;
}

int tables_heads(const char *line, bool narrow, struct tables_cell heads[TABLES_CELLS_MAX])
{
    int count = 0;
    for (const char *at = line + strspn(line, blanks); *at != '\0' && count < TABLES_CELLS_MAX;
         at += strspn(at, blanks)) {
        const char *end = at;
        while (*end != '\0' && !(strchr(blanks, *end) != NULL && is_gap(end, narrow)))
            end++;
        heads[count++] = (struct tables_cell){at, (size_t)(end - at)};
        at = end;
    }
    return count;
}

/* ---- tables that omit zero rows ---- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void tables_sort(struct counts_reader *reader)
{
    if (reader->table_count > 1)
        qsort(reader->tables, reader->table_count, sizeof *reader->tables, by_text);
}

bool tables_has(const struct counts_reader *reader, const char *table)
{
    return reader->table_count > 0 && bsearch(&table, reader->tables, reader->table_count,
                                              sizeof *reader->tables, by_text) != NULL;
}

const char *tables_begin(struct counts_reader *reader, const char *head)
{
    const char *table =
        arena_format(reader->arena, "%s\n%s", reader->host == NULL ? "" : reader->host, head);
    if (reader->table_count > 0 && strcmp(reader->tables[reader->table_count - 1], table) == 0)
        return reader->tables[reader->table_count - 1];
    const char **slot = arena_push(reader->arena, (void **)(void *)&reader->tables,
                                   &reader->table_count, sizeof *slot);
    return *slot = table;
}

/* ---- queues and values ---- */

bool tables_is_queue(struct counts_reader *reader, int queue, const char *word, size_t length)
{
    if (queue >= 0 && queue <= 7)
        return true;
    if (reader->queues_left++ == 0)
        reader->queue_place = lines_place(&reader->lines, word, length);
    return false;
}

int tables_queue(const char *word, size_t length)
{
    static const char *const kinds[] = {"UC", "VOQ", "PFC", "PG", ""};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const int queue = counts_number_after(word, length, kinds[i]);
        if (queue >= 0)
            return queue;
    }
    return -1;
}

bool tables_is_nothing(const char *word, size_t length)
{
    return counts_is(word, length, "N/A") || counts_is(word, length, "n/a") ||
           counts_is(word, length, "-");
}

/* Reads "2.05 KB" as bytes, with the rounding of the device. */
static bool read_size(const char *text, size_t length, int64_t *value)
{
    enum { DECIMALS_MAX = 6 };
    const size_t whole = strspn(text, "0123456789");
    const size_t point = whole + (text[whole] == '.');
    const size_t decimals = strspn(text + point, "0123456789");
    const char *unit = text + point + decimals + strspn(text + point + decimals, blanks);
    const size_t width = unit < text + length ? (size_t)(text + length - unit) : 0;
    int64_t number, scale = 1;
    if (whole == 0 || decimals > DECIMALS_MAX || (point == whole && decimals > 0) ||
        !counts_number(text, whole, &number))
        return false;
    for (size_t i = 0; i < decimals; i++, scale *= 10)
        number = number < INT64_MAX / 16 ? number * 10 + text[point + i] - '0' : INT64_MAX;
    for (int i = 0; i < UNITS; i++)
        if (counts_is(unit, width, units[i].name) && number < INT64_MAX / units[i].bytes) {
            *value = number * units[i].bytes / scale;
            return true;
        }
    return false;
}

bool tables_is_count(struct tables_cell cell)
{
    int64_t value;
    return counts_number(cell.at, cell.length, &value) || read_size(cell.at, cell.length, &value);
}

struct counts_item *tables_add(struct counts_reader *reader, const char *port, const char *source,
                               struct counts_meaning what, struct tables_cell cell)
{
    int64_t size;
    if (!read_size(cell.at, cell.length, &size))
        return counts_add(reader, port, source, what, cell.at, cell.length);
    struct counts_item *item = counts_add(reader, port, source, what, "0", 1);
    if (item != NULL) {
        item->value = size;
        item->place = lines_place(&reader->lines, cell.at, cell.length);
    }
    return item;
}
