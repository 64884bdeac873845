/* SPDX-License-Identifier: Apache-2.0
 * pauses - the priorities in which a port sends PFC and obeys it.
 * These are `pfc-enabled` of the port if the scenario sets it. By default, a switch enables PFC in
 * its lossless priorities. A NIC enables PFC in `rnic.pfc-priorities`, by default the priority of
 * its own data and those of the switch port, which offers them by DCBX. A NIC with `rnic.pfc:
 * false` has none. With flow-control: global, all priorities send PAUSE by default. With credits,
 * each lane stops its sender when its buffer is full.
 *   Source: IEEE 802.1Q-2018 36.1.3.3 (PFC is enabled for each priority of a port), 38 and D.2.11
 *           (DCBX: a willing station takes the peer's PFC enable vector); SONiC PORT_QOS_MAP
 *           pfc_enable; mlnx_qos --pfc, which is for both directions. */
#ifndef STORMGLASS_SCENARIOS_FABRIC_PAUSES_H
#define STORMGLASS_SCENARIOS_FABRIC_PAUSES_H

#include "scenarios/data/scenario.h"

/* Mask of the priorities, without the faults of the run; none with flow-control: none. */
uint8_t pauses_enabled(const struct scenario *scenario, const struct scenario_node *node,
                       uint16_t port);

/* A copy of the port's parameters with `pfc-enabled` set to that mask. */
struct port_params pauses_params(const struct scenario *scenario, const struct scenario_node *node,
                                 uint16_t port);

#endif
