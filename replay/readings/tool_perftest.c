/* SPDX-License-Identifier: Apache-2.0
 * tool_perftest - reads the tables of ib_write_bw, ib_read_lat and similar tools as printed.
 * A title names the measurement, pairs of words its settings ("Mtu : 4096[B]"), a heading the
 * columns; lines of numbers follow: one, or one per size with -a. Several tests may follow each
 * other. Other lines and quotation marks before a line are skipped.
 * Not read: cycles (-C), connections other than RC, atomics. */
#include "replay/readings/perftest.h"

#include "base/plural.h"

#include <string.h>

/* Columns in print order; the heading shows which of them are present. */
#define COLUMNS(X)                                                                                 \
    X(BYTES, "#bytes")                                                                             \
    X(SL, "#sl")                                                                                   \
    X(ITERATIONS, "#iterations")                                                                   \
    X(PEAK, "BW peak[")                                                                            \
    X(AVERAGE, "BW average[")                                                                      \
    X(RATE, "MsgRate[")                                                                            \
    X(LEAST, "t_min[")                                                                             \
    X(MOST, "t_max[")                                                                              \
    X(TYPICAL, "t_typical[")                                                                       \
    X(MEAN, "t_avg[")                                                                              \
    X(DEVIATION, "t_stdev[")                                                                       \
    X(P99, "99% percentile[")                                                                      \
    X(P999, "99.9% percentile[")                                                                   \
    X(TPS, "tps average")

enum column {
#define X(member, words) COLUMN_##member,
    COLUMNS(X)
#undef X
        COLUMN_COUNT
};

static const char *const column_words[COLUMN_COUNT] = {
#define X(member, words) words,
    COLUMNS(X)
#undef X
};

static const char blanks[] = " \t>|";

struct table {
    const struct tool_file *file;
    struct lines lines;
    bool titled, skip; /* titled: a title was found; skip: its test is not modeled */
    bool said;         /* its settings have been added */
    bool headed;       /* lines of figures follow */
    struct reading_work work;
    int column[COLUMN_COUNT]; /* position in a line; -1: absent */
    int columns;
    double unit; /* bits per unit of the average rate */
    size_t rows; /* lines of figures in total */
};

/* ------------------------------------------------------------------ title and settings */

static bool has(const struct table *table, const char *words)
{
    return strstr(table->lines.text, words) != NULL;
}

static void take_title(struct table *table)
{
    const bool title = has(table, " BW Test") || has(table, " Latency Test");
    const int commands = has(table, "ib_write_") + has(table, "ib_read_") + has(table, "ib_send_");
    const bool command = commands == 1; /* several commands are a list of tools */
    if (!title && !(command && !table->headed))
        return;
    table->titled = true;
    table->headed = table->said = false;
    table->skip = !perftest_title(table->lines.text, &table->work);
    if (table->skip)
        tool_say(table->file, DIAG_WARNING, &table->lines, table->lines.text, 1,
                 "this test is not modeled: it is left out");
}

/* The text after "WORDS   : ", or NULL; the words begin the line or follow two blanks or a tab. */
static const char *value_of(const struct table *table, const char *words)
{
    const char *text = table->lines.text, *at = text;
    while ((at = strstr(at, words)) != NULL) {
        const bool first = strspn(text, blanks) == (size_t)(at - text);
        const bool apart =
            at > text && (at[-1] == '\t' || (at - text > 1 && at[-1] == ' ' && at[-2] == ' '));
        const char *behind = at + strlen(words);
        behind += strspn(behind, " \t");
        if ((first || apart) && *behind == ':')
            return behind + 1 + strspn(behind + 1, " \t");
        at++;
    }
    return NULL;
}

static void take_number(struct table *table, const struct perftest_setting *setting)
{
    const char *value = value_of(table, setting->words);
    if (value == NULL)
        return;
    int64_t number;
    const size_t digits = tool_count(value, setting->most, &number);
    if (digits == 0 || strchr(" \t[", value[digits]) == NULL)
        tool_say(table->file, DIAG_ERROR, &table->lines, value, strcspn(value, " \t"),
                 "expected %s: a number up to %lld", setting->words, (long long)setting->most);
    else
        *(int64_t *)(void *)((char *)&table->work + setting->offset) = number;
}

static void take_settings(struct table *table)
{
    for (const struct perftest_setting *setting = perftest_settings; setting->words != NULL;
         setting++)
        take_number(table, setting);
    const char *link = value_of(table, "Link type"), *kind = value_of(table, "Connection type");
    if (link != NULL) {
        table->work.infiniband = strncmp(link, "IB", 2) == 0;
        if (table->work.infiniband)
            tool_say(table->file, DIAG_WARNING, &table->lines, link, 2, "%s", perftest_infiniband);
    }
    if (kind == NULL)
        return;
    const size_t length = strcspn(kind, " \t");
    if (length == 2 && strncmp(kind, "RC", length) == 0)
        return;
    if (!table->skip)
        tool_say(table->file, DIAG_WARNING, &table->lines, kind, length,
                 "connections of this kind are not modeled: the test is left out");
    table->skip = true;
}

/* ------------------------------------------------------------------ the heading */

static double unit_of(struct table *table, const char *unit)
{
    static const struct {
        const char *words;
        double bits;
    } units[] = {{"MB/sec]", PERFTEST_MIB}, {"MiB/sec]", PERFTEST_MIB}, {"Gb/sec]", PERFTEST_GBIT}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strncmp(unit, units[i].words, strlen(units[i].words)) == 0)
            return units[i].bits;
    tool_say(table->file, DIAG_ERROR, &table->lines, unit, strcspn(unit, " \t"),
             "expected BW average in MB/sec, MiB/sec or Gb/sec");
    return 0;
}

static void check_units(struct table *table)
{
    const char *average = strstr(table->lines.text, column_words[COLUMN_AVERAGE]);
    const char *mean = strstr(table->lines.text, column_words[COLUMN_MEAN]);
    if (average != NULL)
        table->unit = unit_of(table, average + strlen(column_words[COLUMN_AVERAGE]));
    if (mean != NULL && strncmp(mean, "t_avg[usec]", 11) != 0)
        tool_say(table->file, DIAG_ERROR, &table->lines, mean, strcspn(mean, " \t"),
                 "expected t_avg[usec]: cycles (-C) say nothing without the clock");
}

static void take_heading(struct table *table)
{
    table->columns = 0;
    for (int i = 0; i < COLUMN_COUNT; i++)
        table->column[i] = has(table, column_words[i]) ? table->columns++ : -1;
    const bool rates = table->column[COLUMN_AVERAGE] >= 0;
    const bool times = table->column[COLUMN_TYPICAL] >= 0 || table->column[COLUMN_MEAN] >= 0;
    const char *begin = table->lines.text + strspn(table->lines.text, blanks);
    const int before = table->file->diag->errors;
    if (rates == times || table->column[COLUMN_ITERATIONS] < 0)
        tool_say(table->file, DIAG_ERROR, &table->lines, begin, strlen(begin),
                 "expected the heading of perftest's table, with BW average, or with "
                 "t_typical or t_avg: this one is cut, or of another version");
    else
        check_units(table);
    if (!table->titled)
        tool_say(table->file, DIAG_ERROR, &table->lines, begin, strlen(begin),
                 "expected a title above it, such as \"RDMA_Write BW Test\", or the command: what "
                 "was measured is not said");
    table->headed = table->file->diag->errors == before;
}

/* ------------------------------------------------------------------ figures */

struct row {
    struct reading_number number[COLUMN_COUNT];
};

/* A line may have fewer columns after the last one used: perftest prints wide numbers without a
 * blank in between. Not accepted in the last line of a truncated file. */
static int columns_needed(const struct table *table)
{
    const int used = table->column[COLUMN_RATE] >= 0      ? table->column[COLUMN_RATE]
                     : table->column[COLUMN_AVERAGE] >= 0 ? table->column[COLUMN_AVERAGE]
                     : table->column[COLUMN_TYPICAL] >= 0 ? table->column[COLUMN_TYPICAL]
                                                          : table->column[COLUMN_MEAN];
    const bool last = table->lines.next > table->file->file->length;
    return last ? table->columns : used + 1;
}

/* Reads the numbers of the used columns; false and a message if one is invalid. */
static bool read_row(struct table *table, const char *at, struct row *row)
{
    struct reading_number numbers[COLUMN_COUNT] = {{0, 0}};
    const int needed = columns_needed(table);
    for (int found = 0; found < needed; found++) {
        at += strspn(at, " \t");
        const size_t length = strcspn(at, " \t");
        if (length == 0) {
            tool_say(table->file, DIAG_ERROR, &table->lines, at, 1,
                     "expected %d %s, as the heading has columns, but there are %d: the line "
                     "is cut",
                     table->columns, plural(table->columns, "number", "numbers"), found);
            return false;
        }
        if (!reading_number_parse(at, length, &numbers[found])) {
            tool_say(table->file, DIAG_ERROR, &table->lines, at, length,
                     "expected a number such as 12 or 0.99");
            return false;
        }
        at += length;
    }
    for (int i = 0; i < COLUMN_COUNT; i++)
        row->number[i] =
            table->column[i] < 0 ? (struct reading_number){0, 0} : numbers[table->column[i]];
    return true;
}

static void say_row(struct table *table, const char *at, struct reading *reading)
{
    table->rows++;
    if (!table->said)
        perftest_say_settings(table->file, &table->work, reading->where);
    table->said = true;
    if (reading->rate.value <= 0 && reading->latency.value <= 0)
        tool_say(table->file, DIAG_WARNING, &table->lines, at, strlen(at),
                 "a figure of 0 says nothing: the line is left out");
    else
        tool_add(table->file, *reading);
}

/* Old versions have no column of messages. Returns false if the two columns contradict each
 * other. */
static bool take_rate(const struct table *table, const struct row *row, struct reading *reading)
{
    const struct reading_number average = row->number[COLUMN_AVERAGE];
    if (table->column[COLUMN_RATE] < 0) {
        reading->rate =
            reading_number_times(average, table->unit / 8 / (double)reading->work.bytes);
        return true;
    }
    reading->rate = reading_number_times(row->number[COLUMN_RATE], 1e6);
    return perftest_agrees(reading->rate, reading->work.bytes, average, table->unit);
}

static void take_row(struct table *table)
{
    const char *at = table->lines.text + strspn(table->lines.text, blanks);
    struct row row;
    if (strchr("0123456789.", *at) == NULL || *at == '\0' || !read_row(table, at, &row))
        return;
    const struct reading_number bytes = row.number[COLUMN_BYTES];
    struct reading reading = {.kind = READING_LATENCY,
                              .where = lines_place(&table->lines, at, strlen(at)),
                              .work = table->work};
    if (bytes.value < 1 || bytes.value > 1e9 || bytes.step < 1) {
        tool_say(table->file, DIAG_ERROR, &table->lines, at, strcspn(at, " \t"),
                 "expected the bytes of a message, from 1 to 10^9");
        return;
    }
    reading.work.bytes = (int64_t)bytes.value;
    if (table->column[COLUMN_AVERAGE] >= 0) {
        reading.kind = READING_RATE;
        if (!take_rate(table, &row, &reading)) {
            tool_say(table->file, DIAG_WARNING, &table->lines, at, strlen(at),
                     "BW average is not MsgRate times the size: the line is left out");
            table->rows++;
            return;
        }
    } else {
        const bool typical = table->column[COLUMN_TYPICAL] >= 0;
        reading.latency =
            reading_number_times(row.number[typical ? COLUMN_TYPICAL : COLUMN_MEAN], 1e6);
    }
    if (table->skip)
        table->rows++;
    else
        say_row(table, at, &reading);
}

static void read_line(struct table *table)
{
    if (has(table, "#bytes"))
        take_heading(table);
    else if (table->headed && has(table, "-----"))
        table->headed = false;
    else if (table->headed && table->titled)
        take_row(table);
    take_title(table);
    if (table->titled && !table->headed)
        take_settings(table);
}

static void read_output(const struct tool_file *file)
{
    struct table table = {.file = file, .lines = {.file = file->file}};
    while (file->diag->errors < DIAG_MAX && lines_next(&table.lines, &file->readings->arena))
        read_line(&table);
    if (table.rows == 0 && !diag_failed(file->diag))
        tool_cut(file, "expected a line of figures below the heading of perftest's table: the file "
                       "is cut, or of the side that served");
}

static const char *const perftest_marks[] = {"#bytes", "Dual-port  ", " BW Test", " Latency Test",
                                             NULL};

const struct tool tool_perftest = {
    .word = "perftest",
    .about = "perftest (ib_write_bw, ib_read_lat and their like)",
    .marks = perftest_marks,
    .read = read_output,
};
