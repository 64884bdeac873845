/* SPDX-License-Identifier: Apache-2.0
 * switch_carve - how a switch's packet memory is divided, computed without a switch.
 * The memory is divided for the number of ports of the profile, not for the linked ones, so that
 * one more link does not change the others' share. Call switch_plan_begin, switch_plan_link for
 * each link, switch_plan_end.
 * Source: SONiC BUFFER_POOL, BUFFER_PROFILE and cfgmgr/buffer_pool_mellanox.lua (reservations are
 * subtracted from the pools; shared headroom pool = sum of headrooms / over_subscribe_ratio).
 * Units: cells unless the name contains bytes. Errors: from switch_plan_end. */
#ifndef STORMGLASS_NET_SWITCH_SWITCH_CARVE_H
#define STORMGLASS_NET_SWITCH_SWITCH_CARVE_H

#include "net/headroom/headroom.h"
#include "net/switch/switch.h"

/* The link of a joined port, as input for headroom. */
struct headroom_link switch_link(const struct switch_params *params, const struct port *port);

struct switch_plan {
    const struct switch_params *params;
    int64_t lossless;      /* number of lossless priorities */
    int64_t links;         /* number of links added */
    int64_t headroom_sum;  /* sum over all lossless groups of the links */
    int64_t headroom_most; /* largest headroom of a group, used for unlinked ports */
    int64_t ports;         /* number of ports for which the memory is divided */
    int64_t total;
    int64_t reserved;      /* total of groups and queues */
    int64_t headroom;      /* reserved: the sum over all groups, or their pool */
    int64_t lossless_pool; /* the common pool when there is no lossy pool */
    int64_t lossy_pool;    /* 0: lossy groups share the common pool */
    int64_t egress_lossy;
};

void switch_plan_begin(struct switch_plan *plan, const struct switch_params *params);

/* Adds this end of a link; returns the headroom of each of its lossless groups. */
int64_t switch_plan_link(struct switch_plan *plan, const struct headroom_link *link);

/* Completes the plan for a switch of `port_count` ports, linked or not. Returns false with the
 * reason (without the switch's name) when its memory is too small. */
bool switch_plan_end(struct switch_plan *plan, int64_t port_count, char *why, size_t size);

/* Converts a parameter in bytes to whole cells. */
int64_t switch_cells_up(const struct switch_params *params, int64_t bytes);
int64_t switch_cells_down(const struct switch_params *params, int64_t bytes);

#endif
