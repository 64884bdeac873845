/* SPDX-License-Identifier: Apache-2.0
 * near_file - names in a directory, in alphabetical order. */
#include "scenarios/format/near_file.h"

#include "base/nearest.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 10000 };

static int is_seen(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* True if the name is the wanted one plus an extension. */
static bool is_with_ending(const char *name, const char *wanted)
{
    const size_t length = strlen(wanted);
    return strncmp(name, wanted, length) == 0 && name[length] == '.' &&
           strchr(name + length + 1, '.') == NULL;
}

static struct near_file write_hint(const char *path, int folder, const char *name)
{
    struct near_file near = {""};
    if (folder + (int)strlen(name) < NEAR_FILE_BYTES - 32)
        snprintf(near.hint, sizeof near.hint, "; did you mean '%.*s%.255s'?", folder, path, name);
    return near;
}

/* If the wanted name has no extension, compares names without their extensions. */
static void offer(struct nearest *nearest, const char *name, bool without_ending)
{
    char stem[256];
    const char *dot = strrchr(name, '.');
    const size_t length = without_ending && dot != NULL ? (size_t)(dot - name) : strlen(name);
    snprintf(stem, sizeof stem, "%.*s", (int)(length < 255 ? length : 255), name);
    nearest_offer(nearest, stem);
}

/* NULL: no similar name. */
static const char *best_of(struct dirent **names, int count, const char *wanted)
{
    const bool without_ending = strchr(wanted, '.') == NULL;
    struct nearest nearest = nearest_to(wanted);
    const char *best = NULL;
    for (int i = 0; i < count && i < NAMES_MAX; i++) {
        const unsigned before = nearest.distance;
        if (is_with_ending(names[i]->d_name, wanted))
            return names[i]->d_name;
        offer(&nearest, names[i]->d_name, without_ending);
        if (nearest.distance < before)
            best = names[i]->d_name;
    }
    return best;
}

struct near_file near_file_to(const char *path)
{
    const char *slash = strrchr(path, '/'), *wanted = slash == NULL ? path : slash + 1;
    const int folder = (int)(wanted - path);
    char where[PATH_MAX];
    struct dirent **names = NULL;
    if (*wanted == '\0' || folder >= PATH_MAX)
        return (struct near_file){""};
    snprintf(where, sizeof where, "%.*s", folder == 0 ? 1 : folder, folder == 0 ? "." : path);
    const int count = scandir(where, &names, is_seen, alphasort);
    const char *best = best_of(names, count, wanted);
    const struct near_file near =
        best == NULL ? (struct near_file){""} : write_hint(path, folder, best);
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
    return near;
}
