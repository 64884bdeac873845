/* SPDX-License-Identifier: Apache-2.0
 * cabling - who is cabled to whom, before it is a topology.
 * A reader of some tool's file (dot.h, clab.h) gives nodes and links under the file's own names.
 * cabling_settle tells hosts from switches, gives them names that a scenario can have, and numbers
 * the ports: a switch's in the order of their names, swp9 before swp10, those without a name last;
 * where all are called pN they are that.
 * A host has a NIC for each cable, in the order of their ports' names; one with more than
 * CABLING_NICS_MAX becomes a host for each so many.
 * What a reader does not say of a node is judged by, in this order: the caller's pattern of hosts;
 * ports that only a switch has (swp1, Ethernet0) or only a host (eth0, enp1s0, ib0); a node with
 * one neighbour is a host, others are switches.
 * Cables of management networks are left out: those of nodes that are called mgmt, management or
 * oob, or have that function, and no pattern of hosts matches; those at ports for management
 * (mgmt0, Management1, fxp0), and at eth0 of a node with ports called swp.
 * Limits:  CABLING_BYTES_MAX, CABLING_NODES_MAX, CABLING_LINKS_MAX, TOPOLOGY_PORTS_MAX of a node.
 * Owner:   the arena; cabling_end ends the rest.  Errors: located messages in diag. */
#ifndef STORMGLASS_SCENARIOS_IMPORT_CABLING_H
#define STORMGLASS_SCENARIOS_IMPORT_CABLING_H

#include "scenarios/fabric/nics.h"
#include "scenarios/format/tree.h"
#include "scenarios/import/names.h"
#include "scenarios/import/notes.h"

enum {
    CABLING_BYTES_MAX = 8 * 1024 * 1024,
    CABLING_NODES_MAX = 50000,
    CABLING_LINKS_MAX = 100000,
    CABLING_NICS_MAX = NICS_MAX /* of a host */
};

enum cabling_role { CABLING_UNKNOWN, CABLING_HOST, CABLING_SWITCH };

struct cabling_node {
    const char *name; /* as the file calls it */
    enum cabling_role role;
    const char *why;             /* how the role is known: "its kind is linux" */
    bool is_management;          /* the file says that it is of a management network */
    bool is_target;              /* the file says that it stores */
    bool is_left_out;            /* a note says why it has no cable */
    struct cabling_node *shares; /* the node whose network it has, or NULL */
    struct diag_place place;
    uint32_t index;     /* among the nodes */
    const char *called; /* settled: its name in the scenario, a host's first */
};

struct cabling_value { /* of a link: a row of port_opts, as a scenario writes it */
    const char *name, *text;
    struct diag_place place;
};

struct cabling_end {
    struct cabling_node *node;
    const char *port;   /* as the file calls it, or NULL */
    const char *called; /* settled: the node's name in the scenario ... */
    uint32_t number;    /* ... and N of its port pN */
    uint32_t link;      /* whose end this is */
};

struct cabling_link {
    struct cabling_end ends[2];
    struct cabling_value *values;
    size_t value_count;
    struct diag_place place;
};

struct cabling_flow {
    struct cabling_node *from, *to;
    int64_t bytes; /* 0: without end */
    int64_t start; /* ps */
    struct diag_place place;
};

struct cabling {
    struct arena *arena;
    struct diag *diag;
    const struct tree_file *file;   /* of the cables */
    const struct tree_file **files; /* that one, and others of the same tool */
    size_t file_count;
    const char *host_pattern; /* "server*,h?", or NULL */
    struct notes notes;
    struct cabling_node **nodes; /* in the order in which the file names them */
    size_t node_count;
    struct cabling_link *links;
    size_t link_count;
    /* What some tools know besides cables; NULL and 0: nothing. */
    struct cabling_flow *flows;
    size_t flow_count;
    const char *switch_latency, *congestion_control; /* as a scenario writes them */
    int64_t packet_bytes, buffer_mib;
    const char **hosts, **switches; /* settled: names in the scenario */
    bool *targets;                  /* of the hosts: whether the file says that it stores */
    size_t target_count;            /* as many as hosts */
    size_t host_count, switch_count;
    uint32_t nics; /* settled: of the host that has most */
    struct names names;
    void *by_name; /* tsearch */
};

typedef bool cabling_reader(struct cabling *cabling); /* of its file; false: the diag says why */

void cabling_begin(struct cabling *cabling, struct arena *arena, const struct tree_file *file,
                   struct diag *diag);
void cabling_end(struct cabling *cabling);

/* The node of that name, which is made when it is new; NULL and a message beyond the limit. */
struct cabling_node *cabling_node(struct cabling *cabling, const char *name,
                                  struct diag_place place);
struct cabling_node *cabling_find(const struct cabling *cabling, const char *name); /* or NULL */

/* NULL and a message beyond the limit.  Links move when one is added. */
struct cabling_link *cabling_link(struct cabling *cabling, struct diag_place place);

/* False and a message when it is no value of the row. */
bool cabling_set(struct cabling *cabling, struct cabling_link *link, struct cabling_value value);

bool cabling_settle(struct cabling *cabling);

/* Whether one of the patterns, "server*,h?" or NULL, matches. */
bool cabling_fits(const char *patterns, const char *name);

/* A name or a function with the word mgmt, management or oob. */
bool cabling_is_management(const char *name);

/* Leaves out cables of management networks, each network with a note. */
void cabling_drop_management(struct cabling *cabling); /* cabling_management.c */

/* The settled cabling as `topology: {kind: explicit, ..}`, each value with its place. */
struct tree_node *cabling_tree(const struct cabling *cabling); /* cabling_tree.c */

#endif
