/* SPDX-License-Identifier: Apache-2.0
 * tree_merge - completes a mapping: resolves merges and rejects repeated keys.
 * Source: YAML "Merge Key Language-Independent Type" (2005): a map's own keys take precedence, then
 * the earlier map. */
#ifndef STORMGLASS_SCENARIOS_FORMAT_TREE_MERGE_H
#define STORMGLASS_SCENARIOS_FORMAT_TREE_MERGE_H

#include "scenarios/format/tree.h"

/* Key of an item that is a merge. A quoted "<<" is equal as text, so compare the address. */
extern const char tree_merge_key[];

/* False, with messages, if a key is used twice or if a merged value is not a mapping. */
bool tree_merge(struct arena *arena, struct tree_node *map, struct diag *diag);

#endif
