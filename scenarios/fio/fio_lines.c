/* SPDX-License-Identifier: Apache-2.0
 * fio_lines - reads the lines of a job file, with included files in place.
 * All files are read before the first option is evaluated, because a section looks ahead for its
 * engine. */
#include "base/memory.h"
#include "scenarios/fio/fio_private.h"

#include <stdlib.h>
#include <string.h>

enum { INCLUDE_DEPTH_MAX = 8 };

struct source {
    const struct fio_file *file;
    struct fio_reader *reader;
    struct fio_lines *out;
    uint32_t room;
    size_t bytes; /* size of all files so far */
    int depth;
};

bool fio_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static struct fio_line measure_line(const char *text, size_t length)
{
    struct fio_line line = {.text = text, .length = length};
    while (line.end < length && text[line.end] != ';' && text[line.end] != '#')
        line.end++;
    while (line.end > 0 && fio_is_blank(text[line.end - 1]))
        line.end--;
    while (line.first < line.end && fio_is_blank(text[line.first]))
        line.first++;
    return line;
}

void fio_stand_at(struct fio_reader *reader, const struct fio_line *line)
{
    const size_t length =
        line->length < FIO_LINE_BYTES_MAX ? line->length : (size_t)FIO_LINE_BYTES_MAX;
    memcpy(reader->line_room, line->text, length);
    reader->line_room[length] = '\0';
    reader->file = line->file;
    reader->line = line->number;
    reader->line_text = reader->line_room;
}

static void add_line(struct source *source, struct fio_line line)
{
    struct fio_lines *out = source->out;
    out->list = memory_grown(out->list, out->count, &source->room, sizeof *out->list);
    out->list[out->count++] = line;
}

/* `include NAME`: position of NAME in the line, or 0. */
static size_t included_name(const struct fio_line *line)
{
    static const char word[] = "include";
    size_t at = line->first + sizeof word - 1;
    if (at >= line->end || memcmp(line->text + line->first, word, sizeof word - 1) != 0 ||
        !fio_is_blank(line->text[at]))
        return 0;
    while (fio_is_blank(line->text[at]))
        at++;
    return at;
}

/* True if the name stays in the job file's directory or below, wherever the scenario comes from. */
static bool stays_below(const char *name)
{
    return name[0] != '/' && strncmp(name, "../", 3) != 0 && strstr(name, "/../") == NULL &&
           strcmp(name, "..") != 0;
}

static bool read_text(struct source *source, const char *name, const char *text, size_t length);

static bool include(struct source *source, const struct fio_line *line, size_t at)
{
    char name[256];
    const int column = (int)at + 1;
    const size_t length = line->end - at;
    fio_stand_at(source->reader, line);
    if (length >= sizeof name)
        return fio_error(source->reader, column, "the name of an included file is too long");
    memcpy(name, line->text + at, length);
    name[length] = '\0';
    if (!stays_below(name))
        return fio_error(source->reader, column,
                         "include '%.64s': expected a file in the job file's folder or below it",
                         name);
    if (source->file->open == NULL)
        return fio_error(source->reader, column,
                         "include '%.64s': only a scenario's job file can "
                         "include others",
                         name);
    if (source->depth == INCLUDE_DEPTH_MAX)
        return fio_error(source->reader, column, "files include each other more than %d deep",
                         INCLUDE_DEPTH_MAX);
    const struct tree_file *file = source->file->open(source->file->open_self, name);
    if (file == NULL)
        return fio_error(source->reader, column, "cannot read the included file '%.64s'", name);
    source->depth++;
    const bool well = read_text(source, file->name, file->text, file->length);
    source->depth--;
    return well;
}

static bool read_text(struct source *source, const char *name, const char *text, size_t length)
{
    static const char mark[] = "\xef\xbb\xbf"; /* byte order mark that Windows editors put before
                                                * UTF-8 text */
    const char *end = text + length;
    int number = 0;
    source->bytes += length;
    if (source->bytes > FIO_FILE_BYTES_MAX) {
        diag_add(source->reader->diag, DIAG_ERROR, (struct diag_place){.file = name}, NULL,
                 "a fio job file has at most %d bytes with all that it includes",
                 FIO_FILE_BYTES_MAX);
        return false;
    }
    if (length >= 3 && memcmp(text, mark, 3) == 0)
        text += 3;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *stop = newline != NULL ? newline : end;
        struct fio_line line = measure_line(text, (size_t)(stop - text));
        line.file = name;
        line.number = ++number;
        line.included = source->depth > 0;
        const size_t at = line.length <= FIO_LINE_BYTES_MAX ? included_name(&line) : 0;
        if (at == 0)
            add_line(source, line);
        else if (!include(source, &line, at))
            return false;
        text = stop + 1;
    }
    return true;
}

bool fio_lines_read(const struct fio_file *file, struct fio_reader *reader, struct fio_lines *out)
{
    struct source source = {.file = file, .reader = reader, .out = out};
    *out = (struct fio_lines){0};
    return read_text(&source, file->name, file->text, file->length);
}

void fio_lines_free(struct fio_lines *lines)
{
    free(lines->list);
    *lines = (struct fio_lines){0};
}
