/* SPDX-License-Identifier: Apache-2.0
 * beside - a temporary file in the directory of the file that it will become.
 * For PATH/NAME it is PATH/.NAME.stormglass-XXXXXX with six random letters. Its creator keeps it
 * locked (flock) while the descriptor is open, so an unlocked file is left over from a killed
 * process, and the next process that creates a file for the same name removes it.
 * Owner: beside_take or beside_drop. Errors: errno. */
#ifndef STORMGLASS_REPLAY_FILES_BESIDE_H
#define STORMGLASS_REPLAY_FILES_BESIDE_H

#include "replay/files/litter.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

struct beside {
    int descriptor; /* open for writing and locked; -1: released */
    char path[PATH_MAX];
    struct litter litter;
};

/* Creates an empty file; its mode is `mode` less the umask. */
bool beside_create(struct beside *beside, const char *target, mode_t mode);

/* Closes the descriptor and so ends the lock. For files that SQLite writes: its own locks would
 * conflict on file systems that have only one kind. */
void beside_release(struct beside *beside);

/* Closes the file and renames it to `target`. Returns false, and removes it, on failure. */
bool beside_take(struct beside *beside, const char *target);

/* Closes and removes it; errno is preserved. */
void beside_drop(struct beside *beside);

#endif
