/* SPDX-License-Identifier: Apache-2.0
 * output - output of a command to a file or standard output.
 * A file is written completely or not at all: output goes to a temporary file that is then renamed,
 * and a previous file stays until then. Devices, FIFOs and terminals are written in place. "-" or
 * no name is standard output. Symbolic links are followed and kept. Databases are written by SQLite
 * (store.h); their names follow the same rules, except that there is no database on standard
 * output.
 * Owner: output_end, required after output_open returned true. Errors: errno. */
#ifndef STORMGLASS_REPLAY_FILES_OUTPUT_H
#define STORMGLASS_REPLAY_FILES_OUTPUT_H

#include "replay/files/output_place.h"
#include "replay/files/staged_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { OUTPUT_WHY_BYTES = 512 };

/* The files that a command reads; it must not overwrite them. */
struct output_inputs {
    const char *const *paths; /* NULL entries are ignored */
    size_t count;
};

struct output {
    FILE *out;
    struct output_place place;
    struct staged_file beside; /* only for regular files */
    int descriptor;
    int error; /* errno of the first failed write; 0: none */
};

/* False and a message that names it if `path` is one of the inputs or belongs to an input database.
 * `path` NULL: standard output. */
bool output_is_apart(const char *path, const struct output_inputs *inputs,
                     char why[OUTPUT_WHY_BYTES]);

/* False with EBUSY if the file is one of the inputs, otherwise with the system's error. */
bool output_open(struct output *output, const char *path, const struct output_inputs *inputs);

/* `well`: the caller wrote everything that it intended to. Returns true if the file is complete and
 * in place. Otherwise removes it and sets errno to the first error. */
bool output_end(struct output *output, bool well);

/* Whether output_open could create the file; leaves nothing behind. Call it before a computation of
 * minutes. */
bool output_is_possible(const char *path);

#endif
