/* SPDX-License-Identifier: Apache-2.0
 * cabling_tree - converts a settled cabling to the tree of an explicit topology, so that the same
 * reader checks both. */
#include "scenarios/import/cabling.h"

#include "scenarios/fabric/topology.h"

#include <string.h>

static struct tree_node *new_node(const struct cabling *cabling, enum tree_kind kind,
                                  struct diag_place place)
{
    struct tree_node *node = arena_take(cabling->arena, sizeof *node);
    *node = (struct tree_node){.kind = kind, .file = cabling->file, .place = place, .weight = 1};
    return node;
}

static struct tree_node *scalar(const struct cabling *cabling, const char *text,
                                struct diag_place place)
{
    struct tree_node *node = new_node(cabling, TREE_SCALAR, place);
    node->text = text;
    return node;
}

/* `key` NULL: appends to a list. */
static void add_value(const struct cabling *cabling, struct tree_node *parent, const char *key,
                      struct tree_node *value)
{
    struct tree_item *item =
        arena_push(cabling->arena, (void **)(void *)&parent->items, &parent->count, sizeof *item);
    *item = (struct tree_item){.key = key, .key_place = value->place, .value = value};
    parent->weight += value->weight;
}

static struct tree_node *name_list(const struct cabling *cabling, const char *const *names,
                                   size_t count, struct diag_place place)
{
    struct tree_node *list = new_node(cabling, TREE_LIST, place);
    for (size_t i = 0; i < count; i++) {
        const struct cabling_node *node = cabling_find(cabling, names[i]);
        add_value(cabling, list, NULL,
                  scalar(cabling, names[i], node == NULL ? place : node->place));
    }
    return list;
}

static struct tree_node *link_node(const struct cabling *cabling, const struct cabling_link *link)
{
    struct tree_node *node = new_node(cabling, TREE_MAP, link->place);
    struct tree_node *ends = new_node(cabling, TREE_LIST, link->place);
    struct tree_node *names = new_node(cabling, TREE_LIST, link->place);
    for (int i = 0; i < 2; i++) {
        const struct cabling_end *end = &link->ends[i];
        const char *text = arena_format(cabling->arena, "%s:p%u", end->called, end->number);
        const bool has_name = end->port != NULL && topology_port_name(end->port);
        add_value(cabling, ends, NULL, scalar(cabling, text, link->place));
        add_value(cabling, names, NULL, scalar(cabling, has_name ? end->port : "", link->place));
    }
    add_value(cabling, node, "ends", ends);
    add_value(cabling, node, "names", names);
    for (size_t i = 0; i < link->value_count; i++)
        add_value(cabling, node, link->values[i].name,
                  scalar(cabling, link->values[i].text, link->values[i].place));
    return node;
}

struct tree_node *cabling_tree(const struct cabling *cabling)
{
    const struct diag_place top = {.file = cabling->file->name, .line = 1, .column = 1, .width = 1};
    struct tree_node *tree = new_node(cabling, TREE_MAP, top);
    struct tree_node *links = new_node(cabling, TREE_LIST, top);
    for (size_t i = 0; i < cabling->link_count; i++)
        add_value(cabling, links, NULL, link_node(cabling, &cabling->links[i]));
    add_value(cabling, tree, "kind", scalar(cabling, "explicit", top));
    add_value(cabling, tree, "hosts", name_list(cabling, cabling->hosts, cabling->host_count, top));
    add_value(cabling, tree, "switches",
              name_list(cabling, cabling->switches, cabling->switch_count, top));
    if (cabling->nics > 1)
        add_value(cabling, tree, "nics",
                  scalar(cabling, arena_format(cabling->arena, "%u", cabling->nics), top));
    add_value(cabling, tree, "links", links);
    return tree;
}
