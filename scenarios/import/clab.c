/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/import/clab.h"

#include "base/nearest.h"

#include <string.h>

struct reading {
    struct cabling *cabling;
    const struct tree_node *topology, *groups, *defaults;
    const char *lab; /* name of the lab, or NULL */
};

enum { NEAREST_MAX = 1000 };

/* ---- nodes ---- */

static const char *word(const struct tree_node *map, const char *key)
{
    const struct tree_node *value = tree_get(map, key);
    return value == NULL || value->kind != TREE_SCALAR || value->text[0] == '\0' ? NULL
                                                                                 : value->text;
}

/* Kind of a node: its own, else its group's, else the default. */
static const char *kind_of(const struct reading *reading, const struct tree_node *node)
{
    const char *kind = word(node, "kind"), *group = word(node, "group");
    if (kind == NULL && group != NULL)
        kind = word(tree_get(reading->groups, group), "kind");
    return kind == NULL ? word(reading->defaults, "kind") : kind;
}

static void take_role(const struct reading *reading, const struct tree_node *from,
                      struct cabling_node *node)
{
    const char *kind = kind_of(reading, from);
    if (kind == NULL)
        return;
    static const char *const hosts[] = {"linux", "host", "ext-container", "generic_vm", NULL};
    bool is_host = false;
    for (size_t i = 0; hosts[i] != NULL; i++)
        is_host |= strcmp(kind, hosts[i]) == 0;
    node->role = is_host ? CABLING_HOST : CABLING_SWITCH;
    node->why = arena_format(reading->cabling->arena, "its kind is %s",
                             notes_clean(reading->cabling->arena, kind));
}

static void note_keys(const struct reading *reading, const char *path, const struct tree_node *map,
                      const char *const *known)
{
    for (size_t i = 0; map != NULL && i < map->count; i++) {
        const struct tree_item *item = &map->items[i];
        bool is_known = item->key == NULL;
        for (size_t k = 0; !is_known && known[k] != NULL; k++)
            is_known = strcmp(known[k], item->key) == 0;
        if (!is_known)
            notes_add(&reading->cabling->notes, item->key_place, "%s%s has no counterpart", path,
                      notes_clean(reading->cabling->arena, item->key));
    }
}

static bool take_nodes(const struct reading *reading)
{
    static const char *const known[] = {"kind", "group", "network-mode", NULL};
    struct cabling *cabling = reading->cabling;
    const struct tree_node *nodes = tree_get(reading->topology, "nodes");
    if (nodes == NULL || nodes->kind != TREE_MAP) {
        tree_error(cabling->diag, nodes == NULL ? reading->topology : nodes,
                   "expected nodes: a mapping such as {leaf1: {kind: srl}}");
        return false;
    }
    for (size_t i = 0; i < nodes->count; i++) {
        const struct tree_item *item = &nodes->items[i];
        struct cabling_node *node = cabling_node(cabling, item->key, item->key_place);
        if (node == NULL)
            return false;
        take_role(reading, item->value, node);
        if (item->value->kind == TREE_MAP)
            note_keys(
                reading,
                arena_format(cabling->arena, "node %s: ", notes_clean(cabling->arena, item->key)),
                item->value, known);
    }
    return true;
}

/* ---- nodes in the network namespace of another node ---- */

/* Finds the node of "container:NAME", by its name or as clab-LAB-NAME; NULL: a node of another
 * lab. */
static struct cabling_node *container_of(const struct reading *reading, const char *name)
{
    struct cabling_node *node = cabling_find(reading->cabling, name);
    const char *prefix =
        arena_format(reading->cabling->arena, "clab-%s-", reading->lab == NULL ? "" : reading->lab);
    if (node == NULL && strncmp(name, prefix, strlen(prefix)) == 0)
        node = cabling_find(reading->cabling, name + strlen(prefix));
    return node;
}

/* The node at the end of the chain of shared network namespaces. */
static struct cabling_node *owner_of(struct cabling_node *node)
{
    while (node != NULL && node->shares != NULL)
        node = node->shares;
    return node;
}

/* Moves a node's cables to the node whose network namespace it shares. */
static void share_networks(const struct reading *reading)
{
    static const char begin[] = "container:";
    struct cabling *cabling = reading->cabling;
    const struct tree_node *nodes = tree_get(reading->topology, "nodes");
    for (size_t i = 0; i < nodes->count; i++) {
        const struct tree_item *item = &nodes->items[i];
        const char *mode = word(item->value, "network-mode");
        struct cabling_node *node = cabling_find(cabling, item->key), *owner = NULL;
        if (mode != NULL && strncmp(mode, begin, strlen(begin)) == 0)
            owner = owner_of(container_of(reading, mode + strlen(begin)));
        if (owner == NULL || owner == node)
            continue;
        node->shares = owner;
        node->is_left_out = true;
        notes_add(&cabling->notes, item->key_place,
                  "%s has the network of %s: its cables are those of %s",
                  notes_clean(cabling->arena, node->name), notes_clean(cabling->arena, owner->name),
                  notes_clean(cabling->arena, owner->name));
    }
}

/* ---- ends ---- */

/* True for the words used instead of a node if a link leaves the lab. */
static bool leaves(const char *name)
{
    static const char *const words[] = {"host",         "mgmt-net", "macvlan", "vxlan",
                                        "vxlan-stitch", "dummy",    NULL};
    for (size_t i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], name) == 0)
            return true;
    return false;
}

static void unknown_node(const struct reading *reading, const struct tree_node *end,
                         const char *name)
{
    const struct cabling *cabling = reading->cabling;
    struct nearest nearest = nearest_to(name);
    for (size_t i = 0; i < cabling->node_count && i < NEAREST_MAX; i++)
        nearest_offer(&nearest, cabling->nodes[i]->name);
    const char *clean = notes_clean(cabling->arena, name);
    tree_error(cabling->diag, end, "there is no node '%s'%s", clean,
               notes_clean(cabling->arena, nearest_hint(&nearest).text));
}

enum end_state { END_WRONG, END_OUTSIDE, END_FINE };

static enum end_state read_end(const struct reading *reading, const struct tree_node *written,
                               struct cabling_end *end)
{
    struct cabling *cabling = reading->cabling;
    const char *name = word(written, "node"), *port = word(written, "interface");
    if (written->kind == TREE_SCALAR) {
        const size_t length = strcspn(written->text, ":");
        name = arena_text(cabling->arena, written->text, length);
        port = written->text[length] == ':' ? written->text + length + 1 : NULL;
    }
    if (name == NULL || name[0] == '\0' || port == NULL || port[0] == '\0') {
        tree_error(cabling->diag, written,
                   "expected an endpoint such as \"leaf1:e1-1\" or {node: leaf1, interface: e1-1}");
        return END_WRONG;
    }
    end->node = owner_of(cabling_find(cabling, name));
    end->port = port;
    if (end->node != NULL)
        return END_FINE;
    if (leaves(name))
        return END_OUTSIDE;
    unknown_node(reading, written, name);
    return END_WRONG;
}

/* ---- links ---- */

static bool take_mtu(const struct reading *reading, const struct tree_node *written,
                     struct cabling_link *link)
{
    struct cabling *cabling = reading->cabling;
    const struct tree_node *mtu = tree_get(written, "mtu");
    if (mtu == NULL)
        return true;
    const char *text = mtu->kind == TREE_SCALAR ? mtu->text : "";
    if (text[0] == '\0' || strlen(text) > 5 || text[strspn(text, "0123456789")] != '\0') {
        tree_error(cabling->diag, mtu, "expected mtu: bytes, such as 9500");
        return false;
    }
    const struct cabling_value value = {"mtu", arena_format(cabling->arena, "%sB", text),
                                        mtu->place};
    return cabling_set(cabling, link, value);
}

static bool take_veth(const struct reading *reading, const struct tree_node *written)
{
    static const char *const known[] = {"type", "endpoints", "mtu", NULL};
    struct cabling *cabling = reading->cabling;
    const struct tree_node *list = tree_get(written, "endpoints");
    struct cabling_end ends[2] = {0};
    if (list == NULL || list->kind != TREE_LIST || list->count != 2) {
        tree_error(cabling->diag, list == NULL ? written : list,
                   "expected endpoints: [\"leaf1:e1-1\", \"spine1:e1-1\"]");
        return false;
    }
    for (int i = 0; i < 2; i++) {
        const enum end_state state = read_end(reading, list->items[i].value, &ends[i]);
        if (state == END_OUTSIDE)
            notes_add(&cabling->notes, list->items[i].value->place,
                      "a link that leaves the lab, to its management or its machine: left out");
        if (state != END_FINE)
            return state == END_OUTSIDE;
    }
    struct cabling_link *link = cabling_link(cabling, written->place);
    if (link == NULL)
        return false;
    for (int i = 0; i < 2; i++) {
        link->ends[i].node = ends[i].node;
        link->ends[i].port = ends[i].port;
    }
    note_keys(reading, "link: ", written, known);
    return take_mtu(reading, written, link);
}

static bool take_link(const struct reading *reading, const struct tree_node *written)
{
    struct cabling *cabling = reading->cabling;
    const char *type = word(written, "type");
    if (written->kind != TREE_MAP) {
        tree_error(cabling->diag, written,
                   "expected a link such as {endpoints: [\"leaf1:e1-1\", \"spine1:e1-1\"]}");
        return false;
    }
    if (type == NULL || strcmp(type, "veth") == 0)
        return take_veth(reading, written);
    notes_add(&cabling->notes, written->place, "a link of type %s leaves the lab: left out",
              notes_clean(cabling->arena, type));
    return true;
}

static bool take_links(const struct reading *reading)
{
    const struct tree_node *links = tree_get(reading->topology, "links");
    if (links == NULL || links->kind != TREE_LIST) {
        tree_error(reading->cabling->diag, links == NULL ? reading->topology : links,
                   "expected links: a list such as [{endpoints: [\"a:eth1\", \"b:eth1\"]}]");
        return false;
    }
    for (size_t i = 0; i < links->count; i++)
        if (!take_link(reading, links->items[i].value))
            return false;
    return true;
}

/* ---- Linux nodes that route ---- */

/* Cables of management networks do not count. */
static void find_routers(const struct reading *reading)
{
    struct cabling *cabling = reading->cabling;
    uint32_t *cables = arena_array(cabling->arena, cabling->node_count + 1, sizeof *cables);
    for (size_t i = 0; i < cabling->link_count; i++)
        for (int end = 0; end < 2; end++)
            cables[cabling->links[i].ends[end].node->index]++;
    bool *between = arena_array(cabling->arena, cabling->node_count + 1, sizeof *between);
    for (size_t i = 0; i < cabling->link_count; i++) {
        const struct cabling_node *a = cabling->links[i].ends[0].node;
        const struct cabling_node *b = cabling->links[i].ends[1].node;
        if (a->role != CABLING_HOST || b->role != CABLING_HOST)
            continue;
        between[a->index] |= cables[a->index] > 1;
        between[b->index] |= cables[b->index] > 1;
    }
    for (size_t i = 0; i < cabling->node_count; i++)
        if (between[i]) {
            cabling->nodes[i]->role = CABLING_SWITCH;
            cabling->nodes[i]->why = "it is Linux with several cables, one of them to Linux";
        }
}

bool clab_read(struct cabling *cabling)
{
    static const char *const top[] = {"name", "topology", NULL};
    static const char *const below[] = {"nodes", "links", "kinds", "groups", "defaults", NULL};
    const struct tree_node *root = tree_parse(cabling->arena, cabling->file, 0, cabling->diag);
    if (root == NULL)
        return false;
    const struct tree_node *topology = tree_get(root, "topology");
    if (topology == NULL || topology->kind != TREE_MAP) {
        tree_error(cabling->diag, topology == NULL ? root : topology,
                   "expected topology: {nodes: .., links: ..} of containerlab");
        return false;
    }
    const struct reading reading = {.cabling = cabling,
                                    .topology = topology,
                                    .lab = word(root, "name"),
                                    .groups = tree_get(topology, "groups"),
                                    .defaults = tree_get(topology, "defaults")};
    note_keys(&reading, "", root, top);
    note_keys(&reading, "topology: ", topology, below);
    if (!take_nodes(&reading))
        return false;
    share_networks(&reading);
    if (!take_links(&reading))
        return false;
    cabling_drop_management(cabling);
    find_routers(&reading);
    return true;
}
