/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/format/lines.h"

#include <string.h>

bool lines_next(struct lines *lines, struct arena *arena)
{
    const struct tree_file *file = lines->file;
    if (lines->next >= file->length)
        return false;
    const char *from = file->text + lines->next;
    const size_t left = file->length - lines->next;
    const char *newline = memchr(from, '\n', left);
    lines->length = newline == NULL ? left : (size_t)(newline - from);
    lines->next += lines->length + 1;
    lines->length -= lines->length > 0 && from[lines->length - 1] == '\r';
    lines->text = arena_text(arena, from, lines->length);
    lines->number++;
    return true;
}

struct diag_place lines_place(const struct lines *lines, const char *at, size_t width)
{
    return (struct diag_place){.file = lines->file->name,
                               .line = lines->number,
                               .column = (int)(at - lines->text) + 1,
                               .width = width > 0 ? (int)width : 1};
}
