/* SPDX-License-Identifier: Apache-2.0
 * output_place - where the name of an output leads.
 * Symbolic links are followed to their end, also where nothing is there yet: what is written
 * replaces the file behind them, and they stay. */
#ifndef STORMGLASS_REPLAY_FILES_OUTPUT_PLACE_H
#define STORMGLASS_REPLAY_FILES_OUTPUT_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

/* What stands beside a database PATH, as PATH with one of these behind it: itself first, then what
 * SQLite writes, then the lock of its writer.  NULL ends them. */
extern const char *const output_suffixes[];
enum { OUTPUT_SUFFIX_JOURNAL = 3, OUTPUT_SUFFIX_LOCK = 4, OUTPUT_SUFFIX_BYTES = 16 };

enum output_place_kind {
    OUTPUT_OPEN,     /* open already: "-", /dev/stdout, /dev/fd/N */
    OUTPUT_IN_PLACE, /* a device, a FIFO: it is written to as it stands */
    OUTPUT_FILE      /* a regular file, there or not: it is replaced as a whole */
};

struct output_place {
    enum output_place_kind kind;
    int descriptor; /* OPEN */
    bool there;     /* FILE: it exists, */
    mode_t mode;    /* and has these permissions */
    char path[PATH_MAX];
};

/* `path` NULL: standard output.  False and errno: it is a directory, or not to be reached. */
bool output_place_find(struct output_place *place, const char *path);

/* Whether writing there would touch a file that is read: by name, by link or as the same file under
 * another name.  To a database belong its log, its journal, and what readers share. */
bool output_place_is_read(const struct output_place *place, const char *input);

#endif
