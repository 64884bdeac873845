/* SPDX-License-Identifier: Apache-2.0
 * fault_pause_storm - an RNIC continuously sends pauses for a priority, regardless of what it
 * receives.
 * Guo et al., SIGCOMM 2016, section 4.3: a NIC whose receive pipeline is stuck. */
#include "scenarios/data/fault.h"
#include "scenarios/world/world.h"

struct pause_storm_params {
    int64_t priority;
};

static const struct opt pause_storm_rows[] = {
    {"priority", OPT_INT, offsetof(struct pause_storm_params, priority), "3", "0", "7", NULL,
     "Priority that the host pauses.", "common use: RoCE in priority 3",
     OPT_ACTS(FAULTS, ANY, TRACE)},
    {0}};

static unsigned pause_storm_breaks(const void *params)
{
    (void)params;
    return 0;
}

static uint8_t paused(const void *params)
{
    return (uint8_t)((const struct pause_storm_params *)params)->priority;
}

static bool overlap(const void *params, const void *others)
{
    const struct pause_storm_params *a = params, *b = others;
    return a->priority == b->priority;
}

static void apply(struct world *world, const struct scenario_fault *fault,
                  const struct scenario_spot *spot, bool on)
{
    const struct pause_storm_params *params = fault->params;
    struct host *host = world_host(world, spot->node);
    for (uint16_t i = 0; i < world->scenario->nodes[spot->node].outer_ports; i++)
        rnic_set_storm(host->rnics[i], (uint8_t)params->priority, on, world->engine.now);
}

const struct fault_ops fault_pause_storm = {
    .name = "pause-storm",
    .about = "A host's RNIC pauses its switch permanently.",
    .acts_on = OPT_PART_BIT(PAUSES),
    .opts = pause_storm_rows,
    .params_bytes = sizeof(struct pause_storm_params),
    .place = FAULT_AT_HOSTS,
    .host_pauses = true,
    .paused = paused,
    .breaks = pause_storm_breaks,
    .overlap = overlap,
    .apply = apply,
};
