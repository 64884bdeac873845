/* SPDX-License-Identifier: Apache-2.0
 * grid_private - interfaces between the readers of axes and of rules. */
#ifndef STORMGLASS_SCENARIOS_VARY_GRID_PRIVATE_H
#define STORMGLASS_SCENARIOS_VARY_GRID_PRIVATE_H

#include "scenarios/vary/grid.h"

struct grid_rule; /* conditions and settings of a rule */

struct grid_reader {
    struct grid *grid;
    struct diag *diag;
    struct grid_rule *rules;
    uint32_t rule_count;
    bool planning; /* axes may have `better` */
};

/* A scalar without characters that a shell or YAML interprets; NULL, with a message, otherwise. */
const char *grid_value_of(struct grid_reader *reader, const struct tree_node *node);
const char *grid_path_of(struct grid_reader *reader, const struct tree_node *node,
                         const char *text);
const char *grid_short_name_of(struct grid_reader *reader, const struct tree_node *node);

/* Records the place of a setting of cells. */
void grid_add_origin(struct grid *grid, const char *set, const struct tree_node *value,
                     struct diag_place path);

/* Reads the list `vary`: axes, and the number of their cells. */
void grid_read_axes(struct grid_reader *reader, const struct tree_node *list);

#endif
