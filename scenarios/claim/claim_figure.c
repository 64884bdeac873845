/* SPDX-License-Identifier: Apache-2.0
 * claim_figure - reads the figures of a claim and the conditions on them. */
#include "base/nearest.h"
#include "base/quantity.h"
#include "scenarios/claim/claim_private.h"
#include "scenarios/format/block.h"

#include <string.h>

static const char *const units[] = {
#define X(name, word) word,
    CLAIM_UNITS(X)
#undef X
};

enum { UNITS = sizeof units / sizeof units[0] };

static void read_unit(struct claim_reader *reader, const struct tree_node *node,
                      struct claim_figure *figure)
{
    const struct tree_node *unit =
        tree_need(reader->diag, node, "unit", TREE_SCALAR, "a unit such as time or percent");
    if (unit == NULL)
        return;
    struct nearest nearest = nearest_to(unit->text);
    for (int i = 0; i < UNITS; i++) {
        nearest_offer(&nearest, units[i]);
        if (strcmp(units[i], unit->text) == 0) {
            figure->unit = (enum claim_unit)i;
            return;
        }
    }
    tree_error(reader->diag, unit, "unknown unit '%.32s'%s", unit->text,
               nearest_hint(&nearest).text);
}

/* ---- operands ---- */

static bool parse_constant(const char *text, int64_t *value)
{
    static const enum quantity_kind kinds[] = {QUANTITY_INT, QUANTITY_TIME, QUANTITY_SIZE,
                                               QUANTITY_RATE};
    char why[QUANTITY_WHY_BYTES];
    int64_t parsed;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (quantity_parse(kinds[i], text, &parsed, why)) {
            *value = parsed;
            return parsed > 0;
        }
    return false;
}

static bool find_side(struct claim_reader *reader, const struct tree_node *written,
                      const char *name, size_t length, uint32_t *side)
{
    const struct claim *claim = reader->claim;
    for (uint32_t i = 0; i < claim->side_count; i++)
        if (strlen(claim->sides[i].name) == length &&
            memcmp(claim->sides[i].name, name, length) == 0) {
            *side = i;
            return true;
        }
    tree_error(reader->diag, written, "there is no side '%.*s'", length > 32 ? 32 : (int)length,
               name);
    return false;
}

/* "tcp: io.goodput", or without a side if there is only one. */
static void read_operand(struct claim_reader *reader, const struct tree_node *written,
                         const char *text, size_t length, struct claim_operand *operand)
{
    char *own = arena_text(&reader->claim->arena, text, length);
    const char *colon = strstr(own, ": ");
    while (length > 0 && own[length - 1] == ' ')
        own[--length] = '\0';
    operand->written = written;
    operand->quantity = colon == NULL ? own : colon + 2;
    if (*operand->quantity == '\0' || operand->quantity[strspn(operand->quantity, " ")] == '\0')
        tree_error(reader->diag, written, "expected QUANTITY or QUANTITY / QUANTITY");
    else
        find_side(reader, written, own, colon == NULL ? 0 : (size_t)(colon - own), &operand->side);
}

static void read_value(struct claim_reader *reader, const struct tree_node *value,
                       struct claim_figure *figure)
{
    const char *text = value->text, *slash = strstr(text, " / ");
    const size_t length = slash == NULL ? strlen(text) : (size_t)(slash - text);
    read_operand(reader, value, text, length, &figure->value);
    if (slash == NULL || diag_failed(reader->diag))
        return;
    figure->is_ratio = true;
    figure->by.written = value;
    if (!parse_constant(slash + 3, &figure->by.constant))
        read_operand(reader, value, slash + 3, strlen(slash + 3), &figure->by);
}

static void read_sql(struct claim_reader *reader, const struct tree_node *node,
                     struct claim_figure *figure)
{
    const struct tree_node *side = tree_want(reader->diag, node, "side", TREE_SCALAR);
    const char *name = side == NULL ? "" : side->text;
    figure->value.written = tree_get(node, "sql");
    figure->value.sql = claim_word(reader, node, "sql", "a SELECT of one value");
    find_side(reader, node, name, strlen(name), &figure->value.side);
}

/* ---- figures ---- */

static void check_unit(struct claim_reader *reader, const struct tree_node *node,
                       const struct claim_figure *figure)
{
    const bool of_ratio = figure->unit == CLAIM_PERCENT || figure->unit == CLAIM_TIMES;
    if (figure->is_ratio && !of_ratio)
        tree_error(reader->diag, node, "expected unit: percent or times for a ratio");
    else if (figure->value.sql == NULL && !figure->is_ratio &&
             (of_ratio || figure->unit == CLAIM_WORD))
        tree_error(reader->diag, node, "expected unit: time, size, rate or count for a quantity");
}

static void read_figure(struct claim_reader *reader, const struct tree_node *node)
{
    static const char *const keys[] = {"name", "about", "value", "sql", "side", "unit", NULL};
    struct claim *claim = reader->claim;
    struct claim_figure *figure = &claim->figures[claim->figure_count];
    if (!block_only(node, keys, NULL, reader->diag))
        return;
    figure->name = claim_word(reader, node, "name", "a short name such as gain");
    figure->about = claim_word(reader, node, "about", "the heading of its column");
    read_unit(reader, node, figure);
    if (tree_get(node, "sql") != NULL) {
        read_sql(reader, node, figure);
    } else {
        const struct tree_node *value = tree_need(reader->diag, node, "value", TREE_SCALAR,
                                                  "a quantity such as io.latency.p99, or sql:");
        if (value != NULL)
            read_value(reader, value, figure);
    }
    if (diag_failed(reader->diag))
        return;
    check_unit(reader, node, figure);
    for (uint32_t i = 0; i < claim->figure_count; i++)
        if (strcmp(claim->figures[i].name, figure->name) == 0)
            tree_error(reader->diag, node, "duplicate figure");
    claim->figure_count++;
}

void claim_read_figures(struct claim_reader *reader, const struct tree_node *list)
{
    if (list->count == 0 || list->count > CLAIM_FIGURES_MAX) {
        tree_error(reader->diag, list, "expected 1 to %d figures", CLAIM_FIGURES_MAX);
        return;
    }
    for (size_t i = 0; i < list->count && !diag_failed(reader->diag); i++)
        read_figure(reader, list->items[i].value);
}

/* ---- conditions ---- */

static bool find_figure(const struct claim *claim, const char *name, size_t length, uint32_t *index)
{
    for (*index = 0; *index < claim->figure_count; ++*index)
        if (strlen(claim->figures[*index].name) == length &&
            memcmp(claim->figures[*index].name, name, length) == 0)
            return true;
    return false;
}

int64_t claim_unit_scale(enum claim_unit unit)
{
    return unit == CLAIM_PERCENT ? 1000000000000000
           : unit == CLAIM_TIMES ? QUANTITY_DECIMAL_ONE
                                 : 1;
}

static bool parse_limit(enum claim_unit unit, const char *text, int64_t *value,
                        char why[QUANTITY_WHY_BYTES])
{
    static const enum quantity_kind kinds[] = {
        [CLAIM_TIME] = QUANTITY_TIME,     [CLAIM_SIZE] = QUANTITY_SIZE,
        [CLAIM_RATE] = QUANTITY_RATE,     [CLAIM_COUNT] = QUANTITY_INT,
        [CLAIM_PERCENT] = QUANTITY_RATIO, [CLAIM_TIMES] = QUANTITY_DECIMAL,
    };
    return quantity_parse(kinds[unit], text, value, why);
}

static void read_condition(struct claim_reader *reader, const struct tree_node *node)
{
    struct claim *claim = reader->claim;
    struct claim_condition *condition = &claim->conditions[claim->condition_count];
    char why[QUANTITY_WHY_BYTES];
    size_t name, value;
    if (node->kind != TREE_SCALAR || !expect_split(node->text, &name, &condition->op, &value) ||
        !find_figure(claim, node->text, name, &condition->figure)) {
        tree_error(reader->diag, node,
                   "expected FIGURE OP VALUE such as gain > 2, where the figure "
                   "is one of figures:");
        return;
    }
    const enum claim_unit unit = claim->figures[condition->figure].unit;
    condition->text = node->text;
    condition->word = node->text + value;
    if (unit == CLAIM_WORD && condition->op != EXPECT_EQ && condition->op != EXPECT_NE)
        tree_error(reader->diag, node, "expected == or != for a word");
    else if (unit != CLAIM_WORD && !parse_limit(unit, condition->word, &condition->value, why))
        tree_error(reader->diag, node, "%s", why);
    claim->condition_count++;
}

void claim_read_conditions(struct claim_reader *reader, const struct tree_node *list)
{
    if (list->count == 0 || list->count > CLAIM_CONDITIONS_MAX) {
        tree_error(reader->diag, list, "expected 1 to %d conditions", CLAIM_CONDITIONS_MAX);
        return;
    }
    for (size_t i = 0; i < list->count && !diag_failed(reader->diag); i++)
        read_condition(reader, list->items[i].value);
}
