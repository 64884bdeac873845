/* SPDX-License-Identifier: Apache-2.0
 * check_switch_classes - what hosts send must be the same lossless class at every switch. */
#include "scenarios/check/check_rule.h"

#include "net/switch/switch.h"
#include "scenarios/check/classes.h"
#include "scenarios/fabric/pauses.h"

/* One DSCP at one switch, and at the switches behind it. */
static void check_hop(const struct scenario *scenario, const struct scenario_node *node,
                      unsigned dscp, struct check_report *report)
{
    const unsigned here = node->priority_of_dscp[dscp];
    for (uint16_t p = 0; p < node->port_count; p++) {
        const struct scenario_port *port = &node->ports[p];
        if (port->link == SCENARIO_NO_LINK)
            continue;
        const struct scenario_node *peer = &scenario->nodes[port->peer_node];
        const bool off = port->params->flow_control == PORT_FLOW_NONE;
        if (classes_lossless(node, here) && (pauses_enabled(scenario, node, p) >> here & 1) == 0) {
            const struct check_thing thing =
                check_of_port(node, p, off ? "flow-control" : "pfc-enabled");
            check_alike(report, DIAG_WARNING, &thing,
                        "priority %u is lossless at the switch, but PFC for it is off on the port",
                        here);
            check_shows(report, "drops.lossless > 0");
            check_remedy(report, "flow-control: pfc at both ends, with %u in pfc-enabled", here);
        }
        if (peer->kind != SCENARIO_SWITCH || node->index > peer->index)
            continue;
        const unsigned there = peer->priority_of_dscp[dscp];
        if (here != there || classes_lossless(node, here) != classes_lossless(peer, there)) {
            const struct check_thing thing = check_of_switch(node, "pfc-priorities");
            check_alike(report, DIAG_WARNING, &thing,
                        "DSCP %u is priority %u (%s) here, but %u (%s) at %s", dscp, here,
                        classes_lossless(node, here) ? "lossless" : "lossy", there,
                        classes_lossless(peer, there) ? "lossless" : "lossy", peer->name);
            check_shows(report, "drops.lossy > 0");
            check_remedy(report, "one dscp map and one list pfc.priorities at all switches");
        }
    }
}

/* A workload that chose its DSCP may well mean a class that drops. */
static void check_lossless(const struct scenario_node *node, unsigned dscp, bool chosen,
                           struct check_report *report)
{
    const unsigned priority = node->priority_of_dscp[dscp];
    if (!classes_lossless(node, priority)) {
        const struct check_thing thing = check_of_switch(node, "pfc-priorities");
        check_alike(report, chosen ? DIAG_NOTE : DIAG_WARNING, &thing,
                    "RoCE data may be dropped: DSCP %u is priority %u there, which is not lossless",
                    dscp, priority);
        check_shows(report, "drops.lossy > 0");
        check_remedy(report, "add %u to pfc.priorities, or map DSCP %u to a lossless priority",
                     priority, dscp);
    }
}

static void run(const struct scenario *scenario, struct check_report *report)
{
    struct arena scratch = {0};
    struct classes classes = {0};
    classes_gather(scenario, &scratch, &classes);
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++) {
        for (uint64_t left = classes.hosts | classes.chosen; left != 0; left &= left - 1) {
            const unsigned dscp = (unsigned)__builtin_ctzll(left);
            check_lossless(&scenario->nodes[i], dscp, (classes.hosts >> dscp & 1) == 0, report);
            check_hop(scenario, &scenario->nodes[i], dscp, report);
        }
    }
    arena_free(&scratch);
}

const struct check_rule check_switch_classes = {
    .name = "switch-classes",
    .about = "RoCE data are the same lossless class at every switch.",
    .run = run,
};
