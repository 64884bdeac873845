/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/fabric/topology.h"

#include "base/nearest.h"
#include "scenarios/fabric/topology_explicit.h"

#include <string.h>

struct sizes {
    int64_t hosts, leaves, spines, hosts_per_leaf, k;
};

#define FIELD(name) offsetof(struct sizes, name)

static const struct opt single_opts[] = {
    {"hosts", OPT_INT, FIELD(hosts), "2", "1", "4096", NULL, "Hosts on the one switch.", "own"},
    {0}};

static const struct opt leaf_spine_opts[] = {
    {"leaves", OPT_INT, FIELD(leaves), "4", "1", "4096", NULL, "Leaf switches.", "own"},
    {"spines", OPT_INT, FIELD(spines), "2", "1", "2048", NULL, "Spine switches.", "own"},
    {"hosts-per-leaf", OPT_INT, FIELD(hosts_per_leaf), "8", "1", "2048", NULL,
     "Hosts on each leaf.", "own"},
    {0}};

static const struct opt fat_tree_opts[] = {{"k", OPT_INT, FIELD(k), "4", "2", "64", NULL,
                                            "Ports of each switch, even: k^3/4 hosts.",
                                            "SIGCOMM 2008 (Al-Fares)"},
                                           {0}};

/* A topology under way; nodes know how many ports they have used. */
struct plan {
    struct arena *arena;
    struct topology *topology;
    struct diag_place place;
    uint32_t next_node, next_link;
};

/* `count` nodes stem0, stem1, ...; gives the first. */
static uint32_t add_nodes(struct plan *plan, const char *stem, int64_t count, uint8_t tier)
{
    const uint32_t first = plan->next_node;
    for (int64_t i = 0; i < count; i++)
        plan->topology->nodes[plan->next_node++] = (struct topology_node){
            .name = arena_format(plan->arena, "%s%lld", stem, (long long)i),
            .is_host = tier == 0,
            .tier = tier,
            .place = plan->place,
        };
    return first;
}

/* Joins the next free port of each. */
static void add_link(struct plan *plan, uint32_t a, uint32_t b)
{
    struct topology_node *nodes = plan->topology->nodes;
    plan->topology->links[plan->next_link++] = (struct topology_link){
        .node = {a, b},
        .port = {nodes[a].port_count++, nodes[b].port_count++},
        .place = plan->place,
    };
}

static void make_room(struct plan *plan, int64_t hosts, int64_t switches, int64_t links)
{
    struct topology *topology = plan->topology;
    topology->node_count = (uint32_t)(hosts + switches);
    topology->host_count = (uint32_t)hosts;
    topology->link_count = (uint32_t)links;
    topology->nodes = arena_array(plan->arena, topology->node_count, sizeof *topology->nodes);
    topology->links = arena_array(plan->arena, topology->link_count, sizeof *topology->links);
}

static void build_single(struct plan *plan, const struct sizes *sizes)
{
    make_room(plan, sizes->hosts, 1, sizes->hosts);
    const uint32_t host = add_nodes(plan, "host", sizes->hosts, 0);
    const uint32_t hub = add_nodes(plan, "switch", 1, 1);
    for (uint32_t i = 0; i < (uint32_t)sizes->hosts; i++)
        add_link(plan, host + i, hub);
}

static void build_leaf_spine(struct plan *plan, const struct sizes *sizes)
{
    const uint32_t leaves = (uint32_t)sizes->leaves, spines = (uint32_t)sizes->spines;
    const uint32_t per_leaf = (uint32_t)sizes->hosts_per_leaf;
    make_room(plan, leaves * per_leaf, leaves + spines, leaves * (per_leaf + spines));
    const uint32_t host = add_nodes(plan, "host", leaves * per_leaf, 0);
    const uint32_t leaf = add_nodes(plan, "leaf", leaves, 1);
    const uint32_t spine = add_nodes(plan, "spine", spines, 2);
    for (uint32_t i = 0; i < leaves * per_leaf; i++)
        add_link(plan, host + i, leaf + i / per_leaf);
    for (uint32_t i = 0; i < leaves; i++)
        for (uint32_t j = 0; j < spines; j++)
            add_link(plan, leaf + i, spine + j);
}

static void build_fat_tree(struct plan *plan, const struct sizes *sizes)
{
    const uint32_t k = (uint32_t)sizes->k, half = k / 2;
    const uint32_t per_tier = k * half; /* edge switches, and as many agg */
    make_room(plan, per_tier * half, 2 * per_tier + half * half, 3 * per_tier * half);
    const uint32_t host = add_nodes(plan, "host", per_tier * half, 0);
    const uint32_t edge = add_nodes(plan, "edge", per_tier, 1);
    const uint32_t agg = add_nodes(plan, "agg", per_tier, 2);
    const uint32_t core = add_nodes(plan, "core", half * half, 3);
    for (uint32_t i = 0; i < per_tier * half; i++)
        add_link(plan, host + i, edge + i / half);
    for (uint32_t i = 0; i < per_tier; i++)
        for (uint32_t j = 0; j < half; j++)
            add_link(plan, edge + i, agg + i / half * half + j);
    /* Pod by pod, so that port p of a core leads to pod p. */
    for (uint32_t i = 0; i < per_tier; i++)
        for (uint32_t j = 0; j < half; j++)
            add_link(plan, agg + i, core + i % half * half + j);
}

struct kind {
    const char *name;
    const struct opt *rows;
    void (*build)(struct plan *plan, const struct sizes *sizes);
};

static const struct kind kinds[] = {
    {"single-switch", single_opts, build_single},
    {"leaf-spine", leaf_spine_opts, build_leaf_spine},
    {"fat-tree", fat_tree_opts, build_fat_tree},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

const struct opt *topology_rows(size_t number, const char **kind)
{
    if (number >= KINDS)
        return NULL;
    *kind = kinds[number].name;
    return kinds[number].rows;
}

bool topology_links_fit(const struct tree_node *written, int64_t links, struct diag *diag)
{
    if (links <= TOPOLOGY_LINKS_MAX)
        return true;
    tree_error(diag, written,
               "%lld links are more than the limit of %d: a run would take some %lld GB of memory",
               (long long)links, TOPOLOGY_LINKS_MAX,
               (long long)(links * TOPOLOGY_LINK_BYTES / 1000000000));
    return false;
}

/* What fits a row each may still be too much together. */
static bool sizes_fit(const struct tree_node *written, const struct sizes *sizes, struct diag *diag)
{
    const int64_t nodes = sizes->leaves * (sizes->hosts_per_leaf + 1) + sizes->spines;
    if (sizes->k % 2 != 0)
        tree_error(diag, tree_get(written, "k"), "k: a fat-tree needs an even number");
    else if (nodes > TOPOLOGY_NODES_MAX)
        tree_error(diag, written, "%lld nodes are more than the limit of %d", (long long)nodes,
                   TOPOLOGY_NODES_MAX);
    else if (sizes->spines + sizes->hosts_per_leaf > TOPOLOGY_PORTS_MAX)
        tree_error(diag, written, "a leaf of %lld ports is more than the limit of %d",
                   (long long)(sizes->spines + sizes->hosts_per_leaf), TOPOLOGY_PORTS_MAX);
    else
        return topology_links_fit(written, sizes->leaves * (sizes->hosts_per_leaf + sizes->spines),
                                  diag);
    return false;
}

static bool generate(struct arena *arena, const struct kind *kind, const struct tree_node *written,
                     struct topology *topology, struct diag *diag)
{
    static const char *const also[] = {"kind", NULL};
    struct block *block = block_new(arena, "fabric.topology", kind->rows, sizeof(struct sizes));
    const struct block_load load = {.arena = arena, .diag = diag, .map = written, .also = also};
    if (!block_load(block, &load) || !sizes_fit(written, block->params, diag))
        return false;
    topology->sizes = block;
    struct plan plan = {.arena = arena, .topology = topology, .place = written->place};
    kind->build(&plan, block->params);
    return true;
}

static void unknown_kind(const struct tree_node *kind, struct diag *diag)
{
    struct nearest nearest = nearest_to(kind->text);
    for (int i = 0; i < KINDS; i++)
        nearest_offer(&nearest, kinds[i].name);
    nearest_offer(&nearest, "explicit");
    nearest_offer(&nearest, "dot");
    tree_error(diag, kind, "unknown topology '%.64s'%s", kind->text, nearest_hint(&nearest).text);
}

bool topology_load(struct arena *arena, const struct tree_node *written, struct topology *topology,
                   struct diag *diag)
{
    const struct tree_node *kind = tree_get(written, "kind");
    if (kind == NULL || kind->text == NULL) {
        tree_error(diag, kind == NULL ? written : kind,
                   "expected a topology such as {kind: single-switch, hosts: 2}");
        return false;
    }
    if (strcmp(kind->text, "explicit") == 0)
        return topology_explicit(arena, written, topology, diag);
    for (int i = 0; i < KINDS; i++)
        if (strcmp(kind->text, kinds[i].name) == 0)
            return generate(arena, &kinds[i], written, topology, diag);
    unknown_kind(kind, diag);
    return false;
}
