/* SPDX-License-Identifier: Apache-2.0
 * traffic - what a scenario's workloads send through its fabric, many pairs of hosts as one.
 * Both directions of each pair: data, and the acknowledgements and requests that belong to them,
 * each with its DSCP.  Pairs whose packets come in by the same switch and whose destinations are
 * routed alike everywhere are one entry.
 * Owner: traffic_free. */
#ifndef STORMGLASS_SCENARIOS_CHECK_TRAFFIC_H
#define STORMGLASS_SCENARIOS_CHECK_TRAFFIC_H

#include "scenarios/check/dependency.h"

struct traffic {
    struct dependency_traffic *entries; /* sorted: those of one group stand together */
    uint32_t count;
};

void traffic_gather(struct traffic *traffic, const struct scenario *scenario,
                    const struct route_table *tables);
void traffic_free(struct traffic *traffic);

/* How many entries from `first` on differ in nothing but where they come in. */
uint32_t traffic_group(const struct traffic *traffic, uint32_t first);

#endif
