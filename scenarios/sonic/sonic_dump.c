/* SPDX-License-Identifier: Apache-2.0
 * sonic_dump - reads CONFIG_DB as written by `sonic-db-dump -n CONFIG_DB`, and by `show
 * techsupport` in dump/CONFIG_DB.json: one key per row, with the fields in `value`.
 *     {"PORT|Ethernet0": {"type": "hash", "ttl": -0.001, "value": {"speed": "100000"}}}
 * Tables for tests (mock_tables/config_db.json) have the fields without `value`. A field whose name
 * ends with '@' is a list; a row without fields has NULL.
 * Source: sonic-utilities scripts/generate_dump, redis-dump; sonic-py-swsssdk configdb.py. */
#include "scenarios/sonic/sonic_private.h"

#include <stdlib.h>
#include <string.h>

/* Row of an item in the dump; NULL: a single value, such as CONFIG_DB_INITIALIZED. */
static const struct tree_node *row_of(const struct tree_item *item)
{
    const struct tree_node *value = tree_get(item->value, "value");
    if (strchr(item->key, '|') == NULL || item->value->kind != TREE_MAP)
        return NULL;
    return value != NULL && value->kind == TREE_MAP ? value : item->value;
}

static bool is_dump(const struct tree_node *root)
{
    for (size_t i = 0; root->kind == TREE_MAP && i < root->count; i++)
        if (row_of(&root->items[i]) != NULL)
            return true;
    return false;
}

static struct tree_node *new_map(struct sonic_import *import, const struct tree_node *like,
                                 size_t most)
{
    struct tree_node *map = arena_take(&import->arena, sizeof *map);
    *map = *like;
    map->items = arena_array(&import->arena, most + 1, sizeof *map->items);
    map->count = 0;
    return map;
}

/* Converts the fields to the form of config_db.json. */
static struct tree_node *fields_of(struct sonic_import *import, const struct tree_node *row)
{
    struct tree_node *map = new_map(import, row, row->count);
    for (size_t i = 0; i < row->count; i++) {
        struct tree_item *field = &map->items[map->count];
        const size_t length = strlen(row->items[i].key);
        *field = row->items[i];
        if (length > 1 && field->key[length - 1] == '@')
            field->key = arena_text(&import->arena, field->key, length - 1);
        map->count += strcmp(field->key, "NULL") != 0;
    }
    return map;
}

/* ---- rows of one table ---- */

static size_t table_length(const struct tree_item *item)
{
    return strcspn(item->key, "|");
}

static int by_table(const void *a, const void *b)
{
    const struct tree_item *x = *(const struct tree_item *const *)a;
    const struct tree_item *y = *(const struct tree_item *const *)b;
    const size_t n = table_length(x), m = table_length(y);
    const int order = memcmp(x->key, y->key, n < m ? n : m);
    return order != 0 ? order : n != m ? (n < m ? -1 : 1) : (x > y) - (x < y);
}

static bool same_table(const struct tree_item *a, const struct tree_item *b)
{
    return table_length(a) == table_length(b) && memcmp(a->key, b->key, table_length(a)) == 0;
}

/* Makes a table from consecutive rows. */
static struct tree_item table_of(struct sonic_import *import, const struct tree_item **rows,
                                 size_t count)
{
    const struct tree_item *first = rows[0];
    struct tree_node *map = new_map(import, first->value, count);
    for (size_t i = 0; i < count; i++)
        map->items[map->count++] = (struct tree_item){.key = strchr(rows[i]->key, '|') + 1,
                                                      .key_place = rows[i]->key_place,
                                                      .value = fields_of(import, row_of(rows[i]))};
    return (struct tree_item){.key = arena_text(&import->arena, first->key, table_length(first)),
                              .key_place = first->key_place,
                              .value = map};
}

const struct tree_node *sonic_undump(struct sonic_import *import, const struct tree_node *root)
{
    if (!is_dump(root))
        return root;
    struct tree_node *all = new_map(import, root, root->count);
    const struct tree_item **rows = arena_array(&import->arena, root->count + 1, sizeof *rows);
    size_t count = 0;
    for (size_t i = 0; i < root->count; i++) {
        const struct tree_item *item = &root->items[i];
        if (row_of(item) != NULL)
            rows[count++] = item;
        else
            sonic_cosmetic(import, item->key_place, "%s: no row of a table",
                           sonic_clean(import, item->key));
    }
    qsort(rows, count, sizeof *rows, by_table);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && same_table(rows[from], rows[to]);)
            to++;
        all->items[all->count++] = table_of(import, rows + from, to - from);
    }
    return all;
}
