/* SPDX-License-Identifier: Apache-2.0
 * grid_axis - an axis: its path, its short name, its values or their range. */
#include "base/quantity.h"
#include "scenarios/format/block.h"
#include "scenarios/vary/grid_private.h"

#include <stdlib.h>
#include <string.h>

static bool has_word(const char **words, uint32_t count, const char *word)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

/* The value of the axis that is the same quantity in another notation (0.1Tbps is 100Gbps), or
 * NULL. */
static const char *same_quantity(const struct grid_axis *axis, const char *word)
{
    static const enum quantity_kind kinds[] = {QUANTITY_TIME,   QUANTITY_SIZE,    QUANTITY_RATE,
                                               QUANTITY_LENGTH, QUANTITY_PERCENT, QUANTITY_DECIMAL};
    char why[QUANTITY_WHY_BYTES];
    int64_t value, other;
    for (uint32_t i = 0; i < axis->value_count; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (quantity_parse(kinds[k], word, &value, why) &&
                quantity_parse(kinds[k], axis->values[i], &other, why) && value == other)
                return axis->values[i];
    return NULL;
}

static void read_values(struct grid_reader *reader, struct grid_axis *axis,
                        const struct tree_node *list)
{
    if (list->count == 0 || list->count > GRID_VALUES_MAX) {
        tree_error(reader->diag, list, "expected 1 to %d values", GRID_VALUES_MAX);
        return;
    }
    axis->values = arena_array(&reader->grid->arena, list->count, sizeof *axis->values);
    for (size_t i = 0; i < list->count; i++) {
        const struct tree_node *node = list->items[i].value;
        const char *value = grid_value_of(reader, node);
        if (value != NULL && has_word(axis->values, axis->value_count, value))
            tree_error(reader->diag, node, "duplicate value");
        else if (value != NULL && same_quantity(axis, value) != NULL)
            tree_error(reader->diag, node, "duplicate value: it is %s", same_quantity(axis, value));
        else if (value != NULL)
            axis->values[axis->value_count++] = value;
    }
}

/* Reads "25Gbps" of a range: a whole number, and the unit, which must be the same at both ends. */
static bool number_of(struct grid_reader *reader, const struct tree_node *node, int64_t *number,
                      const char **unit)
{
    const char *text = grid_value_of(reader, node);
    if (text == NULL)
        return false;
    const size_t digits = strspn(text, "0123456789");
    *number = digits == 0 || digits > 15 ? -1 : strtoll(text, NULL, 10);
    *unit = text + digits;
    if (*number >= 0 && **unit != '.')
        return true;
    tree_error(reader->diag, node, "expected a whole number such as 25Gbps");
    return false;
}

struct range {
    int64_t from, to, by;
    bool multiplies;
    const char *unit;
};

static bool read_range(struct grid_reader *reader, const struct tree_node *map, struct range *range)
{
    static const char *const keys[] = {"from", "to", "step", "times", NULL};
    const char *unit = "", *of_step = "";
    if (!block_only(map, keys, NULL, reader->diag))
        return false;
    const struct tree_node *from =
        tree_need(reader->diag, map, "from", TREE_SCALAR, "the first value");
    const struct tree_node *to = tree_need(reader->diag, map, "to", TREE_SCALAR, "the last value");
    const struct tree_node *times = tree_want(reader->diag, map, "times", TREE_SCALAR);
    const struct tree_node *by =
        times != NULL ? times
                      : tree_need(reader->diag, map, "step", TREE_SCALAR,
                                  "the step to the next value (or times:, the factor)");
    if (from == NULL || to == NULL || by == NULL ||
        !number_of(reader, from, &range->from, &range->unit) ||
        !number_of(reader, to, &range->to, &unit) || !number_of(reader, by, &range->by, &of_step))
        return false;
    range->multiplies = times != NULL;
    if (strcmp(range->unit, unit) != 0 || strcmp(range->multiplies ? "" : unit, of_step) != 0)
        tree_error(reader->diag, map, "expected the same unit in all of these values");
    else if (range->to < range->from)
        tree_error(reader->diag, to, "expected at least the first value");
    else if (range->by < (range->multiplies ? 2 : 1) || (range->multiplies && range->from == 0))
        tree_error(reader->diag, by, "expected step: 1 or more, or times: 2 or more");
    else
        return true;
    return false;
}

static void read_values_between(struct grid_reader *reader, struct grid_axis *axis,
                                const struct tree_node *map)
{
    struct range range;
    if (!read_range(reader, map, &range))
        return;
    axis->values = arena_array(&reader->grid->arena, GRID_VALUES_MAX, sizeof *axis->values);
    for (__int128 at = range.from; at <= range.to;
         at = range.multiplies ? at * range.by : at + range.by) {
        if (axis->value_count == GRID_VALUES_MAX) {
            tree_error(reader->diag, map, "expected 1 to %d values", GRID_VALUES_MAX);
            return;
        }
        axis->values[axis->value_count++] =
            arena_format(&reader->grid->arena, "%lld%s", (long long)at, range.unit);
    }
}

static bool read_better(struct grid_reader *reader, struct grid_axis *axis,
                        const struct tree_node *node)
{
    const struct tree_node *better = tree_want(reader->diag, node, "better", TREE_SCALAR);
    if (better == NULL)
        return true;
    if (strcmp(better->text, "higher") == 0)
        axis->better = GRID_BETTER_HIGHER;
    else if (strcmp(better->text, "lower") == 0)
        axis->better = GRID_BETTER_LOWER;
    else
        tree_error(reader->diag, better, "expected higher or lower: the end that is never worse");
    return axis->better != GRID_BETTER_UNKNOWN;
}

static bool read_words(struct grid_reader *reader, struct grid_axis *axis,
                       const struct tree_node *node)
{
    const struct tree_node *path =
        tree_need(reader->diag, node, "path", TREE_SCALAR, "the setting that varies");
    const struct tree_node *as = tree_need(reader->diag, node, "as", TREE_SCALAR, "its short name");
    if (path == NULL || as == NULL)
        return false;
    axis->path = grid_path_of(reader, path, path->text);
    axis->as = grid_short_name_of(reader, as);
    const struct tree_node *where =
        reader->planning ? tree_want(reader->diag, node, "where", TREE_SCALAR) : NULL;
    if (where != NULL && (where->text[0] == '\0' || strpbrk(where->text, "\"\\") != NULL))
        tree_error(reader->diag, where, "expected a selection such as targets or links of leaf0");
    else if (where != NULL)
        axis->where = where->text;
    axis->row = axis->path;
    if (axis->where != NULL && axis->path != NULL)
        axis->path = arena_format(&reader->grid->arena, "%s of %s", axis->row, axis->where);
    return !diag_failed(reader->diag) && axis->path != NULL && axis->as != NULL;
}

const char *grid_axis_set(struct arena *arena, const struct grid_axis *axis, uint32_t value)
{
    if (axis->where == NULL)
        return arena_format(arena, "%s=%s", axis->path, axis->values[value]);
    const char *end = axis->row + strlen(axis->row), *inner = axis->values[value];
    for (const char *dot = end; dot > axis->row; end = dot) {
        for (dot = end - 1; dot > axis->row && *dot != '.';)
            dot--;
        const char *key = *dot == '.' ? dot + 1 : dot;
        inner = arena_format(arena, dot == axis->row ? "%.*s: %s" : "{%.*s: %s}", (int)(end - key),
                             key, inner);
    }
    return arena_format(arena, "fabric.overrides[+]={where: \"%s\", %s}", axis->where, inner);
}

/* Stores the place of each value of a list; values of a range have the place of the range. */
static void keep_origins(struct grid_reader *reader, const struct grid_axis *axis,
                         const struct tree_node *path, const struct tree_node *values)
{
    struct diag_place place = path->place;
    place.column += path->quoted;
    for (uint32_t i = 0; i < axis->value_count; i++)
        grid_add_origin(reader->grid, grid_axis_set(&reader->grid->arena, axis, i),
                        values->kind == TREE_LIST ? values->items[i].value : values, place);
    for (size_t i = reader->grid->origin_count - axis->value_count; i < reader->grid->origin_count;
         i++)
        reader->grid->origins[i].composed = axis->where != NULL;
}

static void read_axis(struct grid_reader *reader, const struct tree_node *node)
{
    static const char *const keys[] = {"path", "as", "values", NULL};
    static const char *const planned[] = {"path", "as", "where", "values", "better", NULL};
    struct grid *grid = reader->grid;
    struct grid_axis *axis = &grid->axes[grid->axis_count];
    if (!block_only(node, reader->planning ? planned : keys, NULL, reader->diag) ||
        !read_words(reader, axis, node) || (reader->planning && !read_better(reader, axis, node)))
        return;
    const struct tree_node *values = tree_get(node, "values");
    if (values != NULL && values->kind == TREE_MAP)
        read_values_between(reader, axis, values);
    else if ((values = tree_need(reader->diag, node, "values", TREE_LIST, "a list of values")) !=
             NULL)
        read_values(reader, axis, values);
    if (!diag_failed(reader->diag))
        keep_origins(reader, axis, tree_get(node, "path"), values);
    for (uint32_t i = 0; i < grid->axis_count; i++)
        if (strcmp(grid->axes[i].as, axis->as) == 0 || strcmp(grid->axes[i].path, axis->path) == 0)
            tree_error(reader->diag, node, "duplicate axis");
    grid->axis_count += axis->value_count > 0;
}

void grid_read_axes(struct grid_reader *reader, const struct tree_node *list)
{
    if (list->count == 0 || list->count > GRID_AXES_MAX) {
        tree_error(reader->diag, list, "expected 1 to %d axes", GRID_AXES_MAX);
        return;
    }
    uint64_t cells = 1;
    for (size_t i = 0; i < list->count && !diag_failed(reader->diag); i++) {
        read_axis(reader, list->items[i].value);
        if (!diag_failed(reader->diag))
            cells *= reader->grid->axes[i].value_count;
        if (cells > GRID_CELLS_MAX)
            tree_error(reader->diag, list, "more than %d cells", GRID_CELLS_MAX);
    }
    reader->grid->cell_count = (uint32_t)cells;
}
