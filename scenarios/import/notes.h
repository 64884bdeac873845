/* SPDX-License-Identifier: Apache-2.0
 * notes - what an import leaves out or takes otherwise, each with its place.
 * Lines "FILE:LINE:COLUMN: note: sentence", for standard error and for the comments of what is
 * written.  Owner: the arena that the struct names; the rest of it begins as zero. */
#ifndef STORMGLASS_SCENARIOS_IMPORT_NOTES_H
#define STORMGLASS_SCENARIOS_IMPORT_NOTES_H

#include "scenarios/format/arena.h"
#include "scenarios/format/diag.h"

#include <stdarg.h>
#include <stdio.h>

struct notes {
    struct arena *arena;
    const char **lines; /* without their ends */
    size_t count;
};

void notes_add(struct notes *notes, struct diag_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void notes_add_list(struct notes *notes, struct diag_place place, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

/* What may stand in a note or a comment: printable ASCII, cut to a bearable length. */
const char *notes_clean(struct arena *arena, const char *text);

/* Each line with `before` before it. */
void notes_print(const struct notes *notes, const char *before, FILE *out);

#endif
