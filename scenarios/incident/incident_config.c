/* SPDX-License-Identifier: Apache-2.0
 * incident_config - which switches' config_db.json is among the files, and at which line one of
 * them sets a member.  Lines are found by text: sonic_import has read the file as JSON before. */
#include "scenarios/incident/incident_private.h"

#include <string.h>

/* The text behind `"key":`, at or after `from` and before `end`; NULL: not there. */
static const char *find_member(struct arena *arena, const char *from, const char *end,
                               const char *key)
{
    const char *quoted = arena_format(arena, "\"%s\"", key);
    const size_t length = strlen(quoted);
    for (const char *at = from; (at = strstr(at, quoted)) != NULL && at < end; at += length) {
        const char *colon = at + length + strspn(at + length, " \t\r\n");
        if (*colon == ':')
            return at;
    }
    return NULL;
}

/* Behind the object that begins after the member at `at`. */
static const char *end_of(const char *at, const char *end)
{
    int depth = 0;
    bool quoted = false;
    for (at = at + strcspn(at, "{"); at < end; at++) {
        if (*at == '\\' && at + 1 < end)
            at++;
        else if (*at == '"')
            quoted = !quoted;
        else if (!quoted && *at == '{')
            depth++;
        else if (!quoted && *at == '}' && --depth == 0)
            return at + 1;
    }
    return end;
}

const char *incident_config_host(struct arena *arena, const char *text)
{
    const char *end = text + strlen(text);
    const char *name = find_member(arena, text, end, "hostname");
    const char *value = name == NULL ? NULL : strchr(name + strlen("\"hostname\""), '"');
    if (value == NULL)
        return NULL;
    return arena_text(arena, value + 1, strcspn(value + 1, "\"\n"));
}

const struct incident_config *incident_config(const struct incident *incident, const char *host)
{
    for (size_t i = 0; i < incident->config_count; i++)
        if (strcmp(incident->configs[i].host, host) == 0)
            return &incident->configs[i];
    return NULL;
}

struct diag_place incident_config_place(struct arena *arena, const struct incident_config *config,
                                        const char *table, const char *row, const char *field)
{
    struct diag_place place = {.file = config->file, .line = 1, .column = 1};
    const char *const names[] = {table, row, field};
    const char *from = config->text, *end = from + strlen(from), *found = from;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *at = names[i] == NULL ? NULL : find_member(arena, from, end, names[i]);
        if (at == NULL)
            continue;
        found = at;
        end = i < 2 ? end_of(at, end) : end;
        from = at + 1;
    }
    for (const char *at = config->text; at < found; at++) {
        place.line += *at == '\n';
        place.column = *at == '\n' ? 1 : place.column + 1;
    }
    return place;
}

void incident_list_configs(struct incident_reader *reader)
{
    struct incident *incident = reader->incident;
    for (size_t i = 0; i < reader->input_count; i++) {
        const struct incident_input *input = &reader->inputs[i];
        const char *host =
            input->owner != NULL ? NULL : incident_config_host(reader->arena, input->text);
        if (host == NULL || incident_config(incident, host) != NULL)
            continue;
        struct incident_config *slot =
            arena_push(reader->arena, (void **)(void *)&incident->configs, &incident->config_count,
                       sizeof *slot);
        *slot = (struct incident_config){.host = host, .file = input->name, .text = input->text};
    }
}
