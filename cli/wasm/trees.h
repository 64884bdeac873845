/* SPDX-License-Identifier: Apache-2.0
 * trees - embedded YAML files as parsed by the native program (wasm/trees.c), because Debian has no
 * libyaml package for WebAssembly. */
#ifndef STORMGLASS_CLI_WASM_TREES_H
#define STORMGLASS_CLI_WASM_TREES_H

#include "scenarios/format/tree.h"

struct tree {
    const struct tree_file *file;
    struct tree_node *const *root;
};

extern const struct tree embedded_trees[]; /* terminated by an entry without a file */

#endif
