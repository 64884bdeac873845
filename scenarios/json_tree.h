/* SPDX-License-Identifier: Apache-2.0
 * json_tree - a JSON file as a tree whose every node knows its place.
 * Strict JSON (RFC 8259) whose root is an object; a key used twice is an error, and so are a NUL
 * character, more than TREE_DEPTH_MAX levels and more than TREE_NODES_MAX values.  Numbers, true,
 * false and null stay text, as they are written; strings are `quoted`.
 * Columns count characters from 1.
 * Owner: the arena.  Errors: located messages in diag, and NULL. */
#ifndef STORMGLASS_SCENARIOS_JSON_TREE_H
#define STORMGLASS_SCENARIOS_JSON_TREE_H

#include "scenarios/tree.h"

struct tree_node *json_tree(struct arena *arena, const struct tree_file *file, struct diag *diag);

#endif
