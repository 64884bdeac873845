/* SPDX-License-Identifier: Apache-2.0
 * nvme - reads what nvme-cli prints about a controller and about paths, and the command lines and
 * files by which it connects, as a scenario's hosts.
 * `nvme id-ctrl` (text or -o json): MDTS, in-capsule data (IOCCSZ), commands per queue (MAXCMD) and
 * the vendor of the target become `target:`. `nvme list-subsys -o json`: the policy of a subsystem
 * with paths over RDMA or TCP becomes `nvme:`; the number of paths is written as a comment with the
 * line for a workload with as many paths. Paths that are not live, other transports and settings
 * without a counterpart become notes. nvme_connect.h reads command lines, discovery.conf and
 * config.json.
 * Source: nvme-cli 1.16 and 2.x (their output); NVM Express base 2.0, figure 275 (Identify
 * Controller); NVMe over Fabrics 1.1, 4.1. */
#include "scenarios/device/device.h"
#include "scenarios/device/nvme_connect.h"
#include "scenarios/format/json_tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, MDTS_LEAST = 1, MDTS_MOST = 11, SQE_BYTES = 64, CAPSULE_MOST = 16384 };
enum { QUEUE_LEAST = 2, QUEUE_MOST = 1024, UNSAID = -1 };

struct reader {
    struct device *device;
    FILE *out;
    int64_t mdts, ioccsz, maxcmd;
    const char *identity;
    /* State of the subsystems with paths over RDMA or TCP. */
    const char *policy, *transport; /* NULL: none yet */
    size_t subsystems, live;
    struct nvme_connect connect;
    bool connects; /* there are command lines */
};

/* ------------------------------------------------------------------ id-ctrl */

static const struct {
    const char *name;
    size_t offset;
} numbers[] = {
    {"mdts", offsetof(struct reader, mdts)},
    {"ioccsz", offsetof(struct reader, ioccsz)},
    {"maxcmd", offsetof(struct reader, maxcmd)},
};

static void take_model(struct reader *reader, const char *model)
{
    if (strncmp(model, "Linux", 5) == 0)
        reader->identity = "linux-nvmet";
    else if (strstr(model, "SPDK") != NULL)
        reader->identity = "spdk";
}

/* Reads a field of Identify Controller by its name in nvme-cli; decimal or hexadecimal. */
static bool take_field(struct reader *reader, const char *name, const char *value)
{
    if (strcmp(name, "mn") == 0)
        take_model(reader, value);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char *end = NULL;
        if (strcmp(numbers[i].name, name) != 0)
            continue;
        const unsigned long long number = strtoull(value, &end, 0);
        if (end == value || number > UINT32_MAX || strspn(end, " \t\r") != strlen(end))
            return false;
        *(int64_t *)(void *)((char *)reader + numbers[i].offset) = (int64_t)number;
    }
    return true;
}

/* "mdts      : 7" */
static void read_text(struct reader *reader)
{
    struct device *device = reader->device;
    while (device_line(device)) {
        char name[32];
        const char *colon = strchr(device->text, ':');
        const size_t length = strcspn(device->text, " \t:");
        if (colon == NULL || length == 0 || length >= sizeof name ||
            strspn(device->text + length, " \t") != (size_t)(colon - device->text) - length)
            continue;
        memcpy(name, device->text, length);
        name[length] = '\0';
        const char *value = colon + 1 + strspn(colon + 1, " \t");
        if (!take_field(reader, name, value))
            device_error(device, value, strcspn(value, " \t"), "expected %s: a number", name);
    }
}

static void read_fields(struct reader *reader, const struct tree_node *root)
{
    for (size_t i = 0; i < root->count; i++) {
        const struct tree_node *value = root->items[i].value;
        if (value->kind == TREE_SCALAR && !take_field(reader, root->items[i].key, value->text))
            tree_error(reader->device->diag, value, "expected %s: a number", root->items[i].key);
    }
}

static void add_note(struct reader *reader, const char *text, int64_t value)
{
    notes_add(&reader->device->notes,
              (struct diag_place){.file = reader->device->lines.file->name, .line = 1, .column = 1},
              text, value);
}

static const char *comma(bool *first)
{
    const char *text = *first ? "" : ", ";
    *first = false;
    return text;
}

static void write_target(struct reader *reader)
{
    bool first = true;
    fputs("    target: {", reader->out);
    if (reader->identity != NULL)
        fprintf(reader->out, "%sidentity: %s", comma(&first), reader->identity);
    if (reader->mdts >= MDTS_LEAST && reader->mdts <= MDTS_MOST)
        fprintf(reader->out, "%smax-transfer: %" PRId64 "KiB", comma(&first),
                (int64_t)(PAGE / 1024) << reader->mdts);
    else if (reader->mdts == 0)
        add_note(reader, "mdts %" PRId64 " is no limit: max-transfer has its default", 0);
    else if (reader->mdts != UNSAID)
        add_note(reader, "mdts %" PRId64 " is beyond 8 MiB: max-transfer has its default",
                 reader->mdts);
    const int64_t data = 16 * reader->ioccsz - SQE_BYTES;
    if (reader->ioccsz > 0 && data >= 0 && data <= CAPSULE_MOST)
        fprintf(reader->out, "%sin-capsule: %" PRId64 "B", comma(&first), data);
    else if (reader->ioccsz > 0)
        add_note(reader, "ioccsz %" PRId64 " is beyond 16 KiB of data: in-capsule has its default",
                 reader->ioccsz);
    if (reader->maxcmd >= QUEUE_LEAST && reader->maxcmd <= QUEUE_MOST)
        fprintf(reader->out, "%smax-queue-size: %" PRId64, comma(&first), reader->maxcmd);
    else if (reader->maxcmd > QUEUE_MOST)
        add_note(reader, "maxcmd %" PRId64 " is beyond 1024: max-queue-size has its default",
                 reader->maxcmd);
    fputs("}\n", reader->out);
}

/* ------------------------------------------------------------------ list-subsys */

static const char *text_of(const struct tree_node *map, const char *key)
{
    const struct tree_node *node = tree_get(map, key);
    return node != NULL && node->kind == TREE_SCALAR ? node->text : "";
}

static void take_policy(struct reader *reader, const struct tree_node *subsystem)
{
    static const char *const policies[] = {"numa", "round-robin", "queue-depth"};
    const struct tree_node *node = tree_get(subsystem, "IOPolicy");
    const char *policy = text_of(subsystem, "IOPolicy");
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++)
        if (strcmp(policy, policies[i]) == 0) {
            if (reader->policy != NULL && reader->policy != policies[i])
                notes_add(&reader->device->notes, node->place,
                          "subsystems have several policies: that of the first is imported");
            else
                reader->policy = policies[i];
            return;
        }
    if (policy[0] != '\0')
        notes_add(&reader->device->notes, node->place, "the policy %s has no counterpart",
                  notes_clean(&reader->device->arena, policy));
}

/* True for the transport of the first live path over RDMA or TCP. */
static bool is_of_transport(struct reader *reader, const char *transport, const char *state)
{
    const char *known = strcmp(transport, "rdma") == 0  ? "rdma"
                        : strcmp(transport, "tcp") == 0 ? "tcp"
                                                        : NULL;
    if (known != NULL && reader->transport == NULL && strcmp(state, "live") == 0)
        reader->transport = known;
    return known != NULL && (reader->transport == NULL || reader->transport == known);
}

/* Number of live paths; every other path becomes a note. */
static size_t live_paths(struct reader *reader, const struct tree_node *paths)
{
    struct notes *notes = &reader->device->notes;
    size_t live = 0;
    for (size_t i = 0; i < paths->count; i++) {
        const struct tree_node *path = paths->items[i].value;
        const char *transport = text_of(path, "Transport"), *state = text_of(path, "State");
        const char *name = notes_clean(&reader->device->arena, text_of(path, "Name"));
        if (!is_of_transport(reader, transport, state))
            notes_add(notes, path->place, "path %s is of transport %s, not %s: left out", name,
                      notes_clean(&reader->device->arena, transport),
                      reader->transport == NULL ? "rdma or tcp" : reader->transport);
        else if (strcmp(state, "live") != 0)
            notes_add(notes, path->place, "path %s is %s, not live: left out", name,
                      notes_clean(&reader->device->arena, state));
        else
            live++;
    }
    return live;
}

static void take_subsystem(struct reader *reader, const struct tree_node *subsystem,
                           const struct tree_node *paths)
{
    const size_t live = live_paths(reader, paths);
    if (live == 0)
        return;
    reader->subsystems++;
    take_policy(reader, subsystem);
    reader->live = live > reader->live ? live : reader->live;
    fprintf(reader->out, "# %s: %zu live by %s:\n",
            notes_clean(&reader->device->arena, text_of(subsystem, "NQN")), live,
            strcmp(reader->transport, "tcp") == 0 ? "TCP" : "RDMA");
    for (size_t i = 0; i < paths->count; i++) {
        const struct tree_node *path = paths->items[i].value;
        if (strcmp(text_of(path, "Transport"), reader->transport) == 0)
            fprintf(reader->out, "#   %s %s %s\n",
                    notes_clean(&reader->device->arena, text_of(path, "Name")),
                    notes_clean(&reader->device->arena, text_of(path, "State")),
                    notes_clean(&reader->device->arena, text_of(path, "Address")));
    }
}

/* In nvme-cli 1.x, the paths of a subsystem are in the object after it. */
static void take_subsystems(struct reader *reader, const struct tree_node *list)
{
    const struct tree_node *named = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const struct tree_node *entry = list->items[i].value;
        const struct tree_node *paths = tree_get(entry, "Paths");
        if (tree_get(entry, "NQN") != NULL)
            named = entry;
        if (paths != NULL && paths->kind == TREE_LIST && named != NULL)
            take_subsystem(reader, named, paths);
    }
}

static void find_subsystems(struct reader *reader, const struct tree_node *root)
{
    const struct tree_node *list = tree_get(root, "Subsystems");
    if (list != NULL && list->kind == TREE_LIST)
        take_subsystems(reader, list);
    for (size_t i = 0; root->kind == TREE_LIST && i < root->count; i++)
        find_subsystems(reader, root->items[i].value);
}

static void write_paths(struct reader *reader)
{
    nvme_connect_write_count(reader->live, reader->out);
    fputs("hosts:\n  defaults:\n", reader->out);
    if (strcmp(reader->transport, "tcp") == 0)
        fputs("    transport: tcp\n", reader->out);
    fputs("    nvme: {", reader->out);
    if (reader->policy != NULL)
        fprintf(reader->out, "io-policy: %s", reader->policy);
    fputs("}\n", reader->out);
}

/* ------------------------------------------------------------------ either format */

static void read_json(struct reader *reader)
{
    struct device *device = reader->device;
    const struct tree_node *root =
        json_tree_any(&device->arena, device->lines.file, 0, device->diag);
    if (root == NULL)
        return;
    if (root->kind == TREE_MAP && tree_get(root, "mdts") != NULL) {
        read_fields(reader, root);
        return;
    }
    find_subsystems(reader, root);
    reader->connects =
        reader->subsystems == 0 && nvme_connect_config(device, root, &reader->connect);
    if (reader->subsystems == 0 && !reader->connects && !diag_failed(device->diag))
        device_refuse(device, "expected nvme id-ctrl, config.json, or nvme list-subsys -o json "
                              "with a path of transport rdma or tcp that is live");
}

/* A session may have both commands and the output of id-ctrl. */
static void read_lines(struct reader *reader)
{
    struct device *device = reader->device;
    reader->connects = nvme_connect_read(device, &reader->connect);
    device->lines = (struct lines){.file = device->lines.file};
    read_text(reader);
}

static void write_defaults(struct reader *reader, bool has_target)
{
    const bool connects = reader->connects && reader->connect.transport != NULL;
    if (connects)
        nvme_connect_write_paths(&reader->connect, reader->out);
    fputs("hosts:\n  defaults:\n", reader->out);
    if (connects)
        nvme_connect_write(&reader->connect, reader->out);
    if (has_target)
        write_target(reader);
}

void device_nvme(struct device *device, FILE *out)
{
    struct reader reader = {
        .device = device, .out = out, .mdts = UNSAID, .ioccsz = UNSAID, .maxcmd = UNSAID};
    device->lines.file = json_below_prompt(&device->arena, device->lines.file);
    const char *first = device->lines.file->text + strspn(device->lines.file->text, " \t\r\n");
    if (*first == '{' || (*first == '[' && strchr(" \t\r\n{]", first[1]) != NULL))
        read_json(&reader);
    else
        read_lines(&reader);
    if (diag_failed(device->diag))
        return;
    const bool has_target =
        reader.mdts != UNSAID || reader.ioccsz != UNSAID || reader.maxcmd != UNSAID;
    if (reader.subsystems > 0)
        write_paths(&reader);
    else if (has_target || (reader.connects && reader.connect.transport != NULL))
        write_defaults(&reader, has_target);
    else if (reader.connects)
        device_refuse(device, "expected a command with --transport tcp or rdma");
    else
        device_refuse(device, "expected the output of nvme id-ctrl or nvme list-subsys -o json, or "
                              "commands such as nvme connect -t tcp");
}
