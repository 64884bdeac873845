/* SPDX-License-Identifier: Apache-2.0
 * fault_switch_down - a switch loses power, the content of its buffer, and the carrier of all its
 * links. */
#include "scenarios/data/fault.h"
#include "scenarios/fabric/timeline.h"

static unsigned switch_down_breaks(const void *params)
{
    (void)params;
    return FAULT_LOSES_CARRIER | FAULT_DISTURBS_FLOWS;
}

static bool edge(struct timeline *timeline, const struct fault_edge *edge)
{
    timeline_power(timeline, edge->index, edge->begins);
    return false;
}

const struct fault_ops fault_switch_down = {
    .name = "switch-down",
    .about = "A switch loses its power.",
    .acts_on = OPT_PART_BIT(LOSS) | OPT_PART_BIT(RECOVERY),
    .opts = fault_no_opts,
    .place = FAULT_AT_SWITCHES,
    .breaks = switch_down_breaks,
    .edge = edge,
};
