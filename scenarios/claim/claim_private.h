/* SPDX-License-Identifier: Apache-2.0
 * claim_private - the parts of the reader of claims. */
#ifndef STORMGLASS_SCENARIOS_CLAIM_CLAIM_PRIVATE_H
#define STORMGLASS_SCENARIOS_CLAIM_CLAIM_PRIVATE_H

#include "scenarios/claim/claim.h"

struct claim_reader {
    struct claim *claim;
    struct diag *diag;
};

/* A word that is not empty; NULL, with a message, otherwise. */
const char *claim_word(struct claim_reader *reader, const struct tree_node *map, const char *key,
                       const char *what);

void claim_read_sets(struct claim_reader *reader, const struct tree_node *map,
                     struct claim_sets *sets);
void claim_read_axes(struct claim_reader *reader, const struct tree_node *list);

void claim_read_figures(struct claim_reader *reader, const struct tree_node *list);
void claim_read_conditions(struct claim_reader *reader, const struct tree_node *list);

#endif
