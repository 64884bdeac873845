/* SPDX-License-Identifier: Apache-2.0
 * watch_state - reads the state of watch; reports/incident/watch_text.h writes it. */
#include "replay/incident/watch.h"

#include "base/memory.h"
#include "base/printable.h"
#include "scenarios/format/json_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char hex_digits[] = "0123456789abcdef";

struct reader {
    struct watch_state *state;
    struct arena *arena; /* the state's */
    struct diag *diag;
};

/* ---- values ---- */

static bool is_null(const struct tree_node *node)
{
    return node->kind == TREE_SCALAR && !node->quoted && strcmp(node->text, "null") == 0;
}

static const char *get_text(struct reader *reader, const struct tree_node *map, const char *key)
{
    const struct tree_node *node = tree_need(reader->diag, map, key, TREE_SCALAR, "a string");
    if (node != NULL && !node->quoted)
        tree_error(reader->diag, node, "expected \"%s\": a string", key);
    return node == NULL ? "" : node->text;
}

/* The value of two hexadecimal digits; -1: these are none. */
static int read_byte(const char *text)
{
    int value = 0;
    for (int i = 0; i < 2; i++) {
        const char *digit = *text == '\0' ? NULL : strchr(hex_digits, text[i]);
        if (digit == NULL || *digit == '\0')
            return -1;
        value = value * 16 + (int)(digit - hex_digits);
    }
    return value;
}

static const char *to_name(struct reader *reader, const struct tree_node *node)
{
    char *name = arena_text(reader->arena, node->text, strlen(node->text));
    char *end = name;
    for (const char *at = name; *at != '\0'; at++) {
        const int byte = *at == '%' ? read_byte(at + 1) : (unsigned char)*at;
        if (byte <= 0) {
            tree_error(reader->diag, node,
                       "a name with %%: expected %%XX, a byte in lower-case hexadecimal digits");
            break;
        }
        at += *at == '%' ? 2 : 0;
        *end++ = (char)byte;
    }
    *end = '\0';
    return name;
}

static const char *get_name(struct reader *reader, const struct tree_node *map, const char *key)
{
    get_text(reader, map, key);
    const struct tree_node *node = tree_get(map, key);
    return node == NULL || node->kind != TREE_SCALAR ? "" : to_name(reader, node);
}

static const char *get_name_or_null(struct reader *reader, const struct tree_node *map,
                                    const char *key)
{
    const struct tree_node *node = tree_get(map, key);
    return node != NULL && is_null(node) ? NULL : get_name(reader, map, key);
}

static int64_t to_integer(struct reader *reader, const struct tree_node *node, const char *key)
{
    char *end = NULL;
    errno = 0;
    const long long value =
        node->kind == TREE_SCALAR && !node->quoted ? strtoll(node->text, &end, 10) : 0;
    if (end == NULL || *end != '\0' || errno != 0) {
        tree_error(reader->diag, node, "expected \"%s\": a whole number", key);
        return 0;
    }
    return value;
}

static int64_t to_count(struct reader *reader, const struct tree_node *node, const char *key)
{
    const int64_t value = to_integer(reader, node, key);
    if (value < 0)
        tree_error(reader->diag, node, "expected \"%s\": a count", key);
    return value;
}

static int64_t get_count(struct reader *reader, const struct tree_node *map, const char *key)
{
    const struct tree_node *node = tree_need(reader->diag, map, key, TREE_SCALAR, "a count");
    return node == NULL ? 0 : to_count(reader, node, key);
}

static bool get_boolean(struct reader *reader, const struct tree_node *map, const char *key)
{
    const struct tree_node *node = tree_need(reader->diag, map, key, TREE_SCALAR, "true or false");
    if (node == NULL)
        return false;
    const bool is_true = strcmp(node->text, "true") == 0;
    if (node->quoted || (!is_true && strcmp(node->text, "false") != 0))
        tree_error(reader->diag, node, "expected \"%s\": true or false", key);
    return is_true;
}

static const struct tree_node *get_list(struct reader *reader, const struct tree_node *root,
                                        const char *key)
{
    static const struct tree_node nothing = {.kind = TREE_LIST};
    const struct tree_node *list = tree_need(reader->diag, root, key, TREE_LIST, "a list");
    return list == NULL ? &nothing : list;
}

/* ---- names ---- */

char *watch_state_name(const char *name)
{
    char *made = memory_new(3 * strlen(name) + 1);
    char *end = made;
    while (*name != '\0') {
        uint32_t code = 0;
        const size_t length = printable_utf8(name, &code);
        const size_t bytes = length == 0 ? 1 : length;
        const bool is_plain = length > 0 && code != '%' && printable_is_shown(code);
        for (size_t i = 0; i < bytes; i++) {
            const unsigned char byte = (unsigned char)*name++;
            if (!is_plain) {
                *end++ = '%';
                *end++ = hex_digits[byte / 16];
                *end++ = hex_digits[byte % 16];
            } else {
                *end++ = (char)byte;
            }
        }
    }
    *end = '\0';
    return made;
}

/* ---- parts ---- */

static const char **read_texts(struct reader *reader, const struct tree_node *root, const char *key,
                               size_t *count)
{
    const struct tree_node *list = get_list(reader, root, key);
    const char **texts = arena_array(reader->arena, list->count + 1, sizeof *texts);
    *count = list->count;
    for (size_t i = 0; i < list->count; i++) {
        const struct tree_node *item = list->items[i].value;
        if (item->kind != TREE_SCALAR || !item->quoted)
            tree_error(reader->diag, item, "expected \"%s\": a list of strings", key);
        texts[i] = item->kind == TREE_SCALAR ? to_name(reader, item) : "";
    }
    return texts;
}

static enum suspect_kind read_kind(struct reader *reader, const struct tree_node *item)
{
    const char *name = get_text(reader, item, "kind");
    for (int kind = 0; kind < SUSPECT_KINDS; kind++)
        if (strcmp(suspects_about[kind].name, name) == 0)
            return (enum suspect_kind)kind;
    tree_error(reader->diag, item, "unknown kind '%s': expected one such as host-pauses", name);
    return SUSPECT_LINK_DOWN;
}

static void read_patterns(struct reader *reader, const struct tree_node *root)
{
    struct watch_state *state = reader->state;
    const struct tree_node *list = get_list(reader, root, "patterns");
    state->patterns = arena_array(reader->arena, list->count + 1, sizeof *state->patterns);
    state->pattern_count = list->count;
    for (size_t i = 0; i < list->count; i++) {
        const struct tree_node *item = list->items[i].value;
        state->patterns[i] =
            (struct watch_pattern){.kind = read_kind(reader, item),
                                   .device = get_name(reader, item, "device"),
                                   .port = get_name_or_null(reader, item, "port"),
                                   .peer = get_name_or_null(reader, item, "peer"),
                                   .peer_port = get_name_or_null(reader, item, "peer_port"),
                                   .since = get_text(reader, item, "since")};
    }
}

static void read_files(struct reader *reader, const struct tree_node *root)
{
    struct incident_past *past = &reader->state->past;
    const struct tree_node *list = get_list(reader, root, "files");
    past->files = arena_array(reader->arena, list->count + 1, sizeof *past->files);
    past->file_count = list->count;
    for (size_t i = 0; i < list->count; i++) {
        const struct tree_node *item = list->items[i].value;
        past->files[i] =
            (struct incident_past_file){.name = get_name(reader, item, "name"),
                                        .size = get_count(reader, item, "size"),
                                        .stamp = get_text(reader, item, "stamp"),
                                        .lines = get_count(reader, item, "lines"),
                                        .digest = get_text(reader, item, "digest"),
                                        .data = get_text(reader, item, "data"),
                                        .is_closed = get_boolean(reader, item, "closed"),
                                        .is_pending = get_boolean(reader, item, "pending")};
    }
}

/* The counters of one port that were printed at one time. */
static void read_port(struct reader *reader, const struct tree_node *item)
{
    struct incident_past *past = &reader->state->past;
    const struct tree_node *seconds = tree_get(item, "seconds");
    const struct tree_node *counters =
        tree_need(reader->diag, item, "counters", TREE_MAP, "an object");
    const struct incident_past_number port = {
        .host = get_name(reader, item, "host"),
        .port = get_name(reader, item, "port"),
        .seconds = seconds == NULL || is_null(seconds) ? INCIDENT_NO_TIME
                                                       : to_integer(reader, seconds, "seconds"),
        .date = get_name_or_null(reader, item, "date")};
    for (size_t i = 0; counters != NULL && i < counters->count; i++) {
        const struct tree_node key = {.file = counters->file,
                                      .place = counters->items[i].key_place,
                                      .text = counters->items[i].key};
        struct incident_past_number *slot = arena_push(
            reader->arena, (void **)(void *)&past->numbers, &past->number_count, sizeof *slot);
        *slot = port;
        slot->key = to_name(reader, &key);
        slot->value = to_count(reader, counters->items[i].value, slot->key);
    }
}

bool watch_state_read(struct watch_state *state, const struct tree_file *file, struct diag *diag)
{
    struct json_repeats repeats = {0};
    struct reader reader = {.state = state, .arena = &state->arena, .diag = diag};
    if (!tree_is_kind(file, FILEKIND_WATCH, "a state of watch", diag))
        return false;
    /* One counter that several tables print may be there twice. */
    const struct tree_node *root = json_tree(reader.arena, file, &repeats, diag);
    if (root == NULL || !tree_version(diag, root, "stormglass-watch"))
        return false;
    state->of = read_texts(&reader, root, "of", &state->of_count);
    state->last = get_text(&reader, root, "last");
    read_patterns(&reader, root);
    read_files(&reader, root);
    state->past.contents = read_texts(&reader, root, "contents", &state->past.content_count);
    state->past.tables = read_texts(&reader, root, "tables", &state->past.table_count);
    const struct tree_node *ports = get_list(&reader, root, "ports");
    for (size_t i = 0; i < ports->count && !diag_failed(diag); i++)
        read_port(&reader, ports->items[i].value);
    incident_past_sort(&state->past);
    return !diag_failed(diag);
}

void watch_state_free(struct watch_state *state)
{
    arena_free(&state->arena);
    *state = (struct watch_state){0};
}

/* ---- size ---- */

bool watch_state_same_port(const struct incident_past_number *a,
                           const struct incident_past_number *b)
{
    return strcmp(a->host, b->host) == 0 && strcmp(a->port, b->port) == 0 &&
           a->seconds == b->seconds;
}

size_t watch_state_values(const struct watch_look *look, const struct watch_state *state,
                          const struct incident *incident)
{
    enum { OF_ALL = 10, OF_PATTERN = 7, OF_FILE = 9, OF_PORT = 6 };
    const struct incident_past *next = incident->next;
    size_t values = OF_ALL + state->of_count + OF_PATTERN * look->pattern_count +
                    OF_FILE * next->file_count + next->content_count + next->table_count +
                    next->number_count;
    for (size_t i = 0; i < next->number_count; i++)
        if (i == 0 || !watch_state_same_port(&next->numbers[i], &next->numbers[i - 1]))
            values += OF_PORT;
    return values;
}
