/* SPDX-License-Identifier: Apache-2.0
 * scenario_fc - what `fabric.kind: fibre-channel` makes of the parameters.
 * Links get a credit for each frame of the receive buffer (bb-credit), and 32GFC and data fields of
 * 2048 B unless the scenario sets them. A switch has such a buffer for each port as reserved
 * memory, so that nothing is ever dropped for lack of buffer. The RNIC of a host becomes an HBA:
 * its delays remain, its queue pairs, pipeline and PCIe are not used. The values are written into
 * the blocks, so that the settings of a run show them.
 * Source: FC-FS-4, FC-PI-5 to FC-PI-8. */
#ifndef STORMGLASS_SCENARIOS_LOAD_SCENARIO_FC_H
#define STORMGLASS_SCENARIOS_LOAD_SCENARIO_FC_H

#include "scenarios/load/scenario_load.h"

/* Adapts the blocks of all nodes and ports, when overrides have been applied. */
void scenario_finish_fc(struct loader *loader);

/* Refuses a link at which the login of its ends would not agree. */
void scenario_check_fc_link(struct loader *loader, const struct scenario_link *link);

/* The rate that a port with that link layer will have then. */
int64_t scenario_rate(const struct block *block, enum scenario_kind kind);

#endif
