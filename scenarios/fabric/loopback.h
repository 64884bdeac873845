/* SPDX-License-Identifier: Apache-2.0
 * loopback - inner ports of hosts that are paired with themselves.
 * What a NIC's queue pairs send to others of the same NIC does not leave it: it passes a link of
 * the NIC's own, between two inner ports that stand behind the host's other ports.  By the one
 * sends who is in `from`, by the other who is in `to`, each way at `rnic.loopback-rate`.  An inner
 * port has an address, and buffers, of its own; all that the NIC's pipeline is (engines, PCIe, the
 * cache of contexts) it shares with the NIC. */
#ifndef STORMGLASS_SCENARIOS_FABRIC_LOOPBACK_H
#define STORMGLASS_SCENARIOS_FABRIC_LOOPBACK_H

#include "scenarios/fabric/nics.h"

struct loader;

/* Gives the workload's hosts the inner ports that they have not yet: of the NIC that the workload
 * names, or of the first.  False, and an error at what is `written`, where they cannot have
 * them. */
bool loopback_make(struct loader *loader, const struct scenario_workload *workload,
                   const struct tree_node *written);

/* False: the two are different hosts. */
bool loopback_find(const struct scenario *scenario, const struct scenario_workload *workload,
                   const struct scenario_pair *pair, struct nic_pair *nics);

#endif
