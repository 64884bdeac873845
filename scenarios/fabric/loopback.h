/* SPDX-License-Identifier: Apache-2.0
 * loopback - inner ports of hosts that are paired with themselves.
 * Traffic between queue pairs of the same NIC does not leave the NIC. It passes an internal link
 * between two inner ports, which are numbered after the host's other ports. The `from` side sends
 * by the first, the `to` side by the second, each at `rnic.loopback-rate`. An inner port has its
 * own address and buffers; the NIC's pipeline (engines, PCIe, context cache) is shared with the
 * NIC. */
#ifndef STORMGLASS_SCENARIOS_FABRIC_LOOPBACK_H
#define STORMGLASS_SCENARIOS_FABRIC_LOOPBACK_H

#include "scenarios/fabric/nics.h"

/* The NIC of the workload's inner ports: the one that it names, or the first. */
uint16_t loopback_card(const struct scenario_workload *workload);

/* Finds the inner ports of a pair; the numbers begin at the port count if they do not exist yet.
 * False: the pair has two different hosts. */
bool loopback_find(const struct scenario *scenario, const struct scenario_workload *workload,
                   const struct scenario_pair *pair, struct nic_pair *nics);

#endif
