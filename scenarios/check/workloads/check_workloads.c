/* SPDX-License-Identifier: Apache-2.0
 * check_workloads - a workload's priority matches the one that the first switch gives its DSCP, and
 * parameters of receives and immediate data have an effect. */
#include "scenarios/check/check_rule.h"

#include "scenarios/check/classes.h"
#include "scenarios/workload/wl_rdma.h"
#include "scenarios/workload/workload.h"

#include <string.h>

static bool tell_priority(const struct scenario *scenario, const struct scenario_workload *workload,
                          const struct scenario_pair *pair, uint32_t node,
                          struct check_report *report)
{
    const struct scenario_node *host = &scenario->nodes[node];
    const unsigned dscp = node == pair->from ? scenario_dscp(scenario, workload, pair)
                                             : scenario_dscp_back(scenario, workload, pair);
    const unsigned own = workload->class.priority;
    for (uint16_t p = 0; p < host->port_count; p++) {
        if (host->ports[p].link == SCENARIO_NO_LINK)
            continue;
        const struct scenario_node *edge = &scenario->nodes[host->ports[p].peer_node];
        if (edge->kind != SCENARIO_SWITCH || edge->priority_of_dscp[dscp] == own)
            continue;
        check_add(report, DIAG_WARNING, workload->place,
                  "'%s': %s sends DSCP %u on priority %u, but %s maps it to priority %u: "
                  "pauses from %s have no effect",
                  workload->name, host->name, dscp, own, edge->name, edge->priority_of_dscp[dscp],
                  edge->name);
        check_shows(report, classes_lossless(edge, edge->priority_of_dscp[dscp])
                                ? "drops.lossless > 0"
                                : "drops.lossy > 0");
        return true;
    }
    return false;
}

static void check_priority(const struct scenario *scenario,
                           const struct scenario_workload *workload, struct check_report *report)
{
    for (uint32_t i = 0; workload->class.priority_set && i < workload->pair_count; i++) {
        const struct scenario_pair *pair = &workload->pairs[i];
        if (tell_priority(scenario, workload, pair, pair->from, report) ||
            tell_priority(scenario, workload, pair, pair->to, report))
            return;
    }
}

static void no_effect(struct check_report *report, const struct scenario_workload *workload,
                      const char *row, const char *why)
{
    check_add(report, DIAG_WARNING, workload->place, "'%s': %s has no effect: %s", workload->name,
              row, why);
}

static void check_shared(const struct scenario_workload *workload,
                         const struct wl_rdma_params *params, struct check_report *report)
{
    if (params->shared_receives == 0 && params->receive_limit > 0)
        no_effect(report, workload, "receive-limit", "shared-receives are 0");
    if (params->shared_receives > 0 && params->receives > 0)
        no_effect(report, workload, "receives", "shared-receives are used instead");
    if (params->shared_receives > 0 && params->receive_limit > params->shared_receives)
        check_add(report, DIAG_WARNING, workload->place,
                  "'%s': receive-limit %lld is limited to %lld, the number of shared-receives",
                  workload->name, (long long)params->receive_limit,
                  (long long)params->shared_receives);
}

/* Reports parameters of receives, immediate data and remote access that have no effect for this
 * kind of workload. */
static void check_receives(const struct scenario_workload *workload, struct check_report *report)
{
    const char *kind = workload->ops->name;
    if (strncmp(kind, "rdma-", 5) != 0)
        return;
    const struct wl_rdma_params *params = workload->params;
    const bool write = strcmp(kind, "rdma-write") == 0, read = strcmp(kind, "rdma-read") == 0;
    const char *why = read                          ? "rdma-read needs none"
                      : write && !params->immediate ? "rdma-write needs none without immediate data"
                                                    : NULL;
    if (params->remote_access != WL_RDMA_GRANTED && !read && !write)
        no_effect(report, workload, "remote-access", "SENDs use the address of the receive");
    if (params->immediate && read)
        no_effect(report, workload, "immediate", "rdma-read carries no data there");
    if (why == NULL) {
        check_shared(workload, params, report);
        return;
    }
    if (params->receives > 0 || params->receive_delay > 0)
        no_effect(report, workload, "receives", why);
    if (params->shared_receives > 0)
        no_effect(report, workload, "shared-receives", why);
}

static void check_workload(const struct scenario *scenario,
                           const struct scenario_workload *workload, struct check_report *report)
{
    check_priority(scenario, workload, report);
    check_receives(workload, report);
}

static void find_workloads(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        check_workload(scenario, &scenario->workloads[i], report);
}

const struct check_rule check_workloads = {
    .name = "workloads",
    .about = "The priority and receive settings of a workload have an effect.",
    .run = find_workloads,
};
