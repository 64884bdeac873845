/* SPDX-License-Identifier: Apache-2.0
 * notes - reports what an import leaves out or maps differently, each with its place.
 * Lines "FILE:LINE:COLUMN: note: sentence" go to standard error and into the comments of the
 * output. Owner: the arena in the struct; everything else is initially zero. */
#ifndef STORMGLASS_SCENARIOS_IMPORT_NOTES_H
#define STORMGLASS_SCENARIOS_IMPORT_NOTES_H

#include "scenarios/format/arena.h"
#include "scenarios/format/diag.h"

#include <stdarg.h>
#include <stdio.h>

struct notes {
    struct arena *arena;
    const char **lines; /* without line ends */
    size_t count;
};

void notes_add(struct notes *notes, struct diag_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void notes_add_list(struct notes *notes, struct diag_place place, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

/* Text that is safe in a note or a comment: printable ASCII, cut to a reasonable length. */
const char *notes_clean(struct arena *arena, const char *text);

/* Prints each line with the prefix `before`. */
void notes_print(const struct notes *notes, const char *before, FILE *out);

#endif
