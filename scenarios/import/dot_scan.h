/* SPDX-License-Identifier: Apache-2.0
 * dot_scan - a look at DOT before its parser has one.
 * Graphviz's parser says lines only, and not of what it has read; and it takes as much time as a
 * text asks for.  This pass finds where each edge begins, and refuses what no cabling needs: groups
 * as ends of edges, strict graphs, a second graph, deep nesting, very many attributes.
 * Source:  the DOT language (graphviz.org/doc/info/lang.html).
 * Errors:  located messages in diag. */
#ifndef STORMGLASS_SCENARIOS_IMPORT_DOT_SCAN_H
#define STORMGLASS_SCENARIOS_IMPORT_DOT_SCAN_H

#include "scenarios/format/tree.h"

enum { DOT_DEPTH_MAX = 16, DOT_ATTRIBUTES_MAX = 32, DOT_GROUPS_MAX = 1000, DOT_WORD_MAX = 1024 };

struct dot_attribute {
    const char *name; /* as it is written, with its quotes */
    struct diag_place place;
};

struct dot_places {
    struct diag_place *edges; /* in the order of the file: where their tail stands */
    size_t count;
    struct dot_attribute attributes[DOT_ATTRIBUTES_MAX]; /* where each stands first */
    size_t attribute_count;
};

bool dot_scan(struct arena *arena, const struct tree_file *file, struct dot_places *places,
              struct diag *diag);

/* Where an attribute stands first; the top of the file when that is not known. */
struct diag_place dot_attribute_place(const struct dot_places *places, const struct tree_file *file,
                                      const char *name);

#endif
