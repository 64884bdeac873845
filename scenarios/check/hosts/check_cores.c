/* SPDX-License-Identifier: Apache-2.0
 * check_cores - a target's assignment of queues to cores uses all cores.
 * When queues are assigned by number, the first queues of all controllers share one core. */
#include "scenarios/check/check_rule.h"

#include "base/plural.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/workload/wl_nvme.h"
#include "scenarios/workload/workload.h"

/* Queues of all controllers at the target: total, and the largest number per controller. */
struct queues {
    int64_t all, most;
};

static struct queues queues_at(const struct scenario *scenario, uint32_t target)
{
    struct queues queues = {0};
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        const struct wl_nvme_params *params = workload->params;
        for (uint32_t i = 0;
             workload->ops->needs_nvme_target && workload->job == NULL && i < workload->pair_count;
             i++) {
            if (workload->pairs[i].to != target)
                continue;
            const uint32_t from = workload->pairs[i].from;
            const int64_t asked =
                wl_nvme_queues(params, &scenario->nodes[from].host->nvme_host->core);
            queues.all += asked * workload->copies;
            queues.most = asked > queues.most ? asked : queues.most;
        }
    }
    return queues;
}

static void check_spread(const struct scenario *scenario, uint32_t index,
                         struct check_report *report)
{
    const struct scenario_node *node = &scenario->nodes[index];
    const struct nvme_target_params *params = &node->host->nvme_target->core;
    const struct queues queues = queues_at(scenario, index);
    if (params->core_scheduling != NVME_TARGET_QUEUE_NUMBER || queues.most >= params->cores ||
        queues.all <= queues.most)
        return;
    const struct check_thing thing = check_of_target(node, "core-scheduling");
    check_alike(
        report, DIAG_WARNING, &thing,
        "target.core-scheduling queue-number: %lld %s of all controllers use only %lld of %lld %s",
        (long long)queues.all, plural(queues.all, "queue", "queues"), (long long)queues.most,
        (long long)params->cores, plural(params->cores, "core", "cores"));
    check_remedy(report, "set target.core-scheduling: round-robin or least-queues");
    check_set(report, &thing, "least-queues");
}

static void find_cores(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        const struct diag_place place =
            block_place(node->host->nvme_target_values, "core-scheduling", (struct diag_place){0});
        const struct nvme_target_params *params = &node->host->nvme_target->core;
        if (node->host->namespace_count == 0 || place.file == NULL || params->cores > 1 ||
            params->core_scheduling == NVME_TARGET_ROUND_ROBIN) {
            if (node->host->namespace_count > 0)
                check_spread(scenario, i, report);
            continue;
        }
        check_add(report, DIAG_WARNING, place,
                  "%s: core-scheduling has no effect: the target has one core (target.cores)",
                  node->name);
    }
}

const struct check_rule check_cores = {
    .name = "cores",
    .about =
        "The core-scheduling setting of a target has an effect, and the target uses all its cores.",
    .run = find_cores,
};
