/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/data/calibrated.h"

#include "base/nearest.h"

#include <string.h>

static const struct {
    const char *word;
    enum quantity_kind kind;
} words[] = {
    {"block-size", QUANTITY_SIZE}, {"message-size", QUANTITY_SIZE}, {"queue-depth", QUANTITY_INT},
    {"outstanding", QUANTITY_INT}, {"queues", QUANTITY_INT},        {"qps", QUANTITY_INT},
    {"read", QUANTITY_PERCENT},
};

enum { WORDS = sizeof words / sizeof words[0] };

bool calibrated_quantity(const char *word, enum quantity_kind *kind)
{
    for (int i = 0; i < WORDS; i++)
        if (strcmp(words[i].word, word) == 0) {
            *kind = words[i].kind;
            return true;
        }
    return false;
}

static void unknown_word(struct diag *diag, const struct tree_item *item)
{
    struct nearest nearest = nearest_to(item->key);
    char text[DIAG_TEXT_BYTES];
    for (int i = 0; i < WORDS; i++)
        nearest_offer(&nearest, words[i].word);
    snprintf(text, sizeof text, "calibrated: unknown range '%.64s'%s", item->key,
             nearest_hint(&nearest).text);
    tree_message(diag, DIAG_ERROR, item->value, item->key_place, text);
}

/* Reads "512B..256KiB", or a single value. */
static bool read_range(struct arena *arena, struct diag *diag, const struct tree_node *node,
                       enum quantity_kind kind, struct calibrated *range)
{
    char why[QUANTITY_WHY_BYTES] = "";
    const char *text = node->kind == TREE_SCALAR ? node->text : "";
    const char *dots = strstr(text, "..");
    const char *low = arena_text(arena, text, dots == NULL ? strlen(text) : (size_t)(dots - text));
    range->text = text;
    if (quantity_parse(kind, low, &range->low, why) &&
        quantity_parse(kind, dots == NULL ? low : dots + 2, &range->high, why) &&
        range->low <= range->high)
        return true;
    tree_error(diag, node, "expected a range such as 1..16 or 512B..256KiB%s%s",
               why[0] != '\0' ? ": " : "", why);
    return false;
}

static bool is_known(const struct calibrated_list *list, const char *profile, const char *word)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->ranges[i].profile, profile) == 0 &&
            strcmp(list->ranges[i].word, word) == 0)
            return true;
    return false;
}

void calibrated_load(struct arena *arena, struct diag *diag, const char *profile,
                     const struct tree_node *map, struct calibrated_list *list)
{
    for (size_t i = 0; i < map->count; i++) {
        const struct tree_item *item = &map->items[i];
        struct calibrated range = {.profile = profile, .word = item->key};
        enum quantity_kind kind;
        if (!calibrated_quantity(item->key, &kind))
            unknown_word(diag, item);
        else if (read_range(arena, diag, item->value, kind, &range) &&
                 !is_known(list, profile, item->key))
            *(struct calibrated *)arena_push(arena, (void **)(void *)&list->ranges, &list->count,
                                             sizeof range) = range;
    }
}
