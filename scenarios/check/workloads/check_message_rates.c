/* SPDX-License-Identifier: Apache-2.0
 * check_message_rates - no RNIC exceeds the message rate of real RNICs.
 * Without post-cost, qp-message-cost and message-cost, the simulated RNIC is limited by the link
 * alone, so small messages reach unrealistic rates. Measured rates of cards: perftest on a
 * ConnectX-5, 3.1 million 1-byte WRITEs per second on one queue pair and core; on a ConnectX-6, 123
 * million on 32 queue pairs.
 * Before a run, the rule checks an upper bound of the rate: what the link carries, and what the
 * outstanding messages allow if only the delays of the two RNICs count. */
#include "scenarios/check/check_rule.h"

#include "base/memory.h"
#include "rnic/host/rnic.h"
#include "scenarios/workload/workload.h"

#include <stdlib.h>

/* Messages per second. The limit of a queue pair is also above that of the profiles, 3.9 million.
 * LEAST: operations needed for an estimate. */
enum { QUEUE_PAIR_DOES = 4000000, CARD_DOES = 123000000, LEAST = 100 };

/* Bytes of a frame around the payload, its gap included, as of a SEND. */
enum { FRAME_OVERHEAD = 82 };

static int64_t param(const struct scenario_workload *workload, const char *name)
{
    return opt_value(workload->ops->opts, name, workload->params, 0);
}

/* Operations per second; 0: too few operations for an estimate. */
static uint64_t rate_of(const struct workload_member *member)
{
    const time_ps took = member->last_completion - member->first_issue;
    if (member->completed < LEAST || took <= 0)
        return 0;
    return (uint64_t)(member->completed * (unsigned __int128)PS_PER_S / (uint64_t)took);
}

static bool queue_pairs_are_limited(const struct rnic_params *params)
{
    const struct pipeline_params *limits = &params->pipeline;
    return limits->post > 0 || limits->qp_message > 0 || limits->message > 0 ||
           params->soft.software;
}

static void tell_queue_pair(const struct scenario *scenario,
                            const struct scenario_workload *workload, uint32_t host, uint64_t rate,
                            struct check_report *report)
{
    if (rate <= QUEUE_PAIR_DOES || queue_pairs_are_limited(scenario->nodes[host].host->rnic))
        return;
    check_add(report, DIAG_WARNING, workload->place,
              "'%s': %u.%u million operations per second on one queue pair of %s, whose RNIC has "
              "no message rate limit; real cards reach about 3 million",
              workload->name, (unsigned)(rate / 1000000), (unsigned)(rate / 100000 % 10),
              scenario->nodes[host].name);
    check_remedy(report, "use an rnic.profile with limits (generic-100g; stormglass list "
                         "profiles), or set rnic.post-cost");
}

static void tell_card(const struct scenario_node *node, uint64_t rate, struct check_report *report)
{
    const struct rnic_params *params = node->host->rnic;
    if (rate / node->outer_ports <= CARD_DOES || params->pipeline.message > 0 ||
        params->soft.software)
        return;
    const struct check_thing thing = check_of_rnic(node, "message-cost");
    check_alike(report, DIAG_WARNING, &thing,
                "more than %d million operations per second on an RNIC without a message rate "
                "limit; no measured card reaches this rate",
                CARD_DOES / 1000000);
    check_remedy(report, "use an rnic.profile with limits (generic-200g; stormglass list "
                         "profiles), or set rnic.message-cost");
}

/* Messages per second of one queue pair if neither RNIC limits them; 0: not a closed loop of
 * messages of one size. */
static uint64_t bound_of(const struct scenario *scenario, const struct scenario_workload *workload,
                         const struct scenario_pair *pair)
{
    const struct scenario_node *from = &scenario->nodes[pair->from];
    const struct rnic_params *params = from->host->rnic,
                             *peer = scenario->nodes[pair->to].host->rnic;
    const int64_t size = param(workload, "message-size"), queues = param(workload, "qps");
    const int64_t outstanding = param(workload, "outstanding");
    const time_ps delay = params->tx_delay + peer->rx_delay;
    if (size <= 0 || queues <= 0 || outstanding <= 0 || param(workload, "rate") > 0 ||
        param(workload, "sizes") != 0 || from->ports[0].link == SCENARIO_NO_LINK)
        return 0;
    const uint64_t rate = (uint64_t)from->ports[0].params->rate;
    const uint64_t carried = rate / 8 / (uint64_t)(size + FRAME_OVERHEAD) / (uint64_t)queues;
    const uint64_t kept =
        delay <= 0 ? carried
                   : (uint64_t)((unsigned __int128)outstanding * PS_PER_S / (uint64_t)delay);
    return kept < carried ? kept : carried;
}

static void before(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        const struct scenario_pair *pair = workload->pairs;
        if (workload->pair_count == 0 || workload->by_tcp || workload->ops->needs_nvme_target ||
            queue_pairs_are_limited(scenario->nodes[pair->from].host->rnic))
            continue;
        const uint64_t rate = bound_of(scenario, workload, pair);
        if (rate <= QUEUE_PAIR_DOES)
            continue;
        check_add(report, DIAG_WARNING, workload->place,
                  "'%s': up to %u.%u million operations per second on one queue pair of %s, whose "
                  "RNIC has no message rate limit; real cards reach about 3 million",
                  workload->name, (unsigned)(rate / 1000000), (unsigned)(rate / 100000 % 10),
                  scenario->nodes[pair->from].name);
        check_remedy(report, "use an rnic.profile with limits (generic-100g; stormglass list "
                             "profiles), or set rnic.post-cost");
    }
}

static void after(const struct check_run *run, struct check_report *report)
{
    const struct scenario *scenario = run->scenario;
    uint64_t *of_host = memory_zeroed(scenario->node_count, sizeof *of_host);
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        const int64_t queues = param(workload, "queues") + param(workload, "qps");
        uint64_t most = 0;
        uint32_t host = 0;
        for (uint32_t i = 0; i < workload->pair_count * workload->copies; i++) {
            const struct scenario_pair *pair = &workload->pairs[i / workload->copies];
            const struct workload_member *member = run->members[run->first_member[w] + i];
            const uint64_t rate = member == NULL ? 0 : rate_of(member);
            const uint64_t each = rate / (uint64_t)(queues < 1 ? 1 : queues);
            of_host[pair->from] += rate;
            of_host[pair->to] += rate;
            host = each > most ? pair->from : host;
            most = each > most ? each : most;
        }
        tell_queue_pair(scenario, workload, host, most, report);
    }
    for (uint32_t h = 0; h < scenario->host_count; h++)
        tell_card(&scenario->nodes[h], of_host[h], report);
    free(of_host);
}

const struct check_rule check_message_rates = {
    .name = "message-rates",
    .about = "No RNIC exceeds the message rate of real cards (estimated before a simulation, and "
             "checked after it).",
    .run = before,
    .after = after,
};
