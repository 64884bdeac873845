/* SPDX-License-Identifier: Apache-2.0
 * topology_single_switch - {hosts}: host0.. on switch0, each on the port of its number.
 * The simplest generated kind. Second NICs come after all first NICs. */
#include "scenarios/fabric/topology.h"

struct single_switch_params {
    int64_t hosts;
    struct topology_nics nics;
};

static const struct opt single_switch_rows[] = {
    {"hosts", OPT_INT, offsetof(struct single_switch_params, hosts), "2", "1", "4096", NULL,
     "Number of hosts on the switch.", "own", OPT_ACTS(FABRIC, ANY, TRACE)},
    TOPOLOGY_NICS_ROW(offsetof(struct single_switch_params, nics.nics)),
    TOPOLOGY_HOMING_ROW(offsetof(struct single_switch_params, nics.homing)),
    {0}};

static bool check(const void *params, const struct tree_node *written, struct diag *diag)
{
    const struct single_switch_params *sizes = params;
    return topology_nics_fit(&sizes->nics, 1, written, diag);
}

static void size(const void *params, struct topology_size *made)
{
    const struct single_switch_params *sizes = params;
    const int64_t fabrics = topology_fabrics(&sizes->nics);
    const int64_t links = sizes->hosts * sizes->nics.nics;
    *made = (struct topology_size){sizes->hosts, fabrics, links, links / fabrics, "switch"};
}

static void build(struct topology_plan *plan, const void *params)
{
    const struct single_switch_params *sizes = params;
    const uint32_t host = topology_add_nodes(plan, "host", sizes->hosts, 0);
    const uint32_t hub = topology_add_switches(plan, &sizes->nics, "switch", 1, 1);
    topology_join_hosts(plan, &sizes->nics, (struct topology_rank){host, (uint32_t)sizes->hosts},
                        (struct topology_rank){hub, 1});
}

const struct topology_ops topology_single_switch = {
    .name = "single-switch",
    .about = "Hosts on one switch.",
    .opts = single_switch_rows,
    .params_bytes = sizeof(struct single_switch_params),
    .check = check,
    .size = size,
    .build = build,
};
