/* SPDX-License-Identifier: Apache-2.0
 * fault_target_stall - a target's software stands still: its RNIC goes on to acknowledge, and no
 * command is answered. */
#include "scenarios/fault/fault.h"
#include "scenarios/world/world_faults.h"

static unsigned breaks(const void *params)
{
    (void)params;
    return 0;
}

static void apply(struct world *world, const struct scenario_fault *fault,
                  const struct scenario_spot *spot, bool on)
{
    (void)fault;
    nvme_target_stall(world_faults_target(world, spot->node), on);
}

const struct fault_ops fault_target_stall = {
    .name = "target-stall",
    .about = "A target's software stands still.",
    .opts = fault_no_opts,
    .place = FAULT_AT_TARGETS,
    .breaks = breaks,
    .spares_rdma = fault_of_target,
    .apply = apply,
};
