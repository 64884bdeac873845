/* SPDX-License-Identifier: Apache-2.0
 * world_play_private - workloads and faults of a world over time.
 * Included only by world.c and world_play.c. */
#ifndef STORMGLASS_SCENARIOS_WORLD_WORLD_PLAY_PRIVATE_H
#define STORMGLASS_SCENARIOS_WORLD_WORLD_PLAY_PRIVATE_H

#include "scenarios/world/world.h"

void world_play_init(struct world *world);
void world_play_fini(struct world *world);

/* By which NIC an instance's queue pair goes, and to which address. */
struct verbs_device *world_way(const struct workload_site *site, uint32_t queue, uint32_t *ip);

#endif
