/* SPDX-License-Identifier: Apache-2.0
 * Values that contradict each other or mean nothing: each is legal alone, together they do not do
 * what their names say.  Things with the same parameters share one struct: each is told of once. */
#include "scenarios/check/check_private.h"

#include "net/switch/switch_carve.h"
#include "net/switch/watchdog.h"
#include "rnic/host/rnic.h"
#include "rnic/host/rx_buffer.h"
#include "scenarios/fault/fault.h"
#include "scenarios/workload/wl_rdma.h"
#include "scenarios/workload/workload.h"

#include <string.h>

/* ---- switches ---- */

/* A threshold that follows what is free may be anywhere; a fixed one is known. */
static void check_xon(const struct scenario_node *node, struct check_report *report)
{
    const struct switch_params *params = node->switch_params;
    const struct buffer_policy *policy = buffer_policies[params->policy];
    if (!policy->fixed)
        return;
    const int64_t xoff =
        policy->settled(params->policy_params[params->policy], params->alpha, params->buffer, 1);
    if (params->xon > xoff)
        check_add(
            report, DIAG_WARNING, node->place,
            "%s: xon, %lld B, is above xoff, %lld B: a sender resumes before it would be paused",
            node->name, (long long)params->xon, (long long)xoff);
    else if (params->xon_offset > xoff && params->xon == 0)
        check_add(report, DIAG_WARNING, node->place,
                  "%s: xon-offset, %lld B, is more than xoff, %lld B: a paused sender resumes only "
                  "when its buffer is empty",
                  node->name, (long long)params->xon_offset, (long long)xoff);
}

static void check_ecn(const struct scenario_node *node, struct check_report *report)
{
    const struct switch_params *params = node->switch_params;
    if (params->ecn_kmax != 0 && params->ecn_kmin > params->ecn_kmax)
        check_add(report, DIAG_WARNING, node->place,
                  "%s: ecn-kmin, %lld B, is above ecn-kmax, %lld B: marking has no slope",
                  node->name, (long long)params->ecn_kmin, (long long)params->ecn_kmax);
}

static void check_detection(const struct scenario_node *node, struct check_report *report)
{
    struct watchdog *watchdog = watchdog_new(node->switch_params, node->port_count);
    if (watchdog != NULL && watchdog->detection < watchdog->poll)
        check_add(
            report, DIAG_WARNING, node->place,
            "%s: its watchdog polls every %lld ms: a detection time of %lld ms takes a whole poll",
            node->name, (long long)(watchdog->poll / PS_PER_MS),
            (long long)(watchdog->detection / PS_PER_MS));
    watchdog_free(watchdog);
}

static void check_no_lossless(const struct scenario_node *node, struct check_report *report)
{
    const struct switch_params *params = node->switch_params;
    if (params->watchdog != WATCHDOG_OFF)
        check_add(report, DIAG_WARNING, node->place,
                  "%s has a PFC watchdog, but no lossless priority: there is nothing to watch",
                  node->name);
    if (params->headroom_pool > 0)
        check_add(report, DIAG_WARNING, node->place,
                  "%s has a headroom pool of %lld B, but no lossless priority: it is unused",
                  node->name, (long long)params->headroom_pool);
}

static void check_egress_limit(const struct scenario_node *node, struct check_report *report)
{
    const struct switch_params *params = node->switch_params;
    if (params->egress_limit == SWITCH_EGRESS_LIMIT_NONE || params->egress_limit >= params->buffer)
        return;
    check_add(
        report, DIAG_WARNING, node->place,
        "%s: egress-limit, %lld B, drops lossless frames when a queue is longer, despite pauses",
        node->name, (long long)params->egress_limit);
    check_shows(report, "drops.lossless > 0");
}

static void check_switches(const struct scenario *scenario, struct check_report *report)
{
    struct check_seen seen = {0};
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        if (!check_first_time(&seen, node->switch_params))
            continue;
        check_ecn(node, report);
        if (node->switch_params->pfc_priorities == 0) {
            check_no_lossless(node, report);
            continue;
        }
        check_xon(node, report);
        check_detection(node, report);
        check_egress_limit(node, report);
    }
    arena_free(&seen.arena);
}

/* ---- hosts ---- */

static void check_rx(const struct scenario_node *host, struct check_report *report)
{
    const struct rnic_params *rnic = host->host->rnic;
    if (!rnic->pfc || host->port_count == 0)
        return;
    const int64_t xoff = rx_buffer_xoff(rnic, host->ports[0].params);
    if (xoff > rnic->rx_buffer) {
        check_add(report, DIAG_WARNING, host->place,
                  "%s: rx-xoff, %lld B, is more than its receive buffer, %lld B: it never sends "
                  "pauses, and drops when it is slow",
                  host->name, (long long)xoff, (long long)rnic->rx_buffer);
        check_shows(report, "drops.lossless > 0");
    }
    if (rnic->rx_xon > xoff)
        check_add(report, DIAG_WARNING, host->place,
                  "%s: rx-xon, %lld B, is above rx-xoff, %lld B: half of rx-xoff is used instead",
                  host->name, (long long)rnic->rx_xon, (long long)xoff);
}

static void check_hosts(const struct scenario *scenario, struct check_report *report)
{
    struct check_seen seen = {0};
    for (uint32_t i = 0; i < scenario->host_count; i++)
        if (check_first_time(&seen, scenario->nodes[i].host->rnic))
            check_rx(&scenario->nodes[i], report);
    arena_free(&seen.arena);
}

/* ---- workloads: a chosen priority must be what the first switch makes of the DSCP ---- */

static bool tell_priority(const struct scenario *scenario, const struct scenario_workload *workload,
                          const struct scenario_pair *pair, uint32_t node,
                          struct check_report *report)
{
    const struct scenario_node *host = &scenario->nodes[node];
    const unsigned dscp = scenario_dscp(scenario, workload, pair), own = workload->class.priority;
    for (uint16_t p = 0; p < host->port_count; p++) {
        if (host->ports[p].link == SCENARIO_NO_LINK)
            continue;
        const struct scenario_node *edge = &scenario->nodes[host->ports[p].peer_node];
        if (edge->kind != SCENARIO_SWITCH || edge->priority_of_dscp[dscp] == own)
            continue;
        check_add(report, DIAG_WARNING, workload->place,
                  "'%s': %s sends DSCP %u on priority %u, but %s maps it to %u: its pauses have no "
                  "effect",
                  workload->name, host->name, dscp, own, edge->name, edge->priority_of_dscp[dscp]);
        check_shows(report, "drops.lossless > 0");
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

/* ---- receives ---- */

static void check_receives(const struct scenario_workload *workload, struct check_report *report)
{
    const char *kind = workload->ops->name;
    if (strcmp(kind, "rdma-write") != 0 && strcmp(kind, "rdma-read") != 0)
        return;
    const struct wl_rdma_params *params = workload->params;
    if (params->receives > 0 || params->receive_delay > 0)
        check_add(report, DIAG_WARNING, workload->place,
                  "'%s': receives applies to rdma-send only: %s needs none", workload->name, kind);
}

/* ---- machines ---- */

static bool is_of_machine(const struct scenario_node *node, const char *machine)
{
    return node->host->machine != NULL && strcmp(node->host->machine, machine) == 0;
}

/* The one processor has the costs of the first host that is of it. */
static void check_machine(const struct scenario *scenario, const struct scenario_node *node,
                          struct check_report *report)
{
    const struct scenario_node *first = scenario->nodes;
    if (node->host->machine == NULL)
        return;
    while (!is_of_machine(first, node->host->machine))
        first++;
    const struct soft_params *costs = &node->host->rnic->soft, *held = &first->host->rnic->soft;
    if (memcmp(costs, held, sizeof *costs) != 0)
        check_add(report, DIAG_WARNING, node->place,
                  "%s and %s share machine %s but differ in CPU costs: those of %s are used",
                  first->name, node->name, node->host->machine, first->name);
}

/* ---- faults ---- */

static void check_fault(const struct scenario *scenario, const struct scenario_fault *fault,
                        struct check_report *report)
{
    const struct fault_ops *ops = fault->ops;
    const char *name = ops->name, *why = ops->in_vain == NULL ? NULL : ops->in_vain(fault->params);
    if (fault->at > scenario->duration + scenario->drain)
        check_add(report, DIAG_WARNING, fault->place,
                  "the fault %s begins after the end of the run: it has no effect", name);
    else if (fault->at >= scenario->duration)
        check_add(report, DIAG_WARNING, fault->place,
                  "the fault %s begins after the workloads have stopped: it may have no effect",
                  name);
    if (why != NULL)
        check_add(report, DIAG_WARNING, fault->place, "the fault %s %s", name, why);
}

static void check_workload(const struct scenario *scenario,
                           const struct scenario_workload *workload, struct check_report *report)
{
    check_priority(scenario, workload, report);
    check_receives(workload, report);
}

void check_values(const struct scenario *scenario, struct check_report *report)
{
    check_switches(scenario, report);
    check_hosts(scenario, report);
    for (uint32_t i = 0; i < scenario->host_count; i++)
        check_machine(scenario, &scenario->nodes[i], report);
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        check_workload(scenario, &scenario->workloads[i], report);
    for (uint32_t i = 0; i < scenario->fault_count; i++)
        check_fault(scenario, &scenario->faults[i], report);
}
