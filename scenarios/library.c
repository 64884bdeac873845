/* SPDX-License-Identifier: Apache-2.0
 * library - embedded cases as scenarios. */
#include "scenarios/library.h"

#include "scenarios/embedded.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FILES_MAX = 64 };

static const char cases[] = "cases/", works[] = "works/";

/* The embedded file of that name ("pause-storm" or "pause-storm.yaml") in the folder, or NULL. */
static const struct embedded_file *find(const char *folder, const char *name)
{
    char wanted[128];
    const char *suffix = strstr(name, ".yaml") != NULL ? "" : ".yaml";
    snprintf(wanted, sizeof wanted, "%s%s%s", folder, name, suffix);
    for (const struct embedded_file *file = embedded_files; file->name != NULL; file++)
        if (strcmp(file->name, wanted) == 0)
            return file;
    return NULL;
}

/* Other files of the cases folder stand beside the scenario, as they do in the source tree. */
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
    const struct embedded_file *file = find(cases, name);
    return file != NULL ? file : find(works, name);
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

struct scenario *library_load(const char *name, const char *const *sets, uint32_t set_count,
                              struct diag *diag)
{
    const struct scenario_input input = {.name = name, .sets = sets, .set_count = set_count};
    const struct embedded_file *file = access(name, F_OK) == 0 ? NULL : find_case(name);
    return file != NULL ? load_case(file, &input, diag) : scenario_load(&input, diag);
}
