/* SPDX-License-Identifier: Apache-2.0
 * victims - workloads that were stopped for another's sake.
 * A pair of hosts is a victim of a root of pauses when none of the two is the root's host, but a
 * port on the shortest paths between them was stopped because of that root.  ECMP uses one of
 * several such paths, so a victim may have been lucky.
 * Cost: a walk of the paths of each pair, of at most VICTIMS_PAIRS_MAX pairs of a workload. */
#ifndef STORMGLASS_REPLAY_VICTIMS_H
#define STORMGLASS_REPLAY_VICTIMS_H

#include "replay/explain.h"
#include "scenarios/world.h"

enum { VICTIMS_PAIRS_MAX = 4096 };

/* For each workload the longest time that one port on its paths was stopped because of the first
 * root; 0: no victim.  `held` has room for all workloads. */
void victims_find(const struct world *world, const struct explain *explain, time_ps *held);

#endif
