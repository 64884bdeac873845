/* SPDX-License-Identifier: Apache-2.0
 * route - equal-cost shortest paths to each destination.
 * A table has, for each endpoint (RNIC port of the fabric), a group of egress ports on shortest
 * paths by hop count. ECMP selects one by a hash of the frame's 5-tuple and the switch's seed, so a
 * flow stays on one path. Two tiers with the same seed make the same choice: hash polarization, as
 * in real fabrics. */
#ifndef STORMGLASS_NET_ROUTE_ROUTE_H
#define STORMGLASS_NET_ROUTE_ROUTE_H

#include "base/check.h"
#include "base/hash.h"

#include <stdbool.h>
#include <stdint.h>

/* The egress to an endpoint: a port, or ROUTE_GROUP plus the position of a group. */
enum { ROUTE_GROUP = 1 << 15, ROUTE_NONE = ROUTE_GROUP };

struct route_table {
    uint16_t *egress; /* by endpoint */
    uint16_t *groups; /* each group is a count followed by that many ports; the first is empty:
                       * no route */
    uint32_t endpoint_count;
    uint32_t used; /* used entries of `groups` */
};

/* The topology for routing. */
struct route_link {
    uint32_t a, b; /* nodes */
    uint16_t a_port, b_port;
};

struct route_graph {
    uint32_t node_count;
    const struct route_link *links;
    uint32_t link_count;
    const uint8_t *forwards;       /* by node: forwards traffic (a switch) */
    const uint32_t *endpoint_node; /* by endpoint: its host */
    const uint16_t *endpoint_port; /* by endpoint: its port on that host */
    uint32_t endpoint_count;
    /* By endpoint: the first of the consecutive endpoints that share its address (link
     * aggregation); each can be reached through the port of any. NULL: no address is shared. */
    const uint32_t *endpoint_lead;
};

/* Fills the tables of all nodes that forward (tables[node]) and leaves the others unchanged. */
void route_compute(const struct route_graph *graph, struct route_table *tables);
void route_table_fini(struct route_table *table);

/* Sets the egress to one endpoint to any of the ports, which are distinct; no ports: no route. */
void route_set(struct route_table *table, uint32_t endpoint, const uint16_t *ports, uint16_t count);

/* The egress port; UINT16_MAX: no route. */
static inline uint16_t route_pick(const struct route_table *table, uint32_t endpoint,
                                  uint32_t entropy, uint64_t seed)
{
    const uint16_t egress = table->egress[endpoint];
    if (egress < ROUTE_GROUP)
        return egress;
    if (UNLIKELY(egress == ROUTE_NONE))
        return UINT16_MAX;
    const uint16_t *group = &table->groups[egress - ROUTE_GROUP];
    const uint64_t hash = hash_mix(entropy ^ seed);
    return group[1 + (uint32_t)(((hash >> 32) * group[0]) >> 32)];
}

/* All ports among which route_pick chooses; returns their number. */
static inline uint32_t route_all(const struct route_table *table, uint32_t endpoint,
                                 const uint16_t **ports)
{
    const uint16_t *egress = &table->egress[endpoint];
    if (*egress < ROUTE_GROUP) {
        *ports = egress;
        return 1;
    }
    const uint16_t *group = &table->groups[*egress - ROUTE_GROUP];
    *ports = group + 1;
    return group[0];
}

#endif
