/* SPDX-License-Identifier: Apache-2.0
 * name_lock - a lock file that its owner removes while holding the lock.
 * A process that waited to open a file that is being removed would lock a file without a name.
 * After locking it therefore checks that the name still refers to its file, and starts over if
 * not. */
#include "replay/files/name_lock.h"

#include "replay/files/output_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Another user's lock file may be read-only, which is enough. */
static int open_lock(const char *path)
{
    const int flags = O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    const int descriptor = open(path, O_RDWR | flags, 0666);
    return descriptor < 0 && errno == EACCES ? open(path, O_RDONLY | flags, 0666) : descriptor;
}

static bool is_named(const struct name_lock *lock, struct stat *about)
{
    struct stat named;
    return fstat(lock->descriptor, about) == 0 && lstat(lock->path, &named) == 0 &&
           named.st_dev == about->st_dev && named.st_ino == about->st_ino;
}

/* Locks the file of that name if it is free; otherwise sets errno. */
static bool lock_file(struct name_lock *lock)
{
    struct stat about;
    for (;;) {
        lock->descriptor = open_lock(lock->path);
        if (lock->descriptor < 0)
            return false;
        /* on a file system without locks, other writers cannot be detected */
        const bool taken = flock(lock->descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
        const bool named = taken && is_named(lock, &about);
        if (named)
            return true;
        close(lock->descriptor);
        errno = EWOULDBLOCK;
        if (!taken)
            return false;
    }
}

bool name_lock_take(struct name_lock *lock, const char *path)
{
    const char *suffix = output_suffixes[OUTPUT_SUFFIX_LOCK];
    sigset_t former;
    if (snprintf(lock->path, sizeof lock->path, "%s%s", path, suffix) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    temporary_files_block_signals(&former);
    const bool taken = lock_file(lock);
    if (taken)
        temporary_files_add(&lock->temporary, lock->path);
    temporary_files_restore_signals(&former);
    return taken;
}

void name_lock_release(struct name_lock *lock)
{
    struct stat about;
    if (is_named(lock, &about) && S_ISREG(about.st_mode) && about.st_size == 0)
        unlink(lock->path);
    temporary_files_remove(&lock->temporary);
    close(lock->descriptor);
}
