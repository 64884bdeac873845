/* SPDX-License-Identifier: Apache-2.0
 * scenario_infiniband - what `fabric.kind: infiniband` makes of the parameters.
 * Links get flow control by credits. The lanes of a switch get their buffers as reserved memory of
 * its groups, so that nothing is ever dropped for lack of buffer. The values are written into the
 * blocks, so that the settings of a run show them.
 * Source: IBTA Vol 1 7.6.6 (SL to VL), 7.9 (flow control), annex A10 (congestion control). */
#ifndef STORMGLASS_SCENARIOS_LOAD_SCENARIO_INFINIBAND_H
#define STORMGLASS_SCENARIOS_LOAD_SCENARIO_INFINIBAND_H

#include "rnic/cc/cc.h"
#include "scenarios/load/scenario_load.h"

/* Reads `fabric.kind`, before all other parts of the fabric. */
void scenario_load_kind(struct loader *loader, const struct tree_node *fabric);

/* The map by service level, from `sl-to-vl` of the section with that link layer; NULL if it is
 * Ethernet. */
uint8_t *scenario_load_service_levels(struct loader *loader, const struct tree_node *section,
                                      enum scenario_kind kind);

/* The congestion control of hosts that name none. */
const char *scenario_default_control(enum scenario_kind kind);

/* The congestion control of that name; NULL, with a message: there is none, or no part of the
 * fabric has the signals that it needs. */
const struct cc_preset *scenario_control(struct loader *loader, const struct tree_node *word);

/* Refuses a host whose congestion control needs the signals of another link layer. */
void scenario_check_control(struct loader *loader, uint32_t host);

/* Adapts the blocks of all nodes and ports, when overrides have been applied. */
void scenario_finish_infiniband(struct loader *loader);

#endif
