/* SPDX-License-Identifier: Apache-2.0
 * fault_port_closed - a target's port temporarily has no subsystem: its controllers end, connecting
 * hosts are rejected, and the discovery log changes. */
#include "nvme/target/target.h"
#include "scenarios/data/fault.h"

struct port_closed_params {
    int64_t port; /* -1: all */
};

static const struct opt port_closed_rows[] = {
    {"port", OPT_INT, offsetof(struct port_closed_params, port), "all", "0", "7", "all",
     "Port of the target, counted from 0 in the order of its NICs; "
     "all: every port.",
     "Linux 6.1 nvmet: a port's subsystems in configfs", OPT_ACTS(FAULTS, ANY, TRACE)},
    {0}};

static unsigned port_closed_breaks(const void *params)
{
    (void)params;
    return FAULT_KILLS_TARGET;
}

static void at_target(struct nvme_target *target, const struct scenario_host *about,
                      const void *params, bool on)
{
    const struct port_closed_params *p = params;
    (void)about;
    for (uint32_t i = 0; i < nvme_target_ports(target); i++)
        if (p->port < 0 || p->port == (int64_t)i)
            nvme_target_close_port(target, i, on);
}

const struct fault_ops fault_port_closed = {
    .name = "port-closed",
    .about = "A port of a target loses its subsystems.",
    .acts_on = OPT_PART_BIT(RECOVERY),
    .opts = port_closed_rows,
    .params_bytes = sizeof(struct port_closed_params),
    .place = FAULT_AT_TARGETS,
    .breaks = port_closed_breaks,
    .at_target = at_target,
};
