/* SPDX-License-Identifier: Apache-2.0
 * check_receives - a target has a receive for each command that may be under way.
 * A host sends as many as its queue holds, whatever the target has posted; what finds no receive is
 * refused (RNR NAK), waits for a timer and is sent again, with all behind it. */
#include "scenarios/check/check_rule.h"

#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/workload/wl_nvme.h"
#include "scenarios/workload/workload.h"

/* Commands of a queue that may be under way between the two. */
static int64_t depth(const struct scenario *scenario, const struct scenario_workload *workload,
                     const struct scenario_pair *pair)
{
    const int64_t asked = ((const struct wl_nvme_params *)workload->params)->queue_depth;
    const int64_t host = scenario->nodes[pair->from].host->nvme_host->core.queue_size;
    const int64_t target = scenario->nodes[pair->to].host->nvme_target->core.max_queue_size;
    const int64_t most = (host < target ? host : target) - 1;
    return asked < most ? asked : most;
}

/* The first pair says it for all. */
static void look_at(const struct scenario *scenario, const struct scenario_workload *workload,
                    struct check_report *report)
{
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        const struct scenario_pair *pair = &workload->pairs[i];
        const struct scenario_node *target = &scenario->nodes[pair->to];
        const int64_t holds = nvme_carrier_holds(target->host->nvme_target);
        if (depth(scenario, workload, pair) <= holds)
            continue;
        check_add(report, DIAG_WARNING,
                  block_place(workload->values, "queue-depth", workload->place),
                  "'%s': of the %lld commands that a queue may have under way %s has receives for "
                  "%lld (target.receive-queue): the others wait for RNR timers",
                  workload->name, (long long)depth(scenario, workload, pair), target->name,
                  (long long)holds);
        check_shows(report, "rnic.rnr_naks > 0");
        check_remedy(report, "raise target.receive-queue");
        return;
    }
}

static void run(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        if (scenario->workloads[i].ops->needs_nvme_target)
            look_at(scenario, &scenario->workloads[i], report);
}

const struct check_rule check_receives = {
    .name = "receives",
    .about = "A target has a receive for each command that may be under way.",
    .run = run,
};
