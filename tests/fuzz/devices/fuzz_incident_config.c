/* SPDX-License-Identifier: Apache-2.0
 * fuzz_incident_config - any bytes as the config_db.json of a switch.  The place of each setting
 * that triage compares is one of a member of that name, of its row or its table, or the beginning.
 * Reads: scenarios/incident/incident_config.c scenarios/format/json_tree.c */
#include "base/check.h"
#include "scenarios/format/tree.h"
#include "scenarios/incident/incident.h"
#include "tests/fuzz/token_mutator.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const settings[][2] = {
#define SETTING(of, compared, row, table, field) {table, field},
#include "replay/incident/triage_config.def"
#undef SETTING
};

static const char *const rows[] = {NULL, "Ethernet0", "Ethernet4", "AZURE"};

/* Whether the file has that name, in quotes, at the place.  Columns count characters, so that only
 * lines of ASCII can be compared. */
static bool is_at(const struct tree_file *file, struct diag_place place, const char *name)
{
    const char *line = tree_line(file, place.line);
    CHECK(line != NULL);
    for (const char *at = line; at < line + place.column; at++)
        if ((unsigned char)*at > 127)
            return true;
    const char *at = line + place.column - 1;
    return name != NULL && *at == '"' && strncmp(at + 1, name, strlen(name)) == 0 &&
           at[1 + strlen(name)] == '"';
}

static void check_places(const struct tree_file *file, size_t size,
                         const struct incident_config *config)
{
    const bool has_escapes =
        memchr(file->text, '\\', size) != NULL; /* names that are written otherwise */
    for (size_t i = 0; i < sizeof settings / sizeof settings[0] && !has_escapes; i++)
        for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
            const char *table = settings[i][0], *field = settings[i][1];
            const struct diag_place place = incident_config_place(config, table, rows[k], field);
            CHECK(strcmp(place.file, file->name) == 0 && place.line > 0 && place.column > 0);
            CHECK(is_at(file, place, field) || is_at(file, place, rows[k]) ||
                  is_at(file, place, table) ||
                  tree_line(file, place.line)[place.column - 1] == '{');
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct diag diag;
    struct arena arena = {0};
    struct incident incident;
    const char *text = size == 0 ? "" : (const char *)data;
    const struct incident_text texts[] = {{"config.json", text, size}};
    const struct incident_ask ask = {.texts = texts, .text_count = 1};
    const struct tree_file *file = tree_hold(&arena, "config.json", text, size);
    diag = (struct diag){0};
    if (incident_read(&incident, &ask, &diag))
        for (size_t i = 0; i < incident.config_count; i++) {
            CHECK(incident_config(&incident, incident.configs[i].host) == &incident.configs[i]);
            check_places(file, size, &incident.configs[i]);
        }
    incident_free(&incident);
    arena_free(&arena);
    return 0;
}
