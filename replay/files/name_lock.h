/* SPDX-License-Identifier: Apache-2.0
 * name_lock - one writer for a database's name.
 * The lock is on a file of its own, PATH-lock: the database's own file is replaced by its writer,
 * and its locks are SQLite's.  It ends with the process, however that ends; a file that a killed
 * process left is taken over by the next.  Readers need no lock.
 * Owner: name_lock_release.  Errors: errno, EWOULDBLOCK when another has it. */
#ifndef STORMGLASS_REPLAY_FILES_NAME_LOCK_H
#define STORMGLASS_REPLAY_FILES_NAME_LOCK_H

#include "replay/files/litter.h"

#include <limits.h>
#include <stdbool.h>

struct name_lock {
    int descriptor;
    char path[PATH_MAX];
    struct litter litter;
};

bool name_lock_take(struct name_lock *lock, const char *path);
void name_lock_release(struct name_lock *lock);

#endif
