/* SPDX-License-Identifier: Apache-2.0
 * check_cores - how a target gives queues to its cores makes a difference. */
#include "scenarios/check/check_rule.h"

#include "scenarios/carrier/nvme_carrier.h"

static void run(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        const struct diag_place place =
            block_place(node->host->nvme_target_values, "core-scheduling", (struct diag_place){0});
        const struct nvme_target_params *params = &node->host->nvme_target->core;
        if (node->host->namespace_count == 0 || place.file == NULL || params->cores > 1 ||
            params->core_scheduling == NVME_TARGET_ROUND_ROBIN)
            continue;
        check_add(report, DIAG_WARNING, place,
                  "%s: core-scheduling has no effect: the target has one core (target.cores)",
                  node->name);
    }
}

const struct check_rule check_cores = {
    .name = "cores",
    .about = "How a target gives queues to its cores makes a difference.",
    .run = run,
};
