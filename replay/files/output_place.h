/* SPDX-License-Identifier: Apache-2.0
 * output_place - resolves the name of an output.
 * Symbolic links are followed to their end, even if nothing exists there yet: output replaces the
 * file behind the links, which are kept. */
#ifndef STORMGLASS_REPLAY_FILES_OUTPUT_PLACE_H
#define STORMGLASS_REPLAY_FILES_OUTPUT_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

/* Suffixes of the files that belong to database PATH: none for the database itself, then SQLite's
 * files, then the lock of its writer. NULL-terminated. */
extern const char *const output_suffixes[];
enum { OUTPUT_SUFFIX_JOURNAL = 3, OUTPUT_SUFFIX_LOCK = 4, OUTPUT_SUFFIX_BYTES = 16 };

enum output_place_kind {
    OUTPUT_OPEN,     /* already open: "-", /dev/stdout, /dev/fd/N */
    OUTPUT_IN_PLACE, /* device or FIFO: written in place */
    OUTPUT_FILE      /* regular file, existing or not: replaced as a whole */
};

struct output_place {
    enum output_place_kind kind;
    int descriptor; /* for OUTPUT_OPEN */
    bool there;     /* for OUTPUT_FILE: it exists, */
    mode_t mode;    /* and has these permissions */
    char path[PATH_MAX];
};

/* `path` NULL: standard output. Returns false and sets errno if it is a directory or
 * unreachable. */
bool output_place_find(struct output_place *place, const char *path);

/* Whether writing there would change an input file: by name, through a link, or as the same file
 * under another name. A database includes its log, journal and shared memory. */
bool output_place_is_read(const struct output_place *place, const char *input);

#endif
