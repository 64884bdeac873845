/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/import/import_case.h"

#include "base/memory.h"
#include "scenarios/format/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

char *import_lines(const char *made, const char *notes, const struct diag *diag)
{
    char *text;
    size_t size;
    FILE *out = memory_stream(&text, &size);
    fputs(made == NULL ? "" : made, out);
    fputs(notes == NULL ? "" : notes, out);
    for (int i = 0; i < diag->count; i++) {
        const struct diag_message *message = &diag->messages[i];
        fprintf(out, "%s:%d:%d+%d: %s: %s\n", message->file, message->place.line,
                message->place.column, message->place.width, diag_level_name(message->level),
                message->text);
    }
    memory_stream_end(out);
    return text;
}

static char *copy(const char *text, size_t length)
{
    char *result = strndup(text, length);
    assert_non_null(result);
    return result;
}

char *import_file(const char **at)
{
    const size_t length = strcspn(*at, "\f");
    char *file = copy(*at, length);
    *at += length + ((*at)[length] == '\f');
    return file;
}

/* ---- the difference of two answers ---- */

/* How often the line stands in the text before `end`; NULL: in all of it. */
static size_t count_line(const char *text, const char *end, const char *line, size_t length)
{
    size_t count = 0;
    for (; *text != '\0' && text != end; text += strcspn(text, "\n") + 1)
        count += strcspn(text, "\n") == length && memcmp(text, line, length) == 0;
    return count;
}

/* "#   NOTE", where the note is a line of its own too. */
static bool repeats_note(const char *text, const char *line, size_t length)
{
    return strncmp(line, "#   ", 4) == 0 && count_line(text, NULL, line + 4, length - 4) > 0;
}

/* The lines that the other text has not, or not as often. */
static void put_missing(FILE *out, char sign, const char *text, const char *other)
{
    size_t length;
    for (const char *at = text; *at != '\0'; at += length + 1) {
        length = strcspn(at, "\n");
        if (!repeats_note(text, at, length) &&
            count_line(text, at, at, length) >= count_line(other, NULL, at, length))
            fprintf(out, "%c %.*s\n", sign, (int)length, at);
    }
}

static char *changes(const char *before, const char *after)
{
    char *text;
    size_t size;
    FILE *out = memory_stream(&text, &size);
    if (strstr(after, ": error: ") != NULL) {
        fputs(after, out);
    } else {
        put_missing(out, '-', before, after);
        put_missing(out, '+', after, before);
    }
    memory_stream_end(out);
    return text;
}

/* ---- files of what is expected ---- */

struct reader {
    const char *name, *at;
    int line;
    char *given, *answer; /* the last given text, and the answer to it */
    FILE *accepted;       /* what the file would have to be; NULL: it is compared */
};

static bool begins(const struct reader *reader, const char *word)
{
    return strncmp(reader->at, word, strlen(word)) == 0;
}

/* The line is done. */
static void keep_line(struct reader *reader, size_t length)
{
    if (reader->accepted != NULL)
        fprintf(reader->accepted, "%.*s\n", (int)length, reader->at);
    reader->at += length + (reader->at[length] == '\n');
    reader->line++;
}

/* The line behind its first `skip` bytes, with escapes replaced. */
static char *take_line(struct reader *reader, size_t skip)
{
    const size_t length = strcspn(reader->at, "\n");
    const size_t from = skip < length ? skip : length;
    char *line = copy(reader->at + from, length - from), *out = line;
    for (const char *in = line; *in != '\0'; in++) {
        const char *escape = in[0] == '\\' && in[1] != '\0' ? strchr("n\nt\tr\rs ", in[1]) : NULL;
        *out++ = escape == NULL ? *in : escape[1];
        in += escape != NULL;
    }
    *out = '\0';
    keep_line(reader, length);
    return line;
}

/* All lines up to the next that begins something. */
static char *take_text(struct reader *reader, bool kept)
{
    char *text;
    size_t size;
    FILE *out = memory_stream(&text, &size);
    while (*reader->at != '\0' && !begins(reader, "--- ") && !begins(reader, "=== g")) {
        const size_t length = strcspn(reader->at, "\n");
        if (begins(reader, "=== file"))
            fputc('\f', out);
        else
            fprintf(out, "%.*s\n", (int)length, reader->at);
        FILE *accepted = reader->accepted;
        reader->accepted = kept ? accepted : NULL;
        keep_line(reader, length);
        reader->accepted = accepted;
    }
    memory_stream_end(out);
    return text;
}

static void compare(const struct reader *reader, int line, const char *is, const char *expected)
{
    if (reader->accepted != NULL)
        fputs(is, reader->accepted);
    if (reader->accepted != NULL || strcmp(is, expected) == 0)
        return;
    fprintf(stderr, "%s:%d: gives\n%sand not\n%s", reader->name, line, is, expected); /* whole */
    fail();
}

static void check_given(struct reader *reader, import_answer *answer)
{
    const int line = reader->line;
    free(take_line(reader, 0));
    free(reader->given);
    free(reader->answer);
    reader->given = take_text(reader, true);
    reader->answer = answer(reader->given);
    if (!begins(reader, "=== gives"))
        fail_msg("%s:%d: expected '=== gives'", reader->name, reader->line);
    free(take_line(reader, 0));
    char *expected = take_text(reader, false);
    compare(reader, line, reader->answer, expected);
    free(expected);
}

/* The given text with its last file changed. */
static char *changed(const struct reader *reader, const char *from, const char *to)
{
    char *text;
    size_t size;
    const char *last = strrchr(reader->given, '\f');
    const char *at = strstr(last == NULL ? reader->given : last, from);
    if (at == NULL || strstr(at + 1, from) != NULL)
        fail_msg("%s:%d: '%s' does not stand there once", reader->name, reader->line, from);
    FILE *out = memory_stream(&text, &size);
    fprintf(out, "%.*s%s%s", (int)(at - reader->given), reader->given, to, at + strlen(from));
    memory_stream_end(out);
    return text;
}

static void check_change(struct reader *reader, import_answer *answer)
{
    const int line = reader->line;
    if (reader->given == NULL || !begins(reader, "--- "))
        fail_msg("%s:%d: expected '=== given' or '--- FROM'", reader->name, line);
    char *from = take_line(reader, 4);
    if (!begins(reader, "+++"))
        fail_msg("%s:%d: expected '+++ TO'", reader->name, reader->line);
    char *to = take_line(reader, 4), *expected = take_text(reader, false);
    char *text = changed(reader, from, to), *after = answer(text);
    char *difference = changes(reader->answer, after);
    compare(reader, line, difference, expected);
    free(from);
    free(to);
    free(expected);
    free(text);
    free(after);
    free(difference);
}

static void accept_file(const char *file, char *text)
{
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
    free(text);
}

void import_check(import_answer *answer, const char *file)
{
    struct arena arena = {0};
    struct diag diag = {0};
    const struct tree_file *text = tree_read(&arena, file, &diag);
    if (text == NULL)
        fail_msg("%s", diag.messages[0].text);
    struct reader reader = {.name = file, .at = text->text, .line = 1};
    char *accepted = NULL;
    size_t size;
    if (getenv("ACCEPT") != NULL)
        reader.accepted = memory_stream(&accepted, &size);
    while (*reader.at != '\0')
        if (begins(&reader, "=== given"))
            check_given(&reader, answer);
        else
            check_change(&reader, answer);
    assert_non_null(reader.given);
    if (reader.accepted != NULL) {
        memory_stream_end(reader.accepted);
        accept_file(file, accepted);
    }
    free(reader.given);
    free(reader.answer);
    arena_free(&arena);
}
