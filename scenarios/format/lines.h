/* SPDX-License-Identifier: Apache-2.0
 * lines - a text file line by line, for readers of what a tool printed.
 * Owner: the arena that is passed in. */
#ifndef STORMGLASS_SCENARIOS_FORMAT_LINES_H
#define STORMGLASS_SCENARIOS_FORMAT_LINES_H

#include "scenarios/format/tree.h"

struct lines {
    const struct tree_file *file;
    size_t next;
    int number;       /* of the line that was taken last, from 1 */
    const char *text; /* it, a NUL-terminated copy without its end */
    size_t length;
};

/* False after the last one.  Begins with a struct that has the file and is otherwise zero. */
bool lines_next(struct lines *lines, struct arena *arena);

/* `at` lies in the present line. */
struct diag_place lines_place(const struct lines *lines, const char *at, size_t width);

#endif
