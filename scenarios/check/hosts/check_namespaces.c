/* SPDX-License-Identifier: Apache-2.0
 * check_namespaces - every namespace of a target is used by some workload.
 * An initiator of a workload uses one namespace, as a program on Linux uses one block device: the
 * namespace that the workload names, or otherwise the pairs of hosts take namespaces in turn. A
 * target that no workload uses is not reported. */
#include "scenarios/check/check_rule.h"

#include "base/plural.h"
#include "scenarios/data/subsystems.h"
#include "scenarios/workload/workload.h"

static uint32_t namespaces_of(const struct scenario_host *host)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < host->namespace_count; i++)
        count += host->namespaces[i].count;
    return count;
}

/* Marks the target's namespaces that the workload's pairs use. Returns the number of pairs with
 * this target. */
static uint32_t mark_namespaces(const struct scenario_workload *workload, uint32_t target,
                                const struct scenario_host *host, uint8_t *used)
{
    uint32_t pairs = 0;
    if (workload->ops->name_space == NULL)
        return 0;
    const uint32_t asked = workload->ops->name_space(workload->params);
    const uint32_t there = scenario_namespaces_at(host, workload->subsystem);
    for (uint32_t i = 0; i < workload->pair_count && there > 0; i++) {
        if (workload->pairs[i].to != target)
            continue;
        const uint32_t nsid = asked > 0 ? asked : i % there + 1;
        used[scenario_namespace_at(host, workload->subsystem, nsid)] = 1;
        pairs++;
    }
    return pairs;
}

static void check_target(const struct scenario *scenario, uint32_t target,
                         struct check_report *report)
{
    const struct scenario_node *node = &scenario->nodes[target];
    const uint32_t count = namespaces_of(node->host);
    struct arena scratch = {0};
    uint8_t *used = arena_take(&scratch, count + 1);
    uint32_t pairs = 0, marked = 0;
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        pairs += mark_namespaces(&scenario->workloads[w], target, node->host, used);
    for (uint32_t i = 0; i < count; i++)
        marked += used[i];
    arena_free(&scratch);
    const struct check_thing thing = {node, SCENARIO_ALL_PORTS, NULL, NULL};
    if (pairs == 0 || marked == count)
        return;
    check_alike(report, DIAG_NOTE, &thing,
                "workloads use %u of %u %s, and the others stay idle: each host-target "
                "pair uses one namespace (add hosts, or workloads with `namespace: N`)",
                (unsigned)marked, (unsigned)count, plural(count, "namespace", "namespaces"));
    if (report->latest != NULL && report->latest->count == 1)
        report->latest->place = node->host->namespaces[0].place;
}

static void find_namespaces(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = 0; i < scenario->host_count; i++)
        if (scenario->nodes[i].host->namespace_count > 0)
            check_target(scenario, i, report);
}

const struct check_rule check_namespaces = {
    .name = "namespaces",
    .about = "If a workload uses a target, all namespaces of the target are used.",
    .run = find_namespaces,
    .by_run = true,
};
