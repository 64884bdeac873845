/* SPDX-License-Identifier: Apache-2.0
 * flow_walk - the switches that the traffic of the workloads passes, with its egress ports there.
 * All equal-cost paths count. */
#ifndef STORMGLASS_SCENARIOS_CHECK_FLOW_WALK_H
#define STORMGLASS_SCENARIOS_CHECK_FLOW_WALK_H

#include "scenarios/check/traffic.h"

/* Traffic to an endpoint at a switch. */
struct flow_hop {
    uint32_t node;
    const struct route_table *tables;         /* by node */
    const struct dependency_traffic *traffic; /* one of the entries that pass */
    const uint16_t *ports; /* egress ports; to a host: those of an endpoint that is routed alike */
    uint32_t count;
};

typedef void flow_hop_fn(void *self, const struct flow_hop *hop);

/* Calls `call` once for each switch, endpoint, DSCP and load (data, or acknowledgments and
 * requests). */
void flow_walk(const struct scenario *scenario, flow_hop_fn *call, void *self);

#endif
