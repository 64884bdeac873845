/* SPDX-License-Identifier: Apache-2.0
 * staged_file - temporary files: create, lock, rename. */
#include "replay/files/staged_file.h"

#include "replay/files/output_place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

/* Truncates a long name so that the temporary name is not too long for a directory. */
enum { LETTERS = 6, TRIES = 100, NAME_KEPT = NAME_MAX - 32 };

/* The path without the random letters, "DIR/.NAME.stormglass-", and the start of its last
 * component. */
static bool make_stem(const char *target, char stem[PATH_MAX], size_t *name)
{
    const char *slash = strrchr(target, '/');
    *name = slash == NULL ? 0 : (size_t)(slash + 1 - target);
    const int length = snprintf(stem, PATH_MAX - LETTERS, "%.*s.%.*s.stormglass-", (int)*name,
                                target, NAME_KEPT, target + *name);
    if (length >= 0 && length < PATH_MAX - LETTERS)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

static bool is_of(const char *stem, const char *name)
{
    const size_t length = strlen(stem);
    return strncmp(name, stem, length) == 0 && strlen(name) == length + LETTERS;
}

/* Removes SQLite's journal files first; without the database they would be orphans. */
static void remove_with_journal(const char *path)
{
    char name[PATH_MAX + OUTPUT_SUFFIX_BYTES];
    for (int i = OUTPUT_SUFFIX_JOURNAL; i >= 0; i--) {
        snprintf(name, sizeof name, "%s%s", path, output_suffixes[i]);
        unlink(name);
    }
}

/* Removes a file that no process has locked. */
static void remove_left(const char *path)
{
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    const int descriptor = open(path, flags);
    struct stat about;
    if (descriptor < 0)
        return;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 && fstat(descriptor, &about) == 0 &&
        S_ISREG(about.st_mode))
        remove_with_journal(path);
    close(descriptor);
}

static void remove_what_was_left(const char *stem, size_t name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s", (int)name, stem);
    DIR *directory = opendir(name == 0 ? "." : path);
    if (directory == NULL)
        return;
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (!is_of(stem + name, entry->d_name))
            continue;
        snprintf(path + name, sizeof path - name, "%s", entry->d_name);
        remove_left(path);
    }
    closedir(directory);
}

static bool choose_letters(char *letters)
{
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz234567";
    uint8_t bytes[LETTERS];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (int i = 0; i < LETTERS; i++)
        letters[i] = alphabet[bytes[i] % (sizeof alphabet - 1)];
    letters[LETTERS] = '\0';
    return true;
}

/* Between creation and lock, another process may take the file for a stale one: checks that it
 * still exists. On a file system without locks, stale files stay. */
static bool lock_staged_file(const struct staged_file *staged)
{
    struct stat about;
    if (flock(staged->descriptor, LOCK_EX) != 0)
        return true;
    return fstat(staged->descriptor, &about) == 0 && about.st_nlink > 0;
}

/* Creates the file with unused random letters; errno on failure. */
static bool make_staged_file(struct staged_file *staged, mode_t mode)
{
    char *letters = staged->path + strlen(staged->path);
    for (int i = 0; i < TRIES; i++) {
        if (!choose_letters(letters))
            return false;
        staged->descriptor = open(staged->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (staged->descriptor < 0 && errno != EEXIST)
            return false;
        if (staged->descriptor >= 0 && lock_staged_file(staged))
            return true;
        if (staged->descriptor >= 0)
            close(staged->descriptor);
    }
    errno = EEXIST;
    return false;
}

bool staged_file_create(struct staged_file *staged, const char *target, mode_t mode)
{
    size_t name;
    sigset_t former;
    if (!make_stem(target, staged->path, &name))
        return false;
    remove_what_was_left(staged->path, name);
    temporary_files_block_signals(&former);
    const bool made = make_staged_file(staged, mode);
    if (made)
        temporary_files_add(&staged->temporary, staged->path);
    temporary_files_restore_signals(&former);
    return made;
}

void staged_file_unlock(struct staged_file *staged)
{
    if (staged->descriptor >= 0)
        close(staged->descriptor);
    staged->descriptor = -1;
}

bool staged_file_commit(struct staged_file *staged, const char *target)
{
    if (rename(staged->path, target) != 0) {
        staged_file_discard(staged);
        return false;
    }
    temporary_files_remove(&staged->temporary);
    staged_file_unlock(staged);
    return true;
}

void staged_file_discard(struct staged_file *staged)
{
    const int why = errno;
    unlink(staged->path);
    temporary_files_remove(&staged->temporary);
    staged_file_unlock(staged);
    errno = why;
}
