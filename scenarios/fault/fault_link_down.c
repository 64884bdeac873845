/* SPDX-License-Identifier: Apache-2.0
 * fault_link_down - a link has no carrier, in both directions.
 * The simplest kind: it has no keys and affects only the fabric. */
#include "scenarios/data/fault.h"
#include "scenarios/fabric/timeline.h"

static unsigned link_down_breaks(const void *params)
{
    (void)params;
    return FAULT_LOSES_CARRIER | FAULT_DISTURBS_FLOWS;
}

static bool edge(struct timeline *timeline, const struct fault_edge *edge)
{
    timeline_carrier(timeline, edge->index, edge->begins);
    return false;
}

const struct fault_ops fault_link_down = {
    .name = "link-down",
    .about = "A link loses its carrier.",
    .acts_on = OPT_PART_BIT(LOSS) | OPT_PART_BIT(RECOVERY),
    .opts = fault_no_opts,
    .place = FAULT_AT_PORTS,
    .breaks = link_down_breaks,
    .edge = edge,
};
