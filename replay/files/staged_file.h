/* SPDX-License-Identifier: Apache-2.0
 * staged_file - a temporary file in the directory of the file that it will become.
 * For PATH/NAME it is PATH/.NAME.stormglass-XXXXXX with six random letters. Its creator keeps it
 * locked (flock) while the descriptor is open, so an unlocked file is left over from a killed
 * process, and the next process that creates a file for the same name removes it.
 * Owner: staged_file_commit or staged_file_discard. Errors: errno. */
#ifndef STORMGLASS_REPLAY_FILES_STAGED_FILE_H
#define STORMGLASS_REPLAY_FILES_STAGED_FILE_H

#include "replay/files/temporary_files.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

struct staged_file {
    int descriptor; /* open for writing and locked; -1: released */
    char path[PATH_MAX];
    struct temporary_file temporary;
};

/* Creates an empty file; its mode is `mode` less the umask. */
bool staged_file_create(struct staged_file *staged, const char *target, mode_t mode);

/* Closes the descriptor and so ends the lock. For files that SQLite writes: its own locks would
 * conflict on file systems that have only one kind. */
void staged_file_unlock(struct staged_file *staged);

/* Closes the file and renames it to `target`. Returns false, and removes it, on failure. */
bool staged_file_commit(struct staged_file *staged, const char *target);

/* Closes and removes it; errno is preserved. */
void staged_file_discard(struct staged_file *staged);

#endif
