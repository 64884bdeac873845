/* SPDX-License-Identifier: Apache-2.0
 * world_faults - what goes wrong in a world, between its events: what the kinds of faults do to
 * hosts, ports and targets. */
#ifndef STORMGLASS_SCENARIOS_WORLD_WORLD_FAULTS_H
#define STORMGLASS_SCENARIOS_WORLD_WORLD_FAULTS_H

#include "scenarios/world/world.h"

void world_faults_init(struct world *world);
void world_faults_fini(struct world *world); /* also of a world whose faults were never begun */

/* The next moment at which something goes wrong or right; TIME_NEVER: none. */
time_ps world_faults_due(const struct world *world);

/* Lets happen what is due; the engine's clock stands at that moment. */
void world_faults_apply(struct world *world);

/* ---- what a fault changes, in its `apply` ---- */

/* What befalls the frames that leave by the port; nothing yet where nobody asked before. */
struct port_fault *world_faults_port(struct world *world, const struct scenario_spot *spot);

struct nvme_target *world_faults_target(const struct world *world, uint32_t node);

#endif
