/* SPDX-License-Identifier: Apache-2.0
 * world_play_private - workloads and faults of a world over time.
 * Included only by world.c and world_play.c. */
#ifndef STORMGLASS_SCENARIOS_WORLD_WORLD_PLAY_PRIVATE_H
#define STORMGLASS_SCENARIOS_WORLD_WORLD_PLAY_PRIVATE_H

#include "scenarios/world/world.h"

void world_play_init(struct world *world);
void world_play_fini(struct world *world);

#endif
