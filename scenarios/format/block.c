/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/format/block.h"

#include "base/check.h"
#include "base/nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 128, GROUP_DEPTH_MAX = 3, LIST_TEXT_BYTES = 512 };

struct block *block_new(struct arena *arena, const char *path, const struct opt *rows, size_t bytes)
{
    struct block *block = arena_take(arena, sizeof *block);
    *block = (struct block){.path = path, .rows = rows, .bytes = bytes};
    while (rows[block->row_count].name != NULL)
        block->row_count++;
    block->params = arena_take(arena, bytes);
    block->origins = arena_array(arena, block->row_count, sizeof *block->origins);
    opt_presets_onto(rows, block->params);
    return block;
}

struct block *block_copy(struct arena *arena, const struct block *block, const char *path)
{
    struct block *made = arena_take(arena, sizeof *made);
    *made = *block;
    made->path = path;
    made->params = arena_take(arena, block->bytes);
    memcpy(made->params, block->params, block->bytes);
    made->origins = arena_array(arena, block->row_count, sizeof *made->origins);
    memcpy(made->origins, block->origins, block->row_count * sizeof *made->origins);
    return made;
}

size_t block_row(const struct block *block, const char *name)
{
    const struct opt *row = opt_find(block->rows, name);
    CHECK(row != NULL);
    return (size_t)(row - block->rows);
}

struct diag_place block_place(const struct block *block, const char *name,
                              struct diag_place otherwise)
{
    const struct opt *row = block == NULL ? NULL : opt_find(block->rows, name);
    if (row == NULL)
        return otherwise;
    const struct block_origin *origin = &block->origins[row - block->rows];
    return origin->where.file == NULL || origin->profile != NULL ? otherwise : origin->where;
}

static bool listed(const char *const *keys, const char *key)
{
    for (; keys != NULL && *keys != NULL; keys++)
        if (strcmp(*keys, key) == 0)
            return true;
    return false;
}

static bool begins(const char *text, const char *head, char separator)
{
    const size_t length = strlen(head);
    return strncmp(text, head, length) == 0 && text[length] == separator;
}

bool block_knows(const struct block *block, const char *key)
{
    for (size_t i = 0; i < block->row_count; i++)
        if (strcmp(block->rows[i].name, key) == 0 || begins(block->rows[i].name, key, '-'))
            return true;
    for (const struct block_word *word = block->words; word != NULL && word->path != NULL; word++)
        if (opt_find(block->rows, word->row) != NULL &&
            (begins(word->path, key, '.') || strcmp(word->path, key) == 0))
            return true;
    return false;
}

static void unknown(const struct tree_node *map, const struct tree_item *item,
                    const struct nearest *nearest, struct diag *diag)
{
    char text[DIAG_TEXT_BYTES];
    snprintf(text, sizeof text, "unknown key '%.64s'%s", item->key, nearest_hint(nearest).text);
    /* The key may come from another file than its mapping, after a merge or --set; the value has
     * the right file. */
    const bool here = item->key_place.file == map->file->name;
    tree_message(diag, DIAG_ERROR, here ? map : item->value, item->key_place, text);
}

static void unknown_key(const struct tree_node *map, const struct tree_item *item,
                        const char *const *keys, const struct block *const *blocks,
                        struct diag *diag)
{
    struct nearest nearest = nearest_to(item->key);
    for (; keys != NULL && *keys != NULL; keys++)
        nearest_offer(&nearest, *keys);
    for (; blocks != NULL && *blocks != NULL; blocks++) {
        for (size_t i = 0; i < (*blocks)->row_count; i++)
            nearest_offer(&nearest, (*blocks)->rows[i].name);
        for (const struct block_word *word = (*blocks)->words; word != NULL && word->path; word++)
            if (strchr(word->path, '.') == NULL)
                nearest_offer(&nearest, word->path);
    }
    unknown(map, item, &nearest, diag);
}

static bool is_key_known(const struct block *const *blocks, const char *key)
{
    for (; blocks != NULL && *blocks != NULL; blocks++)
        if (block_knows(*blocks, key))
            return true;
    return false;
}

bool block_only(const struct tree_node *map, const char *const *keys,
                const struct block *const *blocks, struct diag *diag)
{
    bool fine = true;
    if (map->kind != TREE_MAP) {
        tree_error(diag, map, "expected a mapping, but this is %s", tree_kind_name(map));
        return false;
    }
    for (size_t i = 0; i < map->count; i++) {
        if (listed(keys, map->items[i].key) || is_key_known(blocks, map->items[i].key))
            continue;
        unknown_key(map, &map->items[i], keys, blocks, diag);
        fine = false;
    }
    return fine;
}

static void overlay(struct block *block, const struct block *over, bool profiles)
{
    CHECK(block->rows == over->rows);
    for (size_t i = 0; i < over->row_count; i++) {
        if (over->origins[i].where.file == NULL || (!profiles && over->origins[i].profile != NULL))
            continue;
        *opt_field(&block->rows[i], block->params) = *opt_field(&over->rows[i], over->params);
        block->origins[i] = over->origins[i];
    }
}

void block_overlay(struct block *block, const struct block *over)
{
    overlay(block, over, true);
}

void block_overlay_own(struct block *block, const struct block *over)
{
    overlay(block, over, false);
}

/* ---- loading ---- */

/* A mapping whose keys are below `group` ("ecn", "scheduler.weights"; "" at the top). */
struct group {
    const struct tree_node *map;
    const char *name;
    int depth;
};

struct groups {
    struct group *list;
    size_t count;
    const struct tree_node **spelt; /* by row: the value read so far */
};

/* Converts "ecn.kmin" to the form of a row's name, "ecn-kmin". */
static void join_path(const char *path, char joined[PATH_BYTES])
{
    snprintf(joined, PATH_BYTES, "%s", path);
    for (char *at = joined; *at != '\0'; at++)
        *at = *at == '.' ? '-' : *at;
}

static const struct block_word *word_of(const struct block *block, const char *path)
{
    for (const struct block_word *word = block->words; word != NULL && word->path != NULL; word++)
        if (strcmp(word->path, path) == 0)
            return word;
    return NULL;
}

/* Finds the row for the dotted path. */
static const struct opt *row_of(const struct block *block, const char *path)
{
    const struct block_word *word = word_of(block, path);
    if (word != NULL)
        return opt_find(block->rows, word->row);
    char joined[PATH_BYTES];
    join_path(path, joined);
    return opt_find(block->rows, joined);
}

/* True if a row is below the group. */
static bool is_group(const struct block *block, const char *path)
{
    char joined[PATH_BYTES];
    join_path(path, joined);
    for (size_t i = 0; i < block->row_count; i++)
        if (begins(block->rows[i].name, joined, '-'))
            return true;
    for (const struct block_word *word = block->words; word != NULL && word->path != NULL; word++)
        if (begins(word->path, path, '.'))
            return true;
    return false;
}

/* Reports an unknown key, with suggestions from the names of this group. */
static void unknown_in_group(const struct block *block, const struct block_load *load,
                             const struct group *group, const struct tree_item *item)
{
    if (group->depth == 0) {
        const struct block *const blocks[] = {block, NULL};
        unknown_key(group->map, item, load->also, blocks, load->diag);
        return;
    }
    struct nearest nearest = nearest_to(item->key);
    const size_t head = strlen(group->name) + 1;
    for (size_t i = 0; i < block->row_count; i++)
        if (begins(block->rows[i].name, group->name, '-'))
            nearest_offer(&nearest, block->rows[i].name + head);
    for (const struct block_word *word = block->words; word != NULL && word->path != NULL; word++)
        if (begins(word->path, group->name, '.'))
            nearest_offer(&nearest, word->path + head);
    unknown(group->map, item, &nearest, load->diag);
}

/* Text of a value; a list of words becomes one text, "3,4", for rows that accept lists. */
static const char *text_of(const struct block_load *load, const struct tree_node *value)
{
    if (value->kind == TREE_SCALAR)
        return value->text;
    char text[LIST_TEXT_BYTES] = "none";
    size_t used = 0;
    for (size_t i = 0; i < value->count && used < sizeof text; i++) {
        const struct tree_node *member = value->items[i].value;
        if (member->kind != TREE_SCALAR)
            return NULL;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i == 0 ? "" : ",",
                                 member->text);
    }
    return arena_text(load->arena, text, strlen(text));
}

static bool take_value(struct block *block, const struct block_load *load, const struct opt *row,
                       const struct tree_node *value, struct block_origin origin)
{
    char why[OPT_WHY_BYTES];
    const char *text = value->kind == TREE_MAP ? NULL : text_of(load, value);
    if (text == NULL || (value->kind == TREE_LIST && row->type != OPT_MASK)) {
        tree_error(load->diag, value, "%s: expected one value, but this is %s", row->name,
                   tree_kind_name(value));
        return false;
    }
    int64_t parsed;
    if (!opt_parse(row, text, &parsed, why)) {
        tree_error(load->diag, value, "%s: %s", row->name, why);
        return false;
    }
    *opt_field(row, block->params) = parsed;
    origin.word = text;
    block->origins[row - block->rows] = origin;
    return true;
}

/* Number of independent sources: of an assumed value at most one, which alone does not establish
 * it; of any other at least one. */
static bool take_sources(struct diag *diag, const struct tree_node *entry,
                         struct block_origin *origin)
{
    const bool assumed = strcmp(origin->evidence, "assumed") == 0;
    const struct tree_node *sources = tree_get(entry, "sources");
    origin->sources = assumed ? 0 : 1;
    if (sources == NULL)
        return true;
    const char *text = sources->text == NULL ? "" : sources->text;
    const size_t length = strlen(text);
    const bool number = length > 0 && length <= 2 && strspn(text, "0123456789") == length;
    origin->sources = number ? (uint32_t)strtoul(text, NULL, 10) : 0;
    if (number && (assumed ? origin->sources <= 1 : origin->sources >= 1))
        return true;
    tree_error(diag, sources, "sources: expected %s",
               assumed ? "0 or 1, because the value is assumed"
                       : "the number of independent sources, from 1 to 99");
    return false;
}

bool block_evidence(struct diag *diag, const struct tree_node *entry, struct block_origin *origin)
{
    static const char *const keys[] = {"value", "evidence", "sources", "source", NULL};
    static const char *const kinds[] = {"documented", "measured", "inferred", "assumed", NULL};
    if (!block_only(entry, keys, NULL, diag))
        return false;
    const struct tree_node *evidence = tree_get(entry, "evidence");
    const struct tree_node *source = tree_get(entry, "source");
    if (tree_get(entry, "value") == NULL || evidence == NULL || evidence->text == NULL ||
        source == NULL || source->text == NULL || !listed(kinds, evidence->text)) {
        tree_error(diag, entry,
                   "expected {value: .., evidence: documented, measured, inferred or assumed, "
                   "source: ..}");
        return false;
    }
    origin->evidence = evidence->text;
    origin->source = source->text;
    return take_sources(diag, entry, origin);
}

static bool is_set(const struct diag_place *place)
{
    return place->file != NULL && strcmp(place->file, "--set") == 0;
}

/* A row has several spellings, and a mapping may use two of them. Then --set takes precedence; two
 * in a file are an error. True if this value counts. */
static bool comes_first(const struct block_load *load, const struct opt *row,
                        const struct tree_node *value, const struct tree_node **spelt)
{
    const struct diag_place former = *spelt == NULL ? value->place : (*spelt)->place;
    const bool twice = *spelt != NULL && is_set(&former) == is_set(&value->place);
    if (twice && is_set(&former))
        tree_error(load->diag, value,
                   "%s is set twice, with two spellings: here, and by '--set %.120s'; keep one of "
                   "the two",
                   row->name, (*spelt)->file->text);
    else if (twice)
        tree_error(load->diag, value, "%s is written twice: here, and at %s:%d", row->name,
                   former.file, former.line);
    if (*spelt != NULL && is_set(&former))
        return false;
    *spelt = value;
    return !twice;
}

/* The value prefixed with the head of its key: a number below `tos` becomes "tos 104". */
static const struct tree_node *with_head(const struct block_load *load,
                                         const struct block_word *word,
                                         const struct tree_node *value)
{
    const bool number =
        value->kind == TREE_SCALAR && strspn(value->text, "-0123456789") == strlen(value->text);
    if (word == NULL || word->head == NULL || !number)
        return value;
    struct tree_node *made = arena_take(load->arena, sizeof *made);
    *made = *value;
    made->text = arena_format(load->arena, "%s%s", word->head, value->text);
    return made;
}

static bool take_row(struct block *block, const struct block_load *load, const struct opt *row,
                     const struct tree_node *value)
{
    struct block_origin origin = {.where = value->place, .path = block->path};
    if (load->profile == NULL)
        return take_value(block, load, row, value, origin);
    origin.profile = load->profile;
    return block_evidence(load->diag, value, &origin) &&
           take_value(block, load, row, tree_get(value, "value"), origin);
}

static bool take_item(struct block *block, const struct block_load *load, const struct group *group,
                      const struct tree_item *item, struct groups *groups)
{
    if (group->depth == 0 &&
        (listed(load->also, item->key) || (load->partial && !block_knows(block, item->key))))
        return true;
    char path[PATH_BYTES];
    const int length =
        snprintf(path, sizeof path, "%s%s%s", group->name, group->depth == 0 ? "" : ".", item->key);
    const bool usable = length < PATH_BYTES && (strchr(item->key, '.') == NULL);
    const struct opt *row = usable ? row_of(block, path) : NULL;
    const bool nested = usable && item->value->kind == TREE_MAP && group->depth < GROUP_DEPTH_MAX &&
                        is_group(block, path);
    if (nested && (row == NULL || load->profile == NULL)) {
        struct group *added =
            arena_push(load->arena, (void **)(void *)&groups->list, &groups->count, sizeof *added);
        *added = (struct group){item->value, arena_text(load->arena, path, (size_t)length),
                                group->depth + 1};
        return true;
    }
    if (row != NULL)
        return !comes_first(load, row, item->value, &groups->spelt[row - block->rows]) ||
               take_row(block, load, row, with_head(load, word_of(block, path), item->value));
    if (usable && is_group(block, path))
        tree_error(load->diag, item->value, "%s: expected a mapping, but this is %s", path,
                   tree_kind_name(item->value));
    else
        unknown_in_group(block, load, group, item);
    return false;
}

bool block_load(struct block *block, const struct block_load *load)
{
    if (load->map->kind != TREE_MAP) {
        tree_error(load->diag, load->map, "%s: expected a mapping, but this is %s", block->path,
                   tree_kind_name(load->map));
        return false;
    }
    bool fine = true;
    struct groups groups = {.spelt =
                                arena_array(load->arena, block->row_count, sizeof *groups.spelt)};
    struct group top = {load->map, "", 0};
    size_t next = 0;
    for (const struct group *group = &top;; group = &top) {
        for (size_t i = 0; i < group->map->count; i++)
            fine &= take_item(block, load, group, &group->map->items[i], &groups);
        if (next == groups.count)
            return fine;
        top = groups.list[next++];
    }
}
