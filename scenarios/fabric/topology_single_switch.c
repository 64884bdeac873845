/* SPDX-License-Identifier: Apache-2.0
 * topology_single_switch - {hosts}: host0.. on switch0, each on the port of its number.
 * The trivial generated kind. */
#include "scenarios/fabric/topology.h"

struct params {
    int64_t hosts;
};

static const struct opt rows[] = {{"hosts", OPT_INT, offsetof(struct params, hosts), "2", "1",
                                   "4096", NULL, "Hosts on the one switch.", "own"},
                                  {0}};

static void size(const void *params, struct topology_size *made)
{
    const struct params *sizes = params;
    *made = (struct topology_size){sizes->hosts, 1, sizes->hosts, sizes->hosts, "switch"};
}

static void build(struct topology_plan *plan, const void *params)
{
    const struct params *sizes = params;
    const uint32_t host = topology_add_nodes(plan, "host", sizes->hosts, 0);
    const uint32_t hub = topology_add_nodes(plan, "switch", 1, 1);
    for (uint32_t i = 0; i < (uint32_t)sizes->hosts; i++)
        topology_add_link(plan, host + i, hub);
}

const struct topology_ops topology_single_switch = {
    .name = "single-switch",
    .about = "Hosts on one switch.",
    .opts = rows,
    .params_bytes = sizeof(struct params),
    .size = size,
    .build = build,
};
