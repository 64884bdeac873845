/* SPDX-License-Identifier: Apache-2.0
 * topology_explicit - {hosts, switches, links}: nodes and links listed in the scenario.
 *   links: [{ends: ["leaf1:p1", "host0"], names: [swp1, eth0], rate, length, mtu}]
 * Each port of a host is a NIC; queues are spread over the first `nics` of them.
 * Names are looked up in a sorted index and used ports are marked in a bit map, so that a file with
 * a hundred thousand links loads without noticeable delay. */
#include "scenarios/fabric/topology.h"

#include "base/nearest.h"

#include <stdlib.h>
#include <string.h>

enum { PORT_NONE = -1 };

struct listing {
    struct arena *arena;
    struct topology *topology;
    struct diag *diag;
    const struct topology_node **by_name; /* sorted by name */
    uint8_t **port_taken;                 /* by node: bit map of TOPOLOGY_PORTS_MAX bits */
    uint16_t *port_lowest;                /* by node: all ports below are taken */
};

static bool name_is_fine(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char more[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    const size_t length = strlen(name);
    return length <= TOPOLOGY_NAME_MAX && strspn(name, letters) > 0 &&
           strspn(name, more) == length && strstr(name, "..") == NULL;
}

enum { TIERS_MAX = 8 };

/* A switch is one tier above its lowest neighbor; switches with hosts are tier 1. Tiers are not
 * part of the file, but drawings and per-tier charts need them. */
static void find_tiers(struct topology *topology)
{
    bool found = true;
    for (uint8_t tier = 1; found && tier < TIERS_MAX; tier++) {
        found = false;
        for (uint32_t i = 0; i < 2 * topology->link_count; i++) {
            const struct topology_link *link = &topology->links[i / 2];
            const struct topology_node *below = &topology->nodes[link->node[i % 2]];
            struct topology_node *above = &topology->nodes[link->node[1 - i % 2]];
            if (above->is_host || above->tier < TIERS_MAX || below->tier != tier - 1)
                continue;
            above->tier = tier;
            found = true;
        }
    }
    for (uint32_t i = 0; i < topology->node_count; i++) /* a switch that no host can reach */
        if (!topology->nodes[i].is_host && topology->nodes[i].tier == TIERS_MAX)
            topology->nodes[i].tier = 1;
}

static bool take_names(struct listing *e, const struct tree_node *list, bool are_hosts,
                       uint32_t *next)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct tree_node *name = list->items[i].value;
        if (name->kind != TREE_SCALAR || !name_is_fine(name->text)) {
            tree_error(e->diag, name,
                       "expected the name of a node: a letter, then letters, digits, '.', '_' or "
                       "'-', at most %d",
                       TOPOLOGY_NAME_MAX);
            return false;
        }
        e->topology->nodes[(*next)++] = (struct topology_node){.name = name->text,
                                                               .is_host = are_hosts,
                                                               .tier = are_hosts ? 0 : TIERS_MAX,
                                                               .place = name->place};
    }
    return true;
}

/* Equal names are ordered as written, because the nodes are in one array. */
static int by_name(const void *a, const void *b)
{
    const struct topology_node *x = *(const struct topology_node *const *)a;
    const struct topology_node *y = *(const struct topology_node *const *)b;
    const int order = strcmp(x->name, y->name);
    return order != 0 ? order : x < y ? -1 : 1;
}

static bool index_names(struct listing *e, const struct tree_node *written)
{
    const struct topology *topology = e->topology;
    e->by_name = arena_array(e->arena, topology->node_count, sizeof *e->by_name);
    for (uint32_t i = 0; i < topology->node_count; i++)
        e->by_name[i] = &topology->nodes[i];
    if (topology->node_count > 0)
        qsort(e->by_name, topology->node_count, sizeof *e->by_name, by_name);
    bool fine = true;
    for (uint32_t i = 1; i < topology->node_count; i++) {
        const struct topology_node *last = e->by_name[i - 1];
        const struct topology_node *node = e->by_name[i];
        if (strcmp(last->name, node->name) != 0)
            continue;
        char text[DIAG_TEXT_BYTES];
        snprintf(text, sizeof text, "the name '%s' is used twice; first in line %d", node->name,
                 last->place.line);
        tree_message(e->diag, DIAG_ERROR, written, node->place, text);
        fine = false;
    }
    return fine;
}

static uint32_t find_node(const struct listing *e, const char *name)
{
    uint32_t low = 0, high = e->topology->node_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const int order = strcmp(e->by_name[middle]->name, name);
        if (order == 0)
            return (uint32_t)(e->by_name[middle] - e->topology->nodes);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return UINT32_MAX;
}

static void unknown_node(const struct listing *e, const struct tree_node *end, const char *name)
{
    struct nearest nearest = nearest_to(name);
    for (uint32_t i = 0; i < e->topology->node_count; i++)
        nearest_offer(&nearest, e->topology->nodes[i].name);
    tree_error(e->diag, end, "there is no node '%.64s'%s", name, nearest_hint(&nearest).text);
}

/* "leaf1:p3"; or "leaf1", which takes the lowest free port once all named ports are known. */
static bool read_end(const struct listing *e, const struct tree_node *end, uint32_t *node,
                     int *port)
{
    if (end->kind != TREE_SCALAR) {
        tree_error(e->diag, end, "expected an end such as \"leaf1:p3\", but this is %s",
                   tree_kind_name(end));
        return false;
    }
    const size_t length = strcspn(end->text, ":");
    const char *name = arena_text(e->arena, end->text, length);
    *node = find_node(e, name);
    *port = PORT_NONE;
    if (*node == UINT32_MAX) {
        unknown_node(e, end, name);
        return false;
    }
    if (end->text[length] == '\0')
        return true;
    const char *digits = end->text + length + 2;
    const bool fine = end->text[length + 1] == 'p' && *digits != '\0' && strlen(digits) <= 5 &&
                      strspn(digits, "0123456789") == strlen(digits);
    *port = fine ? (int)strtol(digits, NULL, 10) : TOPOLOGY_PORTS_MAX;
    if (*port < TOPOLOGY_PORTS_MAX)
        return true;
    tree_error(e->diag, end, "expected a port such as \"%s:p0\", up to p%d", name,
               TOPOLOGY_PORTS_MAX - 1);
    return false;
}

static bool take_port(struct listing *e, const struct tree_node *end, uint32_t node, int port)
{
    struct topology_node *owner = &e->topology->nodes[node];
    if (e->port_taken[node] == NULL)
        e->port_taken[node] = arena_take(e->arena, TOPOLOGY_PORTS_MAX / 8);
    uint8_t *byte = &e->port_taken[node][port / 8];
    if (*byte >> (port % 8) & 1) {
        tree_error(e->diag, end, "port %s:p%d has a link already", owner->name, port);
        return false;
    }
    *byte = (uint8_t)(*byte | 1u << (port % 8));
    if (owner->is_host && port >= TOPOLOGY_NICS_MAX) {
        tree_error(e->diag, end, "%s:p%d: a host has at most %d NICs, p0 to p%d", owner->name, port,
                   TOPOLOGY_NICS_MAX, TOPOLOGY_NICS_MAX - 1);
        return false;
    }
    if (owner->port_count <= port)
        owner->port_count = (uint16_t)(port + 1);
    return true;
}

static bool lowest_port(struct listing *e, const struct tree_node *end, uint32_t node, int *port)
{
    uint16_t *lowest = &e->port_lowest[node];
    const uint8_t *taken = e->port_taken[node];
    while (taken != NULL && *lowest < TOPOLOGY_PORTS_MAX &&
           (taken[*lowest / 8] >> (*lowest % 8) & 1))
        (*lowest)++;
    *port = *lowest;
    if (*lowest < TOPOLOGY_PORTS_MAX)
        return true;
    tree_error(e->diag, end, "%s has no port left", e->topology->nodes[node].name);
    return false;
}

/* ---- names of ports on the equipment ---- */

struct called {
    const char *name;
    uint32_t node;
    const struct tree_node *written;
};

bool topology_port_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char more[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/";
    const size_t length = strlen(name);
    const bool is_number =
        name[0] == 'p' && length > 1 && strspn(name + 1, "0123456789") + 1 == length;
    return length <= TOPOLOGY_NAME_MAX && strspn(name, letters) > 0 &&
           strspn(name, more) == length && strstr(name, "..") == NULL && !is_number;
}

static bool read_port_names(const struct listing *e, struct topology_link *link)
{
    const struct tree_node *list = tree_get(link->written, "names");
    if (list == NULL)
        return true;
    if (list->kind != TREE_LIST || list->count != 2) {
        tree_error(e->diag, list, "expected names: [swp1, eth0], one for each end");
        return false;
    }
    for (int end = 0; end < 2; end++) {
        const struct tree_node *name = list->items[end].value;
        if (name->kind == TREE_SCALAR && name->text[0] == '\0')
            continue; /* this end has no name */
        if (name->kind != TREE_SCALAR || !topology_port_name(name->text)) {
            tree_error(e->diag, name,
                       "expected the name of a port: a letter, then letters, digits, '.', '_', '-' "
                       "or '/', at most %d, and no pN",
                       TOPOLOGY_NAME_MAX);
            return false;
        }
        link->port_name[end] = name->text;
    }
    return true;
}

/* Equal names are ordered as written, by their places. */
static int by_node_and_name(const void *a, const void *b)
{
    const struct called *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    const int order = strcmp(x->name, y->name);
    const struct diag_place *p = &x->written->place, *q = &y->written->place;
    if (order != 0)
        return order;
    return p->line != q->line ? p->line - q->line : p->column - q->column;
}

static bool port_names_differ(const struct listing *e)
{
    const struct topology *topology = e->topology;
    struct called *all = arena_array(e->arena, 2 * (size_t)topology->link_count + 1, sizeof *all);
    size_t count = 0;
    bool fine = true;
    for (uint32_t i = 0; i < topology->link_count; i++)
        for (int end = 0; end < 2; end++) {
            const struct topology_link *link = &topology->links[i];
            if (link->port_name[end] != NULL)
                all[count++] = (struct called){link->port_name[end], link->node[end],
                                               tree_get(link->written, "names")->items[end].value};
        }
    qsort(all, count, sizeof *all, by_node_and_name);
    for (size_t i = 1; i < count; i++) {
        if (all[i - 1].node != all[i].node || strcmp(all[i - 1].name, all[i].name) != 0)
            continue;
        tree_error(e->diag, all[i].written, "%s has two ports called '%s', also in line %d",
                   topology->nodes[all[i].node].name, all[i].name, all[i - 1].written->place.line);
        fine = false;
    }
    return fine;
}

/* ---- links ---- */

struct ends {
    const struct tree_node *written[2];
    uint32_t node[2];
    int port[2];
};

static bool read_ends(const struct listing *e, const struct tree_node *link, struct ends *ends)
{
    const struct tree_node *list = tree_get(link, "ends");
    if (list == NULL || list->kind != TREE_LIST || list->count != 2) {
        tree_error(e->diag, list == NULL ? link : list,
                   "expected ends: [\"leaf1:p1\", \"spine1:p9\"]");
        return false;
    }
    for (int i = 0; i < 2; i++) {
        ends->written[i] = list->items[i].value;
        if (!read_end(e, ends->written[i], &ends->node[i], &ends->port[i]))
            return false;
    }
    if (ends->node[0] != ends->node[1])
        return true;
    tree_error(e->diag, list, "a link cannot join %s to itself",
               e->topology->nodes[ends->node[0]].name);
    return false;
}

/* Named ports are taken first, so that an unnamed end never takes a port that a later line
 * names. */
static bool take_links(struct listing *e, const struct tree_node *links)
{
    struct ends *all = arena_array(e->arena, links->count, sizeof *all);
    bool fine = true;
    for (size_t i = 0; i < links->count; i++) {
        const bool read = read_ends(e, links->items[i].value, &all[i]);
        for (int end = 0; read && end < 2; end++)
            if (all[i].port[end] != PORT_NONE)
                fine &= take_port(e, all[i].written[end], all[i].node[end], all[i].port[end]);
        fine &= read;
    }
    for (size_t i = 0; fine && i < links->count; i++) {
        struct ends *ends = &all[i];
        for (int end = 0; fine && end < 2; end++)
            if (ends->port[end] == PORT_NONE)
                fine = lowest_port(e, ends->written[end], ends->node[end], &ends->port[end]) &&
                       take_port(e, ends->written[end], ends->node[end], ends->port[end]);
        e->topology->links[i] = (struct topology_link){
            .node = {ends->node[0], ends->node[1]},
            .port = {(uint16_t)ends->port[0], (uint16_t)ends->port[1]},
            .written = links->items[i].value,
            .place = links->items[i].value->place,
        };
        fine = fine && read_port_names(e, &e->topology->links[i]);
    }
    return fine && port_names_differ(e);
}

static const struct tree_node *need_list(const struct listing *e, const struct tree_node *written,
                                         const char *key)
{
    const struct tree_node *list = tree_get(written, key);
    if (list != NULL && list->kind == TREE_LIST)
        return list;
    tree_error(e->diag, list == NULL ? written : list, "expected %s: a list", key);
    return NULL;
}

struct explicit_params {
    int64_t nics;
};

static const struct opt explicit_rows[] = {
    TOPOLOGY_NICS_ROW(offsetof(struct explicit_params, nics)), {0}};

/* Stores the keys only if they are written, because few fabrics use them. */
static bool read_nics(struct listing *e, const struct tree_node *written)
{
    static const char *const also[] = {"kind", "hosts", "switches", "links", NULL};
    struct block *block =
        block_new(e->arena, "fabric.topology", explicit_rows, sizeof(struct explicit_params));
    const struct block_load load = {
        .arena = e->arena, .diag = e->diag, .map = written, .also = also};
    if (!block_load(block, &load))
        return false;
    e->topology->nics = (uint32_t)((const struct explicit_params *)block->params)->nics;
    e->topology->sizes = tree_get(written, "nics") == NULL ? NULL : block;
    return true;
}

static bool read_parts(struct arena *arena, const struct tree_node *written,
                       struct topology *topology, struct diag *diag)
{
    struct listing e = {.arena = arena, .topology = topology, .diag = diag};
    const struct tree_node *hosts = need_list(&e, written, "hosts");
    const struct tree_node *switches = need_list(&e, written, "switches");
    const struct tree_node *links = need_list(&e, written, "links");
    if (!read_nics(&e, written) || hosts == NULL || switches == NULL || links == NULL)
        return false;
    if (hosts->count + switches->count > TOPOLOGY_NODES_MAX) {
        tree_error(diag, written, "more than %d nodes", TOPOLOGY_NODES_MAX);
        return false;
    }
    if (!topology_links_fit(links, (int64_t)links->count, diag))
        return false;
    topology->host_count = (uint32_t)hosts->count;
    topology->node_count = (uint32_t)(hosts->count + switches->count);
    topology->link_count = (uint32_t)links->count;
    topology->nodes = arena_array(arena, topology->node_count, sizeof *topology->nodes);
    topology->links = arena_array(arena, topology->link_count, sizeof *topology->links);
    e.port_taken = arena_array(arena, topology->node_count, sizeof *e.port_taken);
    e.port_lowest = arena_array(arena, topology->node_count, sizeof *e.port_lowest);
    uint32_t next = 0;
    const bool fine = take_names(&e, hosts, true, &next) &&
                      take_names(&e, switches, false, &next) && index_names(&e, written) &&
                      take_links(&e, links);
    if (fine)
        find_tiers(topology);
    return fine;
}

const struct topology_ops topology_explicit = {
    .name = "explicit",
    .about = "Nodes and links as they are written.",
    .opts = explicit_rows,
    .params_bytes = sizeof(struct explicit_params),
    .read = read_parts,
};
