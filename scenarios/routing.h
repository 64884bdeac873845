/* SPDX-License-Identifier: Apache-2.0
 * routing - the routes of a scenario's switches, for the world that plays it and for checks without
 * a run.
 * Endpoints are the ports of the hosts, in the order of the nodes and of their ports. */
#ifndef STORMGLASS_SCENARIOS_ROUTING_H
#define STORMGLASS_SCENARIOS_ROUTING_H

#include "net/route.h"
#include "scenarios/scenario.h"

/* A table for each node, those of hosts empty; link_down: by link, 1 for those that carry nothing,
 * NULL: all are up.  Owner: the caller; routing_free, or route_table_fini for each and free. */
struct route_table *routing_compute(const struct scenario *scenario, const uint8_t *link_down);
void routing_free(const struct scenario *scenario, struct route_table *tables);

#endif
