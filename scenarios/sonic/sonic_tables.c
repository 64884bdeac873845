/* SPDX-License-Identifier: Apache-2.0
 * sonic_tables - rows, fields, references and keys of all tables in a config_db.json. */
#include "scenarios/sonic/sonic_private.h"

#include "base/nearest.h"
#include "base/plural.h"

#include <stdlib.h>
#include <string.h>

enum { OTHER_FIELDS_MAX = 24, NEAREST_MAX = 1000, OTHERS_MAX = 6 };

/* ---- tables ---- */

const struct tree_node *sonic_rows(struct sonic_import *import, const struct sonic_switch *node,
                                   const char *table)
{
    const struct tree_node *rows = tree_get(node->root, table);
    if (rows == NULL)
        return NULL;
    if (rows->kind != TREE_MAP) {
        tree_error(import->diag, rows, "expected the rows of %s: an object, but this is %s", table,
                   tree_kind_name(rows));
        return NULL;
    }
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->items[i].value->kind == TREE_MAP)
            continue;
        tree_error(import->diag, rows->items[i].value,
                   "expected a row of %s: an object, but this is %s", table,
                   tree_kind_name(rows->items[i].value));
        return NULL;
    }
    return rows;
}

static int by_key(const void *a, const void *b)
{
    const struct tree_item *const *x = a, *const *y = b;
    return strcmp((*x)->key, (*y)->key);
}

void sonic_table(struct sonic_import *import, const struct sonic_switch *node, const char *name,
                 struct sonic_table *table)
{
    *table = (struct sonic_table){.name = name, .rows = sonic_rows(import, node, name)};
    if (table->rows == NULL || table->rows->count == 0)
        return;
    table->by_name = arena_array(&import->arena, table->rows->count, sizeof *table->by_name);
    for (size_t i = 0; i < table->rows->count; i++)
        table->by_name[i] = &table->rows->items[i];
    qsort(table->by_name, table->rows->count, sizeof *table->by_name, by_key);
}

/* ---- fields ---- */

static const struct tree_node *scalar(struct sonic_import *import, const struct tree_node *row,
                                      const char *field)
{
    const struct tree_node *value = tree_get(row, field);
    if (value == NULL || value->kind == TREE_SCALAR)
        return value;
    tree_error(import->diag, value, "expected a value of %s, but this is %s", field,
               tree_kind_name(value));
    return NULL;
}

const char *sonic_field(struct sonic_import *import, const struct tree_node *row, const char *field)
{
    const struct tree_node *value = scalar(import, row, field);
    return value == NULL ? NULL : value->text;
}

/* Errors in a value are reported once, however many ports its row applies to. */
static bool is_first_report(struct sonic_import *import, const struct tree_node *value)
{
    const bool first = import->reported != value;
    import->reported = value;
    return first;
}

int64_t sonic_number_of(struct sonic_import *import, const struct tree_node *value,
                        const char *what, int64_t min, int64_t max)
{
    if (value->kind == TREE_SCALAR && strlen(value->text) <= 15) {
        char *end;
        const long long number = strtoll(value->text, &end, 10);
        if (value->text[strspn(value->text, "0123456789-")] == '\0' && end > value->text &&
            *end == '\0' && number >= min && number <= max)
            return number;
    }
    if (is_first_report(import, value))
        tree_error(import->diag, value, "expected %s: a whole number from %lld to %lld", what,
                   (long long)min, (long long)max);
    return SONIC_UNSET;
}

int64_t sonic_number(struct sonic_import *import, const struct tree_node *row, const char *field,
                     int64_t min, int64_t max)
{
    const struct tree_node *value = scalar(import, row, field);
    return value == NULL ? SONIC_UNSET : sonic_number_of(import, value, field, min, max);
}

int64_t sonic_mask(struct sonic_import *import, const struct tree_node *row, const char *field)
{
    const struct tree_node *value = scalar(import, row, field);
    int64_t mask = 0;
    if (value == NULL)
        return SONIC_UNSET;
    for (const char *at = value->text; *at != '\0';) {
        at += strspn(at, ", ");
        if (*at >= '0' && *at < '0' + SONIC_PRIORITIES && strspn(at, "0123456789") == 1) {
            mask |= INT64_C(1) << (*at++ - '0');
        } else if (*at != '\0') {
            if (is_first_report(import, value))
                tree_error(import->diag, value,
                           "expected %s: priorities from 0 to 7, such as \"3,4\"", field);
            return SONIC_UNSET;
        }
    }
    return mask;
}

/* ---- references ---- */

/* Extracts x from "[TABLE|x]" and "[TABLE_TABLE:x]". */
static const char *bare_name(struct sonic_import *import, const char *text, const char *table)
{
    const bool bracket = text[0] == '[' && text[strlen(text) - 1] == ']';
    const char *from = text + bracket;
    const size_t length = strlen(table);
    size_t skip = 0;
    if (strncmp(from, table, length) == 0) {
        if (from[length] == '|' || from[length] == ':')
            skip = length + 1;
        else if (strncmp(from + length, "_TABLE:", 7) == 0)
            skip = length + 7;
    }
    return arena_text(&import->arena, from + skip, strlen(from + skip) - bracket);
}

static void unknown_reference(struct sonic_import *import, const struct tree_node *value,
                              const struct sonic_table *table, const char *name)
{
    if (!is_first_report(import, value))
        return;
    struct nearest nearest = nearest_to(name);
    for (size_t i = 0; table->rows != NULL && i < table->rows->count && i < NEAREST_MAX; i++)
        nearest_offer(&nearest, table->rows->items[i].key);
    tree_error(import->diag, value, "there is no '%s' in %s%s", sonic_clean(import, name),
               table->name, sonic_clean(import, nearest_hint(&nearest).text));
}

const struct tree_item *sonic_reference(struct sonic_import *import, const struct tree_node *row,
                                        const char *field, const struct sonic_table *table)
{
    const struct tree_node *value = scalar(import, row, field);
    if (value == NULL || value->text[0] == '\0')
        return NULL;
    const struct tree_item wanted = {.key = bare_name(import, value->text, table->name)};
    const struct tree_item *key = &wanted, **found = NULL;
    if (table->by_name != NULL)
        found = bsearch(&key, table->by_name, table->rows->count, sizeof *table->by_name, by_key);
    if (found != NULL)
        return *found;
    unknown_reference(import, value, table, wanted.key);
    return NULL;
}

/* ---- keys ---- */

static int compare_names(const char *a, size_t a_length, const char *b, size_t b_length)
{
    if (a_length != b_length)
        return a_length < b_length ? -1 : 1;
    return memcmp(a, b, a_length);
}

struct sonic_port *sonic_port(const struct sonic_switch *node, const char *name, size_t length)
{
    uint32_t low = 0, high = node->port_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const char *other = node->ports[middle].name;
        const int order = compare_names(name, length, other, strlen(other));
        if (order == 0)
            return &node->ports[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* A row, and its key without the prefix for the switch of a chassis. */
struct keyed {
    const struct tree_item *row;
    const char *key;
};

/* Reads "3" or "3-4" after the bar. */
static bool key_numbers(const char *bar, int range[2])
{
    if (bar == NULL)
        return false;
    int used = 0;
    const size_t digits = strspn(bar + 1, "0123456789");
    const size_t more = bar[1 + digits] == '-' ? strspn(bar + 2 + digits, "0123456789") : 0;
    if (digits == 0 || digits > 2 || more > 2 || sscanf(bar + 1, "%d%n", &range[0], &used) != 1)
        return false;
    range[1] = range[0];
    if (more > 0 && sscanf(bar + 2 + digits, "%d", &range[1]) != 1)
        return false;
    return bar[1 + digits + (more > 0 ? more + 1 : 0)] == '\0' && range[0] <= range[1];
}

static void key_error(struct sonic_import *import, const struct tree_item *row, const char *table,
                      const char *example)
{
    char text[DIAG_TEXT_BYTES];
    snprintf(text, sizeof text, "expected a key of %s such as \"%s\"", table, example);
    tree_message(import->diag, DIAG_ERROR, row->value, row->key_place, text);
}

static void each_port(struct sonic_import *import, struct sonic_switch *node, const char *table,
                      const struct keyed *keyed, const int range[2], sonic_each_fn *call)
{
    const struct tree_item *row = keyed->row;
    const char *end = keyed->key + strcspn(keyed->key, "|");
    bool reported = false;
    for (const char *at = keyed->key; at < end;) {
        const size_t length = strcspn(at, ",|");
        struct sonic_port *port = sonic_port(node, at, length);
        for (int number = range[0]; port != NULL && number <= range[1] && number < SONIC_PRIORITIES;
             number++)
            call(import, port, number, row);
        if (port == NULL && !reported)
            sonic_note(import, row->key_place, "%s: '%s' is not in PORT: left out", table,
                       sonic_clean(import, arena_text(&import->arena, at, length)));
        reported |= port == NULL;
        at += length + (at[length] == ',');
    }
}

static void each_row(struct sonic_import *import, struct sonic_switch *node, const char *table,
                     bool numbers, const struct keyed *keyed, sonic_each_fn *call)
{
    int range[2] = {0, 0};
    const char *bar = strchr(keyed->key, '|');
    if (numbers && !key_numbers(bar, range))
        key_error(import, keyed->row, table, "Ethernet0,Ethernet4|3-4");
    else if (!numbers && bar != NULL)
        key_error(import, keyed->row, table, "Ethernet0");
    else
        each_port(import, node, table, keyed, range, call);
    if (range[1] >= SONIC_PRIORITIES)
        sonic_note(import, keyed->row->key_place,
                   "%s: queues above 7 are left out: a scenario has queues 0 to 7", table);
}

void sonic_each(struct sonic_import *import, struct sonic_switch *node, const char *table,
                bool numbers, sonic_each_fn *call)
{
    const struct tree_node *rows = sonic_rows(import, node, table);
    size_t of_others = 0;
    for (size_t i = 0; rows != NULL && i < rows->count; i++) {
        const struct keyed keyed = {&rows->items[i], sonic_own_key(node, rows->items[i].key)};
        if (keyed.key == NULL)
            of_others++;
        else if (strcmp(keyed.key, "global") != 0)
            each_row(import, node, table, numbers, &keyed, call);
    }
    if (of_others > 0)
        sonic_note(import, rows->place,
                   "%s: %zu %s (HOST|ASIC|PORT|NUMBER) of another line card or ASIC: left out",
                   table, of_others, plural(of_others, "row", "rows"));
}

/* ---- remaining fields ---- */

struct other_field {
    const struct tree_item *first;
    size_t count;
};

static bool is_known(const char *field, const char *const *known)
{
    for (; *known != NULL; known++)
        if (strcmp(*known, field) == 0)
            return true;
    return false;
}

/* Finds the entry of a field, or creates one; NULL if there is no room. */
static struct other_field *entry_of(struct other_field *others, size_t *count,
                                    const struct tree_item *field)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(others[i].first->key, field->key) == 0)
            return &others[i];
    if (*count == OTHER_FIELDS_MAX)
        return NULL;
    others[*count] = (struct other_field){.first = field};
    return &others[(*count)++];
}

/* Other fields of PORT and DEVICE_NEIGHBOR do not affect a run. */
static bool is_cosmetic(const char *table)
{
    return strcmp(table, "PORT") == 0 || strcmp(table, "DEVICE_NEIGHBOR") == 0;
}

void sonic_other_fields(struct sonic_import *import, const struct sonic_switch *node,
                        const char *table, const char *const *known)
{
    void (*const note)(struct sonic_import *, struct diag_place, const char *, ...) =
        is_cosmetic(table) ? sonic_cosmetic : sonic_note;
    const struct tree_node *rows = tree_get(node->root, table);
    struct other_field others[OTHER_FIELDS_MAX];
    size_t count = 0, more = 0;
    if (rows == NULL || rows->kind != TREE_MAP)
        return;
    for (size_t i = 0; i < rows->count; i++)
        for (size_t k = 0; k < rows->items[i].value->count; k++) {
            const struct tree_item *field = &rows->items[i].value->items[k];
            if (field->key == NULL || is_known(field->key, known))
                continue;
            struct other_field *entry = entry_of(others, &count, field);
            if (entry != NULL)
                entry->count++;
            more += entry == NULL;
        }
    for (size_t i = 0; i < count; i++)
        note(import, others[i].first->key_place, "%s: %s has no counterpart; rows with it: %zu",
             table, sonic_clean(import, others[i].first->key), others[i].count);
    if (more > 0)
        note(import, rows->place, "%s: %zu more %s of other fields", table, more,
             plural(more, "value", "values"));
}

static int by_place(const void *a, const void *b)
{
    const struct tree_item *x = *(const struct tree_item *const *)a;
    const struct tree_item *y = *(const struct tree_item *const *)b;
    const int line =
        (x->key_place.line > y->key_place.line) - (x->key_place.line < y->key_place.line);
    return line != 0 ? line
                     : (x->key_place.column > y->key_place.column) -
                           (x->key_place.column < y->key_place.column);
}

const struct tree_item *sonic_usual(struct sonic_import *import, const struct tree_item **list,
                                    size_t count)
{
    const struct tree_item **sorted = arena_array(&import->arena, count + 1, sizeof *sorted);
    const struct tree_item *best = NULL;
    size_t kept = 0, most = 0;
    for (size_t i = 0; i < count; i++)
        if (list[i] != NULL)
            sorted[kept++] = list[i];
    if (kept > 0)
        qsort(sorted, kept, sizeof *sorted, by_place);
    for (size_t i = 0, from = 0; i < kept; i++) {
        from = sorted[i] == sorted[from] ? from : i;
        if (i - from + 1 > most) {
            most = i - from + 1;
            best = sorted[i];
        }
    }
    return best;
}

void sonic_note_others(struct sonic_import *import, const struct tree_item *usual,
                       const struct tree_item **list, size_t count, const char *who,
                       const char *what)
{
    const struct tree_item *others[OTHERS_MAX];
    const char *names = "";
    size_t other = 0, kinds = 0;
    for (size_t i = 0; i < count; i++) {
        bool known = kinds == OTHERS_MAX;
        if (list[i] == NULL || list[i] == usual)
            continue;
        other++;
        for (size_t k = 0; k < kinds; k++)
            known |= others[k] == list[i];
        if (known)
            continue;
        names = arena_format(&import->arena, "%s%s%s", names, kinds > 0 ? ", " : "",
                             sonic_clean(import, list[i]->key));
        others[kinds++] = list[i];
    }
    if (other > 0)
        sonic_note(
            import, others[0]->key_place,
            "%zu %s%s %s another %s (%s%s) than most; the scenario has one per switch and uses %s",
            other, who, plural(other, "", "s"), plural(other, "has", "have"), what, names,
            kinds == OTHERS_MAX ? ", ..." : "", sonic_clean(import, usual->key));
}
