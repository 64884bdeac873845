/* SPDX-License-Identifier: Apache-2.0
 * beside - a file under a name of its own, in the directory of the one that it is to become.
 * For PATH/NAME it is PATH/.NAME.stormglass-XXXXXX, six letters that no other file has.  Its maker
 * holds it locked (flock) as long as it has the descriptor, so what is found there without a lock
 * was left by a process that was killed: the next maker for that name removes it.
 * Owner: beside_take or beside_drop.  Errors: errno. */
#ifndef STORMGLASS_REPLAY_FILES_BESIDE_H
#define STORMGLASS_REPLAY_FILES_BESIDE_H

#include "replay/files/litter.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

struct beside {
    int descriptor; /* to write to; locked; -1: released */
    char path[PATH_MAX];
    struct litter litter;
};

/* Empty; its mode is `mode` less the umask. */
bool beside_create(struct beside *beside, const char *target, mode_t mode);

/* Ends the lock, and writing by the descriptor: for what SQLite writes, whose own locks these would
 * meet where a file system has only one kind. */
void beside_release(struct beside *beside);

/* Closes the file and gives it the name `target`.  False: it is removed instead. */
bool beside_take(struct beside *beside, const char *target);

/* Closes and removes it; errno stays. */
void beside_drop(struct beside *beside);

#endif
