/* SPDX-License-Identifier: Apache-2.0
 * htsim - fat trees (.topo) and connection matrices (.cm) of htsim.
 *   Nodes 8 / Tiers 2 / Podsize 8 / Tier 0 / Downlink_speed_Gbps 100 / Radix_Down 4 / Radix_Up 2 /
 *   Downlink_Latency_ns 500 / Switch_Latency_ns 0 / Oversubscribed 2 / Bundle 1 / Queue_Down ..
 *   Nodes 8 / Connections 2 / 0->7 start PICOSECONDS size BYTES id 1 prio 2 / ..
 * Hosts are host0 .., switches tor0 .., agg0 .., core0 .., cabled as in fat_tree_topology.cpp.
 * Flows started by a trigger, and settings without a counterpart, are left out with a note.
 * The files may be in any order; a matrix alone is one switch with its hosts.
 * Source: Broadcom/csg-htsim, sim/datacenter: fat_tree_topology.cpp, connection_matrix.cpp. */
#ifndef STORMGLASS_SCENARIOS_IMPORT_HTSIM_H
#define STORMGLASS_SCENARIOS_IMPORT_HTSIM_H

#include "scenarios/import/cabling.h"

enum { HTSIM_TIERS = 3 };

/* A tier of a fat tree as in the file; 0: not set. */
struct htsim_tier {
    int64_t rate_gbps, radix_down, radix_up, latency_ns, switch_ns, oversubscribed, bundle;
    bool there;
};

struct htsim_tree {
    int64_t nodes, tiers, pod;
    struct htsim_tier tier[HTSIM_TIERS];
    struct diag_place place; /* place in the file */
};

/* Implements cabling_reader. */
bool htsim_read(struct cabling *cabling);

/* Adds the tree's nodes and links; false, with a message, if its numbers do not agree. */
bool htsim_build(struct cabling *cabling, const struct htsim_tree *tree);

#endif
