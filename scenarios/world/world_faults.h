/* SPDX-License-Identifier: Apache-2.0
 * world_faults - faults of a world, between its events: effects of the fault kinds on hosts, ports
 * and targets. */
#ifndef STORMGLASS_SCENARIOS_WORLD_WORLD_FAULTS_H
#define STORMGLASS_SCENARIOS_WORLD_WORLD_FAULTS_H

#include "scenarios/world/world.h"

void world_faults_init(struct world *world);
void world_faults_fini(struct world *world); /* also for a world whose faults were never started */

/* Time of the next beginning or end of a fault's effect; TIME_NEVER: none. */
time_ps world_faults_due(const struct world *world);

/* Applies everything that is due; the engine's clock is at that time. */
void world_faults_apply(struct world *world);

/* ---- used by `apply` of a fault ---- */

/* Faults of the frames that leave by the port; created without effect on the first call. */
struct port_fault *world_faults_port(struct world *world, const struct scenario_spot *spot);

struct nvme_target *world_faults_target(const struct world *world, uint32_t node);

#endif
