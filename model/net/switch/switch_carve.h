/* SPDX-License-Identifier: Apache-2.0
 * switch_carve - how a switch's packet memory is cut, before there is a switch.
 * A memory is cut for the profile's ports, not for those that are linked: a port more changes
 * nothing for the others.  begin; plan_link for each link; end.
 * Source:  SONiC BUFFER_POOL, BUFFER_PROFILE and cfgmgr/buffer_pool_mellanox.lua (what is reserved
 *          comes off the pools; shared headroom pool = sum of headrooms / over_subscribe_ratio).
 * Units:   cells unless the name says bytes.  Errors: switch_plan_end tells. */
#ifndef STORMGLASS_NET_SWITCH_SWITCH_CARVE_H
#define STORMGLASS_NET_SWITCH_SWITCH_CARVE_H

#include "net/headroom/headroom.h"
#include "net/switch/switch.h"

/* A port that is joined, as headroom sees its link. */
struct headroom_link switch_link(const struct switch_params *params, const struct port *port);

struct switch_plan {
    const struct switch_params *params;
    int64_t lossless;      /* number of such priorities */
    int64_t links;         /* that were reported */
    int64_t headroom_sum;  /* of all links' lossless groups */
    int64_t headroom_most; /* of one group: what a port has that is not linked */
    int64_t ports;         /* that the memory is cut for */
    int64_t total;
    int64_t reserved;      /* of groups and queues, together */
    int64_t headroom;      /* set aside: of all groups, or their pool */
    int64_t lossless_pool; /* or the common one */
    int64_t lossy_pool;    /* 0: lossy groups share the common pool */
    int64_t egress_lossy;
};

void switch_plan_begin(struct switch_plan *plan, const struct switch_params *params);

/* The headroom of each lossless group at that end of a link. */
int64_t switch_plan_link(struct switch_plan *plan, const struct headroom_link *link);

/* A switch with that many ports, linked or not.  False: its memory is too small, and why (without
 * the switch's name). */
bool switch_plan_end(struct switch_plan *plan, int64_t port_count, char *why, size_t size);

/* A parameter's bytes in whole cells. */
int64_t switch_cells_up(const struct switch_params *params, int64_t bytes);
int64_t switch_cells_down(const struct switch_params *params, int64_t bytes);

#endif
