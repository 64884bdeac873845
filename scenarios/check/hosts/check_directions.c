/* SPDX-License-Identifier: Apache-2.0
 * check_directions - traffic to a host and from it is lossless in both directions, or lossy in
 * both.
 * Each side sends with its own DSCP; the switch at the sender determines the class. */
#include "scenarios/check/check_rule.h"

#include "rnic/host/rnic.h"
#include "scenarios/check/classes.h"
#include "scenarios/workload/workload.h"

/* One direction, as the sender's switch classifies it. */
struct direction {
    const struct scenario_node *edge;
    unsigned dscp;
    bool lossless;
};

/* False: the sender is not connected to a switch. */
static bool find_direction(const struct scenario *scenario, uint32_t sender, uint8_t dscp,
                           struct direction *direction)
{
    const struct scenario_node *host = &scenario->nodes[sender];
    if (host->port_count == 0 || host->ports[0].link == SCENARIO_NO_LINK)
        return false;
    const struct scenario_node *edge = &scenario->nodes[host->ports[0].peer_node];
    if (edge->kind != SCENARIO_SWITCH)
        return false;
    *direction =
        (struct direction){edge, dscp, classes_lossless(edge, edge->priority_of_dscp[dscp])};
    return true;
}

static void report_directions(const struct scenario *scenario, struct check_report *report,
                              const struct scenario_workload *workload,
                              const struct scenario_pair *pair, const struct direction *out,
                              const struct direction *back)
{
    const struct scenario_node *initiator = &scenario->nodes[pair->from];
    const struct scenario_node *acceptor = &scenario->nodes[pair->to];
    const bool is_tcp = workload->by_tcp;
    const struct check_thing thing =
        is_tcp ? check_of_tcp(acceptor, "dscp") : check_of_rnic(acceptor, "accept-dscp");
    const struct direction *lossy = out->lossless ? back : out;
    check_alike(report, DIAG_WARNING, &thing,
                "'%s' is lossless in one direction only: the initiators send with DSCP %u "
                "(%s at %s), the targets with DSCP %u (%s at %s)",
                workload->name, back->dscp, back->lossless ? "lossless" : "lossy", back->edge->name,
                out->dscp, out->lossless ? "lossless" : "lossy", out->edge->name);
    check_shows(report, "drops.lossy > 0");
    const struct direction *lossless = out->lossless ? out : back;
    if (!classes_lossless(lossy->edge, lossy->edge->priority_of_dscp[lossless->dscp])) {
        check_remedy(report, "map DSCP %u to a priority with PFC at %s", lossy->dscp,
                     lossy->edge->name);
    } else if (out->lossless && is_tcp) {
        check_remedy(report, "set tcp.dscp of the target to %u, the DSCP of the requests",
                     out->dscp);
        check_set(report, &thing, "%u", out->dscp);
    } else if (out->lossless) {
        check_remedy(report, "reply with the DSCP of the request, %u: rnic.accept-dscp auto",
                     out->dscp);
        check_set(report, &thing, "auto");
    } else {
        classes_propose(report, scenario, workload, initiator, back->dscp);
    }
}

static void find_directions(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; i < workload->pair_count; i++) {
            const struct scenario_pair *pair = &workload->pairs[i];
            const uint8_t dscp = scenario_dscp(scenario, workload, pair);
            const uint8_t back_dscp = scenario_dscp_back(scenario, workload, pair);
            struct direction out, back;
            if (dscp == back_dscp || !find_direction(scenario, pair->from, dscp, &out) ||
                !find_direction(scenario, pair->to, back_dscp, &back) ||
                out.lossless == back.lossless)
                continue;
            report_directions(scenario, report, workload, pair, &out, &back);
        }
    }
}

const struct check_rule check_directions = {
    .name = "directions",
    .about = "The two directions of a workload are either both lossless or both lossy.",
    .ethernet = true,
    .run = find_directions,
};
