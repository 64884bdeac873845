/* SPDX-License-Identifier: Apache-2.0
 * tree_merge - the end of a mapping: merges resolved, no key twice.
 * Source: YAML "Merge Key Language-Independent Type" (2005): a map's own keys win, then the earlier
 * map. */
#ifndef STORMGLASS_SCENARIOS_FORMAT_TREE_MERGE_H
#define STORMGLASS_SCENARIOS_FORMAT_TREE_MERGE_H

#include "scenarios/format/tree.h"

/* The key of an item that merges; told from a quoted "<<" by its address. */
extern const char tree_merge_key[];

/* False and messages when a key is used twice or something is merged that is no mapping. */
bool tree_merge(struct arena *arena, struct tree_node *map, struct diag *diag);

#endif
