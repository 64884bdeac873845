/* SPDX-License-Identifier: Apache-2.0
 * draw_layer - the link layer of a scenario, and the keys that only it has. */
#ifndef STORMGLASS_TESTS_SWARM_DRAW_LAYER_H
#define STORMGLASS_TESTS_SWARM_DRAW_LAYER_H

#include "draw_pen.h"

struct cc_preset;
struct workload_ops;

/* Draws the kind of the fabric, or the islands of several kinds, and the version of RoCE, from a
 * stream of their own: scenarios of RoCEv2 on Ethernet are the same as without this choice. */
void layer_choose(struct pen *pen, uint64_t seed);

void layer_fabric(struct pen *pen); /* writes the kind, unless it is the default */

/* The topology of a fabric with islands; false: it has none. */
bool layer_topology(struct pen *pen);

/* Opens the section of `fabric:` for an island, and enters the island. */
void layer_open(struct pen *pen, unsigned island);

/* Selects the island for the next drawings: its link layer, and its hosts for workloads. */
void layer_enter(struct pen *pen, unsigned island);

/* Enters the islands in turn, if there are some. */
void layer_turn(struct pen *pen, unsigned number);

void layer_link(struct pen *pen);
void layer_mtu(struct pen *pen);
void layer_rnic(struct pen *pen);

/* A congestion control whose signals the fabric has. */
const struct cc_preset *layer_control(struct pen *pen);

/* Which hosts are targets: the first one of each island, or some. In a circle of Fibre Channel,
 * which has no workloads but NVMe, all. */
void layer_targets(struct pen *pen);

static inline bool layer_has_credits(const struct pen *pen)
{
    return pen->kind != SCENARIO_ETHERNET;
}

/* Lines that complete a scenario without hosts and workloads. */
const char *layer_any_workload(const struct pen *pen);

/* A workload that the fabric can carry in place of the drawn one. */
const struct workload_ops *layer_workload(const struct pen *pen, const struct workload_ops *drawn);

/* The transport of a workload, or NULL: that of the default. */
const char *layer_transport(struct pen *pen, const struct workload_ops *ops);

#endif
