/* SPDX-License-Identifier: Apache-2.0
 * claim - reads the top of a claim, its rows and its sides; the embedded claims. */
#include "base/check.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "scenarios/claim/claim_private.h"
#include "scenarios/embedded.h"
#include "scenarios/format/block.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char folder[] = "claims/";

const char *claim_word(struct claim_reader *reader, const struct tree_node *map, const char *key,
                       const char *what)
{
    const struct tree_node *node = tree_need(reader->diag, map, key, TREE_SCALAR, what);
    if (node == NULL || node->text[0] != '\0')
        return node == NULL ? NULL : node->text;
    tree_error(reader->diag, node, "expected %s", what);
    return NULL;
}

static const char *optional_word(struct claim_reader *reader, const struct tree_node *map,
                                 const char *key)
{
    const struct tree_node *node = tree_want(reader->diag, map, key, TREE_SCALAR);
    return node == NULL ? NULL : node->text;
}

void claim_read_sets(struct claim_reader *reader, const struct tree_node *map,
                     struct claim_sets *sets)
{
    struct arena *arena = &reader->claim->arena;
    if (map == NULL)
        return;
    if (map->count > CLAIM_SETS_MAX) {
        tree_error(reader->diag, map, "more than %d settings", CLAIM_SETS_MAX);
        return;
    }
    sets->sets = arena_array(arena, map->count, sizeof *sets->sets);
    for (size_t i = 0; i < map->count; i++) {
        const struct tree_item *item = &map->items[i];
        if (item->value->kind == TREE_SCALAR)
            sets->sets[sets->count++] = arena_format(arena, "%s=%s", item->key, item->value->text);
        else
            tree_error(reader->diag, item->value,
                       "expected a value as for --set; put a list or a mapping in quotes");
    }
}

/* ---- rows ---- */

/* "7" of 1 to 42, "N3", "C10" */
static bool is_row(const char *text)
{
    const bool lettered = *text == 'N' || *text == 'C';
    const char *digits = text + lettered;
    const size_t length = strlen(digits);
    return length > 0 && length < 3 && strspn(digits, "0123456789") == length && *digits != '0' &&
           atoi(digits) <= 42;
}

static void read_rows(struct claim_reader *reader, const struct tree_node *list)
{
    struct claim *claim = reader->claim;
    if (list == NULL)
        return;
    if (list->count == 0 || list->count > CLAIM_ROWS_MAX) {
        tree_error(reader->diag, list, "expected 1 to %d rows", CLAIM_ROWS_MAX);
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct tree_node *row = list->items[i].value;
        if (row->kind != TREE_SCALAR || !is_row(row->text))
            tree_error(reader->diag, row, "expected a row such as 24, N6 or C2");
        else
            snprintf(claim->rows[claim->row_count++], CLAIM_ROW_BYTES, "%s", row->text);
    }
}

/* Rows 1 to 42 come first, then N, then C. */
static int row_rank(const char *row)
{
    const int series = *row == 'N' ? 1 : *row == 'C' ? 2 : 0;
    return series * 100 + atoi(row + (series > 0));
}

static bool is_same_row(const char *row, const char *id)
{
    const bool lettered = isalpha((unsigned char)*row) != 0;
    if (lettered && toupper((unsigned char)*id) != *row)
        return false;
    const char *digits = id + lettered;
    digits += strspn(digits, "0");
    return strcmp(row + lettered, digits) == 0;
}

bool claim_is_named(const struct claim *claim, const char *id)
{
    if (strcasecmp(claim->name, id) == 0)
        return true;
    for (uint32_t i = 0; i < claim->row_count; i++)
        if (is_same_row(claim->rows[i], id))
            return true;
    return false;
}

/* ---- sides ---- */

static void read_sides(struct claim_reader *reader, const struct tree_node *list)
{
    static const char *const keys[] = {"name", "set", NULL};
    struct claim *claim = reader->claim;
    if (list == NULL) {
        claim->sides[claim->side_count++].name = "";
        return;
    }
    if (list->count < 2 || list->count > CLAIM_SIDES_MAX) {
        tree_error(reader->diag, list, "expected 2 to %d sides", CLAIM_SIDES_MAX);
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct tree_node *node = list->items[i].value;
        struct claim_side *side = &claim->sides[claim->side_count];
        if (!block_only(node, keys, NULL, reader->diag))
            return;
        side->name = claim_word(reader, node, "name", "the name of a side");
        claim_read_sets(reader, tree_want(reader->diag, node, "set", TREE_MAP), &side->sets);
        for (uint32_t k = 0; side->name != NULL && k < claim->side_count; k++)
            if (strcmp(claim->sides[k].name, side->name) == 0)
                tree_error(reader->diag, node, "duplicate side");
        claim->side_count += side->name != NULL;
    }
}

/* ---- the whole file ---- */

static void read_seeds(struct claim_reader *reader, const struct tree_node *node)
{
    char why[QUANTITY_WHY_BYTES];
    int64_t seeds = 1;
    if (node != NULL && (!quantity_parse(QUANTITY_INT, node->text, &seeds, why) || seeds < 1 ||
                         seeds > CLAIM_SEEDS_MAX || seeds % 2 == 0))
        tree_error(reader->diag, node, "expected an odd number of seeds from 1 to %d",
                   CLAIM_SEEDS_MAX);
    else
        reader->claim->seeds = (uint32_t)seeds;
}

static void read_runs(struct claim_reader *reader, const struct tree_node *root)
{
    struct diag *diag = reader->diag;
    tree_need(diag, root, "scenario", TREE_MAP, "a scenario, or cannot-run: with the reason");
    read_seeds(reader, tree_want(diag, root, "seeds", TREE_SCALAR));
    read_sides(reader, tree_want(diag, root, "sides", TREE_LIST));
    claim_read_axes(reader, tree_want(diag, root, "cases", TREE_LIST));
    if (diag_failed(diag))
        return;
    const struct tree_node *figures =
        tree_need(diag, root, "figures", TREE_LIST, "a list of {name, about, value, unit}");
    const struct tree_node *conditions =
        tree_need(diag, root, "true-if", TREE_LIST, "a list of conditions such as gain > 2");
    if (figures != NULL)
        claim_read_figures(reader, figures);
    if (conditions != NULL && !diag_failed(diag))
        claim_read_conditions(reader, conditions);
}

static void read_top(struct claim_reader *reader, const struct tree_node *root)
{
    static const char *const keys[] = {
        "stormglass-claim", "rows",  "claim", "source", "stated",  "why",
        "scenario",         "seeds", "cases", "sides",  "figures", "true-if",
        "cannot-run",       NULL};
    static const char *const unrun[] = {"stormglass-claim", "rows",       "claim", "source",
                                        "stated",           "cannot-run", NULL};
    struct claim *claim = reader->claim;
    if (!tree_version(reader->diag, root, "stormglass-claim"))
        return;
    claim->cannot_run = optional_word(reader, root, "cannot-run");
    if (!block_only(root, claim->cannot_run != NULL ? unrun : keys, NULL, reader->diag))
        return;
    read_rows(reader, tree_need(reader->diag, root, "rows", TREE_LIST, "a list such as [24, N6]"));
    claim->statement = claim_word(reader, root, "claim", "the claim as a sentence");
    claim->source = claim_word(reader, root, "source", "the place that makes the claim");
    claim->stated = optional_word(reader, root, "stated");
    claim->why = optional_word(reader, root, "why");
    if (claim->cannot_run == NULL)
        read_runs(reader, root);
}

static void name_claim(struct claim *claim, const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *stem = slash == NULL ? file : slash + 1;
    snprintf(claim->name, sizeof claim->name, "%.*s", (int)strcspn(stem, "."), stem);
}

static struct claim *load(struct claim *claim, const struct tree_file *file, struct diag *diag)
{
    struct claim_reader reader = {claim, diag};
    const struct tree_node *root = NULL;
    claim->file = file;
    if (file != NULL && tree_is_kind(file, FILEKIND_CLAIM, "a claim", diag))
        root = tree_parse(&claim->arena, file, 0, diag);
    if (root != NULL) {
        name_claim(claim, file->name);
        read_top(&reader, root);
    }
    if (!diag_failed(diag))
        return claim;
    claim_free(claim);
    return NULL;
}

struct claim *claim_load(const char *file, const char *text, size_t length, struct diag *diag)
{
    struct claim *claim = memory_new(sizeof *claim);
    struct arena *arena = &claim->arena;
    return load(claim,
                tree_hold(arena, arena_text(arena, file, strlen(file)),
                          arena_text(arena, text, length), length),
                diag);
}

struct claim *claim_load_file(const char *path, struct diag *diag)
{
    struct claim *claim = memory_new(sizeof *claim);
    return load(claim, tree_read(&claim->arena, path, diag), diag);
}

void claim_free(struct claim *claim)
{
    if (claim == NULL)
        return;
    arena_free(&claim->arena);
    free(claim);
}

/* ---- cases ---- */

const struct claim_choice *claim_choice(const struct claim *claim, uint32_t index, uint32_t axis)
{
    CHECK(axis < claim->axis_count && index < claim->case_count);
    for (uint32_t i = claim->axis_count - 1; i > axis; i--)
        index /= claim->axes[i].count;
    return &claim->axes[axis].choices[index % claim->axes[axis].count];
}

const char *claim_not_modeled(const struct claim *claim, uint32_t index)
{
    for (uint32_t axis = 0; axis < claim->axis_count; axis++) {
        const struct claim_choice *choice = claim_choice(claim, index, axis);
        if (choice->not_modeled != NULL)
            return choice->not_modeled;
    }
    return NULL;
}

bool claim_repeats(const struct claim *claim, uint32_t index)
{
    return claim->axis_count == 2 && index % claim->axes[1].count > 0 &&
           claim_choice(claim, index, 0)->not_modeled != NULL;
}

/* ---- embedded claims ---- */

static int by_row(const void *a, const void *b)
{
    const struct claim *left = *(struct claim *const *)a, *right = *(struct claim *const *)b;
    const int by_rank = row_rank(left->rows[0]) - row_rank(right->rows[0]);
    return by_rank != 0 ? by_rank : strcmp(left->name, right->name);
}

struct claim **claim_load_all(uint32_t *count)
{
    struct claim **claims = NULL;
    uint32_t room = 0;
    struct diag *diag = memory_new(sizeof *diag);
    *count = 0;
    for (const struct embedded_file *file = embedded_files; file->name != NULL; file++) {
        if (strncmp(file->name, folder, strlen(folder)) != 0)
            continue;
        claims = memory_grown(claims, *count + 1, &room, sizeof(struct claim *));
        claims[(*count)++] = claim_load(file->name, (const char *)file->bytes, file->length, diag);
        diag_print(diag, stderr);
        CHECK(claims[*count - 1] != NULL);
    }
    free(diag);
    if (claims == NULL)
        claims = memory_new(sizeof(struct claim *));
    qsort(claims, *count, sizeof(struct claim *), by_row);
    claims[*count] = NULL;
    return claims;
}

void claim_free_all(struct claim **claims)
{
    for (uint32_t i = 0; claims[i] != NULL; i++)
        claim_free(claims[i]);
    free(claims);
}
