/* SPDX-License-Identifier: Apache-2.0
 * topology_fat_tree - {k}: pods of edge and agg switches under cores, all of k ports.
 * Pod p has edge and agg p*k/2 .. p*k/2+k/2-1, and agg number j of every pod meets core
 * j*k/2 .. j*k/2+k/2-1.  Ports of an edge: hosts, then agg; of an agg: edges, then cores; of a
 * core: its pod's number.
 * Source: Al-Fares, Loukissas, Vahdat, SIGCOMM 2008. */
#include "scenarios/fabric/topology.h"

struct params {
    int64_t k;
};

static const struct opt rows[] = {{"k", OPT_INT, offsetof(struct params, k), "4", "2", "64", NULL,
                                   "Ports of each switch, even: k^3/4 hosts.",
                                   "SIGCOMM 2008 (Al-Fares)"},
                                  {0}};

static bool check(const void *params, const struct tree_node *written, struct diag *diag)
{
    const struct params *sizes = params;
    if (sizes->k % 2 == 0)
        return true;
    tree_error(diag, tree_get(written, "k"), "k: a fat-tree needs an even number");
    return false;
}

static void size(const void *params, struct topology_size *made)
{
    const struct params *sizes = params;
    const int64_t half = sizes->k / 2, per_tier = sizes->k * half;
    *made = (struct topology_size){
        .hosts = per_tier * half,
        .switches = 2 * per_tier + half * half,
        .links = 3 * per_tier * half,
        .ports = sizes->k,
        .widest = "switch",
    };
}

static void build(struct topology_plan *plan, const void *params)
{
    const struct params *sizes = params;
    const uint32_t k = (uint32_t)sizes->k, half = k / 2;
    const uint32_t per_tier = k * half; /* edge switches, and as many agg */
    const uint32_t host = topology_add_nodes(plan, "host", per_tier * half, 0);
    const uint32_t edge = topology_add_nodes(plan, "edge", per_tier, 1);
    const uint32_t agg = topology_add_nodes(plan, "agg", per_tier, 2);
    const uint32_t core = topology_add_nodes(plan, "core", half * half, 3);
    for (uint32_t i = 0; i < per_tier * half; i++)
        topology_add_link(plan, host + i, edge + i / half);
    for (uint32_t i = 0; i < per_tier; i++)
        for (uint32_t j = 0; j < half; j++)
            topology_add_link(plan, edge + i, agg + i / half * half + j);
    /* Pod by pod, so that port p of a core leads to pod p. */
    for (uint32_t i = 0; i < per_tier; i++)
        for (uint32_t j = 0; j < half; j++)
            topology_add_link(plan, agg + i, core + i % half * half + j);
}

const struct topology_ops topology_fat_tree = {
    .name = "fat-tree",
    .about = "Three tiers of switches of k ports, for k^3/4 hosts.",
    .opts = rows,
    .params_bytes = sizeof(struct params),
    .check = check,
    .size = size,
    .build = build,
};
