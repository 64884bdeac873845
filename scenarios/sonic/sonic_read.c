/* SPDX-License-Identifier: Apache-2.0
 * sonic_read - reads one file: the name of the switch, its ports, and speed, MTU, FEC, cable,
 * neighbor and watchdog of each port. */
#include "scenarios/sonic/sonic_private.h"

#include "base/plural.h"
#include "scenarios/format/json_tree.h"

#include <stdlib.h>
#include <string.h>

enum { OTHER_TABLES_MAX = 200 };

/* ---- PORT ---- */

static int by_name(const void *a, const void *b)
{
    const struct sonic_port *x = a, *y = b;
    const size_t x_length = strlen(x->name), y_length = strlen(y->name);
    if (x_length != y_length)
        return x_length < y_length ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* "rs" means the usual code at the rate: RS-528 up to 25 Gb/s per lane, RS-544 above. */
static const char *fec_word(struct sonic_import *import, const struct sonic_switch *node,
                            const struct tree_item *item)
{
    const char *fec = sonic_field(import, item->value, "fec");
    if (fec == NULL || strcmp(fec, "none") == 0)
        return NULL;
    if (strcmp(fec, "rs") == 0 || strcmp(fec, "auto") == 0)
        return "auto";
    sonic_port_note(import, node, &(struct sonic_port){.name = item->key},
                    tree_get(item->value, "fec")->place,
                    "fec '%s' is not modeled: imported as none", sonic_clean(import, fec));
    return NULL;
}

static const char *why_down(const char *status)
{
    if (status == NULL)
        return "no admin_status, and SONiC's default is down";
    return strcmp(status, "down") == 0 ? "admin_status is down" : NULL;
}

static uint32_t count_lanes(const char *lanes)
{
    uint32_t count = lanes != NULL && *lanes != '\0';
    for (; lanes != NULL && *lanes != '\0'; lanes++)
        count += *lanes == ',';
    return count;
}

static struct sonic_port read_port(struct sonic_import *import, const struct sonic_switch *node,
                                   const struct tree_item *item)
{
    const struct tree_node *row = item->value;
    const char *status = sonic_field(import, row, "admin_status");
    const char *asymmetric = sonic_field(import, row, "pfc_asym");
    const int64_t mbps = sonic_number(import, row, "speed", 1, 6400000);
    if (asymmetric != NULL && strcmp(asymmetric, "off") != 0)
        sonic_port_note(import, node, &(struct sonic_port){.name = item->key}, item->key_place,
                        "pfc_asym is not modeled");
    return (struct sonic_port){
        .name = item->key,
        .alias = sonic_field(import, row, "alias"),
        .item = item,
        .speed = mbps == SONIC_UNSET ? SONIC_UNSET : mbps * 1000000,
        .mtu = sonic_number(import, row, "mtu", 256, 16000),
        .length = SONIC_UNSET,
        .fec = fec_word(import, node, item),
        .lanes = count_lanes(sonic_field(import, row, "lanes")),
        .down = why_down(status),
        .pfc = SONIC_UNSET,
        .watched = SONIC_UNSET,
    };
}

static void read_ports(struct sonic_import *import, struct sonic_switch *node)
{
    static const char *const known[] = {"speed",        "mtu",      "fec",   "alias",
                                        "admin_status", "pfc_asym", "lanes", NULL};
    const struct tree_node *rows = sonic_rows(import, node, "PORT");
    if (diag_failed(import->diag))
        return;
    if (rows == NULL || rows->count == 0) {
        tree_error(import->diag, rows == NULL ? node->root : rows,
                   "expected a table PORT with the switch's ports");
        return;
    }
    if (rows->count > SONIC_PORTS_MAX) {
        tree_error(import->diag, rows, "expected at most %d ports, but there are %zu",
                   SONIC_PORTS_MAX, rows->count);
        return;
    }
    node->ports = arena_array(&import->arena, rows->count, sizeof *node->ports);
    for (size_t i = 0; i < rows->count; i++)
        node->ports[i] = read_port(import, node, &rows->items[i]);
    node->port_count = (uint32_t)rows->count;
    qsort(node->ports, node->port_count, sizeof *node->ports, by_name);
    for (uint32_t i = 0; i < node->port_count; i++)
        node->ports[i].index = i;
    sonic_other_fields(import, node, "PORT", known);
}

/* ---- CABLE_LENGTH: {"AZURE": {"Ethernet0": "300m"}} ---- */

static void read_length(struct sonic_import *import, const struct sonic_switch *node,
                        const struct tree_item *item)
{
    struct sonic_port *port = sonic_port(node, item->key, strlen(item->key));
    const struct tree_node *value = item->value;
    char *end = NULL;
    long meters = 0;
    if (value->kind == TREE_SCALAR && strspn(value->text, "0123456789") > 0 &&
        strlen(value->text) <= 7)
        meters = strtol(value->text, &end, 10);
    if (end == NULL || strcmp(end, "m") != 0 || meters > 100000) {
        tree_error(import->diag, value, "expected a length up to 100 km such as \"300m\"");
    } else if (port == NULL) {
        sonic_note(import, item->key_place, "CABLE_LENGTH: '%s' is not in PORT: left out",
                   sonic_clean(import, item->key));
    } else if (meters > 0) { /* 0m: no cable */
        port->length = meters * 1000;
    }
}

static void read_cables(struct sonic_import *import, const struct sonic_switch *node)
{
    const struct tree_node *rows = sonic_rows(import, node, "CABLE_LENGTH");
    for (size_t i = 0; rows != NULL && i < rows->count; i++)
        for (size_t k = 0; k < rows->items[i].value->count; k++)
            read_length(import, node, &rows->items[i].value->items[k]);
}

/* ---- DEVICE_NEIGHBOR, PFC_WD ---- */

static void take_watchdog(struct sonic_import *import, struct sonic_port *port, int number,
                          const struct tree_item *row)
{
    (void)import;
    (void)number;
    port->watchdog = row;
}

/* {"Ethernet0": {"name": "spine0", "port": "Ethernet8"}}, or the neighbor's name as the key and the
 * port as `local_port`. */
static void read_neighbors(struct sonic_import *import, const struct sonic_switch *node)
{
    static const char *const known[] = {"name", "port", "local_port", "type", NULL};
    const struct tree_node *rows = sonic_rows(import, node, "DEVICE_NEIGHBOR");
    for (size_t i = 0; rows != NULL && i < rows->count; i++) {
        const struct tree_item *row = &rows->items[i];
        const char *local = sonic_field(import, row->value, "local_port");
        const char *name = sonic_field(import, row->value, "name");
        const char *here = local == NULL ? row->key : local;
        struct sonic_port *port = sonic_port(node, here, strlen(here));
        if (port == NULL)
            sonic_note(import, row->key_place, "DEVICE_NEIGHBOR: '%s' is not in PORT: left out",
                       sonic_clean(import, here));
        else if (local == NULL && (name == NULL || *name == '\0'))
            tree_error(import->diag, row->value,
                       "expected the neighbor's name and port, such as "
                       "{\"name\": \"spine0\", \"port\": \"Ethernet8\"}");
        else if (port->neighbor.name != NULL)
            tree_error(import->diag, row->value,
                       "DEVICE_NEIGHBOR: %s has a neighbor already, in line %d",
                       sonic_clean(import, port->name), port->neighbor.place.line);
        else
            port->neighbor = (struct sonic_neighbor){
                .name = name == NULL || *name == '\0' ? row->key : name,
                .port = sonic_field(import, row->value, "port"),
                .type = sonic_field(import, row->value, "type"),
                .place = row->key_place,
            };
    }
    sonic_other_fields(import, node, "DEVICE_NEIGHBOR", known);
}

/* PFC_WD has a row GLOBAL in addition to those of ports. */
static void read_watchdog(struct sonic_import *import, struct sonic_switch *node)
{
    static const char *const known[] = {"action", "detection_time", "restoration_time",
                                        "POLL_INTERVAL", NULL};
    const struct tree_node *rows = sonic_rows(import, node, "PFC_WD");
    for (size_t i = 0; rows != NULL && i < rows->count; i++) {
        const struct tree_item *row = &rows->items[i];
        struct sonic_port *port = sonic_port(node, row->key, strlen(row->key));
        if (port != NULL)
            take_watchdog(import, port, 0, row);
        else if (strcmp(row->key, "GLOBAL") != 0)
            sonic_note(import, row->key_place, "PFC_WD: '%s' is not in PORT: left out",
                       sonic_clean(import, row->key));
    }
    sonic_other_fields(import, node, "PFC_WD", known);
}

/* ---- the file ---- */

/* True for tables that affect forwarding, queuing or drops but have no counterpart in a
 * scenario. */
static bool shapes_traffic(const char *table)
{
    static const char *const words[] = {"PORTCHANNEL", "BUFFER_", "_TO_",         "PFC",
                                        "WRED",        "QUEUE",   "SCHEDULER",    "POLICER",
                                        "ACL_RULE",    "STORM",   "STATIC_ROUTE", NULL};
    for (int i = 0; words[i] != NULL; i++)
        if (strstr(table, words[i]) != NULL)
            return true;
    return false;
}

static void other_tables(struct sonic_import *import, const struct sonic_switch *node)
{
    static const char *const known[] = {"PORT",
                                        "PORT_QOS_MAP",
                                        "BUFFER_POOL",
                                        "BUFFER_PROFILE",
                                        "BUFFER_PG",
                                        "BUFFER_QUEUE",
                                        "WRED_PROFILE",
                                        "DSCP_TO_TC_MAP",
                                        "QUEUE",
                                        "SCHEDULER",
                                        "PFC_WD",
                                        "TC_TO_PRIORITY_GROUP_MAP",
                                        "CABLE_LENGTH",
                                        "TC_TO_QUEUE_MAP",
                                        "DEVICE_NEIGHBOR",
                                        "MAP_PFC_PRIORITY_TO_QUEUE",
                                        "DEVICE_METADATA",
                                        "DEFAULT_LOSSLESS_BUFFER_PARAMETER",
                                        "DEVICE_NEIGHBOR_METADATA"};
    size_t count = 0;
    for (size_t i = 0; i < node->root->count; i++) {
        const struct tree_item *table = &node->root->items[i];
        bool is_known = false;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            is_known |= strcmp(known[k], table->key) == 0;
        if (!is_known && count++ < OTHER_TABLES_MAX)
            (shapes_traffic(table->key) ? sonic_note : sonic_cosmetic)(
                import, table->key_place, "%s: a table without a counterpart",
                sonic_clean(import, table->key));
    }
    if (count > OTHER_TABLES_MAX)
        sonic_cosmetic(import, node->root->place, "%zu more %s without a counterpart",
                       count - OTHER_TABLES_MAX,
                       plural(count - OTHER_TABLES_MAX, "table", "tables"));
}

/* The hostname, or else the file's name without directory and extension. */
static void take_name(struct sonic_import *import, struct sonic_switch *node, const char *file)
{
    const struct tree_node *rows = sonic_rows(import, node, "DEVICE_METADATA");
    const struct tree_node *here = tree_get(rows, "localhost");
    const char *name = here == NULL ? NULL : sonic_field(import, here, "hostname");
    if (name == NULL || *name == '\0') {
        const char *slash = strrchr(file, '/');
        const char *base = slash == NULL ? file : slash + 1;
        name = arena_text(&import->arena, base, strcspn(base, "."));
    }
    for (uint32_t i = 0; i < import->switch_count; i++)
        if (strcmp(import->switches[i].hostname, name) == 0)
            tree_error(import->diag, here == NULL ? node->root : here,
                       "the switch '%s' is also that of %s", sonic_clean(import, name),
                       import->switches[i].file->name);
    node->hostname = name;
    node->asic = here == NULL ? NULL : sonic_field(import, here, "asic_name");
    node->name = names_pick(&import->names, name);
    if (strcmp(name, node->name) != 0)
        sonic_note(import, node->root->place, "the switch '%s' is called %s here",
                   sonic_clean(import, name), node->name);
}

/* SONiC's own readers also keep the last of equal keys. */
static const struct tree_node *read_tree(struct sonic_import *import, const struct tree_file *file)
{
    struct json_repeats repeats = {0};
    const struct tree_node *root = json_tree(&import->arena, file, &repeats, import->diag);
    for (size_t i = 0; root != NULL && i < repeats.count; i++)
        sonic_note(import, repeats.list[i].place,
                   "the key '%s' appears again in line %d: that one is used",
                   sonic_clean(import, repeats.list[i].key), repeats.list[i].line);
    return root;
}

bool sonic_read_switch(struct sonic_import *import, const struct tree_file *file,
                       struct sonic_switch *node)
{
    node->file = file;
    node->root = read_tree(import, file);
    if (node->root != NULL)
        node->root = sonic_undump(import, node->root);
    if (node->root == NULL)
        return false;
    take_name(import, node, file->name);
    read_ports(import, node);
    if (diag_failed(import->diag))
        return false;
    read_cables(import, node);
    read_neighbors(import, node);
    read_watchdog(import, node);
    sonic_table(import, node, "BUFFER_POOL", &node->pools);
    sonic_table(import, node, "BUFFER_PROFILE", &node->profiles);
    sonic_table(import, node, "WRED_PROFILE", &node->wred);
    sonic_table(import, node, "SCHEDULER", &node->schedulers);
    sonic_table(import, node, "DSCP_TO_TC_MAP", &node->dscp_maps);
    sonic_table(import, node, "TC_TO_PRIORITY_GROUP_MAP", &node->group_maps);
    sonic_table(import, node, "TC_TO_QUEUE_MAP", &node->queue_maps);
    sonic_table(import, node, "MAP_PFC_PRIORITY_TO_QUEUE", &node->pfc_maps);
    other_tables(import, node);
    return !diag_failed(import->diag);
}
