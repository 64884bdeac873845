/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/import/notes.h"

enum { CLEAN_BYTES_MAX = 80, NOTE_BYTES = 4096 };

const char *notes_clean(struct arena *arena, const char *text)
{
    size_t length = 0; /* not strnlen: a text may be in a buffer shorter than the maximum */
    while (length < CLEAN_BYTES_MAX && text[length] != '\0')
        length++;
    char *clean = arena_text(arena, text, length);
    for (size_t i = 0; i < length; i++)
        if (clean[i] < 0x20 || clean[i] > 0x7E)
            clean[i] = '?';
    return clean;
}

void notes_add_list(struct notes *notes, struct diag_place place, const char *format, va_list args)
{
    char text[NOTE_BYTES];
    vsnprintf(text, sizeof text, format, args);
    const char **slot =
        arena_push(notes->arena, (void **)(void *)&notes->lines, &notes->count, sizeof *slot);
    *slot = arena_format(notes->arena, "%s:%d:%d: note: %s", notes_clean(notes->arena, place.file),
                         place.line, place.column, text);
}

void notes_add(struct notes *notes, struct diag_place place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    notes_add_list(notes, place, format, args);
    va_end(args);
}

void notes_print(const struct notes *notes, const char *before, FILE *out)
{
    for (size_t i = 0; i < notes->count; i++)
        fprintf(out, "%s%s\n", before, notes->lines[i]);
}
