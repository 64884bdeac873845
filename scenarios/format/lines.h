/* SPDX-License-Identifier: Apache-2.0
 * lines - reads a text file line by line, for readers of tool output.
 * Owner: the arena that is passed in. */
#ifndef STORMGLASS_SCENARIOS_FORMAT_LINES_H
#define STORMGLASS_SCENARIOS_FORMAT_LINES_H

#include "scenarios/format/tree.h"

struct lines {
    const struct tree_file *file;
    size_t next;
    int number;       /* number of the current line, from 1 */
    const char *text; /* the current line, NUL-terminated, without its line end */
    size_t length;
};

/* Reads the next line; false after the last one. To start, pass a struct with the file set and
 * everything else zero. */
bool lines_next(struct lines *lines, struct arena *arena);

/* `at` points into the current line. */
struct diag_place lines_place(const struct lines *lines, const char *at, size_t width);

#endif
