/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/format/diag.h"

#include "base/plural.h"
#include "base/printable.h"

#include <stdarg.h>
#include <string.h>

enum { SNIPPET_BYTES = 160 }; /* longer lines are cut */

static const char *const level_names[] = {
    [DIAG_ERROR] = "error", [DIAG_WARNING] = "warning", [DIAG_NOTE] = "note"};

const char *diag_level_name(enum diag_level level)
{
    return level_names[level];
}

/* Copies the line, cut between characters. Each control character becomes one '?', so the caret
 * stays under its place. */
static void keep_line(char snippet[DIAG_TEXT_BYTES], const char *line_text)
{
    size_t length = strcspn(line_text, "\r\n");
    if (length > SNIPPET_BYTES)
        length = SNIPPET_BYTES;
    while (length > 0 && ((unsigned char)line_text[length] & 0xC0) == 0x80)
        length--;
    size_t used = 0;
    for (size_t i = 0; i < length;) {
        uint32_t code;
        const size_t bytes = printable_utf8(line_text + i, &code);
        const bool shown = line_text[i] == '\t' || (bytes > 0 && printable_is_shown(code));
        const size_t taken = bytes > 0 ? bytes : 1;
        if (shown)
            memcpy(snippet + used, line_text + i, taken);
        else
            snippet[used] = '?';
        used += shown ? taken : 1;
        i += taken;
    }
    snippet[used] = '\0';
}

void diag_add(struct diag *diag, enum diag_level level, struct diag_place place,
              const char *line_text, const char *format, ...)
{
    diag->errors += level == DIAG_ERROR;
    if (diag->count == DIAG_MAX)
        return;
    struct diag_message *message = &diag->messages[diag->count++];
    *message = (struct diag_message){.level = level, .place = place};
    printable_copy(message->file, sizeof message->file, place.file == NULL ? "" : place.file);
    char text[DIAG_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    printable_copy(message->text, sizeof message->text, text);
    if (line_text != NULL)
        keep_line(message->snippet, line_text);
}

/* Prints the caret under its character: tabs stay tabs, and continuation bytes of UTF-8 take no
 * column. */
static void print_caret(const struct diag_message *message, FILE *out)
{
    const char *at = message->snippet;
    int column = 1;
    fputs("      | ", out);
    for (; *at != '\0' && column < message->place.column; at++) {
        if (((unsigned char)at[1] & 0xC0) == 0x80)
            continue;
        fputc(*at == '\t' ? '\t' : ' ', out);
        column++;
    }
    for (; column < message->place.column; column++)
        fputc(' ', out);
    fputc('^', out);
    for (int i = 1; i < message->place.width && i < (int)strlen(at); i++)
        fputc('~', out);
    fputc('\n', out);
}

static void print_message(const struct diag_message *message, FILE *out)
{
    const struct diag_place *place = &message->place;
    /* Programs parse FILE:LINE:COLUMN, so messages about a whole file refer to its beginning. */
    if (message->file[0] != '\0')
        fprintf(out, "%s:%d:%d:", message->file, place->line > 0 ? place->line : 1,
                place->line > 0 ? place->column : 1);
    fprintf(out, "%s%s: %s\n", message->file[0] != '\0' ? " " : "", level_names[message->level],
            message->text);
    if (message->snippet[0] == '\0' || place->line == 0)
        return;
    fprintf(out, "%5d | %s\n", place->line, message->snippet);
    if (place->column <= SNIPPET_BYTES)
        print_caret(message, out);
}

const char *diag_error(const struct diag *diag, const char *otherwise)
{
    for (int i = 0; i < diag->count; i++)
        if (diag->messages[i].level == DIAG_ERROR)
            return diag->messages[i].text;
    return otherwise;
}

static bool only_errors;

void diag_only_errors(void)
{
    only_errors = true;
}

void diag_print(const struct diag *diag, FILE *out)
{
    int errors = 0;
    for (int i = 0; i < diag->count; i++) {
        if (only_errors && diag->messages[i].level != DIAG_ERROR)
            continue;
        print_message(&diag->messages[i], out);
        errors += diag->messages[i].level == DIAG_ERROR;
    }
    if (diag->errors > errors)
        fprintf(out, "and %d more %s\n", diag->errors - errors,
                plural(diag->errors - errors, "error", "errors"));
}
