/* SPDX-License-Identifier: Apache-2.0
 * output_folder - the list of files that the program has written. */
#include "replay/files/output_folder.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAMES_MAX = 1 << 20 };

static const char list_name[] = ".stormglass";
static const char heading[] = "# Files that stormglass wrote here and may replace.\n";

static bool find_file(struct output_folder *folder, const char *name)
{
    const int length = snprintf(folder->file, PATH_MAX, "%s/%s", folder->path, name);
    if (length >= 0 && length < PATH_MAX)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

static void remember_name(struct output_folder *folder, const char *name)
{
    folder->names =
        memory_grown(folder->names, folder->count, &folder->room, sizeof *folder->names);
    folder->names[folder->count++] = memory_text(name);
}

/* Returns false if the list belongs to another program or is too long. */
static bool read_names(struct output_folder *folder, FILE *list)
{
    char line[NAME_MAX + 2];
    if (fgets(line, sizeof line, list) == NULL || strcmp(line, heading) != 0)
        return false;
    while (fgets(line, sizeof line, list) != NULL) {
        const size_t length = strcspn(line, "\n");
        if (line[length] == '\0' || folder->count == NAMES_MAX)
            return false;
        line[length] = '\0';
        remember_name(folder, line);
    }
    return true;
}

static bool read_list(struct output_folder *folder)
{
    if (!find_file(folder, list_name))
        return false;
    const int descriptor = open(folder->file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0 && errno == ENOENT)
        return true;
    FILE *list = descriptor < 0 ? NULL : fdopen(descriptor, "r");
    const bool well = list != NULL && read_names(folder, list);
    if (list != NULL)
        fclose(list);
    if (!well)
        errno = EEXIST;
    return well;
}

bool output_folder_open(struct output_folder *folder, const char *path,
                        const struct output_inputs *inputs)
{
    struct stat there;
    *folder = (struct output_folder){.path = path, .inputs = inputs};
    snprintf(folder->file, PATH_MAX, "%s", path);
    if (mkdir(path, 0777) != 0) {
        if (errno != EEXIST || stat(path, &there) != 0)
            return false;
        if (!S_ISDIR(there.st_mode)) {
            errno = ENOTDIR;
            return false;
        }
    }
    return read_list(folder);
}

void output_folder_close(struct output_folder *folder)
{
    for (uint32_t i = 0; i < folder->count; i++)
        free(folder->names[i]);
    free(folder->names);
    folder->names = NULL;
    folder->count = 0;
}

static bool is_listed(const struct output_folder *folder, const char *name)
{
    for (uint32_t i = 0; i < folder->count; i++)
        if (strcmp(folder->names[i], name) == 0)
            return true;
    return false;
}

bool output_folder_may(struct output_folder *folder, const char *name)
{
    struct stat there;
    if (!find_file(folder, name))
        return false;
    if (lstat(folder->file, &there) != 0)
        return errno == ENOENT;
    if (S_ISREG(there.st_mode) && is_listed(folder, name))
        return true;
    errno = EEXIST;
    return false;
}

static bool add_to_list(struct output_folder *folder, const char *name)
{
    char path[PATH_MAX];
    if (is_listed(folder, name))
        return true;
    const int length = snprintf(path, sizeof path, "%s/%s", folder->path, list_name);
    if (length < 0 || length >= PATH_MAX)
        return false;
    const int descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    FILE *list = descriptor < 0 ? NULL : fdopen(descriptor, "a");
    if (list == NULL)
        return false;
    const bool empty = lseek(descriptor, 0, SEEK_END) == 0;
    const bool written = fprintf(list, "%s%s\n", empty ? heading : "", name) > 0;
    if (fclose(list) != 0 || !written)
        return false;
    remember_name(folder, name);
    return true;
}

bool output_folder_file(struct output_folder *folder, const char *name, struct output *output)
{
    return output_folder_may(folder, name) && add_to_list(folder, name) &&
           output_open(output, folder->file, folder->inputs);
}
