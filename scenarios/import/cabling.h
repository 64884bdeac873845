/* SPDX-License-Identifier: Apache-2.0
 * cabling - nodes and cables read from a file, before they become a topology.
 * A reader of some tool's file (dot.h, clab.h) adds nodes and links under the names in the file.
 * cabling_settle distinguishes hosts from switches, gives them names that are legal in a scenario,
 * and numbers the ports. Ports of a switch are numbered in the natural order of their names (swp9
 * before swp10), unnamed ones last; if all are named pN, they keep N.
 * A host has one NIC per cable, ordered by port name. A host with more than CABLING_NICS_MAX cables
 * becomes several hosts with that many NICs each.
 * If the reader does not set a node's role, the role follows from, in this order: the caller's
 * pattern of hosts; ports that only a switch has (swp1, Ethernet0) or only a host has (eth0,
 * enp1s0, ib0); a node with one neighbor is a host, others are switches.
 * Cables of management networks are left out: those of nodes that are named mgmt, management or oob
 * or have that function, unless a pattern of hosts matches; those at management ports (mgmt0,
 * Management1, fxp0), and at eth0 of a node with swp ports.
 *   Limits:  CABLING_BYTES_MAX, CABLING_NODES_MAX, CABLING_LINKS_MAX, TOPOLOGY_PORTS_MAX per node.
 *   Owner:   the arena; cabling_end frees the rest.  Errors: located messages in diag. */
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
    CABLING_NICS_MAX = NICS_MAX /* NICs of one host */
};

enum cabling_role { CABLING_UNKNOWN, CABLING_HOST, CABLING_SWITCH };

struct cabling_node {
    const char *name; /* name in the file */
    enum cabling_role role;
    const char *why;             /* reason for the role: "its kind is linux" */
    bool is_management;          /* in a management network according to the file */
    bool is_target;              /* a storage target according to the file */
    bool is_left_out;            /* a note explains why it has no cable */
    struct cabling_node *shares; /* node whose network namespace it uses, or NULL */
    struct diag_place place;
    uint32_t index;     /* index among the nodes */
    const char *called; /* after settling: name in the scenario, for several hosts the first one */
};

struct cabling_value { /* value of a link: a row of port_opts, in the syntax of a scenario */
    const char *name, *text;
    struct diag_place place;
};

struct cabling_end {
    struct cabling_node *node;
    const char *port;   /* name in the file, or NULL */
    const char *called; /* after settling: name of the node in the scenario ... */
    uint32_t number;    /* ... and number N of its port pN */
    uint32_t link;      /* index of its link */
};

struct cabling_link {
    struct cabling_end ends[2];
    struct cabling_value *values;
    size_t value_count;
    struct diag_place place;
};

struct cabling_flow {
    struct cabling_node *from, *to;
    int64_t bytes; /* 0: endless */
    int64_t start; /* ps */
    struct diag_place place;
};

struct cabling {
    struct arena *arena;
    struct diag *diag;
    const struct tree_file *file;   /* file with the cables */
    const struct tree_file **files; /* that file, and others of the same tool */
    size_t file_count;
    const char *host_pattern; /* "server*,h?", or NULL */
    struct notes notes;
    struct cabling_node **nodes; /* in the order of the file */
    size_t node_count;
    struct cabling_link *links;
    size_t link_count;
    /* Information that some tools have in addition to cables; NULL and 0: none. */
    struct cabling_flow *flows;
    size_t flow_count;
    const char *switch_latency, *congestion_control; /* in the syntax of a scenario */
    int64_t packet_bytes, buffer_mib;
    const char **hosts, **switches; /* after settling: names in the scenario */
    bool *targets;                  /* by host: a storage target according to the file */
    size_t target_count;            /* equal to the number of hosts */
    size_t host_count, switch_count;
    uint32_t nics; /* after settling: NICs of the host with most NICs */
    struct names names;
    void *by_name; /* tree of tsearch */
};

typedef bool cabling_reader(struct cabling *cabling); /* reads the cabling's files; false: diag
                                                       * has an error */

void cabling_begin(struct cabling *cabling, struct arena *arena, const struct tree_file *file,
                   struct diag *diag);
void cabling_end(struct cabling *cabling);

/* Finds the node of that name, or creates it; NULL, with a message, beyond the limit. */
struct cabling_node *cabling_node(struct cabling *cabling, const char *name,
                                  struct diag_place place);
struct cabling_node *cabling_find(const struct cabling *cabling, const char *name); /* NULL: none */

/* Adds a link; NULL, with a message, beyond the limit. Pointers to earlier links become invalid. */
struct cabling_link *cabling_link(struct cabling *cabling, struct diag_place place);

/* Sets a value of a link; false, with a message, if it is not legal for the row. */
bool cabling_set(struct cabling *cabling, struct cabling_link *link, struct cabling_value value);

bool cabling_settle(struct cabling *cabling);

/* True if one of the patterns matches; "server*,h?" or NULL. */
bool cabling_fits(const char *patterns, const char *name);

/* True if a name or a function has the word mgmt, management or oob. */
bool cabling_is_management(const char *name);

/* Removes cables of management networks, with one note per network. */
void cabling_drop_management(struct cabling *cabling); /* cabling_management.c */

/* The settled cabling as `topology: {kind: explicit, ..}`; each value has its place. */
struct tree_node *cabling_tree(const struct cabling *cabling); /* cabling_tree.c */

#endif
