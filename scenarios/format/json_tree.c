/* SPDX-License-Identifier: Apache-2.0
 * json_tree - reads JSON with places. The only file that uses jansson.
 * Jansson validates the text, but it does not report the places of values and keeps only one value
 * per key. So a second pass goes through the validated text and calls jansson only for strings with
 * escapes. */
#include "scenarios/format/json_tree.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/printable.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct walk {
    struct arena *arena;
    const struct tree_file *file;
    struct diag *diag;
    struct json_repeats *repeats; /* may be NULL */
    const char *at;
    const char *counted; /* columns have been counted up to here */
    int line, column;
    uint32_t nodes;
    bool escaped; /* the latest string was changed because it had unprintable characters */
    bool failed;
    int above; /* number of lines in the file above the text */
};

/* ---- the text ---- */

/* Advances to the next token that is a value or a key, or that opens or closes a value. */
static void to_token(struct walk *walk)
{
    for (; *walk->at != '\0' && strchr(" \t\r\n,:", *walk->at) != NULL; walk->at++)
        if (*walk->at == '\n') {
            walk->line++;
            walk->column = 1;
            walk->counted = walk->at + 1;
        }
    CHECK(*walk->at != '\0');
}

/* Reads a string, a number or a word; returns its length. */
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

/* Copies a string, with unprintable characters escaped: names of equipment are printed, and its
 * banners contain line breaks. */
static const char *copy_printable(struct walk *walk, const char *text, size_t length)
{
    const char *kept = arena_text(walk->arena, text, length);
    walk->escaped = !printable_is(kept);
    if (!walk->escaped)
        return kept;
    char *shown = printable_new(kept, false);
    kept = arena_text(walk->arena, shown, strlen(shown));
    free(shown);
    return kept;
}

/* Text of a token: a string without its quotes, anything else as written. */
static const char *token_text(struct walk *walk, const char *from, size_t length)
{
    if (*from != '"')
        return arena_text(walk->arena, from, length);
    if (memchr(from, '\\', length) == NULL)
        return copy_printable(walk, from + 1, length - 2);
    json_t *string = json_loadb(from, length, JSON_DECODE_ANY, NULL);
    CHECK(string != NULL);
    const char *text = copy_printable(walk, json_string_value(string), json_string_length(string));
    json_decref(string);
    return text;
}

/* Continuation bytes of UTF-8 do not count as columns. */
static struct diag_place place_here(struct walk *walk)
{
    for (; walk->counted < walk->at; walk->counted++)
        walk->column += ((unsigned char)*walk->counted & 0xC0) != 0x80;
    return (struct diag_place){.file = walk->file->name,
                               .line = walk->above + walk->line,
                               .column = walk->column,
                               .width = 1};
}

static void fail(struct walk *walk, struct diag_place place, const char *text)
{
    if (!walk->failed)
        diag_add(walk->diag, DIAG_ERROR, place, tree_line(walk->file, walk->line), "%s", text);
    walk->failed = true;
}

/* ---- repeated keys ---- */

static int by_key(const void *a, const void *b)
{
    const struct tree_item *x = *(const struct tree_item *const *)a;
    const struct tree_item *y = *(const struct tree_item *const *)b;
    const int order = strcmp(x->key, y->key);
    return order != 0 ? order : x < y ? -1 : 1;
}

static void repeated(struct walk *walk, struct tree_item *item, const struct tree_item *later)
{
    struct json_repeats *repeats = walk->repeats;
    if (repeats->count == JSON_REPEATS_MAX) {
        fail(walk, item->key_place, "more than 1000 duplicate keys");
        return;
    }
    struct json_repeat *repeat =
        arena_push(walk->arena, (void **)(void *)&repeats->list, &repeats->count, sizeof *repeat);
    *repeat = (struct json_repeat){item->key, item->key_place, later->key_place.line};
    item->key = NULL;
}

/* Keeps only the last of equal keys, in the order of the file. */
static void drop_repeats(struct walk *walk, struct tree_node *object)
{
    if (object->count < 2 || walk->repeats == NULL)
        return;
    struct tree_item **sorted = memory_resized(NULL, object->count, sizeof *sorted);
    for (size_t i = 0; i < object->count; i++)
        sorted[i] = &object->items[i];
    qsort(sorted, object->count, sizeof *sorted, by_key);
    for (size_t i = 1; i < object->count; i++)
        if (strcmp(sorted[i - 1]->key, sorted[i]->key) == 0)
            repeated(walk, sorted[i - 1], sorted[i]);
    free(sorted);
    size_t kept = 0;
    for (size_t i = 0; i < object->count; i++)
        if (object->items[i].key != NULL)
            object->items[kept++] = object->items[i];
    object->count = kept;
}

/* ---- values ---- */

static struct tree_node *convert(struct walk *walk, int depth);

static void attach(struct walk *walk, struct tree_node *parent, struct tree_item item)
{
    struct tree_item *slot =
        arena_push(walk->arena, (void **)(void *)&parent->items, &parent->count, sizeof item);
    *slot = item;
}

static void convert_members(struct walk *walk, struct tree_node *node, int depth)
{
    const char end = node->kind == TREE_MAP ? '}' : ']';
    walk->at++; /* skip the bracket */
    for (to_token(walk); *walk->at != end && !walk->failed; to_token(walk)) {
        struct tree_item item = {0};
        if (node->kind == TREE_MAP) {
            item.key_place = place_here(walk);
            const char *from = walk->at;
            const size_t length = take_token(walk);
            item.key_place.width = (int)length;
            item.key = token_text(walk, from, length);
        }
        item.value = convert(walk, depth + 1);
        if (item.value == NULL)
            return;
        attach(walk, node, item);
    }
    walk->at++;
    if (node->kind == TREE_MAP)
        drop_repeats(walk, node);
    for (size_t i = 0; i < node->count; i++)
        node->weight += node->items[i].value->weight;
}

static void convert_scalar(struct walk *walk, struct tree_node *node)
{
    const char *from = walk->at;
    const size_t length = take_token(walk);
    node->quoted = *from == '"';
    node->place.width = (int)length;
    walk->escaped = false;
    node->text = token_text(walk, from, length);
    node->escaped = walk->escaped;
}

static struct tree_node *convert(struct walk *walk, int depth)
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
    node->kind = *walk->at == '{' ? TREE_MAP : *walk->at == '[' ? TREE_LIST : TREE_SCALAR;
    if (node->kind == TREE_SCALAR)
        convert_scalar(walk, node);
    else
        convert_members(walk, node, depth);
    return walk->failed ? NULL : node;
}

/* ---- the file ---- */

/* Jansson's position is the last character of the token in its message, "near '...'". */
static void syntax_error(const struct tree_file *file, int above, const json_error_t *error,
                         struct diag *diag)
{
    static const char near[] = "near '";
    const char *token = strstr(error->text, near);
    const int length = token == NULL ? 1 : (int)strlen(token + sizeof near - 1) - 1;
    const int before = length > 1 && length <= error->column ? length - 1 : 0;
    const int line = error->line > 0 ? error->line : 1;
    const struct diag_place place = {.file = file->name,
                                     .line = above + line,
                                     .column = error->column > before ? error->column - before : 1,
                                     .width = before + 1};
    diag_add(diag, DIAG_ERROR, place, tree_line(file, line), "JSON: %s", error->text);
}

/* Jansson skips NUL characters between tokens, so they are found here. */
static bool has_nul(const struct tree_file *file, struct diag *diag)
{
    struct diag_place place = {.file = file->name, .line = 1, .column = 1, .width = 1};
    const char *nul = memchr(file->text, '\0', file->length);
    if (nul == NULL)
        return false;
    for (const char *at = file->text; at < nul; at++) {
        place.column = *at == '\n' ? 1 : place.column + (((unsigned char)*at & 0xC0) != 0x80);
        place.line += *at == '\n';
    }
    diag_add(diag, DIAG_ERROR, place, tree_line(file, place.line),
             "JSON: a text cannot contain a NUL character");
    return true;
}

/* `above`: number of lines in the file above the text, whose root may then have any kind; -1: a
 * whole file. */
static struct tree_node *read_json(struct arena *arena, const struct tree_file *file, int above,
                                   struct json_repeats *repeats, struct diag *diag)
{
    json_error_t error;
    json_set_alloc_funcs(memory_new, free);
    if (has_nul(file, diag))
        return NULL;
    json_t *root =
        json_loadb(file->text, file->length, repeats == NULL ? JSON_REJECT_DUPLICATES : 0, &error);
    const bool is_object = above >= 0 || json_is_object(root);
    json_decref(root);
    if (root == NULL) {
        syntax_error(file, above > 0 ? above : 0, &error, diag);
        return NULL;
    }
    struct walk walk = {.arena = arena,
                        .file = file,
                        .diag = diag,
                        .repeats = repeats,
                        .above = above > 0 ? above : 0,
                        .at = file->text,
                        .counted = file->text,
                        .line = 1,
                        .column = 1};
    if (is_object)
        return convert(&walk, 1);
    to_token(&walk);
    fail(&walk, place_here(&walk), "expected a JSON object");
    return NULL;
}

struct tree_node *json_tree(struct arena *arena, const struct tree_file *file,
                            struct json_repeats *repeats, struct diag *diag)
{
    return read_json(arena, file, -1, repeats, diag);
}

struct tree_node *json_tree_any(struct arena *arena, const struct tree_file *text, int above,
                                struct diag *diag)
{
    return read_json(arena, text, above, NULL, diag);
}

/* ---- JSON text after a prompt ---- */

bool json_text_begins(const struct tree_file *file, size_t at)
{
    if (at >= file->length)
        return false;
    const char *text = file->text + at;
    const char second = text[1 + strspn(text + 1, " \t\r\n")];
    return (*text == '{' && (second == '"' || second == '}')) ||
           (*text == '[' && (second == '{' || second == ']'));
}

size_t json_text_end(const struct tree_file *file, size_t at)
{
    int depth = 0;
    bool quoted = false;
    for (; at < file->length; at++) {
        const char byte = file->text[at];
        if (quoted && byte == '\\')
            at++;
        else if (byte == '"')
            quoted = !quoted;
        else if (!quoted && (byte == '{' || byte == '['))
            depth++;
        else if (!quoted && (byte == '}' || byte == ']') && --depth == 0)
            return at + 1;
    }
    return file->length;
}

/* "admin@leaf0:~$ show runningconfiguration all", "# nvme list-subsys -o json" */
static bool is_command_line(struct arena *arena, const char *line, size_t length)
{
    const char *text = arena_text(arena, line, length);
    const size_t sign = strcspn(text, "#$>");
    return text[sign] != '\0' && (text[sign + 1] == ' ' || text[sign + 1] == '\0') &&
           strpbrk(text, "{};") == NULL;
}

const struct tree_file *json_below_prompt(struct arena *arena, const struct tree_file *file)
{
    size_t from = strspn(file->text, " \t\r\n");
    bool command = false;
    while (from < file->length && !json_text_begins(file, from)) {
        const char *newline = memchr(file->text + from, '\n', file->length - from);
        const size_t end = newline == NULL ? file->length : (size_t)(newline - file->text) + 1;
        if (!is_command_line(arena, file->text + from, end - from))
            return file;
        command = true;
        from = end + strspn(file->text + end, " \t\r\n");
    }
    if (!command || from >= file->length)
        return file;
    const size_t end = json_text_end(file, from);
    char *text = arena_text(arena, file->text, file->length);
    for (size_t at = 0; at < file->length; at++)
        if ((at < from || at >= end) && text[at] != '\n')
            text[at] = ' ';
    return tree_hold(arena, file->name, text, file->length);
}
