/* SPDX-License-Identifier: Apache-2.0
 * grid_private - what the reader of axes and that of rules share. */
#ifndef STORMGLASS_SCENARIOS_VARY_GRID_PRIVATE_H
#define STORMGLASS_SCENARIOS_VARY_GRID_PRIVATE_H

#include "scenarios/vary/grid.h"

struct grid_rule; /* which cells it is for, and what it sets there */

struct grid_reader {
    struct grid *grid;
    struct diag *diag;
    struct grid_rule *rules;
    uint32_t rule_count;
    bool planning; /* axes may say which end is better */
};

/* What neither a shell nor YAML takes for something else than itself, or NULL and a message. */
const char *grid_value_of(struct grid_reader *reader, const struct tree_node *node);
const char *grid_path_of(struct grid_reader *reader, const struct tree_node *node,
                         const char *text);
const char *grid_short_name_of(struct grid_reader *reader, const struct tree_node *node);

/* Remembers where a setting of cells is written. */
void grid_add_origin(struct grid *grid, const char *set, const struct tree_node *value,
                     struct diag_place path);

/* The list `vary`: axes, and how many cells they make. */
void grid_read_axes(struct grid_reader *reader, const struct tree_node *list);

#endif
