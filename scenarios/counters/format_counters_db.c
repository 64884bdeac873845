/* SPDX-License-Identifier: Apache-2.0
 * format_counters_db - SONiC's COUNTERS_DB, as printed by `sonic-db-dump -n COUNTERS_DB` and in
 * COUNTERS_DB.json of `show techsupport`: objects "COUNTERS:oid:..", and maps from names of ports,
 * queues and priority groups to these objects.
 * Source: sonic-swss orchagent/portsorch.cpp; SAI saiport.h, saiqueue.h, saibuffer.h. */
#include "scenarios/counters/tables.h"

#include <string.h>

static const char *const maps[] = {"COUNTERS_PORT_NAME_MAP", "COUNTERS_QUEUE_NAME_MAP",
                                   "COUNTERS_PG_NAME_MAP"};
enum { MAPS = sizeof maps / sizeof maps[0] };

/* Value of a redis key: the object itself, or its member "value". */
static const struct tree_node *value_of(const struct tree_node *root, const char *key)
{
    const struct tree_node *node = tree_get(root, key);
    const struct tree_node *value = tree_get(node, "value");
    return value != NULL && value->kind == TREE_MAP ? value : node;
}

static void add(struct counts_reader *reader, const char *port, int priority,
                const struct tree_item *item)
{
    int64_t value;
    const char *text = item->value->text;
    if (item->value->kind != TREE_SCALAR || strncmp(item->key, "PFC_WD_STATUS", 13) == 0 ||
        !counts_number(text, strlen(text), &value))
        return;
    struct counts_meaning what =
        priority < 0 ? counts_name(item->key, COUNTS_SAI) : counts_column(item->key, priority);
    if (priority >= 0 && strncmp(item->key, "SAI_PORT_STAT_", 14) == 0)
        return; /* a port counter that the watchdog stores with its queues */
    what = counts_named(reader->arena, what);
    const char *source = priority < 0
                             ? item->key
                             : arena_format(reader->arena, "%s of queue %d", item->key, priority);
    counts_add_value(reader, &(struct counts_item){.port = port,
                                                   .source = source,
                                                   .what = what,
                                                   .value = value,
                                                   .place = item->value->place});
}

/* Reads the counters of "Ethernet0" or "Ethernet0:3", which are in the object "oid:0x..". */
static void take_object(struct counts_reader *reader, const struct tree_node *root,
                        const struct tree_item *item)
{
    const char *colon = strrchr(item->key, ':');
    const size_t length = colon == NULL ? strlen(item->key) : (size_t)(colon - item->key);
    const int priority = colon == NULL ? -1 : counts_number_after(colon, strlen(colon), ":");
    if (item->value->kind != TREE_SCALAR || !counts_is_port(item->key, length))
        return;
    const struct tree_node *object =
        value_of(root, arena_format(reader->arena, "COUNTERS:%s", item->value->text));
    if (object == NULL || object->kind != TREE_MAP)
        return;
    if (colon != NULL && (priority < 0 || priority > 7)) {
        if (reader->queues_left++ == 0)
            reader->queue_place = item->key_place;
        return;
    }
    const char *port = counts_port(reader, item->key, length);
    for (size_t i = 0; i < object->count; i++)
        add(reader, port, priority, &object->items[i]);
}

static bool tree(struct counts_reader *reader, const struct tree_node *root)
{
    if (tree_get(root, maps[0]) == NULL)
        return false;
    for (int i = 0; i < MAPS; i++) {
        const struct tree_node *map = value_of(root, maps[i]);
        for (size_t k = 0; map != NULL && map->kind == TREE_MAP && k < map->count; k++)
            take_object(reader, root, &map->items[k]);
    }
    return true;
}

const struct counts_format format_counters_db = {.name = "COUNTERS_DB", .tree = tree};
