/* SPDX-License-Identifier: Apache-2.0
 * fault_ana_change - ANA groups of a target change their state at its ports; when the fault ends,
 * they return to the state given by the scenario. */
#include "nvme/target/target.h"
#include "scenarios/data/fault.h"
#include "scenarios/data/subsystems.h"

static unsigned ana_change_breaks(const void *params)
{
    (void)params;
    return FAULT_KILLS_TARGET; /* I/O of a host without another path may fail */
}

static void at_target(struct nvme_target *target, const struct scenario_host *about,
                      const void *params, bool on)
{
    const struct scenario_ana *ana = params;
    const uint32_t port = ana->port < 0 ? NVME_TARGET_ALL : (uint32_t)ana->port;
    const uint32_t group = ana->group < 0 ? NVME_TARGET_ALL : (uint32_t)ana->group;
    if (ana->port >= (int64_t)nvme_target_ports(target))
        return;
    const uint32_t state = on ? scenario_ana_state(ana->state) : (uint32_t)NVME_ANA_OPTIMIZED;
    nvme_target_set_ana(target, port, group, (enum nvme_ana_state)state);
    if (!on)
        scenario_set_ana(about, target);
}

const struct fault_ops fault_ana_change = {
    .name = "ana-change",
    .about = "ANA groups of a target change their state at its ports.",
    .acts_on = OPT_PART_BIT(RECOVERY),
    .opts = scenario_ana_opts,
    .params_bytes = sizeof(struct scenario_ana),
    .place = FAULT_AT_TARGETS,
    .breaks = ana_change_breaks,
    .at_target = at_target,
};
