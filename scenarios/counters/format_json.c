/* SPDX-License-Identifier: Apache-2.0
 * format_json - JSON forms: `rdma -j statistic`, SONiC's -j, `| json` of EOS and NX-OS, and `nv ..
 * -o json`.
 * An object belongs to the port that it names, or that its key names. Keys such as UC3, or a number
 * below "priorities", are priorities. columns.def and names.def identify the counters. */
#include "scenarios/counters/tables.h"
#include "scenarios/format/json_tree.h"

#include <ctype.h>
#include <string.h>

struct walk {
    struct counts_reader *reader;
    enum counts_scope scope; /* RDMA: names.def first, then columns.def */
};

struct at {
    const char *port;  /* or NULL */
    const char *queue; /* as written, or NULL */
    int priority;
    bool numbers; /* the keys of this object are priority numbers */
    bool left;    /* belongs to a queue that a run does not have */
    const char *table;
};

static const char *const port_keys[] = {"ifname", "if_name_str", "interface",
                                        "Port",   "IFACE",       "port_name"};
static const char *const number_keys[] = {"priorities", "switch-priority", "traffic-class",
                                          "priority-group"};

static bool is_one_of(const char *text, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, list[i]) == 0)
            return true;
    return false;
}
#define IS_ONE_OF(text, list) is_one_of(text, list, sizeof(list) / sizeof((list)[0]))

/* True for "Ethernet0", "Et1/1", "testsw|Ethernet0", "swp1", "mlx5_0": letters with a digit at the
 * end. */
static bool names_port(const char *key)
{
    const size_t length = strlen(key);
    return counts_is_port(key, length) && isalpha((unsigned char)key[0]) &&
           isdigit((unsigned char)key[length - 1]) && tables_queue(key, length) < 0 &&
           counts_number_after(key, length, "MC") < 0 &&
           counts_number_after(key, length, "ALL") < 0;
}

static bool is_queue_key(const char *key)
{
    const size_t length = strlen(key);
    return isalpha((unsigned char)key[0]) &&
           (tables_queue(key, length) >= 0 || counts_number_after(key, length, "MC") >= 0 ||
            counts_number_after(key, length, "ALL") >= 0);
}

/* Port named by a member of the object; RDMA devices add the port number. */
static const char *own_port(struct walk *walk, const struct tree_node *map)
{
    struct counts_reader *reader = walk->reader;
    for (size_t i = 0; i < sizeof port_keys / sizeof port_keys[0]; i++) {
        const struct tree_node *node = tree_get(map, port_keys[i]);
        if (node == NULL || node->kind != TREE_SCALAR ||
            !counts_is_port(node->text, strlen(node->text)))
            continue;
        const struct tree_node *number = tree_get(map, "port");
        const char *name = node->text;
        if (number != NULL && number->kind == TREE_SCALAR && i == 0) {
            name = arena_format(reader->arena, "%s/%.8s", name, number->text);
            walk->scope = COUNTS_RDMA;
        }
        return counts_port(reader, name, strlen(name));
    }
    return NULL;
}

static void add(struct walk *walk, const struct at *at, const char *key,
                const struct tree_node *node)
{
    struct counts_reader *reader = walk->reader;
    int64_t value;
    const char *name = counts_clean(reader->arena, key, strlen(key));
    if (at->left || strlen(key) > COUNTS_WORD_MAX || counts_column_is_text(key) ||
        !counts_number(node->text, strlen(node->text), &value))
        return;
    struct counts_meaning what = walk->scope == COUNTS_RDMA ? counts_name(key, COUNTS_RDMA)
                                                            : counts_column(key, at->priority);
    what = counts_named(reader->arena, what);
    const char *port = at->port == NULL ? counts_own_port(reader) : at->port;
    if (at->queue != NULL)
        name = arena_format(reader->arena, "%s %s", at->queue, name);
    counts_add_value(reader, &(struct counts_item){.port = port,
                                                   .source = name,
                                                   .what = what,
                                                   .value = value,
                                                   .table = at->table,
                                                   .place = node->place});
}

/* Context of the value below a key. */
static struct at below(struct walk *walk, const struct at *at, const char *key,
                       const struct tree_node *node)
{
    struct at inner = *at;
    inner.numbers = IS_ONE_OF(key, number_keys);
    const int queue = tables_queue(key, strlen(key));
    if ((at->numbers && queue >= 0) || is_queue_key(key)) {
        inner.priority = queue;
        inner.queue = counts_clean(walk->reader->arena, key, strlen(key));
        inner.left = queue < 0 || queue > 7;
        if (inner.left && walk->reader->queues_left++ == 0)
            walk->reader->queue_place = node->place;
    } else if (at->port == NULL && names_port(key)) {
        inner.port = counts_port(walk->reader, key, strlen(key));
        inner.table = tables_begin(walk->reader, "json");
    }
    return inner;
}

/* True for an object whose keys are only "0" to "7". These are priorities where a command such as
 * `nv show interface swp5 counters qos pfc-stats` prints the part without its name. */
static bool has_priorities(const struct tree_node *map)
{
    for (size_t i = 0; i < map->count; i++) {
        const struct tree_item *item = &map->items[i];
        if (item->value->kind != TREE_MAP || item->key[0] < '0' || item->key[0] > '7' ||
            item->key[1] != '\0')
            return false;
    }
    return map->count > 0;
}

static void take(struct walk *walk, struct at at, const struct tree_node *node)
{
    if (node->kind == TREE_MAP) {
        at.numbers = at.numbers || has_priorities(node);
        const char *port = own_port(walk, node);
        at.port = port == NULL ? at.port : port;
    }
    for (size_t i = 0; i < node->count; i++) {
        const struct tree_item *item = &node->items[i];
        const char *key = item->key == NULL ? "" : item->key;
        if (item->value->kind != TREE_SCALAR) {
            take(walk, item->key == NULL ? at : below(walk, &at, key, item->value), item->value);
        } else if (!IS_ONE_OF(key, port_keys) && strcmp(key, "port") != 0 &&
                   strcmp(key, "ifindex") != 0 && item->key != NULL) {
            add(walk, &at, key, item->value);
        }
    }
}

static bool tree(struct counts_reader *reader, const struct tree_node *root)
{
    struct walk walk = {.reader = reader, .scope = COUNTS_ANY};
    take(&walk, (struct at){.priority = -1}, root);
    return true;
}

/* ---- JSON within a text ---- */

/* Position of the first non-blank byte from `at` on; the file's length: none. */
static size_t after_blanks(const struct tree_file *file, size_t at)
{
    while (at < file->length && file->text[at] != '\0' && strchr(" \t\r\n", file->text[at]))
        at++;
    return at;
}

/* The JSON text as a file of its own. */
static const struct tree_file *cut(struct counts_reader *reader, size_t from, size_t end)
{
    const struct tree_file *file = reader->lines.file;
    const char *text = arena_text(reader->arena, file->text + from, end - from);
    return tree_hold(reader->arena, file->name, text, end - from);
}

/* Continues after the line in which the JSON text ends. */
static void pass(struct lines *lines, size_t end)
{
    const struct tree_file *file = lines->file;
    const char *newline =
        end < file->length ? memchr(file->text + end, '\n', file->length - end) : NULL;
    const size_t next = newline == NULL ? file->length : (size_t)(newline - file->text) + 1;
    for (size_t at = lines->next; at < next; at++)
        lines->number += file->text[at] == '\n';
    lines->next = next > lines->next ? next : lines->next;
}

static bool json_head(struct counts_reader *reader)
{
    struct lines *lines = &reader->lines;
    const struct tree_file *file = lines->file;
    const size_t below = lines->next > file->length ? file->length : lines->next;
    size_t from = below;
    while (from > 0 && (from == below || file->text[from - 1] != '\n'))
        from--;
    from = after_blanks(file, from);
    if (!json_text_begins(file, from))
        return false;
    const size_t end = json_text_end(file, from);
    const struct tree_node *root =
        json_tree_any(reader->arena, cut(reader, from, end), lines->number - 1, reader->diag);
    if (root != NULL)
        counts_read_tree(reader, root);
    pass(lines, end);
    return true;
}

static bool row(struct counts_reader *reader)
{
    (void)reader;
    return false;
}

const struct counts_format format_json = {
    .name = "JSON", .head = json_head, .row = row, .tree = tree};
