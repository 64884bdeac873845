/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/fabric/loopback.h"

uint16_t loopback_card(const struct scenario_workload *workload)
{
    return (uint16_t)(workload->nic < 0 ? 0 : workload->nic);
}

/* Number of the first of the NIC's two inner ports; the port count if there are none. */
static uint16_t inner_port(const struct scenario_node *host, uint16_t card)
{
    uint16_t p = host->outer_ports;
    while (p < host->port_count && host->ports[p].card != card)
        p++;
    return p;
}

bool loopback_find(const struct scenario *scenario, const struct scenario_workload *workload,
                   const struct scenario_pair *pair, struct nic_pair *nics)
{
    if (pair->from != pair->to)
        return false;
    const uint16_t first = inner_port(&scenario->nodes[pair->from], loopback_card(workload));
    *nics = (struct nic_pair){first, (uint16_t)(first + 1)};
    return true;
}
