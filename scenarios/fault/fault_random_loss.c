/* SPDX-License-Identifier: Apache-2.0
 * fault_random_loss - each frame that a port sends is lost on the link with the same probability,
 * independently of other frames. */
#include "scenarios/data/fault.h"
#include "scenarios/world/world_faults.h"

struct random_loss_params {
    int64_t rate;   /* frames lost per 10^15 */
    int64_t frames; /* enum port_fault_frames */
};

static const struct opt random_loss_rows[] = {
    {"rate", OPT_RATIO, offsetof(struct random_loss_params, rate), "1/256", "0", "1", NULL,
     "Probability that a frame is lost.",
     "SIGCOMM 2016, RDMA over Commodity Ethernet at Scale: 1 of 256",
     OPT_ACTS(FAULTS, MORE, TRACE)},
    {"frames", OPT_CHOICE, offsetof(struct random_loss_params, frames), "data", NULL, NULL,
     OPT_WORDS(PORT_FAULT_FRAMES),
     "Frames that may be lost. all: all frames, including MAC "
     "control frames; data: frames with payload; pause: PFC and "
     "PAUSE frames that start or extend a pause; resume: PFC and "
     "PAUSE frames that only end a pause.",
     "own", OPT_ACTS(FAULTS, ANY, TRACE)},
    {0}};

static unsigned random_loss_breaks(const void *params)
{
    const struct random_loss_params *p = params;
    return FAULT_DISTURBS_FLOWS | (p->frames == PORT_FAULT_DATA ? 0u : FAULT_LOSES_PAUSES);
}

static void apply(struct world *world, const struct scenario_fault *fault,
                  const struct scenario_spot *spot, bool on)
{
    const struct random_loss_params *params = fault->params;
    struct port_fault *port = world_faults_port(world, spot);
    port->loss_per_10_15 = on ? (uint64_t)params->rate : 0;
    port->loss_frames = (uint8_t)params->frames;
}

const struct fault_ops fault_random_loss = {
    .name = "random-loss",
    .about = "A port loses frames at random.",
    .acts_on = OPT_PART_BIT(LOSS),
    .opts = random_loss_rows,
    .params_bytes = sizeof(struct random_loss_params),
    .place = FAULT_AT_PORTS,
    .counted_as = "drops.injected",
    .breaks = random_loss_breaks,
    .apply = apply,
};
