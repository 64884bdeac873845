/* SPDX-License-Identifier: Apache-2.0
 * subnet - routes as a subnet manager of InfiniBand computes them: one port of each switch for each
 * destination (LID).
 * min-hop: of the ports on shortest paths, the one with the fewest destinations so far. Paths may
 * form a cycle of waiting buffers: a credit loop.
 * up-down: links are directed towards the roots, the switches of the highest tier; a path goes up,
 * then down, and never up again. So no cycle of buffers exists. Switches below which the
 * destination is found route down, all others up.
 * fat-tree: shortest paths; the port is the destination modulo the number of ports, so that all
 * paths to a destination meet at one root, and permutations by a shift collide nowhere.
 * Source: OpenSM current-routing.txt (min hop, UPDN, fat-tree); Schroeder et al. 1991 (Autonet,
 * up/down); Zahavi 2012 (D-Mod-K). */
#ifndef STORMGLASS_SCENARIOS_FABRIC_SUBNET_H
#define STORMGLASS_SCENARIOS_FABRIC_SUBNET_H

#include "net/route/route.h"
#include "scenarios/data/scenario.h"

/* up-down: replaces the routes between switches. `down`: links without carrier, or NULL. */
void subnet_direct(const struct scenario *scenario, const uint8_t *down,
                   struct route_table *tables);

/* Leaves one port of each switch for each destination. */
void subnet_choose_ports(const struct scenario *scenario, struct route_table *tables);

#endif
