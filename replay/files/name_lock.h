/* SPDX-License-Identifier: Apache-2.0
 * name_lock - allows only one writer for a database's name.
 * The lock is on a separate file, PATH-lock: the writer replaces the database file itself, and that
 * file's locks belong to SQLite. The lock ends with the process, however it ends; the next process
 * takes over a file left by a killed one. Readers need no lock.
 * Owner: name_lock_release. Errors: errno, EWOULDBLOCK if another process has the lock. */
#ifndef STORMGLASS_REPLAY_FILES_NAME_LOCK_H
#define STORMGLASS_REPLAY_FILES_NAME_LOCK_H

#include "replay/files/temporary_files.h"

#include <limits.h>
#include <stdbool.h>

struct name_lock {
    int descriptor;
    char path[PATH_MAX];
    struct temporary_file temporary;
};

bool name_lock_take(struct name_lock *lock, const char *path);
void name_lock_release(struct name_lock *lock);

#endif
