/* SPDX-License-Identifier: Apache-2.0
 * scenario_dot - `topology: {kind: dot, file: topology.dot, hosts: "server*"}`: cables from a
 * graph.
 * Attributes that a link does not have are ignored here; `import dot` reports them. */
#include "scenarios/load/scenario_load.h"

#include "scenarios/import/dot.h"

#include <string.h>

/* The scenario refers to nodes by name, so a node whose name had to be changed is an error. */
static void check_names(const struct cabling *cabling)
{
    for (size_t i = 0; i < cabling->node_count; i++) {
        const struct cabling_node *node = cabling->nodes[i];
        if (node->called != NULL && strcmp(node->called, node->name) != 0)
            diag_add(cabling->diag, DIAG_ERROR, node->place,
                     tree_line(cabling->file, node->place.line),
                     "a node cannot be called '%s' in a scenario; import dot renames it",
                     notes_clean(cabling->arena, node->name));
    }
}

static const struct tree_node *read_cables(struct loader *loader, const struct tree_file *file,
                                           const struct tree_node *hosts)
{
    struct cabling cabling;
    cabling_begin(&cabling, loader->arena, file, loader->diag);
    cabling.host_pattern = hosts == NULL ? NULL : hosts->text;
    const bool fine = dot_read(&cabling) && cabling_settle(&cabling);
    if (fine)
        check_names(&cabling);
    const struct tree_node *tree = fine ? cabling_tree(&cabling) : NULL;
    cabling_end(&cabling);
    return tree;
}

static const struct tree_node *translate(struct loader *loader, const struct tree_node *written)
{
    static const char *const keys[] = {"kind", "file", "hosts", NULL};
    const struct tree_node *name = scenario_word(loader, written, "file");
    const struct tree_node *hosts = scenario_word(loader, written, "hosts");
    if (!block_only(written, keys, NULL, loader->diag) || diag_failed(loader->diag))
        return NULL;
    if (name == NULL) {
        tree_error(loader->diag, written,
                   "expected a file such as {kind: dot, file: topology.dot}");
        return NULL;
    }
    const struct tree_file *file = scenario_open(loader, name);
    if (file == NULL)
        return NULL;
    if (file->length > CABLING_BYTES_MAX) {
        tree_error(loader->diag, name, "the file is larger than 8 MiB");
        return NULL;
    }
    return read_cables(loader, file, hosts);
}

const struct topology_ops topology_dot = {
    .name = "dot",
    .about = "Nodes and links of a Graphviz file.",
    .translate = translate,
};
