/* SPDX-License-Identifier: Apache-2.0
 * world_reach - whether one host's RNIC can currently reach another one's.
 * Follows the switches' routes in both directions, over links that have carrier and do not lose
 * every frame. A routing loop counts as reachable: its frames are dropped by their hop limit, which
 * is visible. Reads only data that change between events, so any node may call it during its
 * events.
 * Clock: the present. */
#ifndef STORMGLASS_SCENARIOS_WORLD_WORLD_REACH_H
#define STORMGLASS_SCENARIOS_WORLD_WORLD_REACH_H

#include <stdbool.h>
#include <stdint.h>

/* Implements rnic_fabric.reaches; `world` is a struct world. */
bool world_reaches(const void *world, uint32_t from, uint32_t to);

#endif
