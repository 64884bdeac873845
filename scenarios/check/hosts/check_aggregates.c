/* SPDX-License-Identifier: Apache-2.0
 * check_aggregates - the NICs of a link aggregate have equal rates, and flows can use all of
 * them. */
#include "scenarios/check/check_rule.h"

#include "rnic/host/rnic.h"
#include "scenarios/fabric/nics.h"
#include "scenarios/workload/workload.h"

static void check_apart(const struct scenario *scenario, const struct scenario_node *host,
                        struct check_report *report)
{
    const char *why = nics_why_apart(scenario, host);
    const struct check_thing thing = check_of_rnic(host, "lag");
    if (why == NULL)
        return;
    check_alike(report, DIAG_WARNING, &thing,
                "rnic.lag has no effect, the NICs are not aggregated: %s", why);
}

/* A hash ignores rates: a fast member link carries no more than a slow one. */
static void check_rates(const struct scenario_node *host, struct check_report *report)
{
    int64_t least = INT64_MAX, most = 0;
    uint16_t slowest = 0;
    for (uint16_t p = 0; p < host->outer_ports; p++) {
        if (host->ports[p].link == SCENARIO_NO_LINK)
            continue;
        const int64_t rate = host->ports[p].params->rate;
        slowest = rate < least ? p : slowest;
        least = rate < least ? rate : least;
        most = rate > most ? rate : most;
    }
    if (least == most)
        return;
    const struct check_thing thing = check_of_port(host, slowest, "rate");
    check_alike(report, DIAG_WARNING, &thing,
                "the links of its link aggregation group have different rates, but each gets the "
                "same number of flows");
    check_remedy(report, "use links of one rate");
}

/* Queue pairs of the host, to and from all others. */
struct flows {
    uint64_t count;
    uint32_t peers, last;
};

static void count_flows(const struct scenario *scenario, uint32_t node, struct flows *flows)
{
    *flows = (struct flows){.last = UINT32_MAX};
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; i < workload->pair_count; i++) {
            const struct scenario_pair *pair = &workload->pairs[i];
            if (pair->from != node && pair->to != node)
                continue;
            const uint32_t peer = pair->from == node ? pair->to : pair->from;
            flows->peers += peer != flows->last;
            flows->last = peer;
            flows->count += (uint64_t)workload->turns * workload->copies;
        }
    }
}

static void check_spread(const struct scenario *scenario, uint32_t node,
                         struct check_report *report)
{
    const struct scenario_node *host = &scenario->nodes[node];
    const int64_t lag = host->host->rnic->lag;
    const struct check_thing thing = check_of_rnic(host, "lag");
    struct flows flows;
    count_flows(scenario, node, &flows);
    if (flows.count == 0)
        return;
    if (host->host->rnic->roce_version == 1) {
        if (lag != RNIC_LAG_QUEUE_AFFINITY)
            check_alike(report, DIAG_NOTE, &thing,
                        "RoCE v1 queue pairs are assigned to the links of the link aggregation "
                        "group in turn: only RoCEv2 is hashed");
        return;
    }
    if (lag == RNIC_LAG_LAYER2)
        check_alike(report, DIAG_WARNING, &thing,
                    "all its frames leave by one link of its link aggregation group "
                    "(polarization): through a router, all frames have the same two MAC addresses");
    else if (lag == RNIC_LAG_LAYER2_3 && flows.peers == 1)
        check_alike(report, DIAG_WARNING, &thing,
                    "all its frames leave by one link of its link aggregation group "
                    "(polarization): it sends to one host, and the hash uses only addresses");
    else
        return;
    check_remedy(report, "set rnic.lag: queue-affinity or layer3+4");
    check_set(report, &thing, "layer3+4");
}

static void run_aggregates_check(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        check_apart(scenario, &scenario->nodes[i], report);
        if (!scenario->nodes[i].is_aggregate)
            continue;
        check_rates(&scenario->nodes[i], report);
        check_spread(scenario, i, report);
    }
}

const struct check_rule check_aggregates = {
    .name = "aggregates",
    .about =
        "The NICs of a link aggregation group have the same rate, and flows can use all of them.",
    .by_run = true,
    .run = run_aggregates_check,
};
