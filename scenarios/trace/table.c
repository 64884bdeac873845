/* SPDX-License-Identifier: Apache-2.0
 * table - reads tables of I/Os from trace collections, and blkparse's text output. */
#include "base/check.h"
#include "base/plural.h"
#include "scenarios/trace/iolog.h"
#include "scenarios/trace/table_private.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    const char *one, *many;
} left_words[LEFT_COUNT] = {
    {"line is neither read nor write", "lines are neither reads nor writes"},
    {"I/O has no bytes", "I/Os have no bytes"},
    {"I/O is larger than 64 MiB", "I/Os are larger than 64 MiB"},
};

static struct diag_place place_of(const struct table *table, int field)
{
    const bool there = field < table->count;
    return (struct diag_place){
        .file = table->file->name,
        .line = table->number,
        .column = there ? (int)(table->fields[field] - table->line) + 1 : (int)table->length + 1,
        .width = there && table->lengths[field] > 0 ? (int)table->lengths[field] : 1,
    };
}

static bool report_error(struct table *table, int field, const char *what)
{
    char line[TABLE_LINE_MAX + 1];
    snprintf(line, sizeof line, "%.*s",
             (int)(table->length < TABLE_LINE_MAX ? table->length : TABLE_LINE_MAX), table->line);
    diag_add(table->diag, DIAG_ERROR, place_of(table, field), line, "expected %s (%s)", what,
             table->format.name);
    return false;
}

static void leave_out(struct table *table, enum table_left why, int field)
{
    if (table->left[why]++ == 0)
        table->places[why] = place_of(table, field);
}

/* ------------------------------------------------------------------ I/Os */

static bool add_io(struct table *table, __int128 ps, int kind, int64_t offset, int64_t bytes,
                   const char *device)
{
    const uint32_t file = trace_file(&table->files, device, strlen(device));
    if (file == TRACE_FILES_MAX)
        return report_error(table, 0, "at most 1024 devices");
    if (!table->begun)
        table->first = ps;
    table->begun = true;
    const __int128 since = ps - table->first;
    if (since > TRACE_TIME_MAX || since < -(__int128)TRACE_TIME_MAX)
        return report_error(table, table->format.time, "times within 1000000 s of the first line");
    table->trace->ios[table->trace->count++] = (struct trace_io){.at = (time_ps)since,
                                                                 .offset = offset,
                                                                 .bytes = (uint32_t)bytes,
                                                                 .file = (uint16_t)file,
                                                                 .op = (uint8_t)kind};
    return true;
}

static bool read_row(struct table *table)
{
    const struct table_format *format = &table->format;
    __int128 ps = 0;
    int64_t offset = 0, bytes = 0;
    char device[TRACE_NAME_MAX + 1] = "";
    const int kind = table_kind_at(table, format->kind, format->words);
    if (table->count < format->fields)
        return report_error(table, table->count, "more fields: the line is cut");
    if (kind < 0)
        return report_error(table, format->kind,
                            format->words == DIGITS ? "0 (read) or 1 (write)" : "Read or Write");
    if (!table_time_at(table, format->time, &ps))
        return report_error(table, format->time, "a time");
    if (kind == TRACE_OPS) {
        leave_out(table, LEFT_OTHER, format->kind);
        return true;
    }
    if (kind != TRACE_FLUSH &&
        !table_whole_at(table, format->offset, TRACE_OFFSET_MAX / format->offset_step, &offset))
        return report_error(table, format->offset, "an offset of at most 1 PiB");
    if (kind != TRACE_FLUSH && !table_whole_at(table, format->bytes, INT64_C(1) << 40, &bytes))
        return report_error(table, format->bytes, "a size");
    bytes *= format->bytes_step;
    if (kind != TRACE_FLUSH && (bytes == 0 || bytes > TRACE_IO_BYTES_MAX)) {
        leave_out(table, bytes == 0 ? LEFT_EMPTY : LEFT_LARGE, format->bytes);
        return true;
    }
    const bool two = format->device2 >= 0;
    if (format->device >= 0)
        snprintf(device, sizeof device, "%.*s%s%.*s", (int)(table->lengths[format->device] & 0x7F),
                 table->fields[format->device], two ? "." : "",
                 two ? (int)(table->lengths[format->device2] & 0x7F) : 0,
                 two ? table->fields[format->device2] : "");
    return add_io(table, ps, kind, offset * format->offset_step, bytes,
                  device[0] != '\0' ? device : "device");
}

/* ------------------------------------------------------------------ blkparse */

static bool has_letter(const struct table *table, char letter)
{
    return memchr(table->fields[BLK_RWBS], letter, table->lengths[BLK_RWBS]) != NULL;
}

/* A request with a preceding flush is a flush, and a write if it has sectors. */
static bool read_request(struct table *table, __int128 ps, const char *device)
{
    int64_t sector = 0, sectors = 0;
    const bool transfers = table->count > BLK_SECTOR + 2 &&
                           table_whole_at(table, BLK_SECTOR, TRACE_OFFSET_MAX / 512, &sector) &&
                           table_whole_at(table, BLK_SECTOR + 2, INT32_MAX, &sectors) &&
                           sectors > 0;
    const bool flush = table->fields[BLK_RWBS][0] == 'F';
    const bool read = has_letter(table, 'R'), write = has_letter(table, 'W');
    if (flush && !add_io(table, ps, TRACE_FLUSH, 0, 0, device))
        return false;
    if (has_letter(table, 'D') || (!read && !write)) {
        if (!flush)
            leave_out(table, LEFT_OTHER, BLK_RWBS);
        return true;
    }
    if (!transfers || sectors * 512 > TRACE_IO_BYTES_MAX) {
        if (!flush)
            leave_out(table, transfers ? LEFT_LARGE : LEFT_EMPTY, BLK_RWBS);
        return true;
    }
    return add_io(table, ps, read ? TRACE_READ : TRACE_WRITE, sector * 512, sectors * 512, device);
}

/* Lines in another form are blkparse's summary. */
static bool read_blkparse(struct table *table)
{
    char device[TRACE_NAME_MAX + 1];
    __int128 ps = 0;
    if (!table_is_blkparse(table) || table->lengths[BLK_ACTION] != 1)
        return true;
    snprintf(device, sizeof device, "%.*s", (int)(table->lengths[0] & 0x7F), table->fields[0]);
    const bool issued = table->ask != NULL && table->ask->issued;
    if (table->fields[BLK_ACTION][0] != (issued ? 'D' : 'Q'))
        return true;
    if (table->ask != NULL && table->ask->device != NULL && strcmp(table->ask->device, device) != 0)
        return true;
    CHECK(table_time_at(table, BLK_TIME, &ps));
    return read_request(table, ps, device);
}

/* ------------------------------------------------------------------ main function */

static void report_omissions(const struct table *table)
{
    for (int i = 0; i < LEFT_COUNT; i++)
        if (table->left[i] > 0)
            diag_add(table->diag, DIAG_NOTE, table->places[i], NULL,
                     "%" PRIu32 " %s: left out; the first is here", table->left[i],
                     plural(table->left[i], left_words[i].one, left_words[i].many));
}

static uint32_t lines_of(const struct tree_file *file)
{
    uint32_t lines = 1;
    const char *at = file->text, *const end = at + file->length;
    while (lines <= TRACE_IOS_MAX && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        lines++;
        at++;
    }
    return lines;
}

static void read_lines(struct table *table, size_t at)
{
    const int errors = table->diag->errors;
    const bool blkparse = table->format.fields == 0;
    table->number--; /* the line of the first I/O is read again */
    if (at > 0 && table->line + table->length + 1 == table->file->text + at)
        table->number++; /* but a heading is not */
    while (table->diag->errors < errors + DIAG_MAX && table_next_line(table, &at)) {
        if (table->length > TABLE_LINE_MAX) {
            table->count = 0;
            report_error(table, 0, "lines of at most 1024 bytes");
            return;
        }
        table_cut(table, table->format.separator);
        if (table->count == 0 || (table->count == 1 && table->lengths[0] == 0))
            continue;
        if (!(blkparse ? read_blkparse(table) : read_row(table)) && blkparse)
            return;
    }
}

/* Makes times relative to the earliest I/O. */
static void settle_times(struct trace *trace, struct arena *arena)
{
    trace_sort(trace, arena);
    const time_ps first = trace->count > 0 ? trace->ios[0].at : 0;
    for (uint32_t i = 0; i < trace->count; i++)
        trace->ios[i].at -= first;
}

static bool read_table(struct table *table, size_t begin)
{
    struct diag *diag = table->diag;
    const int errors = diag->errors;
    const struct diag_place whole = {.file = table->file->name};
    const uint32_t lines = lines_of(table->file);
    *table->trace = (struct trace){.timed = true};
    if (lines > TRACE_IOS_MAX) {
        diag_add(diag, DIAG_ERROR, whole, NULL, "more than %d lines: expected a part of the trace",
                 TRACE_IOS_MAX);
        return false;
    }
    /* A line of blkparse may result in two I/Os: a flush and a write. */
    table->trace->ios = arena_array(table->arena, 2 * (size_t)lines, sizeof(struct trace_io));
    read_lines(table, begin);
    if (diag->errors == errors)
        report_omissions(table);
    if (diag->errors == errors && table->trace->count == 0)
        diag_add(diag, DIAG_ERROR, whole, NULL, "the trace has no read, write or flush");
    settle_times(table->trace, table->arena);
    table->trace->files = table->files.names;
    table->trace->file_count = table->files.count;
    return diag->errors == errors;
}

bool trace_read(struct arena *arena, const struct tree_file *file, const struct trace_ask *ask,
                struct trace *out, struct diag *diag)
{
    struct table table = {.diag = diag,
                          .file = file,
                          .ask = ask,
                          .trace = out,
                          .arena = arena,
                          .files = {.arena = arena}};
    size_t begin = 0;
    if (!table_find_format(&table, &begin))
        return iolog_read(arena, file, out, diag);
    return read_table(&table, begin);
}
