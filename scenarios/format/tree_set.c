/* SPDX-License-Identifier: Apache-2.0
 * tree_set - applies --set.
 * Nodes may be shared between aliases, so every node on the path is copied before it is changed. A
 * setting thus affects only the place that its path names. */
#include "scenarios/format/tree.h"

#include "base/nearest.h"

#include <stdlib.h>
#include <string.h>

struct setter {
    struct arena *arena;
    const struct tree_file *file; /* text of the --set, or the file with the change */
    const char *path;
    struct diag_place place; /* place of the path's first character */
    struct diag *diag;
    struct tree_node *value;
};

static struct diag_place place_of(const struct setter *setter, const char *step, size_t length)
{
    struct diag_place place = setter->place;
    place.column += (int)(step - setter->path);
    place.width = length == 0 ? 1 : (int)length;
    return place;
}

static void fail(const struct setter *setter, const char *step, size_t length, const char *text)
{
    diag_add(setter->diag, DIAG_ERROR, place_of(setter, step, length),
             tree_line(setter->file, setter->place.line), "%s", text);
}

static struct tree_node *copy(const struct setter *setter, const struct tree_node *node)
{
    struct tree_node *made = arena_take(setter->arena, sizeof *made);
    *made = *node;
    made->items = arena_array(setter->arena, node->count + 1, sizeof *made->items);
    if (node->count > 0)
        memcpy(made->items, node->items, node->count * sizeof *made->items);
    return made;
}

static struct tree_node *make_value(const struct setter *setter, const char *step, size_t length,
                                    enum tree_kind kind)
{
    struct tree_node *made = arena_take(setter->arena, sizeof *made);
    *made = (struct tree_node){
        .kind = kind, .place = place_of(setter, step, length), .file = setter->file, .weight = 1};
    made->items = arena_array(setter->arena, 1, sizeof *made->items);
    return made;
}

static bool is_word(const char *text, const char *step, size_t length)
{
    return text != NULL && strlen(text) == length && memcmp(text, step, length) == 0;
}

/* Finds a list's member by its number or its `name`; `+` appends a new one. copy has reserved the
 * room. */
static struct tree_item *find_member(const struct setter *setter, struct tree_node *list,
                                     const char *step, size_t length)
{
    if (length == 1 && *step == '+') {
        struct tree_item *item = &list->items[list->count++];
        *item = (struct tree_item){.value = make_value(setter, step, length, TREE_MAP)};
        return item;
    }
    if (length > 0 && length < 9 && strspn(step, "0123456789") >= length) {
        const size_t index = (size_t)strtol(step, NULL, 10);
        if (index < list->count)
            return &list->items[index];
    }
    struct nearest nearest = nearest_to(arena_text(setter->arena, step, length));
    for (size_t i = 0; i < list->count; i++) {
        const struct tree_node *name = tree_get(list->items[i].value, "name");
        if (name == NULL || name->text == NULL)
            continue;
        if (is_word(name->text, step, length))
            return &list->items[i];
        nearest_offer(&nearest, name->text);
    }
    fail(setter, step, length,
         arena_format(setter->arena, "the list has no member '%.*s'%s", (int)length, step,
                      nearest_hint(&nearest).text));
    return NULL;
}

/* Finds a map's member, or creates an empty one. copy has reserved the room. */
static struct tree_item *find_key(const struct setter *setter, struct tree_node *map,
                                  const char *step, size_t length, enum tree_kind kind)
{
    for (size_t i = 0; i < map->count; i++)
        if (is_word(map->items[i].key, step, length))
            return &map->items[i];
    struct tree_node *made = make_value(setter, step, length, kind);
    struct tree_item *item = &map->items[map->count++];
    *item = (struct tree_item){
        .key = arena_text(setter->arena, step, length), .key_place = made->place, .value = made};
    return item;
}

/* `kind`: kind of the value to create if it is missing. */
static struct tree_item *find_item(const struct setter *setter, struct tree_node *node,
                                   const char *step, size_t length, enum tree_kind kind)
{
    if (length == 0) {
        fail(setter, step, 1, "expected a key or a number here");
        return NULL;
    }
    if (node->kind == TREE_MAP)
        return find_key(setter, node, step, length, kind);
    if (node->kind == TREE_LIST)
        return find_member(setter, node, step, length);
    fail(setter, step, length,
         arena_format(setter->arena, "'%.64s' is a single value and has no members", node->text));
    return NULL;
}

/* One step of a path: `faults`, `0`, or the text in brackets of `faults[0]`. */
struct step {
    const char *at;
    size_t length;
    const char *next; /* NULL: the last step */
};

static bool read_step(const struct setter *setter, const char *at, const char *end,
                      struct step *step)
{
    const bool bracket = at < end && *at == '[';
    const char *begin = at + bracket, *stop = begin;
    while (stop < end && (bracket ? *stop != ']' : *stop != '.' && *stop != '['))
        stop++;
    *step = (struct step){.at = begin, .length = (size_t)(stop - begin)};
    if (bracket && stop == end) {
        fail(setter, at, 1, "this bracket is not closed");
        return false;
    }
    stop += bracket;
    if (stop < end && *stop != '.' && *stop != '[') {
        fail(setter, stop, 1, "expected '.' or '[' after the bracket");
        return false;
    }
    if (stop < end)
        step->next = stop + (*stop == '.');
    return true;
}

static struct tree_node *descend(const struct setter *setter, const struct tree_node *root,
                                 const char *end)
{
    struct tree_node *fresh = copy(setter, root), *node = fresh;
    for (struct step step = {.next = setter->path};;) {
        if (!read_step(setter, step.next, end, &step))
            return NULL;
        const bool appends = step.next != NULL && strncmp(step.next, "[+]", 3) == 0;
        struct tree_item *item =
            find_item(setter, node, step.at, step.length, appends ? TREE_LIST : TREE_MAP);
        if (item == NULL)
            return NULL;
        if (step.next == NULL) {
            if (item->key != NULL)
                item->key_place = place_of(setter, step.at, step.length);
            item->value = setter->value;
            return fresh;
        }
        item->value = copy(setter, item->value);
        node = item->value;
    }
}

struct tree_node *tree_set(struct arena *arena, struct tree_node *root, const char *set,
                           struct diag *diag)
{
    const size_t length = strlen(set);
    const char *text = arena_text(arena, set, length);
    struct setter setter = {.arena = arena,
                            .file = tree_hold(arena, "--set", text, length),
                            .path = text,
                            .place = {.file = "--set", .line = 1, .column = 1},
                            .diag = diag};
    const char *equals = strchr(text, '=');
    if (equals == NULL) {
        fail(&setter, text, length, "expected path=value");
        return NULL;
    }
    setter.value = tree_parse(arena, setter.file, (size_t)(equals - text) + 1, diag);
    return setter.value == NULL ? NULL : descend(&setter, root, equals);
}

struct tree_node *tree_change(struct arena *arena, struct tree_node *root,
                              const struct tree_item *change, struct diag *diag)
{
    const struct setter setter = {.arena = arena,
                                  .file = change->value->file,
                                  .path = change->key,
                                  .place = change->key_place,
                                  .diag = diag,
                                  .value = change->value};
    return descend(&setter, root, change->key + strlen(change->key));
}
