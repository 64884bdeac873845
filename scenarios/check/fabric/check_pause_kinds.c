/* SPDX-License-Identifier: Apache-2.0
 * check_pause_kinds - both ends of a link use the same kind of pause, and a global pause stops only
 * one class (IEEE 802.3x PAUSE: IEEE 802.3 annex 31B). */
#include "scenarios/check/check_rule.h"
#include "scenarios/check/link_classes.h"

#include "base/quantity.h"
#include "net/port/port.h"

static bool is_several(uint8_t priorities)
{
    return (priorities & (priorities - 1)) != 0;
}

/* Reports a port that pauses all priorities at once although it carries data of several. */
static void check_shared(const struct scenario *scenario, const struct link_classes *classes,
                         const struct scenario_node *node, uint16_t port,
                         struct check_report *report)
{
    const struct scenario_port *end = &node->ports[port];
    if (end->link == SCENARIO_NO_LINK || end->params->flow_control != PORT_FLOW_GLOBAL)
        return;
    const struct scenario_node *peer = &scenario->nodes[end->peer_node];
    const uint32_t index = (uint32_t)(node - scenario->nodes);
    const uint64_t dscps = link_classes_at(classes, index, port)->data;
    const uint8_t priorities = link_classes_priorities(node, dscps);
    const struct link_classes_port *in = link_classes_at(classes, end->peer_node, end->peer_port);
    const uint8_t back = peer->kind == SCENARIO_SWITCH ? link_classes_priorities(peer, in->data)
                                                       : link_classes_priorities(node, in->data);
    if (!is_several(priorities) && !is_several(back))
        return;
    const struct check_thing thing = check_of_port(node, port, "flow-control");
    check_alike(report, DIAG_WARNING, &thing,
                "flow-control global on %s: a pause of one class stops all classes on the link",
                scenario->links[end->link].name);
    check_remedy(report, "set flow-control: pfc at both ends of %s",
                 scenario->links[end->link].name);
    check_set_here(report, node, port, "flow-control: pfc");
    check_set_here(report, peer, end->peer_port, "flow-control: pfc");
}

static void check_ends(const struct scenario *scenario, struct check_report *report)
{
    static const char *const kinds[] = {"PFC", "PAUSE", "no pauses"};
    for (uint32_t i = 0; i < scenario->link_count; i++) {
        const struct scenario_link *link = &scenario->links[i];
        const struct scenario_node *a = &scenario->nodes[link->node[0]];
        const struct scenario_node *b = &scenario->nodes[link->node[1]];
        const int64_t here = a->ports[link->port[0]].params->flow_control;
        const int64_t there = b->ports[link->port[1]].params->flow_control;
        if (here == there)
            continue;
        const struct check_thing thing = check_of_port(a, link->port[0], "flow-control");
        check_alike(report, DIAG_WARNING, &thing,
                    "%s at this end, but %s at %s: neither end obeys the other", kinds[here],
                    kinds[there], scenario_port_name(b, link->port[1]).text);
        check_shows(report, "drops.lossless > 0");
        const int64_t both = here == PORT_FLOW_PFC || there == PORT_FLOW_NONE ? here : there;
        check_remedy(report, "use %s at both ends of the link", kinds[both]);
        char word[QUANTITY_TEXT_BYTES];
        opt_format(opt_find(port_opts, "flow-control"), both, word, sizeof word);
        check_set_here(report, a, link->port[0], "flow-control: %s", word);
        check_set_here(report, b, link->port[1], "flow-control: %s", word);
    }
}

static void find_pause_kinds(const struct scenario *scenario, struct check_report *report)
{
    bool any = false;
    check_ends(scenario, report);
    for (uint32_t i = 0; i < scenario->link_count && !any; i++) {
        const struct scenario_link *link = &scenario->links[i];
        const struct scenario_node *node = &scenario->nodes[link->node[0]];
        any = node->ports[link->port[0]].params->flow_control == PORT_FLOW_GLOBAL;
    }
    if (!any)
        return;
    struct link_classes classes;
    link_classes_init(&classes, scenario);
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++)
        for (uint16_t p = 0; p < scenario->nodes[i].port_count; p++)
            check_shared(scenario, &classes, &scenario->nodes[i], p, report);
    link_classes_fini(&classes);
}

const struct check_rule check_pause_kinds = {
    .name = "pause-kinds",
    .about = "Both ends of a link use the same kind of pause (PFC or IEEE 802.3x PAUSE).",
    .ethernet = true,
    .run = find_pause_kinds,
};
