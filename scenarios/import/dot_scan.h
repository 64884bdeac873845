/* SPDX-License-Identifier: Apache-2.0
 * dot_scan - scans a DOT file before Graphviz parses it.
 * Graphviz's parser reports only lines, and only for syntax errors, and some inputs take it very
 * long. This pass finds where each edge begins, and rejects features that no cabling needs: groups
 * as ends of edges, strict graphs, a second graph, deep nesting, too many attributes.
 *   Source:  the DOT language (graphviz.org/doc/info/lang.html).
 *   Errors:  located messages in diag. */
#ifndef STORMGLASS_SCENARIOS_IMPORT_DOT_SCAN_H
#define STORMGLASS_SCENARIOS_IMPORT_DOT_SCAN_H

#include "scenarios/format/tree.h"

enum { DOT_DEPTH_MAX = 16, DOT_ATTRIBUTES_MAX = 32, DOT_GROUPS_MAX = 1000, DOT_WORD_MAX = 1024 };

struct dot_attribute {
    const char *name; /* as written, including quotes */
    struct diag_place place;
};

struct dot_places {
    struct diag_place *edges; /* places of their tails, in the order of the file */
    size_t count;
    struct dot_attribute attributes[DOT_ATTRIBUTES_MAX]; /* each with the place of its first use */
    size_t attribute_count;
};

bool dot_scan(struct arena *arena, const struct tree_file *file, struct dot_places *places,
              struct diag *diag);

/* Place of an attribute's first use; the top of the file if it is unknown. */
struct diag_place dot_attribute_place(const struct dot_places *places, const struct tree_file *file,
                                      const char *name);

#endif
