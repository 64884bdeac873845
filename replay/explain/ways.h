/* SPDX-License-Identifier: Apache-2.0
 * ways - the transmitters that frames from one host to another may leave by.
 * The host's own port, then those of every switch on the routes that the switches have: with ECMP
 * all of them, so a pair of hosts may have used fewer.
 * Owner: ways_fini.  Scenario, routes (by node) and fabric outlive it. */
#ifndef STORMGLASS_REPLAY_EXPLAIN_WAYS_H
#define STORMGLASS_REPLAY_EXPLAIN_WAYS_H

#include "replay/explain/explain.h"
#include "scenarios/fabric/routing.h"

/* Pairs of a workload beyond these are left out, so that an all-to-all of a large fabric stays
 * cheap. */
enum { WAYS_PAIRS_MAX = 4096 };

struct ways {
    const struct scenario *scenario;
    const struct route_table *routes;
    const struct explain_fabric *fabric;
    uint32_t *seen_in; /* by node: the walk that came by last */
    uint32_t *stack;
    uint32_t walk;
};

void ways_init(struct ways *ways, const struct scenario *scenario, const struct route_table *routes,
               const struct explain_fabric *fabric);
void ways_fini(struct ways *ways);

/* Calls back for each port (of the fabric's row) once for each switch that it is a way of. */
typedef void ways_fn(void *self, uint32_t port);
void ways_visit(struct ways *ways, uint32_t from, uint32_t to, ways_fn *visit, void *self);

/* The priority of the workload's data at the pair's first host. */
uint8_t ways_priority(const struct ways *ways, const struct scenario_workload *workload,
                      const struct scenario_pair *pair);

#endif
