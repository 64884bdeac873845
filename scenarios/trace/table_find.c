/* SPDX-License-Identifier: Apache-2.0
 * table_find - converts fields of a line to values, and recognizes the format of a table by its
 * first lines. */
#include "scenarios/trace/table_private.h"

#include <string.h>
#include <strings.h>

static const struct table_format formats[] = {
#define FORMAT(name, separator, fields, time, ps, kind, words, offset, step, bytes, step2, device, \
               device2)                                                                            \
    {name, separator, fields, time, ps, kind, words, offset, step, bytes, step2, device, device2},
#include "scenarios/trace/table_format.def"
#undef FORMAT
};

/* ------------------------------------------------------------------ lines and fields */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '"';
}

bool table_next_line(struct table *table, size_t *at)
{
    if (*at >= table->file->length)
        return false;
    const char *text = table->file->text + *at;
    const char *newline = memchr(text, '\n', table->file->length - *at);
    table->length = newline != NULL ? (size_t)(newline - text) : table->file->length - *at;
    table->line = text;
    table->number++;
    *at += table->length + 1;
    return true;
}

static void add_field(struct table *table, const char *from, const char *to)
{
    while (from < to && is_blank(*from))
        from++;
    while (to > from && is_blank(to[-1]))
        to--;
    table->fields[table->count] = from;
    table->lengths[table->count++] = (size_t)(to - from);
}

void table_cut(struct table *table, char separator)
{
    const char *at = table->line, *end = at + table->length;
    table->count = 0;
    while (at < end && table->count < FIELDS_MAX) {
        while (separator == ' ' && at < end && is_blank(*at))
            at++;
        const char *stop = at;
        while (stop < end && (separator == ' ' ? !is_blank(*stop) : *stop != separator))
            stop++;
        if (separator != ' ' || stop > at)
            add_field(table, at, stop);
        at = stop + 1;
        if (separator != ' ' && at == end && table->count < FIELDS_MAX)
            add_field(table, end, end); /* the last field is empty */
    }
}

/* ------------------------------------------------------------------ values */

bool table_whole_at(const struct table *table, int field, int64_t most, int64_t *number)
{
    const size_t length = field < table->count ? table->lengths[field] : 0;
    *number = 0;
    if (length == 0 || length > 18)
        return false;
    for (size_t i = 0; i < length; i++) {
        const char c = table->fields[field][i];
        if (c < '0' || c > '9')
            return false;
        *number = *number * 10 + (c - '0');
    }
    return *number <= most;
}

/* A time with a decimal point is in seconds, without one in the format's unit. */
bool table_time_at(const struct table *table, int field, __int128 *ps)
{
    const size_t length = field < table->count ? table->lengths[field] : 0;
    const char *text = length > 0 ? table->fields[field] : "";
    const char *point = length > 0 ? memchr(text, '.', length) : NULL;
    const size_t digits = point != NULL ? (size_t)(point - text) : length;
    int64_t weight = point != NULL ? PS_PER_S : table->format.time_ps;
    *ps = 0;
    if (length == 0 || length > 40 || digits > 19 || (digits == 0 && point == NULL))
        return false;
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];
        if (text + i == point)
            continue;
        if (c < '0' || c > '9')
            return false;
        if (i < digits)
            *ps = *ps * 10 + (c - '0');
        if (i + 1 == digits || (digits == 0 && i == 0))
            *ps *= weight;
        if (point != NULL && i > digits) {
            weight /= 10;
            *ps += (c - '0') * weight;
        }
    }
    return true;
}

int table_kind_at(const struct table *table, int field, enum table_words words)
{
    static const struct {
        const char *word;
        int kind;
    } letters[] = {
        {"r", TRACE_READ},      {"read", TRACE_READ},   {"rs", TRACE_READ},
        {"w", TRACE_WRITE},     {"write", TRACE_WRITE}, {"ws", TRACE_WRITE},
        {"flush", TRACE_FLUSH}, {"f", TRACE_FLUSH},     {"d", TRACE_OPS},
        {"t", TRACE_OPS},       {"trim", TRACE_OPS},    {"discard", TRACE_OPS},
        {"unmap", TRACE_OPS},   {"", TRACE_OPS},
    };
    const size_t length = field < table->count ? table->lengths[field] : 0;
    const char *text = length > 0 ? table->fields[field] : "";
    if (words == DIGITS)
        return length == 1 && text[0] == '0'   ? TRACE_READ
               : length == 1 && text[0] == '1' ? TRACE_WRITE
                                               : -1;
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
        if (strlen(letters[i].word) == length && strncasecmp(letters[i].word, text, length) == 0)
            return letters[i].kind;
    return -1;
}

bool table_is_blkparse(struct table *table)
{
    int64_t number = 0;
    table_cut(table, ' ');
    if (table->count <= BLK_RWBS || table->lengths[BLK_ACTION] > 2)
        return false;
    __int128 ps = 0;
    const char *comma = memchr(table->fields[0], ',', table->lengths[0]);
    return comma != NULL && table->fields[0][0] >= '0' && table->fields[0][0] <= '9' &&
           table_whole_at(table, BLK_CPU, INT32_MAX, &number) &&
           table_whole_at(table, BLK_SEQUENCE, INT64_MAX, &number) &&
           table_time_at(table, BLK_TIME, &ps) &&
           memchr(table->fields[BLK_TIME], '.', table->lengths[BLK_TIME]) != NULL;
}

/* ------------------------------------------------------------------ formats */

static bool fits_format(struct table *table, const struct table_format *format)
{
    __int128 ps = 0;
    int64_t number = 0;
    table->format = *format;
    table_cut(table, format->separator);
    return table->count >= format->fields && table->count <= format->fields + 2 &&
           table_kind_at(table, format->kind, format->words) >= 0 &&
           table->lengths[format->kind] > 0 && table_time_at(table, format->time, &ps) &&
           table_whole_at(table, format->offset, INT64_MAX, &number) &&
           table_whole_at(table, format->bytes, INT64_MAX, &number);
}

/* Finds a column with one of the names, which are separated by '|'; -1: none. */
static int column_of(const struct table *table, const char *words)
{
    for (int i = 0; i < table->count; i++)
        for (const char *word = words; *word != '\0'; word += *word == '|') {
            const size_t length = strcspn(word, "|");
            if (length == table->lengths[i] && strncasecmp(word, table->fields[i], length) == 0)
                return i;
            word += length;
        }
    return -1;
}

/* Unit of times by their number of digits: nanoseconds, 100 ns since 1601, microseconds,
 * milliseconds or seconds. */
static int64_t unit_of(size_t digits)
{
    return digits >= 19   ? PS_PER_NS
           : digits >= 17 ? 100 * PS_PER_NS
           : digits >= 14 ? PS_PER_US
           : digits >= 12 ? PS_PER_MS
                          : PS_PER_S;
}

/* A heading with column names, as in SNIA's CSV; the line below it has the first time. */
static bool fits_heading(struct table *table, size_t at)
{
    table_cut(table, ',');
    struct table_format named = {
        .name = "CSV with named columns",
        .separator = ',',
        .time = column_of(table, "timestamp|time|ts|time_stamp|start_time"),
        .kind = column_of(table, "iotype|type|op|opcode|operation|rw|io_type"),
        .words = LETTERS,
        .offset = column_of(table, "offset|byte_offset"),
        .offset_step = 1,
        .bytes = column_of(table, "size|length|bytes|io_size|len"),
        .bytes_step = 1,
        .device = column_of(table, "lun|disknumber|disk|device|device_id|volume|volumeid"),
        .device2 = -1,
    };
    if (named.offset < 0) {
        named.offset = column_of(table, "lba|sector|block");
        named.offset_step = 512;
    }
    const int host = column_of(table, "hostname|host");
    if (host >= 0) { /* a column of hosts, as in MSR's tables */
        named.device2 = named.device;
        named.device = host;
    }
    if (named.time < 0 || named.kind < 0 || named.offset < 0 || named.bytes < 0)
        return false;
    const int most = table->count;
    for (int i = 0; i < most; i++)
        if (i == named.time || i == named.kind || i == named.offset || i == named.bytes ||
            i == named.device || i == named.device2)
            named.fields = i + 1;
    table->format = named;
    struct table below = *table;
    if (table_next_line(&below, &at)) {
        table_cut(&below, ',');
        if (named.time < below.count)
            table->format.time_ps = unit_of(below.lengths[named.time]);
        if (table_kind_at(&below, named.kind, DIGITS) >= 0)
            table->format.words = DIGITS;
    }
    return true;
}

bool table_find_format(struct table *table, size_t *begin)
{
    size_t at = 0;
    for (int i = 0; i < SNIFF_LINES && table_next_line(table, &at); i++) {
        *begin = at;
        if (table->length > TABLE_LINE_MAX)
            return false;
        if (fits_heading(table, at))
            return true;
        *begin = (size_t)(table->line - table->file->text);
        table->format = (struct table_format){.name = "blkparse"};
        if (table_is_blkparse(table))
            return true;
        for (size_t k = 0; k < sizeof formats / sizeof formats[0]; k++)
            if (fits_format(table, &formats[k]))
                return true;
    }
    return false;
}

const char *table_kind(const struct tree_file *file)
{
    struct table table = {.file = file};
    size_t begin = 0;
    return table_find_format(&table, &begin) ? table.format.name : NULL;
}
