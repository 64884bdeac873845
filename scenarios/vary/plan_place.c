/* SPDX-License-Identifier: Apache-2.0
 * plan_place - finds the axis or the rule that made a setting. */
#include "base/memory.h"
#include "scenarios/vary/plan.h"

#include <stdlib.h>
#include <string.h>

enum { CUT = 128 }; /* longer lines are cut in messages */

struct grid_origin plan_origin_of(const struct plan *plan, const char *set)
{
    struct grid_origin origin = grid_origin_of(&plan->grid, set);
    for (uint32_t i = 0; i < plan->cliff_count && origin.value == NULL; i++)
        origin = grid_origin_of(&plan->cliffs[i], set);
    for (uint32_t i = 0; i < plan->what_if_count && origin.value == NULL; i++)
        origin = grid_origin_of(&plan->what_ifs[i], set);
    return origin;
}

/* The setting that is the line of a message. */
static struct grid_origin origin_of_message(const struct plan *plan, const struct grid_cell *cell,
                                            const struct diag_message *message)
{
    const size_t length = strlen(message->snippet);
    struct grid_origin none = {.value = NULL};
    if (strcmp(message->file, "--set") != 0 || length == 0)
        return none;
    for (uint32_t i = cell->set_count; i-- > 0;)
        if (strncmp(cell->sets[i], message->snippet, length) == 0 &&
            (length >= CUT || cell->sets[i][length] == '\0'))
            return plan_origin_of(plan, cell->sets[i]);
    return none;
}

/* Values of a range share the place of the range. */
static struct diag_place place_of(const struct grid_origin *origin, struct diag_place in_set)
{
    const int path = (int)strcspn(origin->set, "=");
    if (origin->composed)
        return origin->value->place;
    struct diag_place place = in_set.column <= path ? origin->path : origin->value->place;
    if (in_set.column <= path)
        place.column += in_set.column - 1;
    else if (origin->value->kind == TREE_SCALAR)
        place.column += in_set.column - path - 2 + origin->value->quoted;
    else
        return place;
    place.width = in_set.width;
    return place;
}

void plan_locate(const struct plan *plan, const struct grid_cell *cell, struct diag *diag)
{
    struct diag *located = memory_new(sizeof *located);
    for (int i = 0; i < diag->count; i++) {
        const struct diag_message *message = &diag->messages[i];
        const struct grid_origin origin = origin_of_message(plan, cell, message);
        if (origin.value == NULL)
            located->messages[located->count++] = *message;
        else
            tree_message(located, message->level, origin.value, place_of(&origin, message->place),
                         message->text);
    }
    located->errors = diag->errors;
    *diag = *located;
    free(located);
}
