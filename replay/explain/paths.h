/* SPDX-License-Identifier: Apache-2.0
 * paths - the transmitters that frames from one host to another may leave by.
 * The host's own port, then those of every switch on the routes that the switches have: with ECMP
 * all of them, so a pair of hosts may have used fewer.
 * Owner: paths_fini.  Scenario, routes (by node) and fabric outlive it. */
#ifndef STORMGLASS_REPLAY_EXPLAIN_PATHS_H
#define STORMGLASS_REPLAY_EXPLAIN_PATHS_H

#include "replay/explain/explain.h"
#include "scenarios/fabric/routing.h"

/* Pairs of a workload beyond these are left out, so that an all-to-all of a large fabric stays
 * cheap. */
enum { PATHS_PAIRS_MAX = 4096 };

struct paths {
    const struct scenario *scenario;
    const struct route_table *routes;
    const struct explain_fabric *fabric;
    uint32_t *seen_in; /* by node: the walk that came by last */
    uint32_t *stack;
    uint32_t walk;
};

void paths_init(struct paths *paths, const struct scenario *scenario,
                const struct route_table *routes, const struct explain_fabric *fabric);
void paths_fini(struct paths *paths);

/* Calls back for each port (of the fabric's row) once for each switch that it is an egress of. */
typedef void paths_fn(void *self, uint32_t port);
void paths_visit(struct paths *paths, uint32_t from, uint32_t to, paths_fn *visit, void *self);

/* By the NICs that the pair's queue pairs use, there and back. */
void paths_of_pair(struct paths *paths, const struct scenario_workload *workload,
                   const struct scenario_pair *pair, paths_fn *visit, void *self);

/* The priority of the workload's data at the pair's first host. */
uint8_t paths_priority(const struct paths *paths, const struct scenario_workload *workload,
                       const struct scenario_pair *pair);

#endif
