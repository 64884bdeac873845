/* SPDX-License-Identifier: Apache-2.0
 * counts_files - reads one side of an incident: a file, or a directory with all its files. */
#include "base/memory.h"
#include "scenarios/counters/counts_private.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH_MAX = 8 };

struct files {
    const char **paths;
    size_t count;
};

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void complain(struct counts_reader *reader, const char *path, const char *text)
{
    const char *name = arena_text(reader->arena, path, strlen(path));
    diag_add(reader->diag, DIAG_ERROR, (struct diag_place){.file = name}, NULL, "%s", text);
}

/* Skips names that begin with a dot, as ls does. */
static void list_folder(struct counts_reader *reader, const char *path, int depth,
                        struct files *files)
{
    DIR *folder = opendir(path);
    if (folder == NULL || depth == DEPTH_MAX) {
        complain(reader, path, folder == NULL ? "the folder cannot be read" : "folders too deep");
        if (folder != NULL)
            closedir(folder);
        return;
    }
    const struct dirent *entry;
    while (!diag_failed(reader->diag) && (entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        const char *name = arena_format(reader->arena, "%s/%s", path, entry->d_name);
        if (is_folder(name)) {
            list_folder(reader, name, depth + 1, files);
        } else if (files->count == COUNTS_FILES_MAX) {
            complain(reader, path, "more than 4096 files");
        } else {
            const char **slot = arena_push(reader->arena, (void **)(void *)&files->paths,
                                           &files->count, sizeof *slot);
            *slot = name;
        }
    }
    closedir(folder);
}

static void note_left(const struct counts_reader *reader, const char *file, const char *why)
{
    fprintf(reader->notes, "%s: note: %s: left out\n", file, why);
}

static void read_one(struct counts_reader *reader, const struct counts_input *input)
{
    const struct tree_file *file;
    if (input->text == NULL)
        file = tree_read(reader->arena, input->name, reader->diag);
    else
        file = tree_hold(reader->arena, input->name,
                         arena_text(reader->arena, input->text, input->length), input->length);
    if (file != NULL && file->length >= 3 && memcmp(file->text, "\xef\xbb\xbf", 3) == 0)
        file = tree_hold(reader->arena, file->name, file->text + 3, file->length - 3);
    if (file != NULL && file->length > COUNTS_BYTES_MAX)
        complain(reader, input->name, "the file is larger than 8 MiB");
    else if (file != NULL && !(reader->in_folder && memchr(file->text, '\0', file->length) != NULL))
        counts_read_file(reader, file);
}

/* leaf0.txt belongs to host leaf0. So does pfc.txt in directory leaf0; counters without a port name
 * in eth0.txt there belong to leaf0:eth0. A copy of sysfs names its devices itself. */
static void name_host(struct counts_reader *reader, const char *folder, const char *path)
{
    const char *inner = path + strlen(folder);
    inner += strspn(inner, "/");
    const size_t length = strcspn(inner, "/");
    const char *stem = counts_file_port(reader->arena, path);
    const bool nested = inner[length] == '/';
    reader->port = stem;
    reader->host = nested ? counts_clean(reader->arena, inner, length) : stem;
    reader->file_device = nested ? stem : NULL;
    if (nested && strncmp(inner + length, "/ports/", 7) == 0)
        reader->host = reader->file_device = NULL;
}

static void read_folder(struct counts_reader *reader, const char *path)
{
    struct files files = {0};
    bool any = false;
    list_folder(reader, path, 0, &files);
    if (files.count > 1)
        qsort(files.paths, files.count, sizeof *files.paths, by_text);
    for (size_t i = 0; i < files.count && !diag_failed(reader->diag); i++) {
        const struct counts_input input = {.name = files.paths[i]};
        const size_t items = reader->list.count;
        name_host(reader, path, files.paths[i]);
        reader->in_folder = true;
        reader->recognized = false;
        read_one(reader, &input);
        if (reader->list.count == items && !reader->recognized)
            note_left(reader, files.paths[i], "no counters known to stormglass");
        any = any || reader->recognized;
    }
    reader->recognized = any;
}

static void tell_left(const struct counts_reader *reader)
{
    const struct diag_place *first = &reader->queue_place;
    if (reader->queues_left > 0)
        fprintf(reader->notes,
                "%s:%d:%d: note: rows left out because a run has no such queue: %u; the first is "
                "here\n",
                first->file, first->line, first->column, reader->queues_left);
}

bool counts_read(struct counts_reader *reader, const struct counts_input *input)
{
    if (input->text == NULL && is_folder(input->name))
        read_folder(reader, input->name);
    else
        read_one(reader, input);
    tell_left(reader);
    if (!diag_failed(reader->diag) && reader->list.count == 0 && !reader->recognized)
        complain(reader, input->name,
                 "expected counters: the output of ethtool -S, rdma statistic, nstat, hw_counters "
                 "of sysfs, or a switch's tables of PFC, queue or interface counters");
    return !diag_failed(reader->diag);
}
