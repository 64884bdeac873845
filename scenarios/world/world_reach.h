/* SPDX-License-Identifier: Apache-2.0
 * world_reach - whether one host's RNIC can reach another's at this moment.
 * Follows the switches' routes over links that have carrier and lose less than every frame, there
 * and back.  A loop of routes counts as a way: its frames are dropped by their hop limit, and seen.
 * Reads only what changes between events, so any node may ask during its events.
 * Clock: the present. */
#ifndef STORMGLASS_SCENARIOS_WORLD_WORLD_REACH_H
#define STORMGLASS_SCENARIOS_WORLD_WORLD_REACH_H

#include <stdbool.h>
#include <stdint.h>

/* As rnic_fabric.reaches; `world` is a struct world. */
bool world_reaches(const void *world, uint32_t from, uint32_t to);

#endif
