/* SPDX-License-Identifier: Apache-2.0
 * incident_fabric - the fabric of an incident: the scenario that the user gave, or what
 * stormglass import sonic makes of the configuration and the cables among the files.  A switch with
 * cables and without a config_db.json has the ports that its tables name, and default settings. */
#include "base/memory.h"
#include "scenarios/incident/incident_private.h"
#include "scenarios/load/load.h"
#include "scenarios/sonic/sonic.h"

#include <stdlib.h>
#include <string.h>

#define PLAIN_NAME " (ports of its tables)"

enum { SPEED_ASSUMED = 100000 }; /* Mb/s, where no configuration says it */

static void load_given(struct incident_reader *reader)
{
    const struct scenario_input input = {
        .name = reader->fabric, .text = reader->fabric_text, .length = reader->fabric_length};
    reader->incident->scenario = scenario_load(&input, reader->diag);
}

struct ports {
    const char **names;
    size_t count;
};

static void add_port(const struct incident_reader *reader, struct ports *ports, const char *name)
{
    for (size_t i = 0; i < ports->count; i++)
        if (strcmp(ports->names[i], name) == 0)
            return;
    if (*name == '\0' || strpbrk(name, "\"\\") != NULL || ports->count == SONIC_PORTS_MAX)
        return;
    const char **slot =
        arena_push(reader->arena, (void **)(void *)&ports->names, &ports->count, sizeof *slot);
    *slot = name;
}

/* Ports of the switch that have counts or cables, as a config_db.json would list them. */
static struct incident_input plain_configuration(const struct incident_reader *reader,
                                                 const char *host)
{
    const struct incident *incident = reader->incident;
    struct incident_input input = {.name = arena_format(reader->arena, "%s" PLAIN_NAME, host)};
    struct ports ports = {0};
    char *text;
    for (size_t i = 0; i < incident->count_count; i++)
        if (strcmp(incident->counts[i].host, host) == 0)
            add_port(reader, &ports, incident->counts[i].port);
    for (size_t i = 0; i < reader->input_count; i++)
        for (size_t k = 0; k < reader->inputs[i].port_count; k++)
            if (strcmp(reader->inputs[i].owner, host) == 0)
                add_port(reader, &ports, reader->inputs[i].ports[k]);
    FILE *out = memory_stream(&text, &input.length);
    fprintf(out, "{\"DEVICE_METADATA\": {\"localhost\": {\"hostname\": \"%s\"}}, \"PORT\": {",
            host);
    for (size_t i = 0; i < ports.count; i++)
        fprintf(out, "%s\n\"%s\": {\"admin_status\": \"up\", \"speed\": \"%d\"}", i == 0 ? "" : ",",
                ports.names[i], SPEED_ASSUMED);
    fputs("}}\n", out);
    memory_stream_end(out);
    input.text = ports.count == 0 ? NULL : arena_text(reader->arena, text, input.length);
    free(text);
    return input;
}

static void put_input(struct sonic_input *inputs, size_t *count, const struct incident_input *input)
{
    inputs[(*count)++] = (struct sonic_input){input->name, input->text, input->length};
}

/* Configuration first, then ports of switches without one, then cables. */
static size_t collect(const struct incident_reader *reader, struct sonic_input *inputs)
{
    size_t count = 0;
    for (size_t i = 0; i < reader->input_count; i++)
        if (reader->inputs[i].owner == NULL)
            put_input(inputs, &count, &reader->inputs[i]);
    for (size_t i = 0; i < reader->input_count; i++) {
        const char *owner = reader->inputs[i].owner;
        bool seen = owner == NULL || incident_config(reader->incident, owner) != NULL;
        for (size_t k = 0; k < i && !seen; k++)
            seen = reader->inputs[k].owner != NULL && strcmp(reader->inputs[k].owner, owner) == 0;
        const struct incident_input plain =
            seen ? (struct incident_input){0} : plain_configuration(reader, owner);
        if (plain.text == NULL)
            continue;
        put_input(inputs, &count, &plain);
        reader->incident->rates_assumed = true;
    }
    for (size_t i = 0; i < reader->input_count; i++)
        if (reader->inputs[i].owner != NULL)
            put_input(inputs, &count, &reader->inputs[i]);
    return count;
}

/* Without those about configuration that is not there, of which there is one note. */
static void copy_notes(const struct incident_reader *reader, const char *notes)
{
    for (const char *at = notes; *at != '\0';) {
        const size_t length = strcspn(at, "\n");
        const char *line = arena_text(reader->arena, at, length);
        if (strstr(line, PLAIN_NAME) == NULL)
            fprintf(reader->notes, "%s\n", line);
        at += length + (at[length] == '\n');
    }
}

static void load_imported(struct incident_reader *reader)
{
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    struct sonic_result result = {0};
    incident_list_configs(reader);
    struct sonic_input *inputs =
        arena_array(reader->arena, 2 * reader->input_count + 1, sizeof *inputs);
    const struct sonic_ask ask = {.inputs = inputs, .count = collect(reader, inputs)};
    if (sonic_import(&ask, &result, diag)) {
        copy_notes(reader, result.notes);
        const struct scenario_input input = {
            .name = "fabric.yaml", .text = result.scenario, .length = strlen(result.scenario)};
        reader->incident->scenario = scenario_load(&input, diag);
    }
    incident_note_errors(reader, diag);
    if (reader->incident->rates_assumed)
        incident_note(reader, (struct diag_place){.file = reader->inputs[0].name},
                      "no config_db.json of some switches: the rates of their links are unknown, "
                      "and the scenario uses 100 Gb/s");
    if (reader->incident->scenario != NULL)
        reader->incident->scenario_text = memory_text(result.scenario);
    sonic_free(&result);
    free(diag);
}

void incident_make_fabric(struct incident_reader *reader)
{
    if (reader->incident->scenario != NULL)
        return;
    if (reader->fabric != NULL)
        load_given(reader);
    else if (reader->input_count > 0)
        load_imported(reader);
}
