/* SPDX-License-Identifier: Apache-2.0
 * check_host_classes - the switch of a host puts the host's traffic into the same lossless class as
 * the host. */
#include "scenarios/check/check_rule.h"

#include "base/quantity.h"
#include "rnic/host/rnic.h"
#include "scenarios/check/classes.h"
#include "scenarios/fabric/pauses.h"

/* Reports a priority that the switch pauses while the NIC keeps sending. False: reported. */
static bool check_obeyed(const struct scenario *scenario, const struct scenario_node *host,
                         uint16_t port, unsigned dscp, struct check_report *report)
{
    const struct scenario_port *near = &host->ports[port];
    const struct scenario_node *edge = &scenario->nodes[near->peer_node];
    const unsigned here = edge->priority_of_dscp[dscp], own = host->priority_of_dscp[dscp];
    if (here != own || !classes_lossless(edge, here) ||
        (pauses_enabled(scenario, edge, near->peer_port) >> here & 1) == 0 ||
        (pauses_enabled(scenario, host, port) >> own & 1) != 0)
        return true;
    const bool by_port =
        near->params->pfc_enabled != PORT_PFC_AUTO || near->params->flow_control != PORT_FLOW_PFC;
    const struct check_thing thing =
        by_port ? check_of_port(host, port, "pfc-enabled")
                : check_of_rnic(host, host->host->rnic->pfc ? "pfc-priorities" : "pfc");
    check_alike(report, DIAG_WARNING, &thing,
                "the NIC ignores pauses of priority %u (DSCP %u), which is lossless at %s: the "
                "switch drops frames when its buffer is full",
                own, dscp, edge->name);
    check_shows(report, "drops.lossless > 0");
    if (by_port)
        check_remedy(report, "set flow-control: pfc at both ends, with %u in pfc-enabled", own);
    else if (host->host->rnic->pfc)
        check_remedy(report, "add %u to rnic.pfc-priorities", own);
    else
        check_remedy(report, "set rnic.pfc: true");
    return false;
}

/* Proposes that the host map the DSCP like its switch and obey pauses in that priority. */
static void propose_priority(struct check_report *report, const struct scenario_node *host,
                             const struct scenario_node *edge, unsigned dscp)
{
    const unsigned here = edge->priority_of_dscp[dscp];
    const unsigned own = rnic_lossless(host->host->rnic, host->priority_of_dscp);
    const unsigned both = own | (classes_lossless(edge, here) ? 1u << here : 0);
    char mask[QUANTITY_TEXT_BYTES];
    opt_format(opt_find(rnic_opts, "pfc-priorities"), both, mask, sizeof mask);
    check_set_here(report, host, SCENARIO_ALL_PORTS,
                   "rnic: {pfc: true, dscp-to-priority: {%u: %u}, pfc-priorities: [%s]}", dscp,
                   here, mask);
}

/* If the switch maps the DSCP to a lossy class, pauses at the host do not help. Proposes that all
 * switches map the DSCP to the host's priority, if that priority is lossless at every switch. */
static void propose_map(struct check_report *report, const struct scenario *scenario, unsigned own,
                        unsigned dscp)
{
    check_remedy(
        report,
        "map DSCP %u to a lossless priority at the switch, the same priority as at the host", dscp);
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++)
        if (!classes_lossless(&scenario->nodes[i], own))
            return;
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++)
        if (scenario->nodes[i].priority_of_dscp[dscp] != own)
            check_set_here(report, &scenario->nodes[i], SCENARIO_ALL_PORTS, "dscp: {%u: %u}", dscp,
                           own);
}

static void propose_pauses(struct check_report *report, const struct check_thing *thing,
                           unsigned own)
{
    const struct scenario_node *host = thing->node;
    const unsigned lossless = rnic_lossless(host->host->rnic, host->priority_of_dscp);
    char mask[QUANTITY_TEXT_BYTES];
    opt_format(opt_find(rnic_opts, "pfc-priorities"), (int64_t)(lossless | 1u << own), mask,
               sizeof mask);
    check_set(report, thing, "[%s]", mask);
    if (!host->host->rnic->pfc)
        check_set_row(report, thing->values, "pfc", "true");
}

/* The switch at the other end of a host's port determines the class of the host's DSCP. */
static void check_edge(const struct scenario *scenario, const struct scenario_node *host,
                       uint16_t index, unsigned dscp, struct check_report *report)
{
    const struct scenario_port *port = &host->ports[index];
    const struct scenario_node *edge = &scenario->nodes[port->peer_node];
    if (port->link == SCENARIO_NO_LINK || edge->kind != SCENARIO_SWITCH)
        return;
    const unsigned here = edge->priority_of_dscp[dscp], own = host->priority_of_dscp[dscp];
    if (here != own) {
        const struct check_thing thing = check_of_rnic(host, "priority");
        check_alike(
            report, DIAG_WARNING, &thing,
            "DSCP %u is sent on priority %u, but %s maps it to priority %u: pauses have no effect",
            dscp, own, edge->name, here);
        check_shows(report,
                    classes_lossless(edge, here) ? "drops.lossless > 0" : "drops.lossy > 0");
        if (classes_lossless(edge, here)) {
            check_remedy(report,
                         "use the same priority at both ends: set rnic.priority or "
                         "rnic.dscp-to-priority of the host, or the dscp map of the switch");
            propose_priority(report, host, edge, dscp);
        } else if (!classes_propose_lossless(report, scenario, dscp)) {
            propose_map(report, scenario, own, dscp);
        }
    }
    if (check_obeyed(scenario, host, index, dscp, report) && classes_lossless(edge, here) &&
        (rnic_lossless(host->host->rnic, host->priority_of_dscp) >> own & 1) == 0) {
        const struct check_thing thing = check_of_rnic(host, "pfc-priorities");
        check_alike(report, DIAG_WARNING, &thing,
                    "the NIC sends no pauses for priority %u (DSCP %u): when its receive buffer is "
                    "full, it drops traffic that is lossless at %s",
                    own, dscp, edge->name);
        check_shows(report, "drops.lossy > 0");
        check_remedy(report, "add %u to rnic.pfc-priorities", own);
        propose_pauses(report, &thing, own);
    }
}

static void check_host(const struct scenario *scenario, const struct scenario_node *host,
                       uint64_t dscps, struct check_report *report)
{
    for (uint64_t left = dscps; left != 0; left &= left - 1)
        for (uint16_t p = 0; p < host->port_count; p++)
            check_edge(scenario, host, p, (unsigned)__builtin_ctzll(left), report);
}

static void find_host_classes(const struct scenario *scenario, struct check_report *report)
{
    struct arena scratch = {0};
    struct classes classes = {0};
    classes_gather(scenario, &scratch, &classes);
    for (uint32_t i = 0; i < scenario->host_count; i++)
        check_host(scenario, &scenario->nodes[i], classes.of_host[i], report);
    arena_free(&scratch);
}

const struct check_rule check_host_classes = {
    .name = "host-classes",
    .about =
        "A host and its switch map each DSCP to the same priority, and both enable PFC for it.",
    .ethernet = true,
    .run = find_host_classes,
};
