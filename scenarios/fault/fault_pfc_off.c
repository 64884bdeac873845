/* SPDX-License-Identifier: Apache-2.0
 * fault_pfc_off - a port neither sends pauses nor obeys them, as after a configuration error. */
#include "scenarios/data/fault.h"
#include "scenarios/fabric/pauses.h"
#include "scenarios/world/world.h"

static unsigned pfc_off_breaks(const void *params)
{
    (void)params;
    return FAULT_LOSES_PAUSES;
}

static void apply(struct world *world, const struct scenario_fault *fault,
                  const struct scenario_spot *spot, bool on)
{
    (void)fault;
    const struct scenario_node *node = &world->scenario->nodes[spot->node];
    const uint8_t enabled = on ? 0 : pauses_enabled(world->scenario, node, spot->port);
    port_enable_pauses(world_port(world, spot->node, spot->port), enabled, world->engine.now);
}

const struct fault_ops fault_pfc_off = {
    .name = "pfc-off",
    .about = "The PFC of a port is disabled.",
    .acts_on = OPT_PART_BIT(DROPS),
    .opts = fault_no_opts,
    .place = FAULT_AT_PORTS,
    .breaks = pfc_off_breaks,
    .apply = apply,
};
