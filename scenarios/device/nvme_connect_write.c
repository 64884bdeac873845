/* SPDX-License-Identifier: Apache-2.0
 * nvme_connect_write - writes paths as comments, and options as members of hosts.defaults. */
#include "scenarios/device/nvme_connect.h"

#include <string.h>

static const char *or_none(const char *text)
{
    return text == NULL ? "" : text;
}

static bool is_same_path(const struct connect_command *a, const struct connect_command *b)
{
    return strcmp(or_none(a->traddr), or_none(b->traddr)) == 0 &&
           strcmp(or_none(a->trsvcid), or_none(b->trsvcid)) == 0 &&
           strcmp(or_none(a->host_traddr), or_none(b->host_traddr)) == 0 &&
           strcmp(or_none(a->host_iface), or_none(b->host_iface)) == 0;
}

/* True for the first command with this path, or with `any` for the first of its subsystem. */
static bool is_first(const struct nvme_connect *connect, size_t index, bool any)
{
    const struct connect_command *command = &connect->commands[index];
    for (size_t i = 0; i < index; i++) {
        const struct connect_command *other = &connect->commands[i];
        if (other->is_path && strcmp(or_none(other->nqn), or_none(command->nqn)) == 0 &&
            (any || is_same_path(other, command)))
            return false;
    }
    return true;
}

static void write_address(struct nvme_connect *connect, const struct connect_command *command,
                          FILE *out)
{
    const struct {
        const char *name, *value;
    } parts[] = {{"traddr", command->traddr},
                 {"trsvcid", command->trsvcid},
                 {"host_traddr", command->host_traddr},
                 {"host_iface", command->host_iface}};
    const char *comma = "";
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].value != NULL) {
            fprintf(out, "%s%s=%s", comma, parts[i].name,
                    notes_clean(&connect->device->arena, parts[i].value));
            comma = ",";
        }
    fputs(comma[0] == '\0' ? "no address\n" : "\n", out);
}

/* Writes the paths of one subsystem and returns their number. */
static size_t write_subsystem(struct nvme_connect *connect, size_t first, FILE *out)
{
    const char *nqn = connect->commands[first].nqn;
    size_t paths = 0;
    fprintf(out, "# %s by %s:\n",
            nqn == NULL ? "a subsystem without --nqn" : notes_clean(&connect->device->arena, nqn),
            strcmp(connect->transport, "tcp") == 0 ? "TCP" : "RDMA");
    for (size_t i = first; i < connect->command_count; i++) {
        const struct connect_command *command = &connect->commands[i];
        if (!command->is_path || strcmp(or_none(command->nqn), or_none(nqn)) != 0)
            continue;
        if (!is_first(connect, i, false)) {
            notes_add(&connect->device->notes, command->place,
                      "the same path again: it is connected once");
            continue;
        }
        fputs("#   ", out);
        write_address(connect, command, out);
        paths++;
    }
    return paths;
}

void nvme_connect_write_count(size_t paths, FILE *out)
{
    fprintf(out,
            "# A workload has as many paths with `paths: %zu`, where its hosts have as many NICs "
            "(`topology: {nics: ..}`).\n",
            paths);
}

void nvme_connect_write_paths(struct nvme_connect *connect, FILE *out)
{
    size_t most = 0;
    for (size_t i = 0; i < connect->command_count; i++) {
        const struct connect_command *command = &connect->commands[i];
        if (command->is_path && is_first(connect, i, true)) {
            const size_t paths = write_subsystem(connect, i, out);
            most = paths > most ? paths : most;
        } else if (!command->is_path && command->transport != NULL) {
            fprintf(out, "# %s, where the discovery log lists the paths: ", command->verb);
            write_address(connect, command, out);
        }
    }
    if (most > 1)
        nvme_connect_write_count(most, out);
    if (connect->left_out > 0)
        notes_add(&connect->device->notes, connect->commands[0].place,
                  "more than %d commands: %zu left out", CONNECT_COMMANDS_MAX, connect->left_out);
}

static bool is_of_transport(struct nvme_connect *connect, const struct connect_setting *setting)
{
    if (strncmp(setting->row, "tcp-", 4) != 0 || strcmp(connect->transport, "tcp") == 0)
        return true;
    notes_add(&connect->device->notes, setting->place, "%s is of NVMe/TCP: left out",
              setting->spelled);
    return false;
}

/* Two options may set the same parameter. */
static bool is_row_written(const struct nvme_connect *connect, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (connect->settings[i].value != NULL &&
            strcmp(connect->settings[i].row, connect->settings[index].row) == 0)
            return true;
    return false;
}

static void write_dscp(struct nvme_connect *connect, FILE *out)
{
    const struct connect_setting *dscp = &connect->dscp;
    if (dscp->value == NULL)
        return;
    if (strcmp(connect->transport, "tcp") == 0) {
        fprintf(out, "    tcp:\n      dscp: %s # %s\n", dscp->value, dscp->spelled);
        device_origin(connect->device, "dscp", dscp->spelled, dscp->place);
    } else
        fprintf(out, "    # %s: a workload has it with `dscp: %s`.\n", dscp->spelled, dscp->value);
}

void nvme_connect_write(struct nvme_connect *connect, FILE *out)
{
    size_t written = 0;
    fprintf(out, "    transport: %s\n    nvme:", connect->transport);
    for (size_t i = 0; i < CONNECT_OPTIONS_MAX; i++) {
        const struct connect_setting *setting = &connect->settings[i];
        if (setting->value == NULL || is_row_written(connect, i) ||
            !is_of_transport(connect, setting))
            continue;
        fprintf(out, "\n      %s: %s # %s", setting->row, setting->value, setting->spelled);
        device_origin(connect->device, setting->row, setting->spelled, setting->place);
        written++;
    }
    fputs(written == 0 ? " {}\n" : "\n", out);
    write_dscp(connect, out);
}
