/* SPDX-License-Identifier: Apache-2.0
 * reading - numbers, the list of readings, and detection of the tool. */
#include "replay/readings/reading.h"

#include "base/check.h"
#include "replay/readings/tool.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_LENGTH_MAX = 24 };

const struct tool *const tool_all[] = {
#define TOOL(stem) &tool_##stem,
#include "replay/readings/tool.def"
#undef TOOL
    NULL,
};

const char *reading_verb_word(int64_t verb)
{
    static const char *const words[] = {
#define X(member, word) word,
        READING_VERBS(X)
#undef X
    };
    CHECK(verb >= 0 && (size_t)verb < sizeof words / sizeof words[0]);
    return words[verb];
}

/* ------------------------------------------------------------------ numbers */

bool reading_number_parse(const char *text, size_t length, struct reading_number *number)
{
    static const char digits[] = "0123456789";
    char copy[NUMBER_LENGTH_MAX + 1] = "";
    if (length > NUMBER_LENGTH_MAX)
        return false;
    memcpy(copy, text, length);
    const size_t whole = strspn(copy, digits);
    const size_t point = copy[whole] == '.';
    const size_t part = point == 0 ? 0 : strspn(copy + whole + 1, digits);
    if (whole + part == 0 || whole + point + part != length)
        return false;
    number->value = strtod(copy, NULL);
    number->step = 1;
    for (size_t i = 0; i < part; i++)
        number->step /= 10;
    return true;
}

struct reading_number reading_number_times(struct reading_number number, double factor)
{
    return (struct reading_number){number.value * factor, number.step * factor};
}

/* ------------------------------------------------------------------ the list */

void readings_add(struct readings *readings, struct reading reading, struct diag *diag)
{
    if (readings->count == READINGS_MAX) {
        diag_add(diag, DIAG_ERROR, reading.where, NULL, "expected at most %d figures in all",
                 READINGS_MAX);
        return;
    }
    struct reading *new = arena_push(&readings->arena, (void **)(void *)&readings->list,
                                     &readings->count, sizeof *new);
    *new = reading;
}

void readings_free(struct readings *readings)
{
    arena_free(&readings->arena);
    *readings = (struct readings){0};
}

void tool_add(const struct tool_file *file, struct reading reading)
{
    reading.tool = file->tool->word;
    readings_add(file->readings, reading, file->diag);
}

/* ------------------------------------------------------------------ messages */

void tool_say(const struct tool_file *file, enum diag_level level, const struct lines *lines,
              const char *at, size_t width, const char *format, ...)
{
    char text[DIAG_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_add(file->diag, level, lines_place(lines, at, width), lines->text, "%s", text);
}

static const char *words(const struct tool_file *file, const char *format, va_list args)
{
    char text[DIAG_TEXT_BYTES];
    vsnprintf(text, sizeof text, format, args);
    return arena_text(&file->readings->arena, text, strlen(text));
}

void tool_set(const struct tool_file *file, const struct lines *lines, const char *at,
              const char *path, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tool_add(file, (struct reading){.kind = READING_SETTING,
                                    .where = lines_place(lines, at, strcspn(at, " \t,")),
                                    .path = path,
                                    .value = words(file, format, args)});
    va_end(args);
}

void tool_note(const struct tool_file *file, const struct lines *lines, const char *at,
               const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tool_add(file, (struct reading){.kind = READING_NOTE,
                                    .where = lines_place(lines, at, strcspn(at, " \t,")),
                                    .value = words(file, format, args)});
    va_end(args);
}

size_t tool_count(const char *text, int64_t most, int64_t *value)
{
    const size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 12)
        return 0;
    *value = strtoll(text, NULL, 10);
    return *value <= most ? digits : 0;
}

void tool_cut(const struct tool_file *file, const char *sentence)
{
    struct diag_place place = {.file = file->file->name, .line = 1, .column = 1, .width = 1};
    const char *text = file->file->text, *last = text;
    for (size_t i = 0; i + 1 < file->file->length; i++)
        if (text[i] == '\n') {
            place.line++;
            last = text + i + 1;
        }
    place.column = (int)(strcspn(last, "\r\n")) + 1;
    diag_add(file->diag, DIAG_ERROR, place, NULL, "%s", sentence);
}

/* ------------------------------------------------------------------ detection of the tool */

static bool has_mark(const struct tool *tool, const char *text)
{
    for (const char *const *mark = tool->marks; *mark != NULL; mark++)
        if (strstr(text, *mark) != NULL)
            return true;
    return false;
}

/* The first line that begins with a brace, or NULL. */
static char *object_begin(char *text)
{
    for (char *line = text; line != NULL;) {
        char *begin = line + strspn(line, " \t\r");
        if (*begin == '{')
            return begin;
        char *end = strchr(line, '\n');
        line = end == NULL ? NULL : end + 1;
    }
    return NULL;
}

/* After the brace that closes the object; NULL if it is truncated. */
static char *object_end(char *at)
{
    int depth = 0;
    for (; *at != '\0'; at++) {
        if (*at == '"')
            for (at++; *at != '"' && *at != '\0'; at++)
                at += *at == '\\' && at[1] != '\0';
        if (*at == '\0')
            return NULL;
        depth += (*at == '{') - (*at == '}');
        if (depth == 0)
            return at + 1;
    }
    return NULL;
}

static void blank(char *from, const char *to)
{
    for (; from < to; from++)
        if (*from != '\n')
            *from = ' ';
}

/* fio prints lines before the object, and pasted output may have text around it. Everything outside
 * the object is blanked, so that locations stay correct. NULL if there is no object. */
static const struct tree_file *object_of(const struct tree_file *file, struct arena *arena)
{
    char *text = arena_text(arena, file->text, file->length);
    char *begin = object_begin(text);
    if (begin == NULL)
        return NULL;
    char *end = object_end(begin);
    blank(text, begin);
    if (end != NULL)
        blank(end, text + file->length);
    return tree_hold(arena, file->name, text, file->length);
}

/* Returns false if no tool with (or without) JSON recognizes the file. */
static bool read_as(const struct tree_file *file, bool json, struct readings *readings,
                    struct diag *diag)
{
    bool known = false;
    for (const struct tool *const *tool = tool_all; *tool != NULL; tool++) {
        const struct tool_file of = {*tool, file, readings, diag};
        if ((*tool)->json != json || !has_mark(*tool, file->text))
            continue;
        (*tool)->read(&of);
        known = true;
    }
    return known;
}

static void refuse_file(const struct tree_file *file, struct diag *diag)
{
    const struct diag_place place = {.file = file->name, .line = 1, .column = 1, .width = 1};
    char known[DIAG_TEXT_BYTES / 2] = "";
    size_t used = 0;
    for (const struct tool *const *tool = tool_all; *tool != NULL && used < sizeof known; tool++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used == 0 ? "" : "; ",
                                 (*tool)->about);
    diag_add(diag, DIAG_ERROR, place, NULL, "not the output of a supported tool; supported: %s",
             known);
}

/* A NUL byte would truncate the text. */
static bool is_text(const struct tree_file *file, struct diag *diag)
{
    struct diag_place place = {.file = file->name, .line = 1, .column = 1, .width = 1};
    if (file->length > READINGS_BYTES_MAX) {
        diag_add(diag, DIAG_ERROR, place, NULL, "the file is larger than 16 MiB");
        return false;
    }
    const char *nul = memchr(file->text, '\0', file->length);
    for (const char *at = file->text; nul != NULL && at < nul; at++) {
        place.column = *at == '\n' ? 1 : place.column + 1;
        place.line += *at == '\n';
    }
    if (nul != NULL)
        diag_add(diag, DIAG_ERROR, place, NULL, "expected a text, but there is a NUL character");
    return nul == NULL;
}

bool readings_read(struct readings *readings, const char *name, const char *text, size_t length,
                   struct diag *diag)
{
    const int before = diag->errors;
    const struct tree_file *file =
        text == NULL ? tree_read(&readings->arena, name, diag)
                     : tree_hold(&readings->arena, arena_text(&readings->arena, name, strlen(name)),
                                 arena_text(&readings->arena, text, length), length);
    if (file == NULL || !is_text(file, diag))
        return false;
    const struct tree_file *object = object_of(file, &readings->arena);
    if ((object == NULL || !read_as(object, true, readings, diag)) &&
        !read_as(file, false, readings, diag))
        refuse_file(file, diag);
    readings->files++;
    return diag->errors == before;
}
