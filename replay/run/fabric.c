/* SPDX-License-Identifier: Apache-2.0
 * fabric - numbers the ports. */
#include "replay/run/fabric.h"

#include "base/check.h"
#include "base/memory.h"

#include <stdlib.h>

static uint32_t *first_ports(const struct scenario *scenario)
{
    uint32_t *first = memory_zeroed(scenario->node_count + 1, sizeof *first);
    for (uint32_t node = 0; node < scenario->node_count; node++)
        first[node + 1] = first[node] + scenario->nodes[node].port_count;
    return first;
}

void fabric_init(struct explain_fabric *fabric, const struct scenario *scenario)
{
    const uint32_t nodes = scenario->node_count;
    uint32_t *first = first_ports(scenario);
    const char **names = memory_zeroed(nodes, sizeof *names);
    const char **port_names = memory_zeroed(first[nodes], sizeof *port_names);
    bool *is_host = memory_zeroed(nodes, sizeof *is_host);
    uint32_t *peer = memory_zeroed(first[nodes], sizeof *peer);
    uint32_t *node_of = memory_zeroed(first[nodes], sizeof *node_of);
    int64_t *rate = memory_zeroed(first[nodes], sizeof *rate);
    bool *pauses_all = memory_zeroed(first[nodes], sizeof *pauses_all);
    for (uint32_t node = 0; node < nodes; node++) {
        names[node] = scenario->nodes[node].name;
        is_host[node] = scenario->nodes[node].kind == SCENARIO_HOST;
        for (uint32_t i = 0; i < scenario->nodes[node].port_count; i++) {
            const struct scenario_port *port = &scenario->nodes[node].ports[i];
            CHECK(port->peer_node < nodes);
            port_names[first[node] + i] = port->name;
            peer[first[node] + i] = first[port->peer_node] + port->peer_port;
            node_of[first[node] + i] = node;
            rate[first[node] + i] = port->params->rate;
            pauses_all[first[node] + i] = port->params->flow_control == PORT_FLOW_GLOBAL;
        }
    }
    *fabric = (struct explain_fabric){
        .node_count = nodes,
        .names = names,
        .port_names = port_names,
        .is_host = is_host,
        .first_port = first,
        .peer = peer,
        .node_of = node_of,
        .rate_bps = rate,
        .pauses_all = pauses_all,
    };
}

void fabric_fini(struct explain_fabric *fabric)
{
    free((void *)(uintptr_t)fabric->names);
    free((void *)(uintptr_t)fabric->port_names);
    free((void *)(uintptr_t)fabric->is_host);
    free((void *)(uintptr_t)fabric->first_port);
    free((void *)(uintptr_t)fabric->peer);
    free((void *)(uintptr_t)fabric->node_of);
    free((void *)(uintptr_t)fabric->rate_bps);
    free((void *)(uintptr_t)fabric->pauses_all);
    *fabric = (struct explain_fabric){0};
}
