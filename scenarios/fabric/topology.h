/* SPDX-License-Identifier: Apache-2.0
 * topology - `fabric.topology` as nodes and links: one file per kind, one line in topology.def.
 * A generated kind has keys and says how much it makes of them; a written one reads nodes and
 * links.  Nodes are hosts, then switches tier by tier; hosts are numbered along the first tier, so
 * that the same file gives the same names and numbers always.
 * Owner: the arena.  Errors: located messages. */
#ifndef STORMGLASS_SCENARIOS_FABRIC_TOPOLOGY_H
#define STORMGLASS_SCENARIOS_FABRIC_TOPOLOGY_H

#include "scenarios/format/block.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    TOPOLOGY_NODES_MAX = 200000,
    TOPOLOGY_PORTS_MAX = 4096, /* of one node */
    TOPOLOGY_NICS_MAX = 8,     /* of one host, each with a port */
    TOPOLOGY_LINKS_MAX = 1000000,
    TOPOLOGY_LINK_BYTES = 6000, /* of a run's memory, ports and queues at both ends; measured */
    TOPOLOGY_NAME_MAX = 47
};

struct topology_node {
    const char *name;
    bool is_host;
    uint8_t tier; /* hosts 0, then upwards */
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
    uint32_t nics;             /* of each host that queues are spread over, as many as it has */
    const struct block *sizes; /* keys that make it what it is; NULL: explicit without any */
};

/* How hosts with several NICs are cabled: all NICs of a host to the same switch; each to another
 * switch of a group of neighbours, as many as there are NICs, as with two top-of-rack switches;
 * each to a fabric of its own, a-.. and b-.., that no link joins to the others. */
#define TOPOLOGY_HOMINGS(X)                                                                        \
    X(SAME, "same")                                                                                \
    X(DUAL, "dual")                                                                                \
    X(FABRICS, "fabrics")

#define X(name, word) TOPOLOGY_##name,
enum topology_homing { TOPOLOGY_HOMINGS(X) };
#undef X

/* In the params of each generated kind, with TOPOLOGY_NICS_ROWS. */
struct topology_nics {
    int64_t nics, homing;
};

#define TOPOLOGY_NICS_ROW(field)                                                                   \
    {                                                                                              \
        "nics", OPT_INT, field, "1", "1", "8", NULL,                                               \
            "NICs of each host, a port each; workloads spread their queue pairs over them.",       \
            "own", OPT_ACTS(FABRIC, ANY, TRACE)                                                    \
    }
#define TOPOLOGY_HOMING_ROW(field)                                                                 \
    {                                                                                              \
        "homing", OPT_CHOICE, field, "same", NULL, NULL, OPT_WORDS(TOPOLOGY_HOMINGS),              \
            "Where the NICs of a host go: all to the same switch, each to another switch of a "    \
            "group of "                                                                            \
            "neighbours, each to a fabric of its own (a-leaf0, b-leaf0).",                         \
            "own; dual-homed servers and A/B fabrics of storage networks",                         \
            OPT_ACTS(FABRIC, ANY, TRACE)                                                           \
    }

/* What a generated kind makes of its keys. */
struct topology_size {
    int64_t hosts, switches, links;
    int64_t ports;      /* of the node that has most */
    const char *widest; /* its name: "leaf" */
};

/* A topology under way. */
struct topology_plan {
    struct arena *arena;
    struct topology *topology;
    struct diag_place place;
    uint32_t next_node, next_link;
};

struct loader;

/* A kind is generated (opts, size, build), written (read), or another way to write one of these
 * (translate). */
struct topology_ops {
    const char *name;       /* the word after `kind:` */
    const char *about;      /* one sentence */
    const struct opt *opts; /* keys with a value each; NULL: none */
    size_t params_bytes;
    /* False, and a message, when values that fit their rows do not fit each other; NULL: all do. */
    bool (*check)(const void *params, const struct tree_node *written, struct diag *diag);
    /* Of values up to their bounds, which may be far too much. */
    void (*size)(const void *params, struct topology_size *size);
    /* Adds exactly the nodes, hosts first, and the links that `size` said. */
    void (*build)(struct topology_plan *plan, const void *params);
    /* False and messages when what is written cannot be built. */
    bool (*read)(struct arena *arena, const struct tree_node *written, struct topology *topology,
                 struct diag *diag);
    /* What is written, in another kind's keys; NULL and messages when it cannot be. */
    const struct tree_node *(*translate)(struct loader *loader, const struct tree_node *written);
};

extern const struct topology_ops *const topology_kinds[]; /* NULL ends it; from topology.def */
const struct topology_ops *topology_find(const char *name);

/* False and messages when it cannot be built.  Kinds that are translated have been. */
bool topology_load(struct arena *arena, const struct tree_node *written, struct topology *topology,
                   struct diag *diag);

/* ---- for the kinds ---- */

/* False, and an error, when there would be more links than the limit: nothing is taken for them. */
bool topology_links_fit(const struct tree_node *written, int64_t links, struct diag *diag);

/* How many fabrics that makes. */
uint32_t topology_fabrics(const struct topology_nics *nics);

/* Can `switches` neighbours be parted into groups of as many as there are NICs?  A message if they
 * must be and cannot. */
bool topology_nics_fit(const struct topology_nics *nics, int64_t switches,
                       const struct tree_node *written, struct diag *diag);

/* As topology_add_nodes, for each fabric: a-stem0, ... where there are several. */
uint32_t topology_add_switches(struct topology_plan *plan, const struct topology_nics *nics,
                               const char *stem, int64_t count, uint8_t tier);

/* Adds `count` nodes stem0, stem1, ...; gives the first.  Tier 0: hosts. */
uint32_t topology_add_nodes(struct topology_plan *plan, const char *stem, int64_t count,
                            uint8_t tier);

/* Nodes side by side, of each fabric. */
struct topology_rank {
    uint32_t first, count;
};

/* Joins each NIC of the hosts, as many to each switch, to its switch. */
void topology_join_hosts(struct topology_plan *plan, const struct topology_nics *nics,
                         struct topology_rank hosts, struct topology_rank switches);

/* Joins the next free port of each. */
void topology_add_link(struct topology_plan *plan, uint32_t a, uint32_t b);

/* May a port be called so beside its pN?  A letter, then letters, digits, '.', '_', '-', '/'; at
 * most TOPOLOGY_NAME_MAX, and no pN itself. */
bool topology_port_name(const char *name);

#endif
