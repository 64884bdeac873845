/* SPDX-License-Identifier: Apache-2.0
 * watch_state - reads the state of watch; reports/incident/watch_text.h writes it. */
#include "replay/incident/watch.h"
#include "scenarios/format/json_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static const char *get_text_or_null(struct reader *reader, const struct tree_node *map,
                                    const char *key)
{
    const struct tree_node *node = tree_get(map, key);
    return node != NULL && is_null(node) ? NULL : get_text(reader, map, key);
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
        texts[i] = item->kind == TREE_SCALAR ? item->text : "";
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
                                   .device = get_text(reader, item, "device"),
                                   .port = get_text_or_null(reader, item, "port"),
                                   .peer = get_text_or_null(reader, item, "peer"),
                                   .peer_port = get_text_or_null(reader, item, "peer_port"),
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
            (struct incident_past_file){.name = get_text(reader, item, "name"),
                                        .size = get_count(reader, item, "size"),
                                        .modified = get_count(reader, item, "modified"),
                                        .lines = get_count(reader, item, "lines"),
                                        .digest = get_text(reader, item, "digest"),
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
        .host = get_text(reader, item, "host"),
        .port = get_text(reader, item, "port"),
        .seconds = seconds == NULL || is_null(seconds) ? INCIDENT_NO_TIME
                                                       : to_integer(reader, seconds, "seconds"),
        .date = get_text_or_null(reader, item, "date")};
    for (size_t i = 0; counters != NULL && i < counters->count; i++) {
        struct incident_past_number *slot = arena_push(
            reader->arena, (void **)(void *)&past->numbers, &past->number_count, sizeof *slot);
        *slot = port;
        slot->key = counters->items[i].key;
        slot->value = to_count(reader, counters->items[i].value, slot->key);
    }
}

bool watch_state_read(struct watch_state *state, const struct tree_file *file, struct diag *diag)
{
    struct json_repeats repeats = {0};
    struct reader reader = {.state = state, .arena = &state->arena, .diag = diag};
    if (!tree_is_kind(file, FILEKIND_WATCH, "a state of watch", diag))
        return false;
    /* Names that differ in characters that cannot be printed may be one key. */
    const struct tree_node *root = json_tree(reader.arena, file, &repeats, diag);
    if (root == NULL || !tree_version(diag, root, "stormglass-watch"))
        return false;
    state->of = read_texts(&reader, root, "of", &state->of_count);
    state->last = get_text(&reader, root, "last");
    read_patterns(&reader, root);
    read_files(&reader, root);
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
