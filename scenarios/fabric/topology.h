/* SPDX-License-Identifier: Apache-2.0
 * topology - `fabric.topology` as explicit nodes and links.
 * Generated kinds name and number things in one documented order; an explicit one as it is written.
 *   single-switch {hosts}       switch0: p0.. to the hosts
 *   leaf-spine {leaves, spines, hosts-per-leaf}
 *                               leaf: hosts first (p0..), then spines; spine: p<leaf>
 *   fat-tree {k}                edge: hosts, then agg; agg: edges, then cores; core: p<pod>
 *   explicit {hosts, switches, links}
 *                               links: [{ends: ["leaf1:p1", "host0"], names: [swp1, eth0], rate,
 *                               length, mtu}]
 *   dot {file, hosts}           made an explicit one before it comes here (scenario_dot.c)
 * Hosts are numbered leaf by leaf; nodes are hosts, then leaf, spine or edge, agg, core.  In a
 * fat-tree pod p has edge and agg p*k/2 .. p*k/2+k/2-1, and agg number j of every pod meets core
 * j*k/2 .. j*k/2+k/2-1.
 * Source of the fat-tree: Al-Fares, Loukissas, Vahdat, SIGCOMM 2008.
 * Owner: the arena.  Errors: located messages. */
#ifndef STORMGLASS_SCENARIOS_FABRIC_TOPOLOGY_H
#define STORMGLASS_SCENARIOS_FABRIC_TOPOLOGY_H

#include "scenarios/format/block.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    TOPOLOGY_NODES_MAX = 200000,
    TOPOLOGY_PORTS_MAX = 4096, /* of one node */
    TOPOLOGY_LINKS_MAX = 1000000,
    TOPOLOGY_LINK_BYTES = 6000, /* of a run's memory, ports and queues at both ends; measured */
    TOPOLOGY_NAME_MAX = 47
};

/* False, and an error, when there would be more links than the limit: nothing is taken for them. */
bool topology_links_fit(const struct tree_node *written, int64_t links, struct diag *diag);

struct topology_node {
    const char *name;
    bool is_host;
    uint8_t tier; /* hosts 0, then upwards; all switches of an explicit topology 1 */
    uint16_t port_count;
    struct diag_place place;
};

struct topology_link {
    uint32_t node[2];
    uint16_t port[2];
    const char *port_name[2]; /* what the equipment calls it, or NULL */
    const struct tree_node
        *written; /* explicit: the mapping with its own rate, length, mtu; else NULL */
    struct diag_place place;
};

struct topology {
    struct topology_node *nodes;
    uint32_t node_count, host_count;
    struct topology_link *links;
    uint32_t link_count;
    const struct block *sizes; /* what a generated kind was made from; NULL: explicit */
};

/* May a port be called so beside its pN?  A letter, then letters, digits, '.', '_', '-', '/'; at
 * most TOPOLOGY_NAME_MAX, and no pN itself. */
bool topology_port_name(const char *name);

/* False and messages when it cannot be built. */
bool topology_load(struct arena *arena, const struct tree_node *written, struct topology *topology,
                   struct diag *diag);

/* The rows of the generated kind with that number, and its word; NULL after the last. */
const struct opt *topology_rows(size_t number, const char **kind);

#endif
