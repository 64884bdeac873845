/* SPDX-License-Identifier: Apache-2.0
 * topology - converts `fabric.topology` to nodes and links: one file per kind, one line in
 * topology.def.
 * A generated kind has keys and computes its size from them; a written kind reads nodes and links.
 * Nodes are hosts first, then switches tier by tier. Hosts are numbered along the first tier, so
 * the same file always gives the same names and numbers.
 * Owner: the arena. Errors: located messages. */
#ifndef STORMGLASS_SCENARIOS_FABRIC_TOPOLOGY_H
#define STORMGLASS_SCENARIOS_FABRIC_TOPOLOGY_H

#include "scenarios/format/block.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    TOPOLOGY_NODES_MAX = 200000,
    TOPOLOGY_PORTS_MAX = 4096, /* ports of one node */
    TOPOLOGY_NICS_MAX = 8,     /* NICs of one host, one port each */
    TOPOLOGY_LINKS_MAX = 1000000,
    TOPOLOGY_LINK_BYTES = 6000, /* measured memory of a run per link: ports and queues at both
                                 * ends */
    TOPOLOGY_NAME_MAX = 47
};

struct topology_node {
    const char *name;
    bool is_host;
    uint8_t tier; /* hosts 0, switches from 1 upwards */
    uint16_t port_count;
    struct diag_place place;
};

struct topology_link {
    uint32_t node[2];
    uint16_t port[2];
    const char *port_name[2]; /* names of the ports on the equipment, or NULL */
    const struct tree_node
        *written; /* explicit: the mapping with the link's own rate, length, mtu; else NULL */
    struct diag_place place;
};

struct topology {
    struct topology_node *nodes;
    uint32_t node_count, host_count;
    struct topology_link *links;
    uint32_t link_count;
    uint32_t nics;             /* NICs of each host that queues are spread over, as far as the
                                * host has them */
    const struct block *sizes; /* keys that determine the topology; NULL: explicit without keys */
};

/* How hosts with several NICs are cabled. same: all NICs to one switch; dual: each NIC to another
 * switch of a group of as many neighboring switches as there are NICs, as with two top-of-rack
 * switches; fabrics: each NIC to a fabric of its own, a-.. and b-.., without links between the
 * fabrics. */
#define TOPOLOGY_HOMINGS(X)                                                                        \
    X(SAME, "same")                                                                                \
    X(DUAL, "dual")                                                                                \
    X(FABRICS, "fabrics")

#define X(name, word) TOPOLOGY_##name,
enum topology_homing { TOPOLOGY_HOMINGS(X) };
#undef X

/* Part of the parameters of each generated kind, with TOPOLOGY_NICS_ROWS. */
struct topology_nics {
    int64_t nics, homing;
};

#define TOPOLOGY_NICS_ROW(field)                                                                   \
    {                                                                                              \
        "nics", OPT_INT, field, "1", "1", "8", NULL,                                               \
            "Number of NICs of each host, with one port each. Workloads distribute their queue "   \
            "pairs over them.",                                                                    \
            "own", OPT_ACTS(FABRIC, ANY, TRACE)                                                    \
    }
#define TOPOLOGY_HOMING_ROW(field)                                                                 \
    {                                                                                              \
        "homing", OPT_CHOICE, field, "same", NULL, NULL, OPT_WORDS(TOPOLOGY_HOMINGS),              \
            "Where the NICs of a host are connected. same: all to one switch; dual: each to "      \
            "another switch of a group of adjacent switches; fabrics: each to a separate fabric, " \
            "whose switches have names such as a-leaf0 and b-leaf0.",                              \
            "own; dual-homed servers and A/B fabrics of storage networks",                         \
            OPT_ACTS(FABRIC, ANY, TRACE)                                                           \
    }

/* Size of a generated topology. */
struct topology_size {
    int64_t hosts, switches, links;
    int64_t ports;      /* ports of the largest node */
    const char *widest; /* name of the largest node, such as "leaf" */
};

/* A topology under construction. */
struct topology_plan {
    struct arena *arena;
    struct topology *topology;
    struct diag_place place;
    uint32_t next_node, next_link;
};

struct loader;

/* A kind is generated (opts, size, build), written (read), or a different notation for one of these
 * (translate). */
struct topology_ops {
    const char *name;       /* value of `kind:` */
    const char *about;      /* one sentence */
    const struct opt *opts; /* scalar keys; NULL: none */
    size_t params_bytes;
    /* Checks values against each other. False, with a message, if they do not fit together; NULL:
     * nothing to check. */
    bool (*check)(const void *params, const struct tree_node *written, struct diag *diag);
    /* Computes the size, also for values at their limits, where it may be far too large. */
    void (*size)(const void *params, struct topology_size *size);
    /* Adds exactly as many nodes, hosts first, and links as `size` computed. */
    void (*build)(struct topology_plan *plan, const void *params);
    /* Reads a written topology; false, with messages, if it cannot be built. */
    bool (*read)(struct arena *arena, const struct tree_node *written, struct topology *topology,
                 struct diag *diag);
    /* Converts the mapping to the keys of another kind; NULL, with messages, if that is
     * impossible. */
    const struct tree_node *(*translate)(struct loader *loader, const struct tree_node *written);
};

extern const struct topology_ops *const topology_kinds[]; /* terminated by NULL; generated from
                                                           * topology.def */
const struct topology_ops *topology_find(const char *name);

/* False, with messages, if the topology cannot be built. Kinds with `translate` must have been
 * translated before. */
bool topology_load(struct arena *arena, const struct tree_node *written, struct topology *topology,
                   struct diag *diag);

/* ---- for implementations of kinds ---- */

/* False, with an error, if there would be more links than the limit; nothing is allocated then. */
bool topology_links_fit(const struct tree_node *written, int64_t links, struct diag *diag);

/* Number of separate fabrics. */
uint32_t topology_fabrics(const struct topology_nics *nics);

/* Checks that `switches` neighbors can be divided into groups of as many switches as there are
 * NICs. False, with a message, if the homing requires such groups and the division has a
 * remainder. */
bool topology_nics_fit(const struct topology_nics *nics, int64_t switches,
                       const struct tree_node *written, struct diag *diag);

/* Like topology_add_nodes for each fabric, with names a-stem0, ... if there are several. */
uint32_t topology_add_switches(struct topology_plan *plan, const struct topology_nics *nics,
                               const char *stem, int64_t count, uint8_t tier);

/* Adds `count` nodes stem0, stem1, ...; returns the first one. Tier 0: hosts. */
uint32_t topology_add_nodes(struct topology_plan *plan, const char *stem, int64_t count,
                            uint8_t tier);

/* Consecutive nodes, per fabric. */
struct topology_rank {
    uint32_t first, count;
};

/* Connects each NIC of the hosts to its switch, the same number of hosts per switch. */
void topology_join_hosts(struct topology_plan *plan, const struct topology_nics *nics,
                         struct topology_rank hosts, struct topology_rank switches);

/* Connects the next free port of each node. */
void topology_add_link(struct topology_plan *plan, uint32_t a, uint32_t b);

/* True if a port may have this name in addition to pN: a letter, then letters, digits, '.', '_',
 * '-', '/'; at most TOPOLOGY_NAME_MAX bytes, and not itself of the form pN. */
bool topology_port_name(const char *name);

#endif
