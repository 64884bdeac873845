/* SPDX-License-Identifier: Apache-2.0
 * claim_axis - reads the axes of the cases of a claim. */
#include "base/quantity.h"
#include "scenarios/claim/claim_private.h"
#include "scenarios/format/block.h"

#include <string.h>

/* True if the texts are the same kind of quantity and ascend. */
static bool is_ascending(const char *before, const char *after)
{
    static const enum quantity_kind kinds[] = {QUANTITY_INT,  QUANTITY_TIME,   QUANTITY_SIZE,
                                               QUANTITY_RATE, QUANTITY_LENGTH, QUANTITY_RATIO};
    char why[QUANTITY_WHY_BYTES];
    int64_t low, high;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (quantity_parse(kinds[i], before, &low, why) &&
            quantity_parse(kinds[i], after, &high, why))
            return low < high;
    return false;
}

/* The paths that a value is for: one, or a list. False, with a message, if there are none. */
static bool read_paths(struct claim_reader *reader, const struct tree_node *node,
                       const char *paths[CLAIM_SETS_MAX], uint32_t *count)
{
    const bool listed = node->kind == TREE_LIST;
    const size_t written = listed ? node->count : 1;
    *count = 0;
    for (size_t i = 0; i < written && i < CLAIM_SETS_MAX; i++) {
        const struct tree_node *path = listed ? node->items[i].value : node;
        if (path->kind == TREE_SCALAR && path->text[0] != '\0')
            paths[(*count)++] = path->text;
    }
    if (*count > 0 && *count == written)
        return true;
    tree_error(reader->diag, node, "expected a path such as workloads.io.block-size, or a list");
    return false;
}

static void read_values(struct claim_reader *reader, struct claim_axis *axis,
                        const struct tree_node *path, const struct tree_node *values)
{
    struct arena *arena = &reader->claim->arena;
    const char *paths[CLAIM_SETS_MAX];
    uint32_t path_count;
    if (values == NULL || !read_paths(reader, path, paths, &path_count))
        return;
    if (values->count < 2 || values->count > CLAIM_CHOICES_MAX) {
        tree_error(reader->diag, values, "expected 2 to %d values", CLAIM_CHOICES_MAX);
        return;
    }
    axis->choices = arena_array(arena, values->count, sizeof *axis->choices);
    axis->ordered = true;
    for (size_t i = 0; i < values->count; i++) {
        const struct tree_node *value = values->items[i].value;
        struct claim_choice *choice = &axis->choices[axis->count];
        if (value->kind != TREE_SCALAR || value->text[0] == '\0') {
            tree_error(reader->diag, value, "expected a value");
            return;
        }
        choice->name = value->text;
        choice->sets.sets = arena_array(arena, path_count, sizeof *choice->sets.sets);
        for (uint32_t k = 0; k < path_count; k++)
            choice->sets.sets[choice->sets.count++] =
                arena_format(arena, "%s=%s", paths[k], value->text);
        if (axis->count > 0)
            axis->ordered &= is_ascending(choice[-1].name, choice->name);
        axis->count++;
    }
}

static void read_choices(struct claim_reader *reader, struct claim_axis *axis,
                         const struct tree_node *list)
{
    static const char *const keys[] = {"name", "set", "not-modeled", NULL};
    if (list->count < 2 || list->count > CLAIM_CHOICES_MAX) {
        tree_error(reader->diag, list, "expected 2 to %d choices", CLAIM_CHOICES_MAX);
        return;
    }
    axis->choices = arena_array(&reader->claim->arena, list->count, sizeof *axis->choices);
    axis->ordered = true;
    for (size_t i = 0; i < list->count; i++) {
        const struct tree_node *node = list->items[i].value;
        struct claim_choice *choice = &axis->choices[axis->count];
        if (!block_only(node, keys, NULL, reader->diag))
            return;
        choice->name = claim_word(reader, node, "name", "the name of a choice");
        claim_read_sets(reader, tree_want(reader->diag, node, "set", TREE_MAP), &choice->sets);
        if (tree_get(node, "not-modeled") != NULL)
            choice->not_modeled = claim_word(reader, node, "not-modeled", "the reason");
        if (choice->name == NULL)
            return;
        if (axis->count > 0 && choice->not_modeled == NULL)
            axis->ordered &= is_ascending(choice[-1].name, choice->name);
        axis->count++;
    }
}

static void read_axis(struct claim_reader *reader, const struct tree_node *node)
{
    static const char *const keys[] = {"name", "path", "values", "choices", NULL};
    struct claim *claim = reader->claim;
    struct claim_axis *axis = &claim->axes[claim->axis_count];
    if (!block_only(node, keys, NULL, reader->diag))
        return;
    axis->name = claim_word(reader, node, "name", "what varies, such as block size");
    const struct tree_node *choices = tree_want(reader->diag, node, "choices", TREE_LIST);
    const struct tree_node *path = tree_get(node, "path");
    if (choices != NULL)
        read_choices(reader, axis, choices);
    else if (path != NULL)
        read_values(reader, axis, path,
                    tree_need(reader->diag, node, "values", TREE_LIST, "a list of values"));
    else
        tree_error(reader->diag, node, "expected path: and values:, or choices:");
    claim->axis_count += axis->name != NULL && axis->count > 0;
}

void claim_read_axes(struct claim_reader *reader, const struct tree_node *list)
{
    struct claim *claim = reader->claim;
    uint32_t runs = 0;
    claim->case_count = 1;
    if (list == NULL)
        return;
    if (list->count == 0 || list->count > CLAIM_AXES_MAX) {
        tree_error(reader->diag, list, "expected 1 or %d axes", CLAIM_AXES_MAX);
        return;
    }
    for (size_t i = 0; i < list->count && !diag_failed(reader->diag); i++)
        read_axis(reader, list->items[i].value);
    for (uint32_t i = 0; i < claim->axis_count; i++)
        claim->case_count *= claim->axes[i].count;
    if (claim->case_count > CLAIM_CASES_MAX)
        tree_error(reader->diag, list, "more than %d cases", CLAIM_CASES_MAX);
    else if (diag_failed(reader->diag))
        return;
    for (uint32_t i = 0; i < claim->case_count && claim->case_count <= CLAIM_CASES_MAX; i++)
        runs += claim_not_modeled(claim, i) == NULL;
    if (runs == 0 && !diag_failed(reader->diag))
        tree_error(reader->diag, list, "no case can be run: expected cannot-run: instead");
}
