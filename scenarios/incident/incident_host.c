/* SPDX-License-Identifier: Apache-2.0
 * incident_host - settings of hosts: sysctl, nvme connect, mlnx_qos.
 * Lines that the importers can read are collected for each host and tool, with their line numbers,
 * and are read when the file ends.  A line belongs to the host of the last prompt; the line of a
 * prompt belongs to the host that the prompt names.  Only the last output of a tool counts. */
#include "base/memory.h"
#include "base/text.h"
#include "nvme/host/host.h"
#include "nvme/tcp/tcp.h"
#include "rnic/host/rnic.h"
#include "scenarios/device/device.h"
#include "scenarios/incident/incident_private.h"
#include "tcp/tcp.h"

#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t";

static const struct {
    device_read_fn *read;
    const char *name;
} tools[INCIDENT_TOOLS] = {
#define TOOL(id, reader, name) {device_##reader, name},
#include "scenarios/incident/incident_host.def"
#undef TOOL
};

/* Sections of a scenario's hosts, and their parameters. */
static const struct {
    const char *section;
    const struct opt *rows;
} sections[] = {{"tcp", tcp_base_opts},
                {"nvme", nvme_host_opts},
                {"nvme", nvme_tcp_host_opts},
                {"rnic", rnic_opts}};

const char *incident_tool_name(enum incident_tool tool)
{
    return tools[tool].name;
}

/* ---- lines ---- */

/* The tool whose line it is; INCIDENT_TOOLS: none. */
static enum incident_tool tool_of(const struct incident_host_lines *lines, const char *line)
{
    const char *text = line + strspn(line, blanks);
    if (lines->last == INCIDENT_NVME && lines->continues)
        return INCIDENT_NVME;
    if (text_begins(text, "net.") || strstr(text, "sysctl -w net.") != NULL ||
        strstr(text, "/proc/sys/net/") != NULL)
        return INCIDENT_SYSCTL;
    if (strstr(text, "nvme connect") != NULL || strstr(text, "nvme discover") != NULL)
        return INCIDENT_NVME;
    const bool starts = text_begins(text, "DCBX mode:") || text_begins(text, "Priority trust") ||
                        text_begins(text, "dscp2prio mapping") ||
                        text_begins(text, "PFC configuration:");
    if ((starts || lines->last == INCIDENT_QOS) && device_mlnx_qos_has(text))
        return INCIDENT_QOS;
    return INCIDENT_TOOLS;
}

static struct incident_host_text *text_of(struct incident_host_lines *lines, struct arena *arena,
                                          const char *host, enum incident_tool tool)
{
    for (size_t i = 0; i < lines->count; i++)
        if (lines->list[i]->tool == tool && strcmp(lines->list[i]->host, host) == 0)
            return lines->list[i];
    struct incident_host_text **slot =
        arena_push(arena, (void **)(void *)&lines->list, &lines->count, sizeof *slot);
    struct incident_host_text *made = arena_take(arena, sizeof *made); /* the stream points to it */
    *made = (struct incident_host_text){.host = host, .tool = tool};
    made->out = memory_stream(&made->text, &made->length);
    *slot = made;
    return made;
}

/* Writes the line that waits to the text of its host. */
static void put_pending(struct incident_host_lines *lines, struct arena *arena, const char *host)
{
    if (lines->pending == NULL)
        return;
    struct incident_host_text *text =
        text_of(lines, arena, incident_short_host(arena, host), lines->last);
    for (; text->lines + 1 < lines->number; text->lines++)
        fputc('\n', text->out);
    fprintf(text->out, "%s\n", lines->pending);
    text->lines++;
    lines->pending = NULL;
}

/* Whether "#", "$" or ">" stand before the command: a prompt names the host of the next lines, so
 * that the line is read further. */
static bool has_prompt(const char *line)
{
    static const char *const commands[] = {"nvme ", "sysctl ", "echo "};
    const char *end = strpbrk(line, "#$>"), *command = NULL;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0] && command == NULL; i++)
        command = strstr(line, commands[i]);
    return end != NULL && command != NULL && end < command;
}

bool incident_host_take(struct incident_host_lines *lines, struct arena *arena,
                        const struct lines *line, const char *host)
{
    put_pending(lines, arena, host);
    lines->host = host;
    lines->last = tool_of(lines, line->text);
    if (lines->last == INCIDENT_TOOLS)
        return false;
    lines->pending = line->text;
    lines->number = line->number;
    lines->continues = line->length > 0 && line->text[line->length - 1] == '\\';
    return !has_prompt(line->text);
}

/* ---- settings ---- */

static void add_setting(struct incident_reader *reader, const struct incident_setting *setting)
{
    struct incident *incident = reader->incident;
    struct incident_setting *slot = arena_push(reader->arena, (void **)(void *)&incident->settings,
                                               &incident->setting_count, sizeof *slot);
    *slot = *setting;
    slot->name = arena_text(reader->arena, setting->name, strlen(setting->name));
    slot->spelled = arena_text(reader->arena, setting->spelled, strlen(setting->spelled));
}

static const struct opt *row_of(const char *section, const char *name)
{
    const struct opt *row = NULL;
    for (size_t i = 0; i < sizeof sections / sizeof sections[0] && row == NULL; i++)
        row = strcmp(sections[i].section, section) == 0 ? opt_find(sections[i].rows, name) : NULL;
    return row;
}

/* A list is "3,4", as a scenario also writes it. */
static const char *text_of_value(struct arena *arena, const struct tree_node *value)
{
    if (value->kind == TREE_SCALAR)
        return value->text;
    const char *text = "";
    for (size_t i = 0; value->kind == TREE_LIST && i < value->count; i++)
        text = arena_format(arena, "%s%s%s", text, i == 0 ? "" : ",", value->items[i].value->text);
    return text;
}

static void take_map(struct incident_reader *reader, struct incident_setting setting,
                     const struct tree_node *map)
{
    for (size_t i = 0; i < map->count; i++) {
        setting.dscp = (int)strtol(map->items[i].key, NULL, 10);
        setting.value = strtol(map->items[i].value->text, NULL, 10);
        add_setting(reader, &setting);
    }
}

static void take_section(struct incident_reader *reader, const struct incident_host *output,
                         const struct device_result *result, const struct tree_item *section)
{
    for (size_t i = 0; i < result->origin_count; i++) {
        const struct device_origin *origin = &result->origins[i];
        const struct tree_node *value = tree_get(section->value, origin->row);
        struct incident_setting setting = {.host = output->host,
                                           .tool = output->tool,
                                           .name = origin->row,
                                           .row = row_of(section->key, origin->row),
                                           .dscp = -1,
                                           .spelled = origin->spelled,
                                           .place = origin->place};
        char why[OPT_WHY_BYTES];
        setting.place.file = output->place.file;
        if (value != NULL && value->kind == TREE_MAP)
            take_map(reader, setting, value);
        else if (value != NULL && setting.row != NULL &&
                 opt_parse(setting.row, text_of_value(reader->arena, value), &setting.value, why))
            add_setting(reader, &setting);
    }
}

/* The result of a device's reader is `hosts: {defaults: {SECTION: ..}}`. */
static void take_result(struct incident_reader *reader, const struct incident_host *output,
                        const struct device_result *result, struct diag *diag)
{
    const struct tree_file *file = tree_hold(
        reader->arena, output->place.file,
        arena_text(reader->arena, result->yaml, strlen(result->yaml)), strlen(result->yaml));
    const struct tree_node *root = tree_parse(reader->arena, file, 0, diag);
    const struct tree_node *defaults = tree_get(tree_get(root, "hosts"), "defaults");
    for (size_t i = 0; defaults != NULL && i < defaults->count; i++)
        if (defaults->items[i].value->kind == TREE_MAP)
            take_section(reader, output, result, &defaults->items[i]);
}

/* An earlier output of the same tool no longer counts. */
static void drop_earlier(struct incident *incident, const struct incident_host *output)
{
    size_t kept = 0;
    for (size_t i = 0; i < incident->setting_count; i++) {
        const struct incident_setting *setting = &incident->settings[i];
        if (setting->tool != output->tool || strcmp(setting->host, output->host) != 0)
            incident->settings[kept++] = *setting;
    }
    incident->setting_count = kept;
}

static void add_output(struct incident_reader *reader, const struct incident_host *output)
{
    struct incident *incident = reader->incident;
    for (size_t i = 0; i < incident->output_count; i++)
        if (incident->outputs[i].tool == output->tool &&
            strcmp(incident->outputs[i].host, output->host) == 0) {
            incident->outputs[i] = *output;
            return;
        }
    struct incident_host *slot = arena_push(reader->arena, (void **)(void *)&incident->outputs,
                                            &incident->output_count, sizeof *slot);
    *slot = *output;
}

void incident_host_read(struct incident_reader *reader, struct incident_file *about,
                        const struct incident_host_text *text)
{
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    struct device_result result;
    const struct incident_host output = {
        .host = text->host, .tool = text->tool, .place = {about->name, 1, 1}};
    if (device_import(tools[text->tool].read, about->name, text->text, text->length, &result,
                      diag)) {
        drop_earlier(reader->incident, &output);
        add_output(reader, &output);
        take_result(reader, &output, &result, diag);
        about->outputs++;
    }
    incident_note_errors(reader, diag);
    device_free(&result);
    free(diag);
}

void incident_host_end(struct incident_reader *reader, struct incident_file *about,
                       struct incident_host_lines *lines)
{
    put_pending(lines, reader->arena, lines->host);
    for (size_t i = 0; i < lines->count; i++) {
        memory_stream_end(lines->list[i]->out);
        incident_host_read(reader, about, lines->list[i]);
        free(lines->list[i]->text);
    }
}

/* By tool, parameter and host. */
static int by_order(const void *left, const void *right)
{
    const struct incident_setting *a = left, *b = right;
    int by = (int)a->tool - (int)b->tool;
    by = by != 0 ? by : strcmp(a->name, b->name);
    by = by != 0 ? by : a->dscp - b->dscp;
    return by != 0 ? by : strcmp(a->host, b->host);
}

void incident_host_sort(struct incident *incident)
{
    if (incident->setting_count > 1)
        qsort(incident->settings, incident->setting_count, sizeof *incident->settings, by_order);
}

const struct incident_setting *incident_setting(const struct incident *incident, const char *host,
                                                const struct incident_setting *like)
{
    struct incident_setting key = *like;
    key.host = host;
    return incident->setting_count == 0
               ? NULL
               : bsearch(&key, incident->settings, incident->setting_count, sizeof key, by_order);
}
