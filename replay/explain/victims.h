/* SPDX-License-Identifier: Apache-2.0
 * victims - who was stopped for another's sake, and how far he is from it.
 * The culprit is the host that a root of pauses belongs to, or the host behind the congested
 * egress.  A pair of hosts is a victim when a port on the shortest paths between them was
 * stopped because of that root:
 *   direct     it talks to the culprit itself
 *   indirect   it does not, but one of its ends does
 *   same-path  neither does; its frames share ports with those that wait
 * A workload or a host is in the nearest class of its pairs.
 * Source: the names from the troubleshooting method for lossless Ethernet after Gupta and Nalla,
 *         Detecting, Troubleshooting, and Preventing Congestion in Storage Networks (Cisco Press):
 *         besthub.dev, part 5.  It names the three without defining them in what was at hand; the
 *         definitions above are ours (assumed).
 * Not exact: ECMP uses one of several shortest paths, so a victim may have been lucky.
 * Cost: a walk of the paths of each pair, of at most WAYS_PAIRS_MAX pairs of a workload. */
#ifndef STORMGLASS_REPLAY_EXPLAIN_VICTIMS_H
#define STORMGLASS_REPLAY_EXPLAIN_VICTIMS_H

#include "replay/explain/explain.h"
#include "scenarios/fabric/routing.h"

/* The nearer, the smaller. */
enum victim_class { VICTIM_DIRECT = 1, VICTIM_INDIRECT, VICTIM_SAME_PATH, VICTIM_NONE };

struct victim {
    enum victim_class class;
    time_ps held; /* the longest that one port on its paths was stopped; 0: no victim */
};

/* "direct"; NULL: no victim. */
const char *victims_class_name(enum victim_class class);

/* The nearer class and the longer stop of both. */
void victims_merge(struct victim *whole, struct victim part);

/* Of that root.  `routes`: by node.  `workloads` has room for all workloads, `hosts` for all nodes;
 * either may be NULL.  A root between two switches has no culprit, and then nobody is a victim, nor
 * where there is no such root. */
void victims_find(const struct scenario *scenario, const struct route_table *routes,
                  const struct explain *explain, uint32_t root, struct victim *workloads,
                  struct victim *hosts);

#endif
