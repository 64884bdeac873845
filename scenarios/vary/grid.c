/* SPDX-License-Identifier: Apache-2.0
 * grid - reads the axes, forms the product of their values, and applies the rules. */
#include "scenarios/vary/grid_private.h"

#include "base/memory.h"
#include "scenarios/format/block.h"
#include "scenarios/format/tree.h"
#include "scenarios/load/library.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 64, PATH_MAX_BYTES = 200 };

/* A rule: by axis and value, whether the rule applies; and its settings. */
struct grid_rule {
    bool fits[GRID_AXES_MAX][GRID_VALUES_MAX];
    const char **sets;
    uint32_t set_count;
};

/* Characters that neither a shell nor YAML interprets. */
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
static const char value_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+/%";

/* A scalar of these characters; NULL, with a message, otherwise. */
static const char *word_of(struct grid_reader *reader, const struct tree_node *node,
                           const char *allowed, size_t longest, const char *expected)
{
    const char *text = node->kind == TREE_SCALAR ? node->text : NULL;
    if (text != NULL && *text != '\0' && *text != '%' && strlen(text) <= longest &&
        strspn(text, allowed) == strlen(text))
        return text;
    tree_error(reader->diag, node, "expected %s", expected);
    return NULL;
}

const char *grid_value_of(struct grid_reader *reader, const struct tree_node *node)
{
    return word_of(reader, node, value_letters, WORD_MAX,
                   "a value such as 4KiB or 70%: letters, digits and . _ - + / %");
}

const char *grid_path_of(struct grid_reader *reader, const struct tree_node *node, const char *text)
{
    if (reader->planning && strcmp(text, "seed") == 0) {
        tree_error(reader->diag, node,
                   "each candidate is run with the same seeds: expected the key seeds of the plan, "
                   "such as seeds: 5");
        return NULL;
    }
    const struct tree_node as_word = {
        .kind = TREE_SCALAR, .place = node->place, .file = node->file, .text = text};
    return word_of(reader, &as_word, letters, PATH_MAX_BYTES,
                   "a path of the scenario such as workloads.io.queue-depth");
}

const char *grid_short_name_of(struct grid_reader *reader, const struct tree_node *node)
{
    return word_of(reader, node, letters, WORD_MAX, "a short name such as qd");
}

/* ------------------------------------------------------------------ places */

void grid_add_origin(struct grid *grid, const char *set, const struct tree_node *value,
                     struct diag_place path)
{
    struct grid_origin *origin = arena_push(&grid->arena, (void **)(void *)&grid->origins,
                                            &grid->origin_count, sizeof *origin);
    *origin = (struct grid_origin){.set = set, .value = value, .path = path};
}

struct grid_origin grid_origin_of(const struct grid *grid, const char *set)
{
    for (size_t i = 0; i < grid->origin_count; i++)
        if (strcmp(grid->origins[i].set, set) == 0)
            return grid->origins[i];
    return (struct grid_origin){.value = NULL};
}

/* ------------------------------------------------------------------ rules */

static bool fit_value(struct grid_reader *reader, struct grid_rule *rule, uint32_t axis,
                      const struct tree_node *node)
{
    const char *value = grid_value_of(reader, node);
    if (value == NULL)
        return false;
    for (uint32_t i = 0; i < reader->grid->axes[axis].value_count; i++)
        if (strcmp(reader->grid->axes[axis].values[i], value) == 0)
            return rule->fits[axis][i] = true;
    tree_error(reader->diag, node, "no value of the axis '%s'", reader->grid->axes[axis].as);
    return false;
}

static void read_condition(struct grid_reader *reader, struct grid_rule *rule,
                           const struct tree_item *item)
{
    const struct grid *grid = reader->grid;
    uint32_t axis = 0;
    while (axis < grid->axis_count && strcmp(grid->axes[axis].as, item->key) != 0)
        axis++;
    if (axis == grid->axis_count) {
        tree_message(reader->diag, DIAG_ERROR, item->value, item->key_place,
                     "no axis has this short name");
        return;
    }
    memset(rule->fits[axis], 0, sizeof rule->fits[axis]);
    if (item->value->kind != TREE_LIST) {
        fit_value(reader, rule, axis, item->value);
        return;
    }
    for (size_t i = 0; i < item->value->count; i++)
        fit_value(reader, rule, axis, item->value->items[i].value);
}

static const char *set_of(struct grid *grid, const char *path, const char *value)
{
    return arena_format(&grid->arena, "%s=%s", path, value);
}

/* The axis whose values a setting would override; NULL: none. */
static const struct grid_axis *set_aside(const struct grid *grid, const char *path)
{
    const size_t length = strlen(path);
    for (uint32_t i = 0; i < grid->axis_count; i++) {
        const struct grid_axis *axis = &grid->axes[i];
        if (axis->where == NULL && strncmp(axis->path, path, length) == 0 &&
            (axis->path[length] == '\0' || axis->path[length] == '.'))
            return axis;
    }
    return NULL;
}

static void read_rule(struct grid_reader *reader, const struct tree_node *node)
{
    static const char *const keys[] = {"where", "set", NULL};
    struct grid_rule *rule = &reader->rules[reader->rule_count++];
    if (!block_only(node, keys, NULL, reader->diag))
        return;
    const struct tree_node *where =
        tree_need(reader->diag, node, "where", TREE_MAP, "{axis: value}");
    const struct tree_node *set = tree_need(reader->diag, node, "set", TREE_MAP, "{path: value}");
    if (where == NULL || set == NULL)
        return;
    if (set->count > GRID_SETS_MAX) {
        tree_error(reader->diag, set, "more than %d settings", GRID_SETS_MAX);
        return;
    }
    memset(rule->fits, 1, sizeof rule->fits);
    for (size_t i = 0; i < where->count; i++)
        read_condition(reader, rule, &where->items[i]);
    rule->sets = arena_array(&reader->grid->arena, set->count, sizeof *rule->sets);
    for (size_t i = 0; i < set->count; i++) {
        const struct tree_item *item = &set->items[i];
        const char *path = grid_path_of(reader, item->value, item->key);
        const char *value = grid_value_of(reader, item->value);
        if (path == NULL || value == NULL)
            continue;
        if (set_aside(reader->grid, path) != NULL) {
            char text[DIAG_TEXT_BYTES];
            snprintf(text, sizeof text,
                     "the axis '%.64s' already varies this setting: expected another one",
                     set_aside(reader->grid, path)->as);
            tree_message(reader->diag, DIAG_ERROR, item->value, item->key_place, text);
            continue;
        }
        rule->sets[rule->set_count] = set_of(reader->grid, path, value);
        grid_add_origin(reader->grid, rule->sets[rule->set_count++], item->value, item->key_place);
    }
}

static void read_rules(struct grid_reader *reader, const struct tree_node *list)
{
    if (list == NULL)
        return;
    if (list->count > GRID_RULES_MAX) {
        tree_error(reader->diag, list, "more than %d rules", GRID_RULES_MAX);
        return;
    }
    reader->rules = arena_array(&reader->grid->arena, list->count, sizeof *reader->rules);
    for (size_t i = 0; i < list->count; i++)
        read_rule(reader, list->items[i].value);
}

/* ------------------------------------------------------------------ cells */

/* Part of a cell's name, such as "bs4KiB", without characters that do not belong in a file name. */
static const char *name_part(struct grid *grid, const struct grid_axis *axis, uint32_t value)
{
    char *text = arena_format(&grid->arena, "%s%s", axis->as, axis->values[value]);
    size_t kept = 0;
    for (size_t i = 0; text[i] != '\0'; i++)
        if (strchr("+/%", text[i]) == NULL)
            text[kept++] = text[i];
    text[kept] = '\0';
    return text;
}

/* "25G nic", "2 spines", "cc dcqcn": a value that begins with a digit comes first. */
static const char *label_part(struct grid *grid, const struct grid_axis *axis, uint32_t value)
{
    const char *text = axis->values[value], *rate = strstr(text, "Gbps");
    int as = (int)strlen(axis->as);
    while (as > 1 && axis->as[as - 1] == '-')
        as--;
    if (*text < '0' || *text > '9')
        return arena_format(&grid->arena, "%.*s %s", as, axis->as, text);
    if (rate != NULL && rate[strlen("Gbps")] == '\0')
        return arena_format(&grid->arena, "%.*sG %.*s", (int)(rate - text), text, as, axis->as);
    if (strcmp(text, "1") == 0 && as > 1 && axis->as[as - 1] == 's')
        as--; /* "1 spine" */
    return arena_format(&grid->arena, "%s %.*s", text, as, axis->as);
}

static bool rule_fits(const struct grid *grid, const struct grid_rule *rule,
                      const struct grid_cell *cell)
{
    for (uint32_t i = 0; i < grid->axis_count; i++)
        if (!rule->fits[i][cell->at[i]])
            return false;
    return true;
}

/* False: more settings than a cell may have. */
static bool apply_rules(struct grid_reader *reader, struct grid_cell *cell)
{
    for (uint32_t i = 0; i < reader->rule_count; i++) {
        const struct grid_rule *rule = &reader->rules[i];
        if (!rule_fits(reader->grid, rule, cell))
            continue;
        if (rule->set_count > GRID_SETS_MAX - cell->set_count)
            return false;
        memcpy(cell->sets + cell->set_count, rule->sets, rule->set_count * sizeof *cell->sets);
        cell->set_count += rule->set_count;
    }
    return true;
}

bool grid_is_name(const char *name)
{
    return *name != '\0' && *name != '.' && strchr(name, '/') == NULL && strlen(name) < 200;
}

static bool make_cell(struct grid_reader *reader, struct grid_cell *cell, uint32_t number)
{
    struct grid *grid = reader->grid;
    for (uint32_t i = grid->axis_count; i-- > 0; number /= grid->axes[i].value_count)
        cell->at[i] = number % grid->axes[i].value_count;
    cell->sets = arena_array(&grid->arena, GRID_SETS_MAX, sizeof *cell->sets);
    cell->name = "";
    cell->label = "";
    for (uint32_t i = 0; i < grid->axis_count; i++) {
        const struct grid_axis *axis = &grid->axes[i];
        cell->name = arena_format(&grid->arena, "%s%s%s", cell->name, i == 0 ? "" : "-",
                                  name_part(grid, axis, cell->at[i]));
        cell->label = arena_format(&grid->arena, "%s%s%s", cell->label, i == 0 ? "" : ", ",
                                   label_part(grid, axis, cell->at[i]));
        cell->sets[cell->set_count++] = grid_axis_set(&grid->arena, axis, cell->at[i]);
    }
    return apply_rules(reader, cell);
}

static int by_name(const void *a, const void *b)
{
    const struct grid_cell *const *one = a, *const *other = b;
    return strcmp((*one)->name, (*other)->name);
}

/* Reports values whose names are equal after characters have been removed: 1/2 and 12. */
static void check_names(struct grid_reader *reader, const struct tree_node *at)
{
    struct grid *grid = reader->grid;
    const struct grid_cell **sorted = memory_zeroed(grid->cell_count, sizeof *sorted);
    for (uint32_t i = 0; i < grid->cell_count; i++)
        sorted[i] = &grid->cells[i];
    qsort(sorted, grid->cell_count, sizeof *sorted, by_name);
    for (uint32_t i = 1; i < grid->cell_count && !diag_failed(reader->diag); i++)
        if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0)
            tree_error(reader->diag, at, "two cells would have the name '%.64s'", sorted[i]->name);
    free(sorted);
}

static void make_cells(struct grid_reader *reader, const struct tree_node *axes)
{
    struct grid *grid = reader->grid;
    grid->cells = arena_array(&grid->arena, grid->cell_count, sizeof *grid->cells);
    for (uint32_t i = 0; i < grid->cell_count && !diag_failed(reader->diag); i++)
        if (!make_cell(reader, &grid->cells[i], i))
            tree_error(reader->diag, axes, "%s would have more than %d settings",
                       grid->cells[i].name, GRID_SETS_MAX);
        else if (!grid_is_name(grid->cells[i].name))
            tree_error(reader->diag, axes,
                       "the name of a cell, '%.64s', is not a valid file name: %s",
                       grid->cells[i].name, "expected at most 199 letters, and no dot in front");
    if (!diag_failed(reader->diag))
        check_names(reader, axes);
}

static void read_space(struct grid_reader *reader, const struct tree_node *axes,
                       const struct tree_node *rules)
{
    reader->grid->vary = axes;
    grid_read_axes(reader, axes);
    if (!diag_failed(reader->diag))
        read_rules(reader, rules);
    if (!diag_failed(reader->diag))
        make_cells(reader, axes);
}

bool grid_read_space(struct grid *grid, const struct tree_node *vary,
                     const struct tree_node *adjust, struct diag *diag)
{
    struct grid_reader reader = {.grid = grid, .diag = diag, .planning = true};
    read_space(&reader, vary, adjust);
    return !diag_failed(diag);
}

/* ------------------------------------------------------------------ the file */

bool grid_read_members(struct grid *grid, const struct tree_node *root, bool planning,
                       struct diag *diag)
{
    struct grid_reader reader = {.grid = grid, .diag = diag, .planning = planning};
    const struct tree_node *name = tree_need(diag, root, "name", TREE_SCALAR, "a word for it");
    const struct tree_node *about = tree_want(diag, root, "about", TREE_SCALAR);
    const struct tree_node *scenario =
        tree_need(diag, root, "scenario", TREE_SCALAR, "the file of the scenario that it varies");
    const struct tree_node *axes = tree_need(diag, root, "vary", TREE_LIST, "a list of axes");
    const struct tree_node *rules = tree_want(diag, root, "adjust", TREE_LIST);
    if (diag_failed(diag))
        return false;
    grid->name = name->text;
    grid->template = scenario;
    grid->about = about == NULL ? "" : about->text;
    grid->scenario = library_beside(&grid->arena, root->file->name, scenario->text);
    read_space(&reader, axes, rules);
    return !diag_failed(diag);
}

static bool read_root(struct grid *grid, const struct tree_node *root, struct diag *diag)
{
    static const char *const keys[] = {"stormglass-grid", "name", "about", "scenario", "vary",
                                       "adjust",          NULL};
    return tree_version(diag, root, "stormglass-grid") && block_only(root, keys, NULL, diag) &&
           grid_read_members(grid, root, false, diag);
}

/* `file` NULL: it could not be read, and diag has the reason. */
static struct grid *load(struct grid *grid, const struct tree_file *file, struct diag *diag)
{
    const struct tree_node *root = file != NULL && tree_is_kind(file, FILEKIND_GRID, "a grid", diag)
                                       ? tree_parse(&grid->arena, file, 0, diag)
                                       : NULL;
    if (root != NULL && read_root(grid, root, diag))
        return grid;
    grid_free(grid);
    return NULL;
}

struct grid *grid_load_file(const char *path, struct diag *diag)
{
    struct grid *grid = memory_new(sizeof *grid);
    return load(grid, tree_read(&grid->arena, path, diag), diag);
}

struct grid *grid_load(const char *name, const char *text, size_t length, struct diag *diag)
{
    struct grid *grid = memory_new(sizeof *grid);
    return load(grid, tree_hold(&grid->arena, name, arena_text(&grid->arena, text, length), length),
                diag);
}

static bool may_set(const struct grid *grid, const char *set, uint32_t count,
                    char why[DIAG_TEXT_BYTES])
{
    const char *equals = strchr(set, '=');
    if (equals == NULL || equals[1 + strspn(equals + 1, value_letters)] != '\0' ||
        strspn(set, letters) != (size_t)(equals - set)) {
        snprintf(why, DIAG_TEXT_BYTES,
                 "--set %.200s: expected path=value of letters, digits and ._-+/%%", set);
        return false;
    }
    for (uint32_t i = 0; i < grid->cell_count; i++)
        if (grid->cells[i].set_count + count > GRID_SETS_MAX) {
            snprintf(why, DIAG_TEXT_BYTES, "more than %d settings of a cell", GRID_SETS_MAX);
            return false;
        }
    return true;
}

bool grid_set(struct grid *grid, const char *const *sets, uint32_t count, char why[DIAG_TEXT_BYTES])
{
    for (uint32_t k = 0; k < count; k++)
        if (!may_set(grid, sets[k], count, why))
            return false;
    for (uint32_t i = 0; i < grid->cell_count; i++) {
        struct grid_cell *cell = &grid->cells[i];
        memmove(cell->sets + count, cell->sets, cell->set_count * sizeof *cell->sets);
        for (uint32_t k = 0; k < count; k++)
            cell->sets[k] = arena_text(&grid->arena, sets[k], strlen(sets[k]));
        cell->set_count += count;
    }
    return true;
}

void grid_free(struct grid *grid)
{
    if (grid == NULL)
        return;
    arena_free(&grid->arena);
    free(grid);
}
