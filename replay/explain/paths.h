/* SPDX-License-Identifier: Apache-2.0
 * paths - the ports through which frames from one host to another may leave.
 * The host's own port, then the ports of every switch on the route; with ECMP all candidates, so a
 * pair of hosts may have used fewer.
 * Owner: paths_fini. Scenario, routes (by node) and fabric must outlive it. */
#ifndef STORMGLASS_REPLAY_EXPLAIN_PATHS_H
#define STORMGLASS_REPLAY_EXPLAIN_PATHS_H

#include "replay/explain/explain.h"
#include "scenarios/fabric/routing.h"

/* Further pairs of a workload are omitted, to keep all-to-all in a large fabric cheap. */
enum { PATHS_PAIRS_MAX = 4096 };

struct paths {
    const struct scenario *scenario;
    const struct route_table *routes;
    const struct explain_fabric *fabric;
    uint32_t *seen_in; /* by node: number of the last walk that visited it */
    uint32_t *stack;
    uint32_t walk;
};

void paths_init(struct paths *paths, const struct scenario *scenario,
                const struct route_table *routes, const struct explain_fabric *fabric);
void paths_fini(struct paths *paths);

/* Called for each port (fabric index), once per switch of which it is an egress. */
typedef void paths_fn(void *self, uint32_t port);
void paths_visit(struct paths *paths, uint32_t from, uint32_t to, paths_fn *visit, void *self);

/* Covers the NICs that the pair's queue pairs use, in both directions. */
void paths_of_pair(struct paths *paths, const struct scenario_workload *workload,
                   const struct scenario_pair *pair, paths_fn *visit, void *self);

/* The priority of the workload's data at the pair's first host. */
uint8_t paths_priority(const struct paths *paths, const struct scenario_workload *workload,
                       const struct scenario_pair *pair);

#endif
