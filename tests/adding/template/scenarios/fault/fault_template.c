/* SPDX-License-Identifier: Apache-2.0
 * fault_template - a host pauses its switch in priority 6 without end. */
#include "scenarios/data/fault.h"
#include "scenarios/world/world.h"

struct params {
    int64_t port;
};

static const struct opt rows[] = {{"port", OPT_INT, offsetof(struct params, port), "0", "0", "0",
                                   NULL, "The RNIC that does.", "own",
                                   OPT_ACTS(FAULTS, ANY, TRACE)},
                                  {0}};

static unsigned breaks(const void *params)
{
    (void)params;
    return 0;
}

static void apply(struct world *world, const struct scenario_fault *fault,
                  const struct scenario_spot *spot, bool on)
{
    const struct params *params = fault->params;
    rnic_set_storm(world_host(world, spot->node)->rnics[params->port], 6, on, world->engine.now);
}

const struct fault_ops fault_template = {
    .name = "template",
    .about = "A host pauses priority 6.",
    .acts_on = OPT_PART_BIT(NOTHING),
    .opts = rows,
    .params_bytes = sizeof(struct params),
    .place = FAULT_AT_HOSTS,
    .host_pauses = true,
    .breaks = breaks,
    .apply = apply,
};
