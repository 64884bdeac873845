/* SPDX-License-Identifier: Apache-2.0
 * iolog - reads and writes fio's text format of an I/O trace. */
#include "scenarios/trace/iolog.h"

#include "base/check.h"
#include "base/nearest.h"
#include "base/plural.h"

#include <inttypes.h>
#include <string.h>

enum { WORDS_MAX = 6 };

enum what { WHAT_IO, WHAT_FILE, WHAT_WAIT, WHAT_TRIM, WHAT_RANGE };

static const struct action {
    const char *word;
    enum what what;
    enum trace_op op;
} actions[] = {
    {"read", WHAT_IO, TRACE_READ},
    {"write", WHAT_IO, TRACE_WRITE},
    {"sync", WHAT_IO, TRACE_FLUSH},
    {"datasync", WHAT_IO, TRACE_FLUSH},
    {"trim", WHAT_TRIM, 0},
    {"wait", WHAT_WAIT, 0},
    {"sync_file_range", WHAT_RANGE, 0},
    {"add", WHAT_FILE, 0},
    {"open", WHAT_FILE, 0},
    {"close", WHAT_FILE, 0},
};

enum { ACTIONS = sizeof actions / sizeof actions[0] };

enum left { LEFT_TRIM, LEFT_RANGE, LEFT_EMPTY, LEFT_WAIT, LEFT_EARLY, LEFT_COUNT };

static const struct {
    const char *one, *many, *rest;
} left_words[LEFT_COUNT] = {
    {"trim is", "trims are", "left out: this host sends none"},
    {"call of sync_file_range is", "calls of sync_file_range are", "left out: it sends no command"},
    {"I/O of zero bytes is", "I/Os of zero bytes are", "left out"},
    {"wait is", "waits are", "left out: version 3 has times instead"},
    {"time is", "times are", "earlier than the line above, whose time is used"},
};

struct word {
    const char *at;
    size_t length;
};

struct reader {
    struct diag *diag;
    const struct tree_file *file;
    struct trace *trace;
    struct trace_files files;
    int version, number; /* version of the format; number of the line */
    const char *line;
    size_t line_length;
    struct word words[WORDS_MAX];
    int word_count;
    time_ps now;
    uint32_t left[LEFT_COUNT];
    struct diag_place first[LEFT_COUNT];
};

/* ---- messages ---- */

static struct diag_place place_of(const struct reader *reader, int word)
{
    const bool there = word < reader->word_count;
    const struct word *at = &reader->words[word];
    return (struct diag_place){
        .file = reader->file->name,
        .line = reader->number,
        .column = there ? (int)(at->at - reader->line) + 1 : (int)reader->line_length + 1,
        .width = there ? (int)at->length : 1,
    };
}

static bool report_error(struct reader *reader, int word, const char *text)
{
    char line[IOLOG_LINE_MAX + 1];
    snprintf(line, sizeof line, "%.*s", (int)reader->line_length, reader->line);
    diag_add(reader->diag, DIAG_ERROR, place_of(reader, word), line, "%s", text);
    return false;
}

static void leave_out(struct reader *reader, enum left why, int word)
{
    if (reader->left[why]++ == 0)
        reader->first[why] = place_of(reader, word);
}

static void report_omissions(const struct reader *reader)
{
    for (int i = 0; i < LEFT_COUNT; i++)
        if (reader->left[i] > 0)
            diag_add(reader->diag, DIAG_NOTE, reader->first[i], NULL,
                     "%" PRIu32 " %s %s; the first is here", reader->left[i],
                     plural(reader->left[i], left_words[i].one, left_words[i].many),
                     left_words[i].rest);
}

/* ---- words ---- */

static bool is_blank(char letter)
{
    return letter == ' ' || letter == '\t' || letter == '\r';
}

static bool split_line(struct reader *reader)
{
    const char *at = reader->line, *const end = at + reader->line_length;
    reader->word_count = 0;
    for (;;) {
        while (at < end && is_blank(*at))
            at++;
        if (at == end)
            return true;
        const char *const from = at;
        while (at < end && !is_blank(*at))
            if ((unsigned char)*at++ < ' ') {
                reader->words[0] = (struct word){at - 1, 1};
                reader->word_count = 1;
                return report_error(reader, 0, "this is not a text file");
            }
        reader->words[reader->word_count++] = (struct word){from, (size_t)(at - from)};
        if (reader->word_count == WORDS_MAX)
            return true;
    }
}

static bool number(const struct word *word, int64_t most, int64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < word->length; i++) {
        const int digit = word->at[i] - '0';
        if (digit < 0 || digit > 9 || *value > (most - digit) / 10)
            return false;
        *value = *value * 10 + digit;
    }
    return true;
}

static const struct action *find_action(const struct word *word)
{
    for (int i = 0; i < ACTIONS; i++)
        if (strncmp(actions[i].word, word->at, word->length) == 0 &&
            actions[i].word[word->length] == '\0')
            return &actions[i];
    return NULL;
}

static bool no_action(struct reader *reader, int word)
{
    char name[32], text[64 + NEAREST_HINT_BYTES];
    snprintf(name, sizeof name, "%.*s", (int)reader->words[word].length, reader->words[word].at);
    struct nearest nearest = nearest_to(name);
    for (int i = 0; i < ACTIONS; i++)
        nearest_offer(&nearest, actions[i].word);
    snprintf(text, sizeof text, "expected an action, not '%s'%s", name,
             nearest_hint(&nearest).text);
    return report_error(reader, word, text);
}

/* ---- lines ---- */

static bool read_time(struct reader *reader)
{
    int64_t us;
    if (!number(&reader->words[0], TRACE_TIME_MAX / PS_PER_US, &us))
        return report_error(reader, 0, "expected a time in microseconds of at most 1000000000000");
    if (us * PS_PER_US < reader->now)
        leave_out(reader, LEFT_EARLY, 0);
    else
        reader->now = us * PS_PER_US;
    return true;
}

/* Reads the time after the word "wait". */
static bool read_wait(struct reader *reader, int word)
{
    int64_t us;
    if (reader->version == 3) {
        leave_out(reader, LEFT_WAIT, word);
        return true;
    }
    if (word + 1 >= reader->word_count ||
        !number(&reader->words[word + 1], (TRACE_TIME_MAX - reader->now) / PS_PER_US, &us))
        return report_error(reader, word + 1,
                            "expected microseconds; in total at most 1000000000000");
    reader->now += us * PS_PER_US;
    reader->trace->timed = true;
    return true;
}

static void add_io(struct reader *reader, enum trace_op op, uint32_t file, int64_t offset,
                   int64_t bytes)
{
    struct trace *trace = reader->trace;
    const bool flush = op == TRACE_FLUSH;
    trace->ios[trace->count++] = (struct trace_io){
        .at = reader->now,
        .offset = flush ? 0 : offset,
        .bytes = flush ? 0 : (uint32_t)bytes,
        .file = (uint16_t)file,
        .op = (uint8_t)op,
    };
}

static bool read_io(struct reader *reader, const struct action *action, uint32_t file, int word)
{
    int64_t offset, bytes;
    if (reader->word_count != word + 3)
        return report_error(
            reader, reader->word_count < word + 3 ? reader->word_count : word + 3,
            "expected an offset and a length in bytes after the action, and no more");
    if (!number(&reader->words[word + 1], TRACE_OFFSET_MAX, &offset))
        return report_error(reader, word + 1, "expected an offset in bytes of at most 1 PiB");
    if (!number(&reader->words[word + 2], TRACE_IO_BYTES_MAX, &bytes))
        return report_error(reader, word + 2, "expected a length in bytes of at most 64 MiB");
    if (action->what != WHAT_IO)
        leave_out(reader, action->what == WHAT_TRIM ? LEFT_TRIM : LEFT_RANGE, word);
    else if (bytes == 0 && action->op != TRACE_FLUSH)
        leave_out(reader, LEFT_EMPTY, word);
    else
        add_io(reader, action->op, file, offset, bytes);
    return true;
}

/* Words: the time in version 3, a file, an action, and its arguments. */
static bool read_words(struct reader *reader)
{
    const int name = reader->version == 3 ? 1 : 0;
    if (reader->word_count < name + 2)
        return report_error(reader, reader->word_count,
                            name == 1 ? "expected a line such as 120 /dev/nvme0n1 read 4096 8192"
                                      : "expected a line such as /dev/nvme0n1 read 4096 8192");
    const struct action *action = find_action(&reader->words[name + 1]);
    if (action == NULL)
        return no_action(reader, name + 1);
    if (name == 1 && !read_time(reader))
        return false;
    const struct word *word = &reader->words[name];
    if (word->length > TRACE_NAME_MAX)
        return report_error(reader, name, "a file's name has at most 255 characters");
    const uint32_t file = trace_file(&reader->files, word->at, word->length);
    if (file == TRACE_FILES_MAX)
        return report_error(reader, name, "more than 1024 files");
    if (action->what == WHAT_WAIT)
        return read_wait(reader, name + 1);
    if (action->what == WHAT_FILE)
        return reader->word_count == name + 2 ||
               report_error(reader, name + 2, "expected nothing after add, open and close");
    return read_io(reader, action, file, name + 1);
}

static bool read_line(struct reader *reader)
{
    if (reader->line_length > IOLOG_LINE_MAX) {
        reader->line_length = IOLOG_LINE_MAX;
        reader->word_count = 0;
        return report_error(reader, 0, "a line is longer than 1024 bytes");
    }
    if (!split_line(reader))
        return false;
    return reader->word_count == 0 || read_words(reader);
}

/* "fio version 3 iolog" */
static bool read_version(struct reader *reader)
{
    static const char head[] = "fio version ", tail[] = " iolog";
    const size_t before = sizeof head - 1, length = before + sizeof tail;
    const char *line = reader->line;
    size_t end = reader->line_length;
    while (end > 0 && is_blank(line[end - 1]))
        end--;
    if (end == length && memcmp(line, head, before) == 0 &&
        memcmp(line + before + 1, tail, sizeof tail - 1) == 0)
        reader->version = line[before] - '0';
    reader->line_length = end < 80 ? end : 80;
    if (reader->version == 2 || reader->version == 3)
        return true;
    static const unsigned char magic[] = {0x07, 't', 'a', 'e'};
    const bool binary = reader->file->length >= 4 && memcmp(reader->file->text, magic, 4) == 0;
    if (binary)
        reader->line_length = 0;
    reader->words[0] = (struct word){line, reader->line_length};
    reader->word_count = 1;
    return report_error(
        reader, 0,
        binary ? "this is a blktrace file; stormglass import blktrace makes an iolog of it"
               : "expected \"fio version 3 iolog\" or \"fio version 2 iolog\", blkparse's "
                 "text, or a table of I/Os such as MSR Cambridge's or SNIA's CSV");
}

static uint32_t lines_of(const struct tree_file *file)
{
    uint32_t lines = 1;
    const char *at = file->text, *const end = at + file->length;
    while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        lines++;
        at++;
    }
    return lines;
}

static void read_lines(struct reader *reader)
{
    const struct tree_file *file = reader->file;
    const int errors = reader->diag->errors;
    for (size_t at = 0; at < file->length && reader->diag->errors < errors + DIAG_MAX;) {
        const char *newline = memchr(file->text + at, '\n', file->length - at);
        const size_t end = newline == NULL ? file->length : (size_t)(newline - file->text);
        reader->line = file->text + at;
        reader->line_length = end - at;
        if (++reader->number > 1)
            read_line(reader);
        else if (!read_version(reader))
            return;
        at = end + 1;
    }
}

bool iolog_read(struct arena *arena, const struct tree_file *file, struct trace *out,
                struct diag *diag)
{
    const int errors = diag->errors;
    const uint32_t lines = lines_of(file);
    struct reader reader = {.diag = diag, .file = file, .trace = out, .files = {.arena = arena}};
    const struct diag_place whole = {.file = file->name};
    *out = (struct trace){0};
    if (lines > TRACE_IOS_MAX)
        diag_add(diag, DIAG_ERROR, whole, NULL, "more than %d lines", TRACE_IOS_MAX);
    if (file->length == 0)
        diag_add(diag, DIAG_ERROR, whole, NULL, "the file is empty: expected an iolog of fio");
    if (diag->errors > errors)
        return false;
    out->ios = arena_array(arena, lines, sizeof *out->ios);
    read_lines(&reader);
    out->timed = out->timed || reader.version == 3;
    out->files = reader.files.names;
    out->file_count = reader.files.count;
    if (diag->errors == errors)
        report_omissions(&reader);
    if (diag->errors == errors && out->count == 0)
        diag_add(diag, DIAG_ERROR, whole, NULL, "the trace has no read, write or flush");
    return diag->errors == errors;
}

void iolog_write(FILE *out, const struct trace *trace)
{
    static const char *const words[TRACE_OPS] = {"read", "write", "sync"};
    int64_t us = 0;
    fputs("fio version 3 iolog\n", out);
    for (uint32_t i = 0; i < trace->file_count; i++)
        fprintf(out, "0 %s add\n0 %s open\n", trace->files[i], trace->files[i]);
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct trace_io *io = &trace->ios[i];
        us = io->at / PS_PER_US;
        fprintf(out, "%" PRId64 " %s %s %" PRId64 " %" PRIu32 "\n", us, trace->files[io->file],
                words[io->op], io->offset, io->bytes);
    }
    for (uint32_t i = 0; i < trace->file_count; i++)
        fprintf(out, "%" PRId64 " %s close\n", us, trace->files[i]);
}
