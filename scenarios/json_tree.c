/* SPDX-License-Identifier: Apache-2.0
 * The only place that knows jansson.  Jansson reads, and refuses what is no JSON; it does not say
 * where a value stood.  Its objects keep the order of the file, so a second walk goes over the
 * text, known to be good by then, from token to token beside its values. */
#include "scenarios/json_tree.h"

#include "base/check.h"

#include <jansson.h>
#include <string.h>

struct walk {
    struct arena *arena;
    const struct tree_file *file;
    struct diag *diag;
    const char *at, *end;
    const char *counted; /* the columns up to here are counted */
    int line, column;
    uint32_t nodes;
    bool failed;
};

/* ---- the text ---- */

/* To the next token that is a value or a key, or that opens one. */
static void to_token(struct walk *walk)
{
    for (; walk->at < walk->end && strchr(" \t\r\n,:]}", *walk->at) != NULL; walk->at++)
        if (*walk->at == '\n') {
            walk->line++;
            walk->column = 1;
            walk->counted = walk->at + 1;
        }
    CHECK(walk->at < walk->end);
}

/* Takes a string, a number or a word; returns its length. */
static size_t take_token(struct walk *walk)
{
    const char *from = walk->at;
    if (*from != '"') {
        walk->at += strcspn(from, " \t\r\n,:]}");
        return (size_t)(walk->at - from);
    }
    for (walk->at++; *walk->at != '"'; walk->at++)
        walk->at += *walk->at == '\\';
    walk->at++;
    return (size_t)(walk->at - from);
}

/* Bytes that go on with a character of UTF-8 are no columns. */
static struct diag_place place_here(struct walk *walk)
{
    for (; walk->counted < walk->at; walk->counted++)
        walk->column += ((unsigned char)*walk->counted & 0xC0) != 0x80;
    return (struct diag_place){
        .file = walk->file->name, .line = walk->line, .column = walk->column, .width = 1};
}

static void fail(struct walk *walk, struct diag_place place, const char *text)
{
    if (!walk->failed)
        diag_add(walk->diag, DIAG_ERROR, place, tree_line(walk->file, place.line), "%s", text);
    walk->failed = true;
}

/* ---- values ---- */

static struct tree_node *convert(struct walk *walk, json_t *value, int depth);

static void attach(struct walk *walk, struct tree_node *parent, struct tree_item item)
{
    struct tree_item *slot =
        arena_push(walk->arena, (void **)(void *)&parent->items, &parent->count, sizeof item);
    *slot = item;
    parent->weight += item.value->weight;
}

static void convert_object(struct walk *walk, struct tree_node *node, json_t *object, int depth)
{
    for (void *i = json_object_iter(object); i != NULL && !walk->failed;
         i = json_object_iter_next(object, i)) {
        to_token(walk);
        struct tree_item item = {.key_place = place_here(walk)};
        item.key_place.width = (int)take_token(walk);
        const char *key = json_object_iter_key(i);
        item.key = arena_text(walk->arena, key, strlen(key));
        item.value = convert(walk, json_object_iter_value(i), depth + 1);
        if (item.value != NULL)
            attach(walk, node, item);
    }
}

static void convert_array(struct walk *walk, struct tree_node *node, const json_t *array, int depth)
{
    for (size_t i = 0; i < json_array_size(array) && !walk->failed; i++) {
        const struct tree_item item = {.value = convert(walk, json_array_get(array, i), depth + 1)};
        if (item.value != NULL)
            attach(walk, node, item);
    }
}

static void convert_scalar(struct walk *walk, struct tree_node *node, const json_t *value)
{
    const char *from = walk->at;
    const size_t length = take_token(walk);
    node->quoted = json_is_string(value);
    node->place.width = (int)length;
    node->text = node->quoted
                     ? arena_text(walk->arena, json_string_value(value), json_string_length(value))
                     : arena_text(walk->arena, from, length);
}

static struct tree_node *convert(struct walk *walk, json_t *value, int depth)
{
    to_token(walk);
    if (depth > TREE_DEPTH_MAX)
        fail(walk, place_here(walk), "more than 64 levels of lists and objects");
    else if (walk->nodes++ == TREE_NODES_MAX)
        fail(walk, place_here(walk), "more than 1000000 values");
    if (walk->failed)
        return NULL;
    struct tree_node *node = arena_take(walk->arena, sizeof *node);
    *node = (struct tree_node){.file = walk->file, .place = place_here(walk), .weight = 1};
    node->kind = json_is_object(value) ? TREE_MAP : json_is_array(value) ? TREE_LIST : TREE_SCALAR;
    if (node->kind == TREE_SCALAR) {
        convert_scalar(walk, node, value);
        return node;
    }
    walk->at++; /* the bracket */
    if (node->kind == TREE_MAP)
        convert_object(walk, node, value, depth);
    else
        convert_array(walk, node, value, depth);
    return walk->failed ? NULL : node;
}

/* ---- the file ---- */

/* Jansson's place is the last character of the token that it complains of, "near '...'". */
static void syntax_error(const struct tree_file *file, const json_error_t *error, struct diag *diag)
{
    static const char near[] = "near '";
    const char *token = strstr(error->text, near);
    const int length = token == NULL ? 1 : (int)strlen(token + sizeof near - 1) - 1;
    const int before = length > 1 && length <= error->column ? length - 1 : 0;
    const struct diag_place place = {.file = file->name,
                                     .line = error->line > 0 ? error->line : 1,
                                     .column = error->column > before ? error->column - before : 1,
                                     .width = before + 1};
    diag_add(diag, DIAG_ERROR, place, tree_line(file, place.line), "JSON: %s", error->text);
}

struct tree_node *json_tree(struct arena *arena, const struct tree_file *file, struct diag *diag)
{
    json_error_t error;
    json_t *root = json_loadb(file->text, file->length, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL) {
        syntax_error(file, &error, diag);
        return NULL;
    }
    struct walk walk = {.arena = arena,
                        .file = file,
                        .diag = diag,
                        .at = file->text,
                        .end = file->text + file->length,
                        .counted = file->text,
                        .line = 1,
                        .column = 1};
    struct tree_node *tree = NULL;
    if (json_is_object(root)) {
        tree = convert(&walk, root, 1);
    } else {
        to_token(&walk);
        fail(&walk, place_here(&walk), "expected a JSON object");
    }
    json_decref(root);
    return tree;
}
