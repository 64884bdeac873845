/* SPDX-License-Identifier: Apache-2.0
 * check_receives - a target posts a receive for each command that may be in flight.
 * A host sends as many commands as its queue holds, regardless of the receives posted at the
 * target. A command without a receive is refused with an RNR NAK and retransmitted after a timer,
 * with all packets behind it. */
#include "scenarios/check/check_rule.h"

#include "base/plural.h"
#include "rnic/host/rnic.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/workload/wl_nvme.h"
#include "scenarios/workload/wl_rdma.h"
#include "scenarios/workload/workload.h"

#include <string.h>

/* Commands of a queue that may be in flight between the host and the target. */
static int64_t depth(const struct scenario *scenario, const struct scenario_workload *workload,
                     const struct scenario_pair *pair)
{
    const int64_t asked = ((const struct wl_nvme_params *)workload->params)->queue_depth;
    const int64_t host = scenario->nodes[pair->from].host->nvme_host->core.queue_size;
    const int64_t target = scenario->nodes[pair->to].host->nvme_target->core.max_queue_size;
    const int64_t most = (host < target ? host : target) - 1;
    return asked < most ? asked : most;
}

/* Commands in flight of the deepest queue to the target. */
static int64_t deepest_at(const struct scenario *scenario, uint32_t target)
{
    int64_t most = 0;
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0;
             workload->ops->needs_nvme_target && !workload->by_tcp && i < workload->pair_count;
             i++) {
            const struct scenario_pair *pair = &workload->pairs[i];
            const int64_t deep = pair->to == target ? depth(scenario, workload, pair) : 0;
            most = deep > most ? deep : most;
        }
    }
    return most;
}

/* Reports only the first pair. */
static void check_receive_depths(const struct scenario *scenario,
                                 const struct scenario_workload *workload,
                                 struct check_report *report)
{
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        const struct scenario_pair *pair = &workload->pairs[i];
        const struct scenario_node *target = &scenario->nodes[pair->to];
        const struct nvme_carrier_holds can =
            nvme_carrier_holds(target->host->nvme_target, workload->transport);
        const int64_t holds = can.of_port != INT64_MAX ? INT64_MAX : can.of_queue;
        if (depth(scenario, workload, pair) <= holds)
            continue;
        check_add(report, DIAG_WARNING,
                  block_place(workload->values, "queue-depth", workload->place),
                  "'%s': a queue may have %lld %s outstanding, but %s has receives for only %lld "
                  "(target.receive-queue): the others wait for RNR timers",
                  workload->name, (long long)depth(scenario, workload, pair),
                  plural(depth(scenario, workload, pair), "command", "commands"), target->name,
                  (long long)holds);
        check_shows(report, "rnic.rnr_naks > 0");
        check_remedy(report, "raise target.receive-queue");
        check_set_row(report, target->host->nvme_target_values, "receive-queue", "%lld",
                      (long long)deepest_at(scenario, pair->to));
        return;
    }
}

/* Commands that may be in flight in all queues of a target with one port. */
static int64_t depth_at(const struct scenario *scenario, uint32_t target)
{
    int64_t all = 0;
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0;
             workload->ops->needs_nvme_target && !workload->by_tcp && i < workload->pair_count;
             i++) {
            const int64_t queues = ((const struct wl_nvme_params *)workload->params)->queues;
            const int64_t most = scenario->nodes[target].host->nvme_target->core.max_queues;
            if (workload->pairs[i].to == target)
                all += depth(scenario, workload, &workload->pairs[i]) * workload->copies *
                       (queues < most ? queues : most);
        }
    }
    return all;
}

static void check_target(const struct scenario *scenario, uint32_t index,
                         struct check_report *report)
{
    const struct scenario_node *node = &scenario->nodes[index];
    const struct nvme_carrier_holds holds =
        nvme_carrier_holds(node->host->nvme_target, NVME_CARRIER_rdma);
    const struct block *values = node->host->nvme_target_values;
    if (node->host->namespace_count == 0 || holds.of_port == INT64_MAX)
        return;
    if (holds.of_queue != INT64_MAX)
        check_add(report, DIAG_WARNING,
                  block_place(values, "receive-queue", (struct diag_place){0}),
                  "%s: receive-queue has no effect: shared-receives are used instead", node->name);
    if (node->outer_ports != 1 || depth_at(scenario, index) <= holds.of_port)
        return;
    check_add(report, DIAG_WARNING, block_place(values, "shared-receives", (struct diag_place){0}),
              "%s: %lld %s may be outstanding, but it has receives for only %lld "
              "(target.shared-receives): the others wait for RNR timers",
              node->name, (long long)depth_at(scenario, index),
              plural(depth_at(scenario, index), "command", "commands"), (long long)holds.of_port);
    check_shows(report, "rnic.rnr_naks > 0");
    check_remedy(report, "raise target.shared-receives");
    check_set_row(report, values, "shared-receives", "%lld", (long long)depth_at(scenario, index));
}

/* A latency that no network determines. */
static void check_completions(const struct scenario_workload *workload, struct check_report *report)
{
    if (!scenario_completes_early(workload))
        return;
    check_add(report, DIAG_NOTE, workload->place,
              "'%s': iWARP completes a WRITE or a SEND once TCP has taken its data, so the latency "
              "does not include the network; its goodput does",
              workload->name);
    check_remedy(report, "compare latencies by kind rdma-read or rdma-ping-pong");
}

/* iWARP completes a SEND once its bytes are in TCP's send buffer, so `outstanding` does not limit
 * the messages that arrive before their receives are posted again; and it has no RNR NAK. */
static void check_unlimited(const struct scenario_workload *workload, struct check_report *report)
{
    const struct wl_rdma_params *params = workload->params;
    const int64_t posted = params->shared_receives > 0 ? params->shared_receives
                           : params->receives > 0      ? params->receives
                                                       : 2 * params->outstanding;
    if (params->rate > 0 || (params->count > 0 && params->count <= posted))
        return;
    check_add(report, DIAG_WARNING, workload->place,
              "'%s': a message that finds no posted receive ends an iWARP connection, and the "
              "sender does not wait for receives: it may send more than the %lld that are posted",
              workload->name, (long long)posted);
    check_remedy(report,
                 "set count: %lld or less, a rate, or kind rdma-ping-pong, whose answers limit the "
                 "sender",
                 (long long)posted);
}

/* Receives of an rdma-send workload, per queue pair or shared. */
static void check_sends(const struct scenario_workload *workload, struct check_report *report)
{
    const struct wl_rdma_params *params = workload->params;
    if (params->receives == 0 || params->shared_receives > 0 ||
        params->receives >= params->outstanding)
        return;
    check_add(
        report, DIAG_WARNING, block_place(workload->values, "receives", workload->place),
        "'%s': only %lld %s for %lld %s that may be outstanding: the others wait for RNR timers",
        workload->name, (long long)params->receives,
        plural(params->receives, "receive", "receives"), (long long)params->outstanding,
        plural(params->outstanding, "message", "messages"));
    check_shows(report, "rnic.rnr_naks > 0");
    check_remedy(report, "set receives: %lld or more", (long long)(2 * params->outstanding));
    if (workload->values != NULL)
        check_set_row(report, workload->values, "receives", "%lld",
                      (long long)(2 * params->outstanding));
}

/* Cost of an RNR NAK: the RNR timer, or with rnr-retry 0 the queue pair. */
static void check_rnr_timers(const struct scenario *scenario, uint32_t index,
                             struct check_report *report)
{
    const struct scenario_node *node = &scenario->nodes[index];
    const struct rnic_params *rnic = node->host->rnic;
    const struct nvme_carrier_holds holds =
        nvme_carrier_holds(node->host->nvme_target, NVME_CARRIER_rdma);
    if (node->host->namespace_count == 0 || (depth_at(scenario, index) <= holds.of_port &&
                                             deepest_at(scenario, index) <= holds.of_queue))
        return;
    if (rnic->rnr_retry == 0) {
        const struct check_thing thing = check_of_rnic(node, "rnr-retry");
        check_alike(report, DIAG_WARNING, &thing,
                    "rnr-retry 0: a command that finds no receive posted ends the queue pair");
        check_remedy(report, "set rnic.rnr-retry: 7, which means without limit");
        check_set(report, &thing, "7");
    } else if (rnic->min_rnr_timer == 0) {
        const struct check_thing thing = check_of_rnic(node, "min-rnr-timer");
        check_alike(report, DIAG_WARNING, &thing,
                    "min-rnr-timer 0 means 655 ms (IBTA Vol 1, table 45): a command that finds no "
                    "receive posted waits for this time and blocks all later commands");
        check_remedy(report, "set rnic.min-rnr-timer: 12 (0.64 ms), and post more receives");
        check_set(report, &thing, "12");
    }
}

static void find_receives(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        if (scenario->workloads[i].ops->needs_nvme_target)
            check_receive_depths(scenario, &scenario->workloads[i], report);
        check_completions(&scenario->workloads[i], report);
        if (strcmp(scenario->workloads[i].ops->name, "rdma-send") == 0)
            (scenario->workloads[i].own_verbs ? check_unlimited
                                              : check_sends)(&scenario->workloads[i], report);
    }
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        check_target(scenario, i, report);
        check_rnr_timers(scenario, i, report);
    }
}

const struct check_rule check_receives = {
    .name = "receives",
    .about = "A target posts a receive for each command that may be outstanding.",
    .run = find_receives,
};
