/* SPDX-License-Identifier: Apache-2.0
 * check_switch_classes - every switch puts a host's traffic into the same lossless class. */
#include "scenarios/check/check_rule.h"

#include "base/quantity.h"
#include "net/port/port.h"
#include "net/switch/switch.h"
#include "rnic/host/rnic.h"
#include "scenarios/check/classes.h"
#include "scenarios/fabric/pauses.h"
#include "scenarios/workload/workload.h"

/* Proposes to make the priority lossless, together with the settings in `more`, if the memory has
 * room for its headroom. */
static void make_lossless(struct check_report *report, const struct scenario *scenario,
                          const struct scenario_node *node, unsigned priority, const char *more)
{
    char mask[QUANTITY_TEXT_BYTES];
    struct switch_params params = *node->switch_params;
    params.pfc_priorities |= INT64_C(1) << priority;
    opt_format(opt_find(switch_opts, "pfc-priorities"), params.pfc_priorities, mask, sizeof mask);
    if (check_fits(scenario, node, &params))
        check_set_here(report, node, SCENARIO_ALL_PORTS, "%spfc: {priorities: [%s]}", more, mask);
    else
        check_set_none(report);
}

static void turn_on(struct check_report *report, const struct scenario *scenario,
                    const struct scenario_node *node, uint16_t port, unsigned priority)
{
    char mask[QUANTITY_TEXT_BYTES];
    const unsigned enabled = pauses_enabled(scenario, node, port) | 1u << priority;
    opt_format(opt_find(port_opts, "pfc-enabled"), enabled, mask, sizeof mask);
    check_set_here(report, node, port, "flow-control: pfc, pfc-enabled: [%s]", mask);
}

/* Proposes that both switches map the DSCP like the one where it is lossless, or else like the
 * first. */
static void make_alike(struct check_report *report, const struct scenario *scenario,
                       const struct scenario_node *a, const struct scenario_node *b, unsigned dscp)
{
    const bool second = !classes_lossless(a, a->priority_of_dscp[dscp]) &&
                        classes_lossless(b, b->priority_of_dscp[dscp]);
    const struct scenario_node *right = second ? b : a, *wrong = second ? a : b;
    const unsigned priority = right->priority_of_dscp[dscp];
    char map[32];
    snprintf(map, sizeof map, "dscp: {%u: %u}", dscp, priority);
    if (!classes_lossless(right, priority)) {
        check_set_here(report, wrong, SCENARIO_ALL_PORTS, "%s", map);
        return;
    }
    snprintf(map, sizeof map, "dscp: {%u: %u}, ", dscp, priority);
    make_lossless(report, scenario, wrong, priority, map);
}

/* Checks one DSCP at one switch and at the next switches on its paths. */
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
            check_alike(
                report, DIAG_WARNING, &thing,
                "priority %u is lossless at the switch, but its PFC is disabled on the port", here);
            check_shows(report, "drops.lossless > 0");
            check_remedy(report,
                         "set flow-control: pfc at both ends of each of these links (%s), with %u "
                         "in pfc-enabled",
                         scenario->links[port->link].name, here);
            turn_on(report, scenario, node, p, here);
            turn_on(report, scenario, peer, port->peer_port, here);
        }
        if (peer->kind != SCENARIO_SWITCH || node->index > peer->index)
            continue;
        const unsigned there = peer->priority_of_dscp[dscp];
        if (here != there || classes_lossless(node, here) != classes_lossless(peer, there)) {
            const struct check_thing thing = check_of_switch(node, "pfc-priorities");
            check_alike(report, DIAG_WARNING, &thing,
                        "DSCP %u has priority %u (%s) here, but %u (%s) at %s", dscp, here,
                        classes_lossless(node, here) ? "lossless" : "lossy", there,
                        classes_lossless(peer, there) ? "lossless" : "lossy", peer->name);
            check_shows(report, "drops.lossy > 0");
            check_remedy(report,
                         "use the same dscp map and the same pfc.priorities at all switches");
            make_alike(report, scenario, node, peer, dscp);
        }
    }
}

/* Proposes the priority of another switch that has the DSCP in a lossless priority, or else makes
 * the present priority lossless. */
static void propose_priority(struct check_report *report, const struct scenario *scenario,
                             const struct scenario_node *node, unsigned dscp)
{
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++) {
        const struct scenario_node *other = &scenario->nodes[i];
        const unsigned there = other->priority_of_dscp[dscp];
        char map[32];
        if (scenario_has_credits(other) || !classes_lossless(other, there))
            continue;
        snprintf(map, sizeof map, "dscp: {%u: %u}, ", dscp, there);
        check_remedy(report, "map DSCP %u to priority %u, as %s does", dscp, there, other->name);
        make_lossless(report, scenario, node, there, map);
        return;
    }
    check_remedy(report, "make priority %u lossless at the switch", node->priority_of_dscp[dscp]);
    make_lossless(report, scenario, node, node->priority_of_dscp[dscp], "");
}

/* A workload that sets its own DSCP may intend a lossy class. */
static void check_lossless(const struct scenario *scenario, const struct scenario_node *node,
                           unsigned dscp, bool chosen, struct check_report *report)
{
    const unsigned priority = node->priority_of_dscp[dscp];
    if (!classes_lossless(node, priority)) {
        const struct check_thing thing = check_of_switch(node, "pfc-priorities");
        check_alike(report, chosen || classes_lossy_by_intent(scenario) ? DIAG_NOTE : DIAG_WARNING,
                    &thing,
                    "DSCP %u has priority %u, which is not lossless: RoCE data may be dropped",
                    dscp, priority);
        check_shows(report, "drops.lossy > 0");
        if (!classes_propose_lossless(report, scenario, dscp))
            propose_priority(report, scenario, node, dscp);
    }
}

static void run_switch_classes_check(const struct scenario *scenario, struct check_report *report)
{
    struct arena scratch = {0};
    struct classes classes = {0};
    classes_gather(scenario, &scratch, &classes);
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++) {
        for (uint64_t left = classes.hosts | classes.chosen; left != 0; left &= left - 1) {
            const unsigned dscp = (unsigned)__builtin_ctzll(left);
            check_lossless(scenario, &scenario->nodes[i], dscp, (classes.hosts >> dscp & 1) == 0,
                           report);
            check_hop(scenario, &scenario->nodes[i], dscp, report);
        }
    }
    arena_free(&scratch);
}

const struct check_rule check_switch_classes = {
    .name = "switch-classes",
    .about = "RoCE data have the same lossless class at every switch.",
    .ethernet = true,
    .run = run_switch_classes_check,
};
