/* SPDX-License-Identifier: Apache-2.0
 * trees - embedded YAML files as the native program read them (wasm/trees.c): Debian packages no
 * libyaml for WebAssembly. */
#ifndef STORMGLASS_CLI_WASM_TREES_H
#define STORMGLASS_CLI_WASM_TREES_H

#include "scenarios/format/tree.h"

struct tree {
    const struct tree_file *file;
    struct tree_node *const *root;
};

extern const struct tree embedded_trees[]; /* an entry without a file ends it */

#endif
