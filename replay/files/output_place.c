/* SPDX-License-Identifier: Apache-2.0
 * output_place - follows links one by one. */
#include "replay/files/output_place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const output_suffixes[] = {"", "-wal", "-shm", "-journal", "-lock", NULL};

enum { LINKS_MAX = 40 };

/* The directory of a path with links resolved; false if it does not exist. */
static bool directory_of(const char *path, char directory[PATH_MAX])
{
    char text[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const int length = slash == NULL ? 0 : (int)(slash + 1 - path);
    snprintf(text, sizeof text, "%.*s", length, path);
    return realpath(length == 0 ? "." : text, directory) != NULL;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* /dev/fd/N and similar: the file behind it is open, and opening it by name would be a different
 * open file. */
static bool is_descriptor(const char *path, int *descriptor)
{
    char directory[PATH_MAX], own[PATH_MAX];
    const char *name = last_part(path);
    char *end;
    const long number = strtol(name, &end, 10);
    if (name[0] < '0' || name[0] > '9' || *end != '\0' || number > INT_MAX)
        return false;
    *descriptor = (int)number;
    return directory_of(path, directory) && realpath("/proc/self/fd", own) != NULL &&
           strcmp(directory, own) == 0;
}

/* Replaces the path of a symbolic link by its target. */
static bool follow_link(char path[PATH_MAX])
{
    char link[PATH_MAX], joined[2 * PATH_MAX];
    const ssize_t length = readlink(path, link, sizeof link - 1);
    if (length < 0)
        return false;
    link[length] = '\0';
    const int kept = link[0] == '/' ? 0 : (int)(last_part(path) - path);
    snprintf(joined, sizeof joined, "%.*s%s", kept, path, link);
    if (strlen(joined) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    strcpy(path, joined);
    return true;
}

/* The file does not exist: checks that it could be created under this name. */
static bool is_free(const struct output_place *place)
{
    const char *name = last_part(place->path);
    if (errno != ENOENT || name[0] != '\0')
        return errno == ENOENT;
    if (place->path[0] != '\0')
        errno = EISDIR;
    return false;
}

static bool find_kind(struct output_place *place, const struct stat *about)
{
    if (S_ISDIR(about->st_mode)) {
        errno = EISDIR;
        return false;
    }
    place->there = S_ISREG(about->st_mode);
    place->kind = place->there ? OUTPUT_FILE : OUTPUT_IN_PLACE;
    place->mode = about->st_mode & 0777;
    return true;
}

bool output_place_find(struct output_place *place, const char *path)
{
    struct stat about;
    *place = (struct output_place){.kind = OUTPUT_OPEN, .descriptor = STDOUT_FILENO};
    if (path == NULL || strcmp(path, "-") == 0)
        return true;
    if (strlen(path) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    strcpy(place->path, path);
    for (int i = 0; i < LINKS_MAX; i++) {
        if (is_descriptor(place->path, &place->descriptor))
            return true;
        place->kind = OUTPUT_FILE;
        if (lstat(place->path, &about) != 0)
            return is_free(place);
        if (!S_ISLNK(about.st_mode))
            return find_kind(place, &about);
        place->kind = OUTPUT_OPEN;
        if (!follow_link(place->path))
            return false;
    }
    errno = ELOOP;
    return false;
}

/* ------------------------------------------------------------------ input files */

/* The same file, under whatever name. */
static bool is_same_file(const struct stat *written, const char *input)
{
    struct stat read;
    return S_ISREG(written->st_mode) && stat(input, &read) == 0 && read.st_dev == written->st_dev &&
           read.st_ino == written->st_ino;
}

/* Compares names only, because neither file may exist yet: a database's log comes and goes. */
static bool is_same_name(const char *written, const char *input)
{
    char of_written[PATH_MAX], of_input[PATH_MAX];
    return strcmp(last_part(written), last_part(input)) == 0 && directory_of(written, of_written) &&
           directory_of(input, of_input) && strcmp(of_written, of_input) == 0;
}

static bool is_same(const struct output_place *place, const char *input)
{
    struct stat written;
    if (place->kind == OUTPUT_IN_PLACE)
        return false;
    if (place->kind == OUTPUT_OPEN)
        return fstat(place->descriptor, &written) == 0 && is_same_file(&written, input);
    return is_same_name(place->path, input) ||
           (stat(place->path, &written) == 0 && is_same_file(&written, input));
}

bool output_place_is_read(const struct output_place *place, const char *input)
{
    struct output_place read;
    char path[PATH_MAX + OUTPUT_SUFFIX_BYTES];
    if (output_place_find(&read, input) && read.kind == OUTPUT_FILE)
        input = read.path;
    for (const char *const *suffix = output_suffixes; *suffix != NULL; suffix++) {
        snprintf(path, sizeof path, "%s%s", input, *suffix);
        if (is_same(place, path))
            return true;
        snprintf(path, sizeof path, "%s%s", place->path, *suffix);
        if (place->kind == OUTPUT_FILE && is_same_name(path, input))
            return true;
    }
    return false;
}
