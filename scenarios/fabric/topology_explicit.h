/* SPDX-License-Identifier: Apache-2.0
 * topology_explicit - nodes and links as a scenario lists them. */
#ifndef STORMGLASS_SCENARIOS_FABRIC_TOPOLOGY_EXPLICIT_H
#define STORMGLASS_SCENARIOS_FABRIC_TOPOLOGY_EXPLICIT_H

#include "scenarios/fabric/topology.h"

/* {hosts: [..], switches: [..], links: [{ends: [.., ..]}]}; see topology.h. */
bool topology_explicit(struct arena *arena, const struct tree_node *written,
                       struct topology *topology, struct diag *diag);

#endif
