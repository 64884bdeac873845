/* SPDX-License-Identifier: Apache-2.0
 * sonic_qos - reads PORT_QOS_MAP and its maps: the priorities with PFC, and the mapping from DSCP
 * via traffic class to priority group and queue.
 * In a scenario, a priority is all of these at once: a DSCP gets the number of its queue. */
#include "scenarios/sonic/sonic_private.h"

#include "base/plural.h"

#include <string.h>

/* ---- PORT_QOS_MAP ---- */

static void take_maps(struct sonic_import *import, const struct sonic_switch *node,
                      struct sonic_port *port, const struct tree_node *row)
{
    port->dscp = sonic_reference(import, row, "dscp_to_tc_map", &node->dscp_maps);
    port->group = sonic_reference(import, row, "tc_to_pg_map", &node->group_maps);
    port->queue = sonic_reference(import, row, "tc_to_queue_map", &node->queue_maps);
    port->pfc_queue = sonic_reference(import, row, "pfc_to_queue_map", &node->pfc_maps);
}

static void take_row(struct sonic_import *import, struct sonic_port *port, int number,
                     const struct tree_item *row)
{
    (void)number;
    if (port->qos != NULL) {
        tree_error(import->diag, row->value, "PORT_QOS_MAP: %s has a row already, in line %d",
                   sonic_clean(import, port->name), port->qos->key_place.line);
        return;
    }
    port->qos = row;
    port->pfc = sonic_mask(import, row->value, "pfc_enable");
    port->watched = sonic_mask(import, row->value, "pfcwd_sw_enable");
}

/* A port without its own map uses the row "global". */
static void read_ports(struct sonic_import *import, struct sonic_switch *node)
{
    static const char *const known[] = {"pfc_enable",
                                        "pfcwd_sw_enable",
                                        "dscp_to_tc_map",
                                        "tc_to_pg_map",
                                        "tc_to_queue_map",
                                        "pfc_to_queue_map",
                                        NULL};
    sonic_each(import, node, "PORT_QOS_MAP", false, take_row);
    const struct tree_item *global = tree_item(sonic_rows(import, node, "PORT_QOS_MAP"), "global");
    for (uint32_t i = 0; i < node->used_count; i++) {
        struct sonic_port *port = node->used[i];
        if (port->qos != NULL)
            take_maps(import, node, port, port->qos->value);
        if (port->dscp == NULL && global != NULL)
            port->dscp = sonic_reference(import, global->value, "dscp_to_tc_map", &node->dscp_maps);
        if (port->pfc == SONIC_UNSET)
            port->pfc = 0;
        node->settings.pfc |= port->pfc;
        if (port->watched != SONIC_UNSET && port->watched != port->pfc)
            sonic_port_note(import, node, port, port->qos->key_place,
                            "pfcwd_sw_enable differs from pfc_enable; the scenario's watchdog "
                            "watches every lossless queue");
    }
    sonic_other_fields(import, node, "PORT_QOS_MAP", known);
}

/* ---- maps ---- */

/* The map of most ports; the others are reported. */
static const struct tree_item *usual_map(struct sonic_import *import, struct sonic_switch *node,
                                         size_t offset, const char *what)
{
    const struct tree_item **list = arena_array(&import->arena, node->used_count + 1, sizeof *list);
    for (uint32_t i = 0; i < node->used_count; i++)
        list[i] = *(const struct tree_item **)(void *)((char *)node->used[i] + offset);
    const struct tree_item *usual = sonic_usual(import, list, node->used_count);
    sonic_note_others(import, usual, list, node->used_count, "port", what);
    return usual;
}

/* Reads {"3": "3", "4": "4"}; missing numbers are unset. */
static void read_map(struct sonic_import *import, const struct tree_item *map, int64_t *out,
                     int64_t keys, int64_t values)
{
    for (int64_t i = 0; i < keys; i++)
        out[i] = SONIC_UNSET;
    for (size_t i = 0; map != NULL && i < map->value->count; i++) {
        const struct tree_item *item = &map->value->items[i];
        const struct tree_node key = {.kind = TREE_SCALAR,
                                      .place = item->key_place,
                                      .file = item->value->file,
                                      .text = item->key};
        const int64_t from = sonic_number_of(import, &key, "a key", 0, keys - 1);
        const int64_t to = sonic_number_of(import, item->value, "a value", 0, values - 1);
        if (from != SONIC_UNSET)
            out[from] = to;
    }
}

/* A number that is not in the map stays the same if there is such a group or queue; otherwise
 * unset. */
static int64_t mapped(const int64_t *map, int64_t from)
{
    if (map[from] != SONIC_UNSET)
        return map[from];
    return from < SONIC_PRIORITIES ? from : SONIC_UNSET;
}

/* Reports classes whose group and queue differ: each lossless one, and the number of lossy ones. */
static void compare_classes(struct sonic_import *import, const struct sonic_switch *node,
                            const struct tree_item *map, const int64_t *group, const int64_t *queue)
{
    int lossy = 0;
    for (int64_t tc = 0; tc < SONIC_CLASSES; tc++) {
        const int64_t g = mapped(group, tc), q = mapped(queue, tc);
        if (g == SONIC_UNSET || q == SONIC_UNSET)
            continue;
        const bool lossless = (node->settings.pfc >> g | node->settings.pfc >> q) & 1;
        lossy += g != q && !lossless;
        if (g != q && lossless)
            sonic_note(import, map->key_place,
                       "traffic class %lld has priority group %lld and queue %lld: both are "
                       "imported as priority %lld",
                       (long long)tc, (long long)g, (long long)q, (long long)q);
    }
    if (lossy > 0)
        sonic_note(import, map->key_place,
                   "%d lossy traffic %s %s a priority group with others: the scenario has one "
                   "group per priority",
                   lossy, plural(lossy, "class", "classes"), plural(lossy, "shares", "share"));
}

static void check_pfc_queues(struct sonic_import *import, const struct sonic_switch *node,
                             const struct tree_item *map)
{
    int64_t queue[SONIC_PRIORITIES];
    read_map(import, map, queue, SONIC_PRIORITIES, SONIC_PRIORITIES);
    for (int64_t p = 0; p < SONIC_PRIORITIES; p++)
        if ((node->settings.pfc >> p & 1) && mapped(queue, p) != p)
            sonic_note(import, map->key_place,
                       "PFC priority %lld pauses queue %lld: imported as if it paused queue %lld",
                       (long long)p, (long long)mapped(queue, p), (long long)p);
}

static void map_dscp(struct sonic_import *import, struct sonic_switch *node)
{
    struct sonic_settings *settings = &node->settings;
    int64_t class[SONIC_DSCPS], group[SONIC_CLASSES], queue[SONIC_CLASSES];
    const struct tree_item *dscps =
        usual_map(import, node, offsetof(struct sonic_port, dscp), "dscp_to_tc_map");
    const struct tree_item *groups =
        usual_map(import, node, offsetof(struct sonic_port, group), "tc_to_pg_map");
    const struct tree_item *queues =
        usual_map(import, node, offsetof(struct sonic_port, queue), "tc_to_queue_map");
    const struct tree_item *pfc =
        usual_map(import, node, offsetof(struct sonic_port, pfc_queue), "pfc_to_queue_map");
    read_map(import, dscps, class, SONIC_DSCPS, SONIC_CLASSES);
    read_map(import, groups, group, SONIC_CLASSES, SONIC_PRIORITIES);
    read_map(import, queues, queue, SONIC_CLASSES, SONIC_PRIORITIES);
    if (groups != NULL)
        compare_classes(import, node, groups, group, queue);
    if (pfc != NULL)
        check_pfc_queues(import, node, pfc);
    settings->has_dscp = dscps != NULL;
    node->origins.dscp = dscps;
    node->origins.queue = queues;
    if (dscps == NULL)
        sonic_note(import, node->root->place,
                   "no dscp_to_tc_map in PORT_QOS_MAP: a DSCP gets priority DSCP/8");
    for (int i = 0; i < SONIC_DSCPS; i++) { /* a DSCP that is not in the map has class 0 */
        const int64_t tc = class[i] == SONIC_UNSET ? 0 : class[i];
        settings->dscp[i] = mapped(queue, tc);
        if (settings->dscp[i] == SONIC_UNSET)
            tree_error(import->diag, dscps->value,
                       "DSCP %d has traffic class %lld: expected a queue for it in "
                       "TC_TO_QUEUE_MAP, found none",
                       i, (long long)tc);
    }
}

/* ---- PFC_WD ---- */

static bool same_text(const struct tree_node *a, const struct tree_node *b, const char *field)
{
    const struct tree_node *x = tree_get(a, field), *y = tree_get(b, field);
    if (x == NULL || y == NULL || x->kind != TREE_SCALAR || y->kind != TREE_SCALAR)
        return x == y;
    return strcmp(x->text, y->text) == 0;
}

/* Uses the values of the first port that has a row. */
static void read_watchdog(struct sonic_import *import, struct sonic_switch *node)
{
    static const char *const fields[] = {"action", "detection_time", "restoration_time"};
    struct sonic_settings *settings = &node->settings;
    const struct tree_item *first = NULL;
    unsigned without = 0, others = 0;
    for (uint32_t i = 0; i < node->used_count; i++) {
        const struct sonic_port *port = node->used[i];
        first = first == NULL ? port->watchdog : first;
        without += port->watchdog == NULL && port->pfc != 0;
        bool same = true;
        for (size_t k = 0; port->watchdog != NULL && k < 3; k++)
            same &= same_text(first->value, port->watchdog->value, fields[k]);
        others += !same;
    }
    node->origins.watchdog = first;
    if (first == NULL)
        return;
    const char *action = sonic_field(import, first->value, "action");
    settings->watchdog = action == NULL ? "drop" : action;
    if (strcmp(settings->watchdog, "drop") != 0 && strcmp(settings->watchdog, "forward") != 0 &&
        strcmp(settings->watchdog, "alert") != 0)
        tree_error(import->diag, tree_get(first->value, "action"),
                   "expected an action: drop, forward or alert");
    settings->detection = sonic_number(import, first->value, "detection_time", 1, 5000);
    settings->restoration = sonic_number(import, first->value, "restoration_time", 1, 60000);
    const struct tree_node *global = tree_get(sonic_rows(import, node, "PFC_WD"), "GLOBAL");
    if (global != NULL)
        settings->poll = sonic_number(import, global, "POLL_INTERVAL", 1, 1000);
    if (others > 0 || without > 0)
        sonic_note(import, first->key_place,
                   "PFC_WD: %u %s %s other values, %u with PFC have none; here a switch has "
                   "one watchdog, that of %s",
                   others, plural(others, "port", "ports"), plural(others, "has", "have"), without,
                   sonic_clean(import, first->key));
}

void sonic_qos(struct sonic_import *import, struct sonic_switch *node)
{
    node->settings.pfc = 0;
    read_ports(import, node);
    if (node->settings.pfc == 0)
        sonic_note(import, node->root->place,
                   "no pfc_enable in PORT_QOS_MAP: no priority is lossless");
    map_dscp(import, node);
    read_watchdog(import, node);
}
