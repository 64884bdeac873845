/* SPDX-License-Identifier: Apache-2.0
 * check_queue_budget - a target has enough I/O queues for its workloads.
 * The target grants queues in the order of requests and rejects a controller when no queue is
 * left. */
#include "scenarios/check/check_rule.h"

#include "base/plural.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/fabric/nics.h"
#include "scenarios/workload/wl_nvme.h"
#include "scenarios/workload/workload.h"

static int64_t budget_of(const struct scenario_node *node)
{
    return node->host->nvme_target == NULL ? 0 : node->host->nvme_target->core.queue_budget;
}

/* Queues requested by a member on all its paths; no controller is granted more than max-queues. */
static int64_t queues_requested(const struct scenario *scenario,
                                const struct scenario_workload *workload,
                                const struct scenario_pair *pair)
{
    const int64_t queues =
        wl_nvme_queues(workload->params, &scenario->nodes[pair->from].host->nvme_host->core);
    const int64_t most = scenario->nodes[pair->to].host->nvme_target->core.max_queues;
    struct nic_pair list[NICS_PATHS_MAX];
    uint32_t paths = 1;
    if (workload->paths > 0) {
        const uint32_t there = nics_paths(scenario, workload, pair, list);
        paths = there < workload->paths ? there : workload->paths;
    }
    return (queues < most ? queues : most) * paths;
}

static int64_t all_wanted(const struct scenario *scenario, uint32_t target)
{
    int64_t all = 0;
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; workload->ops->needs_nvme_target && i < workload->pair_count; i++)
            if (workload->pairs[i].to == target)
                all += queues_requested(scenario, workload, &workload->pairs[i]) * workload->copies;
    }
    return all;
}

static struct diag_place place_of(const struct scenario_node *node)
{
    return block_place(node->host->nvme_target_values, "queue-budget", (struct diag_place){0});
}

static void find_queue_budget(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t h = 0; h < scenario->host_count; h++) {
        const struct scenario_node *node = &scenario->nodes[h];
        const int64_t budget = budget_of(node);
        if (budget == 0 || all_wanted(scenario, h) <= budget)
            continue;
        check_add(report, DIAG_WARNING, place_of(node),
                  "%s: workloads request %lld I/O %s, but it has %lld (target.queue-budget): the "
                  "first hosts to connect get them",
                  node->name, (long long)all_wanted(scenario, h),
                  plural(all_wanted(scenario, h), "queue", "queues"), (long long)budget);
        check_remedy(report, "raise target.queue-budget, or lower queues of the workloads");
        check_set_row(report, node->host->nvme_target_values, "queue-budget", "%lld",
                      (long long)all_wanted(scenario, h));
    }
}

/* Queues granted to the members of one target. */
struct got {
    uint32_t fewer; /* members that were granted fewer than they may have */
    uint64_t granted;
};

static struct got count(const struct check_run *run, uint32_t target)
{
    const struct scenario *scenario = run->scenario;
    struct got got = {0};
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        if (!workload->ops->needs_nvme_target)
            continue;
        for (uint32_t i = 0; i < workload->pair_count * workload->copies; i++) {
            const struct scenario_pair *pair = &workload->pairs[i / workload->copies];
            const uint32_t granted = run->queues[run->first_member[w] + i].granted;
            if (pair->to != target)
                continue;
            got.granted += granted;
            got.fewer += granted > 0 && granted < queues_requested(scenario, workload, pair);
        }
    }
    return got;
}

static void after(const struct check_run *run, struct check_report *report)
{
    for (uint32_t h = 0; h < run->scenario->host_count; h++) {
        const struct scenario_node *node = &run->scenario->nodes[h];
        if (budget_of(node) == 0)
            continue;
        const struct got got = count(run, h);
        if (got.fewer == 0 && run->refused[h] == 0)
            continue;
        check_add(report, DIAG_WARNING, place_of(node),
                  "%s granted %llu of the %lld I/O %s that workloads request "
                  "(target.queue-budget); %u host-target %s got fewer queues, and %llu %s rejected",
                  node->name, (unsigned long long)got.granted,
                  (long long)all_wanted(run->scenario, h),
                  plural(all_wanted(run->scenario, h), "queue", "queues"), (unsigned)got.fewer,
                  plural(got.fewer, "pair", "pairs"), (unsigned long long)run->refused[h],
                  plural((int64_t)run->refused[h], "connection was", "connections were"));
    }
}

const struct check_rule check_queue_budget = {
    .name = "queue-budget",
    .about = "A target has enough I/O queues for its workloads.",
    .run = find_queue_budget,
    .after = after,
};
