/* SPDX-License-Identifier: Apache-2.0
 * fault_target_stall - a target's software stalls: its RNIC still acknowledges, but no command
 * completes. */
#include "nvme/target/target.h"
#include "scenarios/data/fault.h"

static unsigned target_stall_breaks(const void *params)
{
    (void)params;
    return 0;
}

static void at_target(struct nvme_target *target, const struct scenario_host *about,
                      const void *params, bool on)
{
    (void)about;
    (void)params;
    nvme_target_stall(target, on);
}

const struct fault_ops fault_target_stall = {
    .name = "target-stall",
    .about = "The software of a target is stalled.",
    .acts_on = OPT_PART_BIT(RECOVERY),
    .opts = fault_no_opts,
    .place = FAULT_AT_TARGETS,
    .breaks = target_stall_breaks,
    .at_target = at_target,
};
