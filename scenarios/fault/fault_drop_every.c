/* SPDX-License-Identifier: Apache-2.0
 * fault_drop_every - every n-th frame that a port sends is lost on the link.
 * Guo et al., SIGCOMM 2016, section 3.2: with 1 of 256, go-back-0 makes no progress. */
#include "scenarios/data/fault.h"
#include "scenarios/world/world_faults.h"

struct drop_every_params {
    int64_t n;
    int64_t frames; /* enum port_fault_frames */
};

/* `kind` is a key of every fault, so the kind of dropped frames has another name. */
static const struct opt drop_every_rows[] = {
    {"n", OPT_INT, offsetof(struct drop_every_params, n), "256", "1", NULL, NULL,
     "Interval of the drops, in frames: every n-th frame is dropped.",
     "SIGCOMM 2016, RDMA over Commodity Ethernet at Scale: 1 of 256",
     OPT_ACTS(FAULTS, LESS, TRACE)},
    {"frames", OPT_CHOICE, offsetof(struct drop_every_params, frames), "data", NULL, NULL,
     OPT_WORDS(PORT_FAULT_FRAMES),
     "Frames that are counted and dropped. all: all frames, including MAC control frames; data: "
     "frames with payload; pause: PFC and PAUSE frames that start or extend a pause; resume: PFC "
     "and PAUSE frames that only end a pause.",
     "own", OPT_ACTS(FAULTS, ANY, TRACE)},
    {0}};

static unsigned drop_every_breaks(const void *params)
{
    const struct drop_every_params *p = params;
    return FAULT_DISTURBS_FLOWS | (p->frames == PORT_FAULT_DATA ? 0u : FAULT_LOSES_PAUSES);
}

static void apply(struct world *world, const struct scenario_fault *fault,
                  const struct scenario_spot *spot, bool on)
{
    const struct drop_every_params *params = fault->params;
    struct port_fault *port = world_faults_port(world, spot);
    port->drop_every = on ? (uint64_t)params->n : 0;
    port->frames = (uint8_t)params->frames;
}

const struct fault_ops fault_drop_every = {
    .name = "drop-every",
    .about = "A port loses every n-th frame.",
    .acts_on = OPT_PART_BIT(LOSS),
    .opts = drop_every_rows,
    .params_bytes = sizeof(struct drop_every_params),
    .place = FAULT_AT_PORTS,
    .counted_as = "drops.injected",
    .breaks = drop_every_breaks,
    .apply = apply,
};
