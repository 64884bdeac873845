/* SPDX-License-Identifier: Apache-2.0
 * diag - messages about input files, with their place.
 * Format: `FILE:LINE:COLUMN: error: sentence`, the line, and a caret under the place. Up to
 * DIAG_MAX messages are collected in one pass, so that a user can fix all errors of a file at once.
 * Nothing is printed before diag_print. */
#ifndef STORMGLASS_SCENARIOS_FORMAT_DIAG_H
#define STORMGLASS_SCENARIOS_FORMAT_DIAG_H

#include <stdbool.h>
#include <stdio.h>

enum { DIAG_MAX = 20, DIAG_TEXT_BYTES = 512, DIAG_FILE_BYTES = 256 };

struct diag_place {
    const char *file; /* NULL: no file; a message keeps a copy of the name */
    int line, column; /* from 1; 0: the whole file */
    int width;        /* columns under the caret line, at least 1 */
};

enum diag_level { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };
const char *diag_level_name(enum diag_level level);

struct diag_message {
    enum diag_level level;
    struct diag_place place;    /* its file name may dangle after the input was freed ... */
    char file[DIAG_FILE_BYTES]; /* ... so this is a copy of the name; empty: no file */
    char text[DIAG_TEXT_BYTES];
    char snippet[DIAG_TEXT_BYTES]; /* the line of the file; may be empty */
};

struct diag {
    struct diag_message messages[DIAG_MAX];
    int count;  /* number of kept messages */
    int errors; /* number of errors, including those beyond DIAG_MAX */
};

/* `line_text` (may be NULL) is the source line for the snippet. */
void diag_add(struct diag *diag, enum diag_level level, struct diag_place place,
              const char *line_text, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Warnings and notes do not make a file invalid. */
static inline bool diag_failed(const struct diag *diag)
{
    return diag->errors > 0;
}

/* Text of the first error; `otherwise` if there is none. */
const char *diag_error(const struct diag *diag, const char *otherwise);

/* Suppresses the printing of warnings and notes from now on, for all diags. */
void diag_only_errors(void);

void diag_print(const struct diag *diag, FILE *out);

#endif
