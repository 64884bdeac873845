/* SPDX-License-Identifier: Apache-2.0
 * sonic_lldpctl - reads the neighbors printed by lldpd: `lldpctl` (SONiC's `show lldp neighbors`),
 * `lldpctl -f json`, `-f json0` and `-f keyvalue`, of a switch or of a host.
 *     Interface:    Ethernet0, via: LLDP, RID: 3, Time: 0 day, 05:26:49
 *       Chassis:
 *         SysName:      spine0
 *       Port:
 *         PortID:       ifname Ethernet8
 *     {"lldp": {"interface": [{"Ethernet0": {"chassis": {"spine0": {..}}, "port": {..}}}]}}
 * The name of the file identifies the device; if it names none, the output belongs to the only
 * switch.
 * Source: lldpd src/client/display.c, json_writer.c. */
#include "scenarios/sonic/sonic_private.h"

#include "scenarios/format/json_tree.h"
#include "scenarios/format/lines.h"

#include <string.h>

/* Neighbor of one interface. */
struct heard {
    const char *local, *device, *chassis, *port, *description;
    struct diag_place place, far;
};

struct lldpctl {
    struct sonic_import *import;
    const struct tree_file *file;
    const char *owner;
    struct heard *heard; /* all entries of the file */
    size_t count;
};

bool sonic_is_lldpctl(const struct tree_file *file)
{
    static const char blanks[] = " \t\r\n";
    const char *at = file->text + strspn(file->text, blanks);
    if (strncmp(at, "lldp.", 5) == 0)
        return true;
    if (*at != '{')
        return strncmp(at, "LocalPort", 9) != 0 && strstr(file->text, "Interface:") != NULL &&
               strstr(file->text, "Chassis:") != NULL;
    at += 1 + strspn(at + 1, blanks);
    return strncmp(at, "\"lldp\"", 6) == 0;
}

/* ---- ends of a cable ---- */

static bool is_management(const char *port)
{
    return strncmp(port, "eth", 3) == 0 && strspn(port + 3, "0123456789") == strlen(port + 3);
}

/* The switch that printed the output, or NULL with a message. */
static const char *owner_of(struct lldpctl *lldpctl, const struct heard *heard)
{
    struct sonic_import *import = lldpctl->import;
    if (sonic_switch_called(import, lldpctl->owner) != NULL)
        return lldpctl->owner;
    if (import->switch_count == 1)
        return import->switches[0].hostname;
    sonic_cable_error(import, lldpctl->file, heard->place,
                      arena_format(&import->arena,
                                   "expected the neighbors of a switch of these files: its name is "
                                   "the name of the file, but there is no switch '%s'%s",
                                   sonic_clean(import, lldpctl->owner),
                                   sonic_switch_hint(import, lldpctl->owner)));
    return NULL;
}

/* A switch seen by a host gives a cable of that switch, too. */
static bool take_of_host(struct lldpctl *lldpctl, const struct heard *heard)
{
    struct sonic_import *import = lldpctl->import;
    if (sonic_switch_called(import, lldpctl->owner) != NULL ||
        sonic_switch_called(import, heard->device) == NULL)
        return false;
    const struct sonic_switch *node = sonic_switch_called(import, heard->device);
    const struct sonic_neighbor far = {
        .name = "", .port = heard->port, .other_port = heard->description};
    const struct sonic_port *port = sonic_far_port(node, &far);
    const struct sonic_cable cable = {
        .ends = {{.node = heard->device,
                  .port = port == NULL ? heard->port : port->name,
                  .place = heard->far},
                 {.node = lldpctl->owner, .port = heard->local, .place = heard->place}},
        .heard = true};
    sonic_cable(import, lldpctl->file, &cable);
    return true;
}

static void add_heard(struct lldpctl *lldpctl, const struct heard *heard)
{
    struct sonic_import *import = lldpctl->import;
    if (heard->local == NULL || import->diag->errors >= DIAG_MAX)
        return;
    if (lldpctl->count == SONIC_CABLES_MAX) {
        sonic_cable_error(
            import, lldpctl->file, heard->place,
            arena_format(&import->arena, "expected at most %d neighbors", SONIC_CABLES_MAX));
        return;
    }
    struct heard *slot =
        arena_push(&import->arena, (void **)(void *)&lldpctl->heard, &lldpctl->count, sizeof *slot);
    *slot = *heard;
    if (slot->device == NULL)
        slot->device = slot->chassis;
}

static void add_cable(struct lldpctl *lldpctl, const struct heard *heard)
{
    const char *owner = owner_of(lldpctl, heard);
    const struct sonic_cable cable = {
        .ends = {{.node = owner, .port = heard->local, .place = heard->place},
                 {.node = heard->device,
                  .port = heard->port,
                  .other_port = heard->description,
                  .place = heard->far}},
        .heard = true};
    if (owner != NULL)
        sonic_cable(lldpctl->import, lldpctl->file, &cable);
}

/* If one of the neighbors is a switch of these files, the whole output is that of a host. */
static void make_cables(struct lldpctl *lldpctl)
{
    struct sonic_import *import = lldpctl->import;
    bool of_host = false;
    for (size_t i = 0; i < lldpctl->count; i++)
        of_host |= lldpctl->heard[i].device != NULL && take_of_host(lldpctl, &lldpctl->heard[i]);
    for (size_t i = 0; i < lldpctl->count && !of_host; i++) {
        const struct heard *heard = &lldpctl->heard[i];
        if (heard->device == NULL)
            sonic_note(import, heard->place, "neighbors without SysName and ChassisID: left out");
        else if (!is_management(heard->local))
            add_cable(lldpctl, heard);
        if (import->diag->errors >= DIAG_MAX)
            return;
    }
}

/* ---- text ---- */

/* Value after a title in a line, without the type word before it if `typed`; or NULL. */
static const char *value_of(struct lldpctl *lldpctl, const struct lines *lines, const char *title,
                            bool typed)
{
    const char *at = lines->text + strspn(lines->text, " \t");
    if (strncmp(at, title, strlen(title)) != 0)
        return NULL;
    at += strlen(title);
    at += strspn(at, " \t");
    if (typed) {
        at += strcspn(at, " \t");
        at += strspn(at, " \t");
    }
    size_t length = strlen(at);
    while (length > 0 && strchr(" \t\r", at[length - 1]) != NULL)
        length--;
    return length == 0 ? NULL : arena_text(&lldpctl->import->arena, at, length);
}

static void read_line(struct lldpctl *lldpctl, const struct lines *lines, struct heard *heard)
{
    static const struct {
        const char *title;
        bool typed;
        size_t offset;
    } rows[] = {{"ChassisID:", true, offsetof(struct heard, chassis)},
                {"SysName:", false, offsetof(struct heard, device)},
                {"PortID:", true, offsetof(struct heard, port)},
                {"PortDescr:", false, offsetof(struct heard, description)}};
    const char *text = lines->text + strspn(lines->text, " \t");
    const char *local = value_of(lldpctl, lines, "Interface:", false);
    if (local != NULL) {
        add_heard(lldpctl, heard);
        *heard = (struct heard){
            .local = arena_text(&lldpctl->import->arena, local, strcspn(local, ", ")),
            .place = lines_place(lines, text, 1),
            .far = lines_place(lines, text, 1)};
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *value = value_of(lldpctl, lines, rows[i].title, rows[i].typed);
        const char **slot = (const char **)(void *)((char *)heard + rows[i].offset);
        if (value != NULL && *slot == NULL)
            *slot = value;
    }
}

/* "lldp.Ethernet0.chassis.name=spine0", "lldp.Ethernet0.port.ifname=Ethernet8" */
static void read_pair(struct lldpctl *lldpctl, const struct lines *lines, struct heard *heard)
{
    static const struct {
        const char *key;
        size_t offset;
    } rows[] = {{"chassis.mac", offsetof(struct heard, chassis)},
                {"chassis.name", offsetof(struct heard, device)},
                {"port.ifname", offsetof(struct heard, port)},
                {"port.local", offsetof(struct heard, port)},
                {"port.mac", offsetof(struct heard, port)},
                {"port.descr", offsetof(struct heard, description)}};
    struct arena *arena = &lldpctl->import->arena;
    const char *local = lines->text + 5, *equals = strchr(lines->text, '=');
    const char *dot = strncmp(lines->text, "lldp.", 5) == 0 ? strchr(local, '.') : NULL;
    if (dot == NULL || equals == NULL || equals < dot)
        return;
    const char *name = arena_text(arena, local, (size_t)(dot - local));
    const char *key = arena_text(arena, dot + 1, (size_t)(equals - dot - 1));
    if (heard->local == NULL || strcmp(heard->local, name) != 0 || strcmp(key, "rid") == 0) {
        add_heard(lldpctl, heard);
        *heard = (struct heard){.local = name,
                                .place = lines_place(lines, lines->text, 1),
                                .far = lines_place(lines, lines->text, 1)};
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char **slot = (const char **)(void *)((char *)heard + rows[i].offset);
        if (strcmp(key, rows[i].key) == 0 && *slot == NULL && equals[1] != '\0')
            *slot = arena_text(arena, equals + 1, strlen(equals + 1));
    }
}

static void read_text(struct lldpctl *lldpctl)
{
    struct lines lines = {.file = lldpctl->file};
    struct heard heard = {0};
    while (lines_next(&lines, &lldpctl->import->arena)) {
        read_line(lldpctl, &lines, &heard);
        read_pair(lldpctl, &lines, &heard);
    }
    add_heard(lldpctl, &heard);
}

/* ---- JSON ---- */

/* json0 has a list wherever there may be several values. */
static const struct tree_node *first(const struct tree_node *node)
{
    return node != NULL && node->kind == TREE_LIST && node->count > 0 ? node->items[0].value : node;
}

static const struct tree_node *member(const struct tree_node *node, const char *key)
{
    return first(tree_get(first(node), key));
}

static const char *text_of(const struct tree_node *node)
{
    const struct tree_node *value =
        node != NULL && node->kind == TREE_MAP ? first(tree_get(node, "value")) : node;
    return value == NULL || value->kind != TREE_SCALAR || value->text[0] == '\0' ? NULL
                                                                                 : value->text;
}

/* {"spine0": {"id": ..}}, or {"id": .., "name": ..}; without a name, only the ID. */
static const char *name_of(const struct tree_node *chassis)
{
    const char *name = text_of(member(chassis, "name"));
    const bool alone = chassis == NULL || chassis->kind != TREE_MAP || chassis->count == 0 ||
                       tree_get(chassis, "id") != NULL;
    return name != NULL || alone ? name : chassis->items[0].key;
}

static void read_interface(struct lldpctl *lldpctl, const char *local, struct diag_place place,
                           const struct tree_node *row)
{
    const struct tree_node *chassis = member(row, "chassis"), *port = member(row, "port");
    const struct heard heard = {.local = local,
                                .device = name_of(chassis),
                                .chassis = text_of(member(chassis, "id")),
                                .port = text_of(member(port, "id")),
                                .description = text_of(member(port, "descr")),
                                .place = place,
                                .far = port == NULL ? place : port->place};
    add_heard(lldpctl, &heard);
}

/* {"Ethernet0": {..}, ..}, or {"name": "Ethernet0", ..}. */
static void read_interfaces(struct lldpctl *lldpctl, const struct tree_node *node)
{
    const char *name = text_of(tree_get(node, "name"));
    if (name != NULL)
        read_interface(lldpctl, name, node->place, node);
    for (size_t i = 0; name == NULL && node->kind == TREE_MAP && i < node->count; i++)
        read_interface(lldpctl, node->items[i].key, node->items[i].key_place, node->items[i].value);
}

static void read_json(struct lldpctl *lldpctl)
{
    struct sonic_import *import = lldpctl->import;
    struct json_repeats repeats = {0}; /* several neighbors of a port repeat its key */
    const struct tree_node *root = json_tree(&import->arena, lldpctl->file, &repeats, import->diag);
    const struct tree_node *list =
        root == NULL ? NULL : tree_get(member(root, "lldp"), "interface");
    for (size_t i = 0; root != NULL && i < repeats.count; i++)
        sonic_note(import, repeats.list[i].place,
                   "the key '%s' appears again in line %d: that one is used",
                   sonic_clean(import, repeats.list[i].key), repeats.list[i].line);
    if (list == NULL)
        return;
    if (list->kind == TREE_MAP)
        read_interfaces(lldpctl, list);
    for (size_t i = 0; list->kind == TREE_LIST && i < list->count; i++)
        read_interfaces(lldpctl, list->items[i].value);
}

void sonic_lldpctl(struct sonic_import *import, const struct tree_file *file)
{
    struct lldpctl lldpctl = {.import = import,
                              .file = file,
                              .owner = sonic_owner(import, file->name, strlen(file->name))};
    if (file->text[strspn(file->text, " \t\r\n")] == '{')
        read_json(&lldpctl);
    else
        read_text(&lldpctl);
    make_cables(&lldpctl);
    if (lldpctl.count == 0 && !diag_failed(import->diag))
        sonic_note(import, (struct diag_place){.file = file->name, .line = 1, .column = 1},
                   "lldpctl without a neighbor");
}
