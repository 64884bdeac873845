/* SPDX-License-Identifier: Apache-2.0
 * pauses - what a port has by default follows from its node and the node at the other end. */
#include "scenarios/fabric/pauses.h"

#include "net/switch/switch.h"
#include "rnic/host/rnic.h"

/* Of the port's own node; what the other end adds is not in it. */
static unsigned lossless_of(const struct scenario_node *node)
{
    return node->kind == SCENARIO_SWITCH
               ? (unsigned)node->switch_params->pfc_priorities
               : (unsigned)rnic_lossless(node->host->rnic, node->priority_of_dscp);
}

/* A NIC whose PFC is on, and whose priorities the scenario does not say. */
static bool is_willing(const struct scenario_node *node)
{
    return node->kind == SCENARIO_HOST && node->host->rnic->pfc != 0 &&
           node->host->rnic->pfc_priorities == RNIC_AUTO;
}

uint8_t pauses_enabled(const struct scenario *scenario, const struct scenario_node *node,
                       uint16_t port)
{
    const struct scenario_port *of = &node->ports[port];
    unsigned priorities = (unsigned)of->params->pfc_enabled;
    if (of->params->flow_control == PORT_FLOW_NONE)
        return 0;
    if (of->params->pfc_enabled != PORT_PFC_AUTO)
        return (uint8_t)priorities;
    if (of->params->flow_control == PORT_FLOW_GLOBAL)
        return UINT8_MAX;
    priorities = lossless_of(node);
    if (of->link != SCENARIO_NO_LINK && is_willing(node))
        priorities |= lossless_of(&scenario->nodes[of->peer_node]);
    return (uint8_t)priorities;
}

struct port_params pauses_params(const struct scenario *scenario, const struct scenario_node *node,
                                 uint16_t port)
{
    struct port_params params = *node->ports[port].params;
    params.pfc_enabled = pauses_enabled(scenario, node, port);
    return params;
}
