/* SPDX-License-Identifier: Apache-2.0
 * routing - routes of a scenario's switches, for simulation and for checks without a run.
 * First, shortest paths over the links that the control plane considers up; then static routes and
 * misroutes on top; last, each switch removes those of its ports that it has detected as down.
 * Endpoints are the ports of the hosts, in the order of nodes and ports. */
#ifndef STORMGLASS_SCENARIOS_FABRIC_ROUTING_H
#define STORMGLASS_SCENARIOS_FABRIC_ROUTING_H

#include "net/route/route.h"
#include "scenarios/data/scenario.h"

/* Input of the routes at one point in time; NULL: none. */
struct routing_view {
    const uint8_t *converged; /* by link; 1: excluded from all computed routes */
    const uint8_t *detected;  /* by link; 1: the switches at its ends have detected that it is
                               * down */
    const uint8_t *misrouted; /* by fault; 1: this misroute is in force */
};

/* Compute one table per node; those of hosts are empty. Owner: the caller, with routing_free, or
 * route_table_fini for each and free. routing_compute: link_down is by link, 1 for links that are
 * down and that all switches have excluded; NULL: all links are up. */
struct route_table *routing_compute(const struct scenario *scenario, const uint8_t *link_down);
struct route_table *routing_compute_view(const struct scenario *scenario,
                                         const struct routing_view *view);
void routing_free(const struct scenario *scenario, struct route_table *tables);

/* True for links to a host, which no routing protocol announces. */
bool routing_is_host_link(const struct scenario *scenario, uint32_t link);

/* True if all switches learn that the link is down: links between switches, and links of a host
 * whose NICs are one link aggregate, which each of its switches withdraws (RFC 7432 8.2). */
bool routing_is_announced(const struct scenario *scenario, uint32_t link);

struct routing_epoch {
    time_ps at; /* time at which this state of the routes first occurs */
    struct routing_view view;
};

/* The distinct states of the routes in a run, ordered by first occurrence, beginning with the
 * initial state. At most `most` states (at least 1), because a flapping link may cause many. Owner:
 * the caller; free(*epochs) frees them all. */
uint32_t routing_epochs(const struct scenario *scenario, uint32_t most,
                        struct routing_epoch **epochs);

#endif
