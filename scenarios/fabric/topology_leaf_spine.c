/* SPDX-License-Identifier: Apache-2.0
 * topology_leaf_spine - {leaves, spines, hosts-per-leaf}: each leaf is connected to each spine.
 * The ports of a leaf are its hosts first (p0..), ordered by NIC number, then the spines; a spine's
 * port has the number of its leaf. */
#include "scenarios/fabric/topology.h"

struct leaf_spine_params {
    int64_t leaves, spines, hosts_per_leaf;
    struct topology_nics nics;
};

#define FIELD(name) offsetof(struct leaf_spine_params, name)

static const struct opt leaf_spine_rows[] = {
    {"leaves", OPT_INT, FIELD(leaves), "4", "1", "4096", NULL, "Number of leaf switches.", "own",
     OPT_ACTS(FABRIC, ANY, TRACE)},
    {"spines", OPT_INT, FIELD(spines), "2", "1", "2048", NULL, "Number of spine switches.", "own",
     OPT_ACTS(FABRIC, ANY, TRACE)},
    {"hosts-per-leaf", OPT_INT, FIELD(hosts_per_leaf), "8", "1", "2048", NULL,
     "Number of hosts on each leaf switch.", "own", OPT_ACTS(FABRIC, ANY, TRACE)},
    TOPOLOGY_NICS_ROW(FIELD(nics.nics)),
    TOPOLOGY_HOMING_ROW(FIELD(nics.homing)),
    {0}};

static bool check(const void *params, const struct tree_node *written, struct diag *diag)
{
    const struct leaf_spine_params *sizes = params;
    return topology_nics_fit(&sizes->nics, sizes->leaves, written, diag);
}

static void size(const void *params, struct topology_size *made)
{
    const struct leaf_spine_params *sizes = params;
    const int64_t fabrics = topology_fabrics(&sizes->nics);
    const int64_t down = sizes->hosts_per_leaf * sizes->nics.nics / fabrics;
    const int64_t ports = down + sizes->spines;
    *made = (struct topology_size){
        .hosts = sizes->leaves * sizes->hosts_per_leaf,
        .switches = fabrics * (sizes->leaves + sizes->spines),
        .links = fabrics * sizes->leaves * ports,
        .ports = ports,
        .widest = "leaf",
    };
}

static void build(struct topology_plan *plan, const void *params)
{
    const struct leaf_spine_params *sizes = params;
    const uint32_t leaves = (uint32_t)sizes->leaves, spines = (uint32_t)sizes->spines;
    const uint32_t per_leaf = (uint32_t)sizes->hosts_per_leaf;
    const struct topology_nics *nics = &sizes->nics;
    const uint32_t fabrics = topology_fabrics(nics);
    const uint32_t host = topology_add_nodes(plan, "host", leaves * per_leaf, 0);
    const uint32_t leaf = topology_add_switches(plan, nics, "leaf", leaves, 1);
    const uint32_t spine = topology_add_switches(plan, nics, "spine", spines, 2);
    topology_join_hosts(plan, nics, (struct topology_rank){host, leaves * per_leaf},
                        (struct topology_rank){leaf, leaves});
    for (uint32_t i = 0; i < fabrics * leaves; i++)
        for (uint32_t j = 0; j < spines; j++)
            topology_add_link(plan, leaf + i, spine + i / leaves * spines + j);
}

const struct topology_ops topology_leaf_spine = {
    .name = "leaf-spine",
    .about = "Leaf switches with hosts, each joined to each spine.",
    .opts = leaf_spine_rows,
    .params_bytes = sizeof(struct leaf_spine_params),
    .check = check,
    .size = size,
    .build = build,
};
