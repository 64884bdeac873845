/* SPDX-License-Identifier: Apache-2.0
 * traffic - the traffic of a scenario's workloads through its fabric, with many pairs of hosts
 * merged into one entry.
 * Both directions of each pair are included: data, and their acknowledgments and requests, each
 * with its DSCP. Pairs that enter the fabric at the same switch and whose destinations have the
 * same routes everywhere share one entry.
 * Owner: traffic_free. */
#ifndef STORMGLASS_SCENARIOS_CHECK_TRAFFIC_H
#define STORMGLASS_SCENARIOS_CHECK_TRAFFIC_H

#include "scenarios/check/dependency.h"

struct traffic {
    struct dependency_traffic *entries; /* sorted, so that the entries of one group are adjacent */
    uint32_t count;
};

void traffic_gather(struct traffic *traffic, const struct scenario *scenario,
                    const struct route_table *tables);
void traffic_free(struct traffic *traffic);

/* Number of entries from `first` on that differ only in the switch at which they enter the
 * fabric. */
uint32_t traffic_group(const struct traffic *traffic, uint32_t first);

#endif
