/* SPDX-License-Identifier: Apache-2.0
 * topology_template - {switches}: host0 and host1 at the two ends of a row of switches. */
#include "scenarios/fabric/topology.h"

struct params {
    int64_t switches;
};

static const struct opt rows[] = {{"switches", OPT_INT, offsetof(struct params, switches), "3", "1",
                                   "100", NULL, "Switches in the row.", "own",
                                   OPT_ACTS(FABRIC, ANY, TRACE)},
                                  {0}};

static void size(const void *params, struct topology_size *made)
{
    const struct params *sizes = params;
    *made = (struct topology_size){2, sizes->switches, sizes->switches + 1, 2, "switch"};
}

static void build(struct topology_plan *plan, const void *params)
{
    const struct params *sizes = params;
    const uint32_t host = topology_add_nodes(plan, "host", 2, 0);
    const uint32_t first = topology_add_nodes(plan, "row", sizes->switches, 1);
    topology_add_link(plan, host, first);
    for (uint32_t i = 1; i < (uint32_t)sizes->switches; i++)
        topology_add_link(plan, first + i - 1, first + i);
    topology_add_link(plan, host + 1, first + (uint32_t)sizes->switches - 1);
}

const struct topology_ops topology_template = {
    .name = "template",
    .about = "A row of switches with a host at each end.",
    .opts = rows,
    .params_bytes = sizeof(struct params),
    .size = size,
    .build = build,
};
