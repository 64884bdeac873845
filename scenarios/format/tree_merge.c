/* SPDX-License-Identifier: Apache-2.0
 * tree_merge - sorts the entries by key to find equal ones, then back, so a map with a million keys
 * takes only the time of two sorts. */
#include "scenarios/format/tree_merge.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

const char tree_merge_key[] = "<<";

struct entry {
    const struct tree_item *item;
    size_t rank; /* the map's own keys rank before merged ones, earlier ones before later ones */
    bool merged;
};

static int by_key(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    const int order = strcmp(x->item->key, y->item->key);
    return order != 0 ? order : x->rank < y->rank ? -1 : 1;
}

static int by_rank(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->rank < y->rank ? -1 : 1;
}

struct entries {
    struct entry *list;
    uint32_t count, room;
};

static void entries_add(struct entries *entries, const struct tree_item *item, bool merged)
{
    entries->list =
        memory_grown(entries->list, entries->count, &entries->room, sizeof *entries->list);
    entries->list[entries->count] = (struct entry){item, entries->count, merged};
    entries->count++;
}

static void merge_one(struct diag *diag, struct entries *entries, const struct tree_node *from)
{
    if (from->kind != TREE_MAP) {
        tree_error(diag, from, "expected a mapping to merge, but this is %s", tree_kind_name(from));
        return;
    }
    for (size_t i = 0; i < from->count; i++)
        entries_add(entries, &from->items[i], true);
}

static void merge_item(struct diag *diag, struct entries *entries, const struct tree_item *item)
{
    if (item->value->kind != TREE_LIST) {
        merge_one(diag, entries, item->value);
        return;
    }
    for (size_t i = 0; i < item->value->count; i++)
        merge_one(diag, entries, item->value->items[i].value);
}

static void collect(struct diag *diag, const struct tree_node *map, struct entries *entries)
{
    for (size_t i = 0; i < map->count; i++)
        if (map->items[i].key != tree_merge_key)
            entries_add(entries, &map->items[i], false);
    for (size_t i = 0; i < map->count; i++)
        if (map->items[i].key == tree_merge_key)
            merge_item(diag, entries, &map->items[i]);
}

/* Keeps the first entry of each key; two equal keys of the map itself are an error. */
static void drop_repeated(struct diag *diag, const struct tree_node *map, struct entries *entries)
{
    uint32_t kept = 0;
    for (size_t i = 0; i < entries->count; i++) {
        const struct entry *entry = &entries->list[i];
        const struct entry *last = kept == 0 ? NULL : &entries->list[kept - 1];
        if (last == NULL || strcmp(last->item->key, entry->item->key) != 0) {
            entries->list[kept++] = *entry;
            continue;
        }
        if (entry->merged)
            continue;
        char text[DIAG_TEXT_BYTES];
        snprintf(text, sizeof text, "key '%.64s' is used twice; first in line %d", entry->item->key,
                 last->item->key_place.line);
        tree_message(diag, DIAG_ERROR, map, entry->item->key_place, text);
    }
    entries->count = kept;
}

bool tree_merge(struct arena *arena, struct tree_node *map, struct diag *diag)
{
    const int errors = diag->errors;
    struct entries entries = {0};
    collect(diag, map, &entries);
    if (entries.count > 0) {
        qsort(entries.list, entries.count, sizeof *entries.list, by_key);
        drop_repeated(diag, map, &entries);
        qsort(entries.list, entries.count, sizeof *entries.list, by_rank);
    }
    struct tree_item *items = arena_array(arena, entries.count, sizeof *items);
    for (size_t i = 0; i < entries.count; i++)
        items[i] = *entries.list[i].item;
    map->items = items;
    map->count = entries.count;
    free(entries.list);
    return diag->errors == errors;
}
