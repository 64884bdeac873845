/* SPDX-License-Identifier: Apache-2.0
 * check_lifetimes - frames for a host that returns no credits are discarded at the edge.
 * They stop other traffic on the links between switches until they are discarded. If the switch of
 * the host holds frames as long as the other switches do, those discard frames, too, and of other
 * hosts. Source: Brocade FOS, edge hold time; OpenSM, leaf_head_of_queue_lifetime. */
#include "scenarios/check/check_rule.h"

#include "base/note_text.h"
#include "net/switch/lifetimes.h"

/* The parameter that sets the limit at ports to hosts, or to switches. */
static const char *row_of(enum port_kind kind, bool edge)
{
    if (kind == PORT_FIBRE_CHANNEL)
        return edge ? "edge-hold-time" : "hold-time";
    return edge ? "leaf-head-of-queue-lifetime" : "head-of-queue-lifetime";
}

static bool leads_to_switch(const struct scenario *scenario, const struct scenario_port *port)
{
    return port->link != SCENARIO_NO_LINK &&
           scenario->nodes[port->peer_node].kind == SCENARIO_SWITCH;
}

static void check_switch(const struct scenario *scenario, const struct scenario_node *node,
                         struct check_report *report)
{
    const enum port_kind kind = (enum port_kind)node->ports[0].params->kind;
    const struct lifetime at_edge = lifetime_of(node->switch_params, kind, true);
    const struct lifetime between = lifetime_of(node->switch_params, kind, false);
    const time_ps edge = lifetime_least(&at_edge), core = lifetime_least(&between);
    bool edges = false, links = false;
    for (uint16_t i = 0; i < node->port_count; i++) {
        links |= leads_to_switch(scenario, &node->ports[i]);
        edges |=
            node->ports[i].link != SCENARIO_NO_LINK && !leads_to_switch(scenario, &node->ports[i]);
    }
    if (!edges || !links || edge < core || core == TIME_NEVER)
        return;
    const struct check_thing thing = check_of_switch(node, row_of(kind, true));
    check_alike(report, DIAG_WARNING, &thing,
                "frames for a host without credits are held %s%s, frames between switches %s: "
                "frames of other hosts are discarded, too",
                edge == TIME_NEVER ? "for ever" : "for ",
                edge == TIME_NEVER ? "" : note_time(edge).text, note_time(core).text);
    check_remedy(report, "set %s below %s", row_of(kind, true), row_of(kind, false));
}

static void run_lifetimes_check(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = 0; i < scenario->node_count; i++)
        if (scenario->nodes[i].kind == SCENARIO_SWITCH && scenario->nodes[i].port_count > 0 &&
            scenario_has_credits(&scenario->nodes[i]))
            check_switch(scenario, &scenario->nodes[i], report);
}

const struct check_rule check_lifetimes = {
    .name = "lifetimes",
    .about = "Frames for a host without credits are discarded before frames between switches.",
    .run = run_lifetimes_check,
};
