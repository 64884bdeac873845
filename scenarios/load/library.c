/* SPDX-License-Identifier: Apache-2.0
 * library - loads the embedded scenarios of cases/, works/, lessons/ and claims/. */
#include "scenarios/load/library.h"

#include "base/memory.h"
#include "base/nearest.h"
#include "scenarios/embedded.h"
#include "scenarios/format/near_file.h"
#include "scenarios/load/load.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES_MAX = 64, NAME_BYTES = 128 };

static const char cases[] = "cases/";
static const char *const folders[] = {"cases/", "works/", "lessons/", "claims/"};

enum { FOLDERS = sizeof folders / sizeof folders[0] };

/* Finds an embedded file by name ("pause-storm" or "pause-storm.yaml") in a directory; NULL:
 * none. */
static const struct embedded_file *find_embedded(const char *folder, const char *name)
{
    char wanted[128];
    const char *suffix = strstr(name, ".yaml") != NULL ? "" : ".yaml";
    snprintf(wanted, sizeof wanted, "%s%s%s", folder, name, suffix);
    for (const struct embedded_file *file = embedded_files; file->name != NULL; file++)
        if (strcmp(file->name, wanted) == 0)
            return file;
    return NULL;
}

/* Other files of the cases directory are in the same directory as the case, as in the source
 * tree. */
static uint32_t files_beside(struct scenario_source files[FILES_MAX])
{
    uint32_t count = 0;
    for (const struct embedded_file *file = embedded_files; file->name != NULL; file++) {
        if (strncmp(file->name, cases, strlen(cases)) != 0 || count == FILES_MAX)
            continue;
        files[count++] = (struct scenario_source){file->name + strlen(cases),
                                                  (const char *)file->bytes, file->length};
    }
    return count;
}

static const struct embedded_file *find_case(const char *name)
{
    const struct embedded_file *file = NULL;
    for (int i = 0; file == NULL && i < FOLDERS; i++)
        file = find_embedded(folders[i], name);
    return file;
}

static struct scenario *load_case(const struct embedded_file *file,
                                  const struct scenario_input *input, struct diag *diag)
{
    struct scenario_source files[FILES_MAX];
    struct scenario_input from = *input;
    from.name = strchr(file->name, '/') + 1;
    from.text = (const char *)file->bytes;
    from.length = file->length;
    from.files = files;
    from.file_count = files_beside(files);
    return scenario_load(&from, diag);
}

/* The name of an embedded scenario, "pause-storm"; false: not one of them. */
static bool read_stem(const char *file, const char *folder, char *stem, size_t size)
{
    const char *end = strstr(file, ".yaml");
    const size_t skip = strlen(folder);
    if (end == NULL || strncmp(file, folder, skip) != 0)
        return false;
    snprintf(stem, size, "%.*s", (int)(end - file - (ptrdiff_t)skip), file + skip);
    return true;
}

/* The name is neither a file nor a case, usually because a case's name is misspelled. */
static void unknown_name(const char *name, const char *why, struct diag *diag)
{
    char wanted[NAME_BYTES], stem[NAME_BYTES];
    const char *end = strstr(name, ".yaml");
    snprintf(wanted, sizeof wanted, "%.*s", end == NULL ? NAME_BYTES : (int)(end - name), name);
    struct nearest nearest = nearest_to(wanted);
    for (const struct embedded_file *file = embedded_files; file->name != NULL; file++)
        for (int i = 0; i < FOLDERS; i++)
            if (read_stem(file->name, folders[i], stem, sizeof stem))
                nearest_offer(&nearest, stem);
    const struct near_file file = near_file_to(name);
    diag_add(diag, DIAG_ERROR, (struct diag_place){.file = name}, NULL,
             "%s, and there is no such case%s", why,
             nearest.best[0] != '\0' ? nearest_hint(&nearest).text
             : file.hint[0] != '\0'  ? file.hint
                                     : "; see stormglass list cases");
}

struct scenario *library_load(const char *name, const char *const *sets, uint32_t set_count,
                              struct diag *diag)
{
    struct scenario_source files[FILES_MAX];
    const struct scenario_input input = {.name = name,
                                         .files = files,
                                         .file_count = files_beside(files),
                                         .sets = sets,
                                         .set_count = set_count};
    if (strcmp(name, "-") == 0 || access(name, F_OK) == 0)
        return scenario_load(&input, diag);
    const int reason = errno;
    const struct embedded_file *file = find_case(name);
    if (file != NULL)
        return load_case(file, &input, diag);
    if (reason != ENOENT || strchr(name, '/') != NULL)
        return scenario_load(&input, diag);
    unknown_name(name, strerror(reason), diag);
    return NULL;
}

struct scenario *library_load_text(const struct scenario_source *source, const char *const *sets,
                                   uint32_t set_count, struct diag *diag)
{
    struct scenario_source files[FILES_MAX];
    const struct scenario_input input = {.name = source->name,
                                         .text = source->text,
                                         .length = source->length,
                                         .files = files,
                                         .file_count = files_beside(files),
                                         .sets = sets,
                                         .set_count = set_count};
    return scenario_load(&input, diag);
}

struct scenario *library_load_again(const struct scenario *scenario, const char *const *sets,
                                    uint32_t set_count, struct diag *diag)
{
    const uint32_t own = scenario->set_count;
    const char **all = memory_zeroed((size_t)own + set_count + 1, sizeof *all);
    for (uint32_t i = 0; i < own + set_count; i++)
        all[i] = i < own ? scenario->sets[i] : sets[i - own];
    const struct scenario_input input = {
        .name = scenario->sources[0].name,
        .text = scenario->sources[0].text,
        .length = scenario->sources[0].length,
        .files = scenario->sources,
        .file_count = scenario->source_count,
        .sets = all,
        .set_count = own + set_count,
    };
    struct scenario *again = scenario_load(&input, diag);
    free(all);
    return again;
}

bool library_has(const char *name)
{
    return find_case(name) != NULL;
}

const char *library_beside(struct arena *arena, const char *file, const char *name)
{
    const char *beside = tree_beside(arena, file, name);
    return access(beside, F_OK) != 0 && find_case(name) != NULL ? name : beside;
}
