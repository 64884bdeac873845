/* SPDX-License-Identifier: Apache-2.0
 * topology - list of the topology kinds, and code shared by the generated ones. */
#include "scenarios/fabric/topology.h"

#include "base/check.h"
#include "base/nearest.h"

#include <string.h>

#define TOPOLOGY(stem) extern const struct topology_ops topology_##stem;
#include "scenarios/fabric/topology.def"
#undef TOPOLOGY

const struct topology_ops *const topology_kinds[] = {
#define TOPOLOGY(stem) &topology_##stem,
#include "base/plural.h"
#include "scenarios/fabric/topology.def"
#undef TOPOLOGY
    NULL,
};

const struct topology_ops *topology_find(const char *name)
{
    for (int i = 0; topology_kinds[i] != NULL; i++)
        if (strcmp(topology_kinds[i]->name, name) == 0)
            return topology_kinds[i];
    return NULL;
}

uint32_t topology_add_nodes(struct topology_plan *plan, const char *stem, int64_t count,
                            uint8_t tier)
{
    const uint32_t first = plan->next_node;
    CHECK(first + count <= plan->topology->node_count);
    for (int64_t i = 0; i < count; i++)
        plan->topology->nodes[plan->next_node++] = (struct topology_node){
            .name = arena_format(plan->arena, "%s%lld", stem, (long long)i),
            .is_host = tier == 0,
            .tier = tier,
            .place = plan->place,
        };
    return first;
}

uint32_t topology_fabrics(const struct topology_nics *nics)
{
    return nics->homing == TOPOLOGY_FABRICS ? (uint32_t)nics->nics : 1;
}

bool topology_nics_fit(const struct topology_nics *nics, int64_t switches,
                       const struct tree_node *written, struct diag *diag)
{
    if (nics->homing != TOPOLOGY_DUAL || switches % nics->nics == 0)
        return true;
    tree_error(diag, tree_get(written, "homing"),
               "homing dual: %lld %s cannot be divided into groups of %lld, one switch for each "
               "NIC of a host; homing: fabrics needs no groups",
               (long long)switches, plural(switches, "switch", "switches"), (long long)nics->nics);
    return false;
}

/* Switch of a NIC, among the switches of all fabrics, for a host at switch `own` of its fabric. */
static uint32_t switch_of(const struct topology_nics *nics, uint32_t nic, uint32_t own,
                          uint32_t switches)
{
    const uint32_t each = (uint32_t)nics->nics;
    if (nics->homing == TOPOLOGY_FABRICS)
        return nic * switches + own;
    if (nics->homing == TOPOLOGY_DUAL)
        return own / each * each + (own + nic) % each;
    return own;
}

uint32_t topology_add_switches(struct topology_plan *plan, const struct topology_nics *nics,
                               const char *stem, int64_t count, uint8_t tier)
{
    const uint32_t fabrics = topology_fabrics(nics), first = plan->next_node;
    for (uint32_t i = 0; i < fabrics; i++)
        topology_add_nodes(
            plan, fabrics == 1 ? stem : arena_format(plan->arena, "%c-%s", (char)('a' + i), stem),
            count, tier);
    return first;
}

void topology_join_hosts(struct topology_plan *plan, const struct topology_nics *nics,
                         struct topology_rank hosts, struct topology_rank switches)
{
    const uint32_t each = hosts.count / switches.count;
    for (uint32_t n = 0; n < (uint32_t)nics->nics; n++)
        for (uint32_t i = 0; i < hosts.count; i++)
            topology_add_link(plan, hosts.first + i,
                              switches.first + switch_of(nics, n, i / each, switches.count));
}

void topology_add_link(struct topology_plan *plan, uint32_t a, uint32_t b)
{
    struct topology_node *nodes = plan->topology->nodes;
    CHECK(plan->next_link < plan->topology->link_count);
    plan->topology->links[plan->next_link++] = (struct topology_link){
        .node = {a, b},
        .port = {nodes[a].port_count++, nodes[b].port_count++},
        .place = plan->place,
    };
}

bool topology_links_fit(const struct tree_node *written, int64_t links, struct diag *diag)
{
    if (links <= TOPOLOGY_LINKS_MAX)
        return true;
    tree_error(diag, written,
               "%lld %s %s more than the limit of %d: a run would take some %lld GB of memory",
               (long long)links, plural(links, "link", "links"), plural(links, "is", "are"),
               TOPOLOGY_LINKS_MAX, (long long)(links * TOPOLOGY_LINK_BYTES / 1000000000));
    return false;
}

/* Values that are legal on their own may make a topology that is too large. */
static bool check_size(const struct tree_node *written, const struct topology_size *size,
                       struct diag *diag)
{
    const int64_t nodes = size->hosts + size->switches;
    if (nodes > TOPOLOGY_NODES_MAX)
        tree_error(diag, written, "%lld %s %s more than the limit of %d", (long long)nodes,
                   plural(nodes, "node", "nodes"), plural(nodes, "is", "are"), TOPOLOGY_NODES_MAX);
    else if (size->ports > TOPOLOGY_PORTS_MAX)
        tree_error(diag, written, "a %s of %lld %s is more than the limit of %d", size->widest,
                   (long long)size->ports, plural(size->ports, "port", "ports"),
                   TOPOLOGY_PORTS_MAX);
    else
        return topology_links_fit(written, size->links, diag);
    return false;
}

static void build(struct topology_plan *plan, const struct topology_ops *ops, const void *params,
                  const struct topology_size *size)
{
    struct topology *topology = plan->topology;
    topology->node_count = (uint32_t)(size->hosts + size->switches);
    topology->host_count = (uint32_t)size->hosts;
    topology->link_count = (uint32_t)size->links;
    topology->nodes = arena_array(plan->arena, topology->node_count, sizeof *topology->nodes);
    topology->links = arena_array(plan->arena, topology->link_count, sizeof *topology->links);
    ops->build(plan, params);
    for (uint32_t i = 0; i < topology->host_count; i++)
        if (topology->nodes[i].port_count > topology->nics)
            topology->nics = topology->nodes[i].port_count;
    CHECK(plan->next_node == topology->node_count && plan->next_link == topology->link_count);
}

static bool generate(struct arena *arena, const struct topology_ops *ops,
                     const struct tree_node *written, struct topology *topology, struct diag *diag)
{
    static const char *const also[] = {"kind", NULL};
    struct block *block = block_new(arena, "fabric.topology", ops->opts, ops->params_bytes);
    const struct block_load load = {.arena = arena, .diag = diag, .map = written, .also = also};
    struct topology_size size;
    if (!block_load(block, &load) ||
        (ops->check != NULL && !ops->check(block->params, written, diag)))
        return false;
    ops->size(block->params, &size);
    if (!check_size(written, &size, diag))
        return false;
    topology->sizes = block;
    topology->nics = 1;
    struct topology_plan plan = {.arena = arena, .topology = topology, .place = written->place};
    build(&plan, ops, block->params, &size);
    return true;
}

static void unknown_kind(const struct tree_node *kind, struct diag *diag)
{
    struct nearest nearest = nearest_to(kind->text);
    for (int i = 0; topology_kinds[i] != NULL; i++)
        nearest_offer(&nearest, topology_kinds[i]->name);
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
    const struct topology_ops *ops = topology_find(kind->text);
    if (ops != NULL && ops->read != NULL)
        return ops->read(arena, written, topology, diag);
    if (ops != NULL && ops->build != NULL)
        return generate(arena, ops, written, topology, diag);
    unknown_kind(kind, diag);
    return false;
}
