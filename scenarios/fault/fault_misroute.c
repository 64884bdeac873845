/* SPDX-License-Identifier: Apache-2.0
 * fault_misroute - a switch has a wrong route to some hosts, like a wrong static route or a corrupt
 * table entry.
 * Keys: those of an entry of `fabric.routes`. */
#include "scenarios/data/fault.h"
#include "scenarios/fabric/timeline.h"

static unsigned misroute_breaks(const void *params)
{
    (void)params;
    return FAULT_DISTURBS_FLOWS;
}

static bool edge(struct timeline *timeline, const struct fault_edge *edge)
{
    timeline_misroute(timeline, edge->index, edge->begins);
    return false;
}

const struct fault_ops fault_misroute = {
    .name = "misroute",
    .about = "A switch sends packets for some hosts through another port.",
    .acts_on = OPT_PART_BIT(PATHS),
    .opts = fault_no_opts,
    .place = FAULT_AT_SWITCHES,
    .has_route = true,
    .breaks = misroute_breaks,
    .edge = edge,
};
