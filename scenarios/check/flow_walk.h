/* SPDX-License-Identifier: Apache-2.0
 * flow_walk - which switches the traffic of the workloads passes, and by which of their ports it
 * goes on.
 * Every path of equal cost counts. */
#ifndef STORMGLASS_SCENARIOS_CHECK_FLOW_WALK_H
#define STORMGLASS_SCENARIOS_CHECK_FLOW_WALK_H

#include "scenarios/check/traffic.h"

/* Traffic to an endpoint at a switch. */
struct flow_hop {
    uint32_t node;
    const struct route_table *tables;         /* by node */
    const struct dependency_traffic *traffic; /* one of those that come by */
    const uint16_t *ports; /* by which it leaves; to a host: that of one like it */
    uint32_t count;
};

typedef void flow_hop_fn(void *self, const struct flow_hop *hop);

/* Once for each switch, endpoint, DSCP and load (data, or what answers them). */
void flow_walk(const struct scenario *scenario, flow_hop_fn *call, void *self);

#endif
