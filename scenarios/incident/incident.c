/* SPDX-License-Identifier: Apache-2.0
 * incident - files and folders. */
#include "scenarios/incident/incident.h"

#include "base/memory.h"
#include "scenarios/data/scenario.h"
#include "scenarios/incident/incident_private.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH_MAX = 12 };

struct paths {
    const char **list;
    size_t count;
};

static void complain(struct incident_reader *reader, const char *path, const char *text)
{
    diag_add(reader->diag, DIAG_ERROR, (struct diag_place){.file = path}, NULL, "%s", text);
}

void incident_note(const struct incident_reader *reader, struct diag_place place,
                   const char *format, ...)
{
    va_list args;
    fputs(place.file == NULL ? "-" : place.file, reader->notes);
    if (place.line > 0)
        fprintf(reader->notes, ":%d:%d", place.line, place.column > 0 ? place.column : 1);
    fputs(": note: ", reader->notes);
    va_start(args, format);
    vfprintf(reader->notes, format, args);
    va_end(args);
    fputc('\n', reader->notes);
}

void incident_note_errors(const struct incident_reader *reader, const struct diag *diag)
{
    for (int i = 0; i < diag->count; i++) {
        const struct diag_message *message = &diag->messages[i];
        if (message->level != DIAG_ERROR)
            continue;
        struct diag_place place = message->place;
        place.file = message->file;
        incident_note(reader, place, "%s", message->text);
    }
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names that begin with a dot are left out, as ls does. */
static void list_folder(struct incident_reader *reader, const char *path, int depth,
                        struct paths *paths)
{
    DIR *folder = opendir(path);
    if (folder == NULL || depth == DEPTH_MAX) {
        complain(reader, path, folder == NULL ? "the folder cannot be read" : "folders too deep");
        reader->incident->is_unreadable = folder == NULL;
        if (folder != NULL)
            closedir(folder);
        return;
    }
    const struct dirent *entry;
    while (!diag_failed(reader->diag) && (entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        const size_t length = strlen(path);
        const char *between = length > 0 && path[length - 1] == '/' ? "" : "/";
        const char *name = arena_format(reader->arena, "%s%s%s", path, between, entry->d_name);
        if (is_folder(name)) {
            list_folder(reader, name, depth + 1, paths);
        } else if (paths->count == INCIDENT_FILES_MAX) {
            complain(reader, path, "more than 20000 files");
        } else {
            const char **slot = arena_push(reader->arena, (void **)(void *)&paths->list,
                                           &paths->count, sizeof *slot);
            *slot = name;
        }
    }
    closedir(folder);
}

static void read_path(struct incident_reader *reader, const char *path, const char *within)
{
    if (!incident_past_opens(reader, path))
        return;
    const struct tree_file *file = tree_read(reader->arena, path, reader->diag);
    reader->incident->is_unreadable = file == NULL;
    if (file != NULL && !incident_past_begins(reader, file))
        return;
    if (file != NULL && file->length >= 3 && memcmp(file->text, "\xef\xbb\xbf", 3) == 0)
        file = tree_hold(reader->arena, file->name, file->text + 3, file->length - 3);
    if (file == NULL)
        return;
    incident_read_file(reader, file, within);
    incident_past_ends(reader, &reader->incident->files[reader->incident->file_count - 1]);
}

/* A file's own name says whose it is; where that has only words of commands, its folder does. */
static void read_operand(struct incident_reader *reader, const char *path)
{
    if (!is_folder(path)) {
        const char *base = strrchr(path, '/');
        base = base == NULL ? path : base + 1;
        const struct incident_name name = incident_name(reader->arena, base);
        const char *within = base;
        for (const char *at = base; strcmp(name.host, "unknown") == 0 && at > path + 1;) {
            for (at--; at > path && at[-1] != '/';)
                at--;
            within = at;
            break;
        }
        read_path(reader, path, within);
        return;
    }
    struct paths paths = {0};
    list_folder(reader, path, 0, &paths);
    if (paths.count > 1)
        qsort(paths.list, paths.count, sizeof *paths.list, by_text);
    for (size_t i = 0; i < paths.count && !diag_failed(reader->diag); i++)
        read_path(reader, paths.list[i], paths.list[i] + strlen(path));
}

/* ---- hosts ---- */

static void add_host(struct incident *incident, const char *host)
{
    const char **slot = arena_push(&incident->arena, (void **)(void *)&incident->hosts,
                                   &incident->host_count, sizeof *slot);
    *slot = host;
}

static void list_hosts(struct incident *incident)
{
    for (size_t i = 0; i < incident->count_count; i++)
        if (i == 0 || strcmp(incident->counts[i].host, incident->counts[i - 1].host) != 0)
            add_host(incident, incident->counts[i].host);
    for (size_t i = 0; i < incident->event_count; i++)
        add_host(incident, incident->events[i].host);
    if (incident->host_count > 1)
        qsort(incident->hosts, incident->host_count, sizeof *incident->hosts, by_text);
    size_t kept = incident->host_count > 0;
    for (size_t i = 1; i < incident->host_count; i++)
        if (strcmp(incident->hosts[i], incident->hosts[kept - 1]) != 0)
            incident->hosts[kept++] = incident->hosts[i];
    incident->host_count = kept;
}

bool incident_read(struct incident *incident, const struct incident_ask *ask, struct diag *diag)
{
    size_t size;
    *incident = (struct incident){.scenario = ask->fabric};
    struct incident_reader reader = {.incident = incident,
                                     .arena = &incident->arena,
                                     .diag = diag,
                                     .past = ask->past,
                                     .notes = memory_stream(&incident->notes, &size)};
    if (ask->past != NULL)
        incident_past_start(&reader);
    for (size_t i = 0; i < ask->path_count && !diag_failed(diag); i++)
        read_operand(&reader, ask->paths[i]);
    for (size_t i = 0; i < ask->text_count && !diag_failed(diag); i++) {
        const struct incident_text *text = &ask->texts[i];
        reader.old_numbers = reader.old_messages = 0;
        incident->changed++;
        char *copy = arena_text(&incident->arena, text->text, text->length);
        const struct tree_file *file = tree_hold(&incident->arena, text->name, copy, text->length);
        incident_read_file(&reader, file, text->name);
    }
    if (!diag_failed(diag)) {
        incident_make_counts(&reader);
        incident_past_finish(&reader);
        incident_host_sort(incident);
        incident_make_fabric(&reader);
        list_hosts(incident);
    }
    memory_stream_end(reader.notes);
    return !diag_failed(diag);
}

void incident_free(struct incident *incident)
{
    scenario_free(incident->scenario);
    free(incident->scenario_text);
    free(incident->notes);
    arena_free(&incident->arena);
    *incident = (struct incident){0};
}

const struct incident_count *incident_find(const struct incident *incident, const char *host,
                                           const char *port, const char *name, int priority)
{
    for (size_t first = 0, end = incident->count_count; first < end;) {
        const size_t middle = first + (end - first) / 2;
        const struct incident_count *count = &incident->counts[middle];
        int order = strcmp(count->host, host);
        order = order != 0 ? order : strcmp(count->port, port);
        order = order != 0 ? order : strcmp(count->name, name);
        order = order != 0 ? order : count->priority - priority;
        if (order == 0)
            return count;
        if (order < 0)
            first = middle + 1;
        else
            end = middle;
    }
    return NULL;
}
