/* SPDX-License-Identifier: Apache-2.0
 * routing - the routes of a scenario's switches, for the world that plays it and for checks without
 * a run.
 * Shortest paths over the links that the control plane believes in; written routes and misroutes
 * over them; last, each switch does without its own ports that it knows to be dead.
 * Endpoints are the ports of the hosts, in the order of the nodes and of their ports. */
#ifndef STORMGLASS_SCENARIOS_FABRIC_ROUTING_H
#define STORMGLASS_SCENARIOS_FABRIC_ROUTING_H

#include "net/route/route.h"
#include "scenarios/load/scenario.h"

/* What routes are made from at one moment; NULL: nothing. */
struct routing_view {
    const uint8_t *converged; /* by link, 1: no switch's computed routes use it */
    const uint8_t *detected;  /* by link, 1: the switches at its ends know that it is down */
    const uint8_t *misrouted; /* by fault, 1: this misroute is in force */
};

/* A table for each node, those of hosts empty.  Owner: the caller; routing_free, or
 * route_table_fini for each and free.
 * routing_compute: link_down, by link, 1 for those that carry nothing and that every switch knows
 * of; NULL: all are up. */
struct route_table *routing_compute(const struct scenario *scenario, const uint8_t *link_down);
struct route_table *routing_compute_view(const struct scenario *scenario,
                                         const struct routing_view *view);
void routing_free(const struct scenario *scenario, struct route_table *tables);

/* The links that lead to a host: no routing protocol announces them. */
bool routing_is_host_link(const struct scenario *scenario, uint32_t link);

/* Whether all switches learn that the link is down: those between switches, and those of a host
 * whose NICs are one link aggregate, which each of its switches withdraws (RFC 7432 8.2). */
bool routing_is_announced(const struct scenario *scenario, uint32_t link);

struct routing_epoch {
    time_ps at; /* the first time that routes were so */
    struct routing_view view;
};

/* The different states that the routes of a run go through, in the order of their first times; the
 * first is that of the beginning.  At most `most` (at least 1), which a flapping link may reach.
 * Owner: the caller, free(*epochs) frees them all. */
uint32_t routing_epochs(const struct scenario *scenario, uint32_t most,
                        struct routing_epoch **epochs);

#endif
