/* SPDX-License-Identifier: Apache-2.0
 * scenario - a loaded scenario: pure data with everything resolved.
 * Names have become indexes, quantities integers, profiles and overrides effective parameters. A
 * simulation is built from this struct alone. Things with equal parameters share one struct.
 * A `..._values` member is the block in which parameters were built, with the place of each value
 * (block_place).
 * Units: time ps, sizes bytes, rates bits per second, fractions parts per million.
 * Owner: scenario_free; every pointer is in the scenario's arena. Made by scenarios/load/load.h. */
#ifndef STORMGLASS_SCENARIOS_DATA_SCENARIO_H
#define STORMGLASS_SCENARIOS_DATA_SCENARIO_H

#include "base/opt.h"
#include "base/units.h"
#include "net/port/port.h"
#include "rnic/verbs.h"
#include "scenarios/data/calibrated.h"
#include "scenarios/format/arena.h"
#include "scenarios/format/block.h"
#include "scenarios/format/diag.h"

struct cc_ops;
struct scenario_origins;
struct expectation;
struct fio_job;
struct media_ops;
struct nvme_carrier_host;
struct nvme_carrier_target;
struct nvme_namespace_params;
struct nvme_target_subsystem;
struct rnic_params;
struct switch_params;
struct tcp_params;
struct fault_ops;
struct workload_ops;

#define SCENARIO_ALL_PORTS UINT16_MAX

/* Namespaces of one target: `count` namespaces with consecutive numbers. */
struct scenario_namespace {
    const struct media_ops *media;
    const void *media_params; /* parameters of the media kind */
    const struct nvme_namespace_params *params;
    const char *profile; /* value of `media:` */
    const struct block *media_values;
    uint32_t count, ana_group;
    struct diag_place place;
};

/* State of ANA groups at ports of a target; -1: all of them. */
struct scenario_ana {
    int64_t port, group, state; /* `state`: argument of scenario_ana_state */
};

struct scenario_host {
    const struct rnic_params *rnic;
    const struct cc_ops *cc;
    const struct cc_preset *cc_preset; /* preset from which the values started */
    struct diag_place cc_place;        /* place of its name; file NULL: the default */
    const void *cc_params;
    const struct nvme_carrier_host *nvme_host;
    const struct nvme_carrier_target *nvme_target; /* set even if the host is not a target */
    const struct scenario_namespace *namespaces;
    uint32_t namespace_count; /* number of entries; 0: not a target */
    const char *nqn;          /* NQN of the host; NULL: derived from its name */
    const struct nvme_target_subsystem *subsystems;
    uint32_t subsystem_count; /* 0: one subsystem with all namespaces */
    const struct scenario_ana *ana;
    uint32_t ana_count;
    const char *machine; /* hosts of the same machine share a processor; NULL: a separate machine */
    const struct tcp_params *tcp;
    const struct block *rnic_values, *cc_values, *nvme_host_values, *nvme_target_values;
    const struct block *tcp_values;
};

#define SCENARIO_NO_LINK UINT32_MAX

/* One end of a link. Ports of explicit topologies may have no link; then only `link` and `params`
 * are set. */
struct scenario_port {
    uint32_t link; /* or SCENARIO_NO_LINK */
    uint8_t end;   /* 0 or 1: which end of the link this is */
    uint16_t card; /* inner port: NIC that contains it */
    uint32_t peer_node;
    uint16_t peer_port;
    const char *name; /* name of the port on the equipment, or NULL */
    const struct port_params *params;
    const struct block *values;
};

enum scenario_node_kind { SCENARIO_HOST, SCENARIO_SWITCH };

/* Link layers: `fabric.kind`, and the sections of `fabric:` for places with another one. */
#define SCENARIO_KINDS(X)                                                                          \
    X(ETHERNET, "ethernet")                                                                        \
    X(INFINIBAND, "infiniband")                                                                    \
    X(FIBRE_CHANNEL, "fibre-channel")

#define X(name, word) SCENARIO_##name,
enum scenario_kind { SCENARIO_KINDS(X) SCENARIO_KIND_COUNT };
#undef X

/* Tiers are counted from the hosts up. */
struct scenario_node {
    const char *name;
    enum scenario_node_kind kind;
    enum scenario_kind link; /* link layer of all its ports */
    uint32_t index;          /* index among the hosts, or among the switches */
    uint8_t tier;
    uint16_t port_count;
    uint16_t outer_ports; /* number of external ports; the remaining ones are inner ports of
                           * loopbacks */
    bool is_aggregate;    /* hosts: the NICs are one link aggregate (nics.h) with the address of
                           * the first */
    struct scenario_port *ports;
    uint32_t endpoint; /* hosts: endpoint of the first port; those of its other ports follow */
    uint32_t segment;  /* switches: equal for switches connected by links */
    const struct scenario_host *host; /* hosts */
    /* NQN of a target's subsystem if the scenario names none; NULL: NVME_SUBSYSTEM_NQN. */
    const char *nqn;
    const struct switch_params *switch_params; /* switches */
    const struct block *switch_values;
    const uint8_t *priority_of_dscp; /* 64 entries */
    struct diag_place place;
};

/* "leaf0:Ethernet4" if the name of the port on the equipment is known, else "leaf0:p1". */
struct scenario_port_text {
    char text[128];
};
struct scenario_port_text scenario_port_name(const struct scenario_node *node, unsigned port);

struct scenario_link {
    const char *name; /* "leaf2-spine1"; parallel links have the same name */
    uint32_t node[2];
    uint16_t port[2];
    struct diag_place place;
};

struct scenario_pair {
    uint32_t from, to; /* nodes */
    uint8_t turn;      /* turn of its first queue pair or controller: nics.h */
};

/* An entry of `workloads:`. An entry of kind fio results in one workload of kind nvme for each job
 * of its file, in order. */
/* How a sentence names a workload, whose name may be an English word such as "push" or "in". */
#define SCENARIO_WORKLOAD_WORDS "workload '%.40s'"

struct scenario_workload {
    const char *name;  /* name of the entry; "entry/job" if its fio file has several jobs */
    const char *entry; /* name of the entry, which a path of --set begins with */
    const struct workload_ops *ops;
    const void *params;         /* parameters of its kind */
    const struct block *values; /* NULL: a fio job */
    uint32_t copies;            /* instances of each pair: 1, or numjobs of a fio job */
    const char *subsystem;      /* NQN; NULL: the target's first one */
    const struct fio_job *job;  /* of a fio file: barriers, exit rules, runtime; else NULL */
    uint32_t first_job;         /* index of the workload for job 0 of the same file */
    const struct scenario_pair *pairs;
    uint32_t pair_count;
    uint32_t turns;           /* queue pairs or NVMe controllers per pair */
    uint32_t paths;           /* NVMe controllers per instance, as far as there are NICs; 0: one,
                               * without multipath */
    int8_t nic, peer_nic;     /* port of the hosts in from and to; -1: all in turn */
    struct verbs_class class; /* class of its connections */
    uint8_t transport;        /* of NVMe, or with own_verbs: index in nvme_carriers */
    bool own_verbs;           /* plain RDMA on the verbs of its transport (iWARP) */
    bool by_tcp;              /* its connections are TCP's: kind tcp-stream, NVMe over TCP, iWARP */
    time_ps start,
        stop; /* absolute times; stop is at most `duration`; start does not include a fio job's
               * delays */
    time_ps start_jitter;
    time_ps nudge; /* of trials: each member's first operation is later by up to that much */
    struct diag_place place;
};

/* Egress ports of one switch. */
struct scenario_egress {
    const uint16_t *ports;
    uint32_t count;
};

/* A static route: traffic at one of the switches to one of the hosts leaves by these ports; several
 * ports have equal cost. */
struct scenario_route {
    const struct scenario_spot *at;       /* whole switches */
    const struct scenario_egress *egress; /* egress of each switch in `at` */
    uint32_t at_count;
    const struct scenario_spot *to; /* whole hosts */
    uint32_t to_count;
    struct diag_place place;
};

/* Routes of InfiniBand's subnet manager. */
#define SCENARIO_ROUTINGS(X) X(MIN_HOP, "min-hop") X(UP_DOWN, "up-down") X(FAT_TREE, "fat-tree")

#define X(name, word) SCENARIO_ROUTING_##name,
enum scenario_routing_algorithm { SCENARIO_ROUTINGS(X) };
#undef X

/* How routes are computed, and how they react to failures. */
struct scenario_routing {
    int64_t algorithm;    /* enum scenario_routing_algorithm; Ethernet: 0 */
    int64_t detection;    /* ps from the loss or return of carrier until the switches detect it */
    int64_t convergence;  /* ps from detection to new routes in all switches */
    int64_t local_repair; /* a switch stops using its own dead ports as soon as it detects them */
};

/* A node as a whole, or one of its ports. */
struct scenario_spot {
    uint32_t node;
    uint16_t port; /* SCENARIO_ALL_PORTS: the whole node */
};

/* A fault; `where` is resolved to spots according to its kind. */
struct scenario_fault {
    const struct fault_ops *ops;
    const void *params; /* parameters of its kind */
    time_ps at;
    time_ps end; /* TIME_NEVER: until the end of the run */
    const struct scenario_spot *spots;
    uint32_t spot_count;
    const struct scenario_route *route; /* for kinds with a route */
    struct diag_place place;
};

/* A file from which the scenario was made; the first one is the scenario itself. */
struct scenario_source {
    const char *name; /* as written in the scenario, or the path on the command line */
    const char *text; /* NUL-terminated */
    size_t length;
};

/* An effective value. `where` is set if the scenario, a profile file or --set sets the value. */
struct scenario_setting {
    const char *path; /* "fabric.switch.ecn-kmin" */
    const struct opt *row;
    int64_t value;
    struct diag_place where; /* file NULL: default */
    const char *profile;     /* name of the profile with the value, or NULL */
    const char
        *evidence; /* "documented", "measured", "inferred", "assumed"; NULL: not from a profile */
    uint32_t sources;   /* of a profile's value: independent publications or laboratories */
    const char *source; /* source of the profile's value, or of the parameter */
};

struct scenario {
    struct arena arena;
    uint8_t kinds; /* bit mask of the link layers of its nodes */
    const char *name, *about;
    uint64_t seed;
    time_ps duration; /* workloads issue in [0, duration) */
    time_ps drain;    /* time after `duration` for work in flight to finish */

    struct scenario_node *nodes; /* hosts first, then switches, in numerical order of their names */
    uint32_t node_count, host_count, switch_count;
    struct scenario_link *links;
    uint32_t link_count;
    uint32_t nics; /* NICs of each host that queue pairs are spread over, as far as the host has
                    * them */
    uint32_t endpoint_count;
    const struct scenario_route *routes; /* later ones take precedence */
    uint32_t route_count;
    struct scenario_routing routing;

    const struct scenario_workload *workloads;
    uint32_t workload_count;
    const struct scenario_fault *faults;
    uint32_t fault_count;
    const struct expectation *expectations;
    uint32_t expectation_count;

    const char *const *paths; /* paths of the files that were read */
    uint32_t path_count;
    const struct scenario_source *sources;
    uint32_t source_count;
    const char *const *sets; /* --set texts, in order */
    uint32_t set_count;
    const struct scenario_setting *settings;
    uint32_t setting_count;
    struct calibrated_list calibrated;      /* of the profiles in use */
    const struct scenario_origins *origins; /* origins of the nodes' values: deviation.h */
    const struct scenario_group *groups;    /* as ordered in the file */
    size_t group_count;
    uint32_t selected; /* spots selected by `where`, `from` and `to` so far; for the loader */
};

/* An entry under `hosts:`: its name, the hosts that it selects, and whether it has namespaces. */
struct scenario_group {
    const char *name;
    const struct scenario_spot *spots;
    size_t count;
    bool targets;
};

void scenario_free(struct scenario *scenario); /* accepts NULL */

static inline bool scenario_has_kind(const struct scenario *scenario, enum scenario_kind kind)
{
    return (scenario->kinds >> kind & 1) != 0;
}

/* The word of the file: "fibre-channel". */
const char *scenario_kind_word(enum scenario_kind kind);

/* True if the node's links have credits: its ports wait for them, and there are no pauses. */
static inline bool scenario_has_credits(const struct scenario_node *node)
{
    return node->link != SCENARIO_ETHERNET;
}

/* The link layer of a workload's hosts. */
enum scenario_kind scenario_kind_of(const struct scenario *scenario,
                                    const struct scenario_workload *workload);

/* True if a workload zeroes or deallocates blocks. */
bool scenario_empties(const struct scenario *scenario);
/* True for a workload that issues only admin commands (count: none). */
bool scenario_issues_nothing(const struct scenario_workload *workload);
/* True if operations complete in a send buffer, before the network has carried their data. */
bool scenario_completes_early(const struct scenario_workload *workload);

/* Delay of a member's beginning after its workload's start: its part of the jitter. And of its
 * first operation, whenever that is due: its part of the nudge. */
time_ps scenario_late(const struct scenario *scenario, uint32_t workload, uint32_t member);
time_ps scenario_nudge(const struct scenario *scenario, uint32_t workload, uint32_t member);

/* DSCP, or service level, of packets from `from` to `to` on a workload's connections; and of
 * packets in reverse. */
uint8_t scenario_dscp(const struct scenario *scenario, const struct scenario_workload *workload,
                      const struct scenario_pair *pair);
uint8_t scenario_dscp_back(const struct scenario *scenario,
                           const struct scenario_workload *workload,
                           const struct scenario_pair *pair);

/* Index of the node of that name, or UINT32_MAX. */
uint32_t scenario_find_node(const struct scenario *scenario, const char *name);

#endif
