/* SPDX-License-Identifier: Apache-2.0
 * output - what a command writes besides standard output.
 * A file is there whole or not at all: it is written beside and renamed, and what was there before
 * stays until then.  What is no regular file is written in place: a device, a FIFO, a terminal.
 * "-", and no name, are standard output.  A symbolic link stays one.
 * Databases are written by SQLite (store.h); their names obey the same rules, except that there is
 * no database on standard output.
 * Owner: output_end, which is due when output_open was true.  Errors: errno. */
#ifndef STORMGLASS_REPLAY_FILES_OUTPUT_H
#define STORMGLASS_REPLAY_FILES_OUTPUT_H

#include "replay/files/beside.h"
#include "replay/files/output_place.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { OUTPUT_WHY_BYTES = 512 };

/* The files that a command reads: it must not write them. */
struct output_inputs {
    const char *const *paths; /* NULL among them are none */
    size_t count;
};

struct output {
    FILE *out;
    struct output_place place;
    struct beside beside; /* of a FILE */
    int descriptor;
    int error; /* errno of the first write that failed; 0: none has */
};

/* False, and a sentence that names it: `path` is one of what is read, or belongs to such a
 * database.  `path` NULL: standard output. */
bool output_is_apart(const char *path, const struct output_inputs *inputs,
                     char why[OUTPUT_WHY_BYTES]);

/* False, and EBUSY: it is not apart from what is read; else what the system says. */
bool output_open(struct output *output, const char *path, const struct output_inputs *inputs);

/* `well`: what was to be written is.  Then true when it is where it should be.  Otherwise nothing
 * is left of a file, and errno is that of what failed first. */
bool output_end(struct output *output, bool well);

/* Whether output_open could give a file; leaves nothing behind.  For what takes minutes first. */
bool output_is_possible(const char *path);

#endif
