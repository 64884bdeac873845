/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/check/classes.h"

#include "net/switch/switch.h"
#include "rnic/host/rnic.h"
#include "scenarios/check/check_rule.h"
#include "scenarios/workload/workload.h"

#include <string.h>

void classes_gather(const struct scenario *scenario, struct arena *arena, struct classes *classes)
{
    classes->of_host = arena_array(arena, scenario->host_count, sizeof *classes->of_host);
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; !workload->by_tcp && i < workload->pair_count; i++) {
            const struct scenario_pair *pair = &workload->pairs[i];
            if (scenario_has_credits(&scenario->nodes[pair->from]))
                continue;
            const uint64_t out = UINT64_C(1) << scenario_dscp(scenario, workload, pair);
            const uint64_t back = UINT64_C(1) << scenario_dscp_back(scenario, workload, pair);
            *(workload->class.tos_set ? &classes->chosen : &classes->hosts) |= out;
            classes->hosts |= back & ~out;
            classes->of_host[pair->from] |= out | back;
            classes->of_host[pair->to] |= out | back;
        }
    }
}

bool classes_lossless(const struct scenario_node *node, unsigned priority)
{
    return (node->switch_params->pfc_priorities >> priority & 1) != 0;
}

/* The host's priority must be the one that its switch gives the DSCP, otherwise its pauses have no
 * effect. */
static void mark_host(struct check_report *report, const struct scenario *scenario,
                      const struct scenario_node *host, unsigned dscp)
{
    const struct scenario_node *edge = &scenario->nodes[host->ports[0].peer_node];
    const unsigned priority = edge->kind == SCENARIO_SWITCH ? edge->priority_of_dscp[dscp] : 0;
    check_set_row(report, host->host->rnic_values, "dscp", "%u", dscp);
    if (edge->kind == SCENARIO_SWITCH && (int64_t)priority != host->host->rnic->priority)
        check_set_row(report, host->host->rnic_values, "priority", "%u", priority);
}

void classes_propose(struct check_report *report, const struct scenario *scenario,
                     const struct scenario_workload *workload, const struct scenario_node *host,
                     unsigned dscp)
{
    const bool own = workload != NULL && workload->class.tos_set;
    check_remedy(report, "mark DSCP %u (ToS %u)", dscp, dscp << 2);
    if (own)
        check_set_path(report, "workloads.%.*s.dscp=%u", (int)strcspn(workload->name, "/"),
                       workload->name, dscp);
    else
        mark_host(report, scenario, host, dscp);
}

enum { USUAL_DSCP = 26 }; /* vendors' convention for lossless RoCE */

/* A DSCP that every switch maps to a lossless priority: preferably the conventional one, else the
 * first. CLASSES_DSCPS: none. */
static unsigned lossless_dscp(const struct scenario *scenario)
{
    for (unsigned i = 0; i <= CLASSES_DSCPS; i++) {
        const unsigned dscp = i == 0 ? USUAL_DSCP : i - 1;
        bool all = true;
        for (uint32_t k = scenario->host_count; k < scenario->node_count; k++)
            all &= scenario_has_credits(&scenario->nodes[k]) ||
                   classes_lossless(&scenario->nodes[k], scenario->nodes[k].priority_of_dscp[dscp]);
        if (all)
            return dscp;
    }
    return CLASSES_DSCPS;
}

/* Changes the DSCP to `better` for every workload and host that sends it. */
static void mark_all(struct check_report *report, const struct scenario *scenario, unsigned dscp,
                     unsigned better)
{
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; i < workload->pair_count; i++) {
            const struct scenario_pair *pair = &workload->pairs[i];
            const struct scenario_node *to = &scenario->nodes[pair->to];
            if (scenario_has_credits(to))
                continue;
            if (scenario_dscp(scenario, workload, pair) == dscp)
                classes_propose(report, scenario, workload, &scenario->nodes[pair->from], better);
            if (to->host->rnic->accept_dscp == (int64_t)dscp)
                check_set_row(report, to->host->rnic_values, "accept-dscp", "%u", better);
        }
    }
    check_remedy(report, "set rnic.accept-dscp to %u (ToS %u), so that targets reply in this class",
                 better, better << 2);
}

bool classes_propose_lossless(struct check_report *report, const struct scenario *scenario,
                              unsigned dscp)
{
    const unsigned better = lossless_dscp(scenario);
    if (better != USUAL_DSCP && (dscp != 0 || better == CLASSES_DSCPS))
        return false;
    mark_all(report, scenario, dscp, better);
    return true;
}

bool classes_lossy_by_intent(const struct scenario *scenario)
{
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++)
        if (scenario->nodes[i].switch_params->pfc_priorities != 0)
            return false;
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; i < workload->pair_count; i++) {
            const struct scenario_pair *pair = &workload->pairs[i];
            const int64_t from = scenario->nodes[pair->from].host->rnic->loss_recovery;
            const int64_t to = scenario->nodes[pair->to].host->rnic->loss_recovery;
            if (!recovery_list[from]->selective || !recovery_list[to]->selective)
                return false;
        }
    }
    return true;
}
