/* SPDX-License-Identifier: Apache-2.0
 * pauses - derives the PFC defaults of a port from its node and the node at the other end. */
#include "scenarios/fabric/pauses.h"

#include "net/switch/switch.h"
#include "rnic/host/rnic.h"

/* Lossless priorities of the port's own node, without those that the other end adds. */
static unsigned lossless_of(const struct scenario_node *node)
{
    return node->kind == SCENARIO_SWITCH
               ? (unsigned)node->switch_params->pfc_priorities
               : (unsigned)rnic_lossless(node->host->rnic, node->priority_of_dscp);
}

/* True for a NIC with PFC whose priorities are not set by the scenario. */
static bool is_willing(const struct scenario_node *node)
{
    return node->kind == SCENARIO_HOST && node->host->rnic->pfc != 0 &&
           node->host->rnic->pfc_priorities == RNIC_AUTO;
}

static unsigned enabled_at(const struct scenario_port *port, unsigned by_default)
{
    if (port->params->flow_control == PORT_FLOW_NONE)
        return 0;
    if (port->params->flow_control == PORT_FLOW_CREDITS)
        return UINT8_MAX;
    if (port->params->pfc_enabled != PORT_PFC_AUTO)
        return (unsigned)port->params->pfc_enabled;
    return port->params->flow_control == PORT_FLOW_GLOBAL ? UINT8_MAX : by_default;
}

/* Priorities that the other end of a NIC's link offers. */
static unsigned offered_to(const struct scenario *scenario, const struct scenario_port *port)
{
    if (port->link == SCENARIO_NO_LINK)
        return 0;
    const struct scenario_node *peer = &scenario->nodes[port->peer_node];
    const struct scenario_port *end = &peer->ports[port->peer_port];
    if (peer->kind == SCENARIO_HOST)
        return lossless_of(peer);
    return end->params->flow_control == PORT_FLOW_PFC ? enabled_at(end, lossless_of(peer)) : 0;
}

uint8_t pauses_enabled(const struct scenario *scenario, const struct scenario_node *node,
                       uint16_t port)
{
    const struct scenario_port *of = &node->ports[port];
    const unsigned more = is_willing(node) ? offered_to(scenario, of) : 0;
    return (uint8_t)enabled_at(of, lossless_of(node) | more);
}

struct port_params pauses_params(const struct scenario *scenario, const struct scenario_node *node,
                                 uint16_t port)
{
    struct port_params params = *node->ports[port].params;
    params.pfc_enabled = pauses_enabled(scenario, node, port);
    return params;
}
