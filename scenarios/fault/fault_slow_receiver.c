/* SPDX-License-Identifier: Apache-2.0
 * fault_slow_receiver - a host drains its receive buffer more slowly than its link fills it: the
 * buffer fills up and the host pauses its switch. */
#include "scenarios/data/fault.h"
#include "scenarios/world/world.h"

struct slow_receiver_params {
    int64_t drain; /* share of the line rate, ppm */
};

static const struct opt slow_receiver_rows[] = {
    {"drain", OPT_PERCENT, offsetof(struct slow_receiver_params, drain), "0%", "0%", "100%", NULL,
     "Rate at which the host empties its receive buffer, in percent of the line rate.", "own",
     OPT_ACTS(FAULTS, LESS, TRACE)},
    {0}};

static unsigned slow_receiver_breaks(const void *params)
{
    (void)params;
    return FAULT_SLOWS_HOST;
}

static void apply(struct world *world, const struct scenario_fault *fault,
                  const struct scenario_spot *spot, bool on)
{
    const struct slow_receiver_params *params = fault->params;
    struct host *host = world_host(world, spot->node);
    for (uint16_t i = 0; i < world->scenario->nodes[spot->node].port_count; i++) {
        struct rnic *rnic = host->rnics[i];
        const int64_t slow =
            (int64_t)((__int128)(int64_t)rnic->port.rate.bps * params->drain / PPM);
        const int64_t rate = !on ? rnic->params.drain : slow > 0 ? slow : RNIC_STOPPED;
        rnic_set_drain(rnic, rate, world->engine.now);
    }
}

const struct fault_ops fault_slow_receiver = {
    .name = "slow-receiver",
    .about = "A host empties its receive buffer at a share of line rate.",
    .acts_on = OPT_PART_BIT(RECEIVER),
    .opts = slow_receiver_rows,
    .params_bytes = sizeof(struct slow_receiver_params),
    .place = FAULT_AT_HOSTS,
    .host_pauses = true,
    .breaks = slow_receiver_breaks,
    .apply = apply,
};
