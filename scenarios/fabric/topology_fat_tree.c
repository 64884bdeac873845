/* SPDX-License-Identifier: Apache-2.0
 * topology_fat_tree - {k}: pods of edge and agg switches below core switches, all with k ports.
 * Pod p has edge and agg p*k/2 .. p*k/2+k/2-1, and agg number j of every pod is connected to core
 * j*k/2 .. j*k/2+k/2-1. Ports of an edge: hosts, then agg; of an agg: edges, then cores; of a core:
 * by pod number. Hosts with several NICs need edge switches with correspondingly more ports.
 * Source: Al-Fares, Loukissas, Vahdat, SIGCOMM 2008. */
#include "scenarios/fabric/topology.h"

struct fat_tree_params {
    int64_t k;
    struct topology_nics nics;
};

static const struct opt fat_tree_rows[] = {
    {"k", OPT_INT, offsetof(struct fat_tree_params, k), "4", "2", "64", NULL,
     "Number of ports of each switch, an even number. The fabric "
     "has k^3/4 hosts.",
     "SIGCOMM 2008 (Al-Fares)", OPT_ACTS(FABRIC, ANY, TRACE)},
    TOPOLOGY_NICS_ROW(offsetof(struct fat_tree_params, nics.nics)),
    TOPOLOGY_HOMING_ROW(offsetof(struct fat_tree_params, nics.homing)),
    {0}};

static bool check(const void *params, const struct tree_node *written, struct diag *diag)
{
    const struct fat_tree_params *sizes = params;
    if (sizes->k % 2 == 0)
        return topology_nics_fit(&sizes->nics, sizes->k / 2, written, diag);
    tree_error(diag, tree_get(written, "k"), "k: a fat-tree needs an even number");
    return false;
}

static void size(const void *params, struct topology_size *made)
{
    const struct fat_tree_params *sizes = params;
    const int64_t half = sizes->k / 2, per_tier = sizes->k * half;
    const int64_t fabrics = topology_fabrics(&sizes->nics);
    *made = (struct topology_size){
        .hosts = per_tier * half,
        .switches = fabrics * (2 * per_tier + half * half),
        .links = (sizes->nics.nics + 2 * fabrics) * per_tier * half,
        .ports = half + half * sizes->nics.nics / fabrics,
        .widest = "switch",
    };
}

static void build(struct topology_plan *plan, const void *params)
{
    const struct fat_tree_params *sizes = params;
    const uint32_t k = (uint32_t)sizes->k, half = k / 2;
    const uint32_t per_tier = k * half; /* number of edge switches, and of agg switches */
    const struct topology_nics *nics = &sizes->nics;
    const uint32_t fabrics = topology_fabrics(nics), cores = half * half;
    const uint32_t host = topology_add_nodes(plan, "host", per_tier * half, 0);
    const uint32_t edge = topology_add_switches(plan, nics, "edge", per_tier, 1);
    const uint32_t agg = topology_add_switches(plan, nics, "agg", per_tier, 2);
    const uint32_t core = topology_add_switches(plan, nics, "core", cores, 3);
    topology_join_hosts(plan, nics, (struct topology_rank){host, per_tier * half},
                        (struct topology_rank){edge, per_tier});
    for (uint32_t i = 0; i < fabrics * per_tier; i++)
        for (uint32_t j = 0; j < half; j++)
            topology_add_link(plan, edge + i, agg + i / half * half + j);
    /* Pod by pod, so that port p of a core leads to pod p. */
    for (uint32_t i = 0; i < fabrics * per_tier; i++)
        for (uint32_t j = 0; j < half; j++)
            topology_add_link(plan, agg + i, core + i / per_tier * cores + i % half * half + j);
}

const struct topology_ops topology_fat_tree = {
    .name = "fat-tree",
    .about = "Three tiers of switches of k ports, for k^3/4 hosts.",
    .opts = fat_tree_rows,
    .params_bytes = sizeof(struct fat_tree_params),
    .check = check,
    .size = size,
    .build = build,
};
