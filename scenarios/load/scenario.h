/* SPDX-License-Identifier: Apache-2.0
 * scenario - a loaded scenario: pure data, everything resolved.
 * Names have become indices, quantities integers, profiles and overrides effective parameters.
 * Whoever builds a world from it looks at nothing else.  Things with the same parameters share one
 * struct.
 * A `..._values` is the block that parameters were made in: it knows where each value was written
 * (block_place).
 * Units: time ps, sizes bytes, rates bits per second, fractions parts per million.
 * Owner: scenario_free; every pointer in here lives in the scenario's arena.
 * Errors: located messages in the diag that the loaders take; a loader gives NULL when diag_failed.
 * */
#ifndef STORMGLASS_SCENARIOS_LOAD_SCENARIO_H
#define STORMGLASS_SCENARIOS_LOAD_SCENARIO_H

#include "base/opt.h"
#include "base/units.h"
#include "net/port/port.h"
#include "rnic/verbs.h"
#include "scenarios/format/arena.h"
#include "scenarios/format/block.h"
#include "scenarios/format/diag.h"
#include "scenarios/load/calibrated.h"

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
struct fault_ops;
struct workload_ops;

#define SCENARIO_ALL_PORTS UINT16_MAX

/* Namespaces of one target; `count` of them with consecutive numbers. */
struct scenario_namespace {
    const struct media_ops *media;
    const void *media_params; /* the media kind's own, filled by its rows */
    const struct nvme_namespace_params *params;
    const char *profile; /* the word after `media:` */
    uint32_t count, ana_group;
    struct diag_place place;
};

/* The state of ANA groups at ports of a target; -1: all of them. */
struct scenario_ana {
    int64_t port, group, state; /* state: scenario_ana_state of it */
};

/* The enum nvme_ana_state that the row `state` of scenario_ana_opts means. */
uint32_t scenario_ana_state(int64_t choice);

struct scenario_host {
    const struct rnic_params *rnic;
    const struct cc_ops *cc;
    const struct cc_preset *cc_preset; /* that the values began with */
    struct diag_place cc_place;        /* of its name; file NULL: it is the default */
    const void *cc_params;
    const struct nvme_carrier_host *nvme_host;
    const struct nvme_carrier_target *nvme_target; /* set also when it is no target */
    const struct scenario_namespace *namespaces;
    uint32_t namespace_count; /* entries; 0: no target */
    const char *nqn;          /* of the host; NULL: made from its name */
    const struct nvme_target_subsystem *subsystems;
    uint32_t subsystem_count; /* 0: one that has all namespaces */
    const struct scenario_ana *ana;
    uint32_t ana_count;
    const char *machine; /* hosts with the same share a processor; NULL: a computer of its own */
    const struct block *rnic_values, *cc_values, *nvme_host_values, *nvme_target_values;
};

#define SCENARIO_NO_LINK UINT32_MAX

/* One end of a link.  Explicit topologies may leave ports without one: then only `link` and
 * `params` are set. */
struct scenario_port {
    uint32_t link; /* or SCENARIO_NO_LINK */
    uint8_t end;   /* 0 or 1: which end of the link this is */
    uint16_t card; /* of an inner port: the NIC that it is in */
    uint32_t peer_node;
    uint16_t peer_port;
    const char *name; /* what the equipment calls it, or NULL */
    const struct port_params *params;
    const struct block *values;
};

enum scenario_node_kind { SCENARIO_HOST, SCENARIO_SWITCH };

/* Tiers from the hosts up, for drawings and charts only. */
struct scenario_node {
    const char *name;
    enum scenario_node_kind kind;
    uint32_t index; /* among the hosts, or among the switches */
    uint8_t tier;
    uint16_t port_count;
    uint16_t outer_ports; /* the first ones; the others are inner ports, of loopbacks */
    bool is_aggregate;    /* hosts: the NICs are one (nics.h), with the address of the first */
    struct scenario_port *ports;
    uint32_t endpoint; /* hosts: of the first port; those of its other ports follow */
    uint32_t segment;  /* switches: equal for those that links between switches join */
    const struct scenario_host *host; /* hosts */
    /* Of a target's subsystem where the scenario names none; NULL: NVME_SUBSYSTEM_NQN. */
    const char *nqn;
    const struct switch_params *switch_params; /* switches */
    const struct block *switch_values;
    const uint8_t *priority_of_dscp; /* 64 entries */
    struct diag_place place;
};

/* "leaf0:Ethernet4" where it is known what the equipment calls it, else "leaf0:p1". */
struct scenario_port_text {
    char text[128];
};
struct scenario_port_text scenario_port_name(const struct scenario_node *node, unsigned port);

struct scenario_link {
    const char *name; /* "leaf2-spine1"; parallel links have the same */
    uint32_t node[2];
    uint16_t port[2];
    struct diag_place place;
};

struct scenario_pair {
    uint32_t from, to; /* nodes */
    uint8_t turn;      /* of its first queue pair or controller: nics.h */
};

/* An entry of `workloads:`; an entry of kind fio gives one for each job of its file (kind nvme), in
 * order. */
struct scenario_workload {
    const char *name; /* of the entry; "entry/job" when its fio file has several jobs */
    const struct workload_ops *ops;
    const void *params;         /* the kind's own, filled by its rows */
    const struct block *values; /* NULL: of a fio job */
    uint32_t copies;            /* instances of each pair: 1, or the numjobs of a fio job */
    const char *subsystem;      /* NQN; NULL: the first of the target */
    const struct fio_job *job;  /* of a fio file: barriers, exit rules, run time; else NULL */
    uint32_t first_job;         /* workload that is job 0 of the same file */
    const struct scenario_pair *pairs;
    uint32_t pair_count;
    uint32_t turns;           /* queue pairs or NVMe controllers of each pair */
    uint32_t paths;           /* NVMe controllers of an instance, as many as there are NICs for;
                               * 0: one without multipath */
    int8_t nic, peer_nic;     /* the port of the hosts in from and to; -1: spread */
    struct verbs_class class; /* of its connections */
    time_ps start,
        stop; /* absolute; stop is at most `duration`.  Start is without a fio job's delays */
    time_ps start_jitter;
    struct diag_place place;
};

/* Ports of one switch. */
struct scenario_egress {
    const uint16_t *ports;
    uint32_t count;
};

/* Written routes: what is at one of the switches and goes to one of the hosts leaves by these
 * ports, several of them as equal costs. */
struct scenario_route {
    const struct scenario_spot *at;       /* switches as a whole */
    const struct scenario_egress *egress; /* of each */
    uint32_t at_count;
    const struct scenario_spot *to; /* hosts as a whole */
    uint32_t to_count;
    struct diag_place place;
};

/* How routes follow what fails. */
struct scenario_routing {
    int64_t detection; /* ps from the loss of carrier, or its return, to the switches' knowledge */
    int64_t convergence;  /* ps from there to new routes in all switches */
    int64_t local_repair; /* a switch does without its own dead ports as soon as it knows */
};

/* A node as a whole, or one of its ports. */
struct scenario_spot {
    uint32_t node;
    uint16_t port; /* SCENARIO_ALL_PORTS: the node */
};

/* What `where` selects is resolved to spots, as the kind's place says. */
struct scenario_fault {
    const struct fault_ops *ops;
    const void *params; /* the kind's own, filled by its rows */
    time_ps at;
    time_ps end; /* TIME_NEVER: it stays */
    const struct scenario_spot *spots;
    uint32_t spot_count;
    const struct scenario_route *route; /* of a kind that has one */
    struct diag_place place;
};

/* A file that the scenario was made from; the first is the scenario itself. */
struct scenario_source {
    const char *name; /* as the scenario writes it, or the path given on the command line */
    const char *text; /* NUL-terminated */
    size_t length;
};

/* One effective value.  `where` is set when the scenario, a profile file or --set wrote it. */
struct scenario_setting {
    const char *path; /* "fabric.switch.ecn-kmin" */
    const struct opt *row;
    int64_t value;
    struct diag_place where; /* file NULL: nobody wrote it */
    const char *profile;     /* name of the profile that gave it, or NULL */
    const char
        *evidence; /* "documented", "measured", "inferred", "assumed"; NULL: not from a profile */
    const char *source; /* of the profile's value, or of the row */
};

struct scenario {
    struct arena arena;
    const char *name, *about;
    uint64_t seed;
    time_ps duration; /* workloads issue in [0, duration) */
    time_ps drain;    /* how long work under way may take to finish after that */

    struct scenario_node
        *nodes; /* hosts first, then switches, in the order of their names' numbers */
    uint32_t node_count, host_count, switch_count;
    struct scenario_link *links;
    uint32_t link_count;
    uint32_t nics; /* of each host that queue pairs are spread over, as many as it has */
    uint32_t endpoint_count;
    const struct scenario_route *routes; /* a later one goes before an earlier one */
    uint32_t route_count;
    struct scenario_routing routing;

    const struct scenario_workload *workloads;
    uint32_t workload_count;
    const struct scenario_fault *faults;
    uint32_t fault_count;
    const struct expectation *expectations;
    uint32_t expectation_count;

    const char *const *paths; /* of the files that it was read from */
    uint32_t path_count;
    const struct scenario_source *sources;
    uint32_t source_count;
    const char *const *sets; /* the --set texts in their order */
    uint32_t set_count;
    const struct scenario_setting *settings;
    uint32_t setting_count;
    struct calibrated_list calibrated;      /* of the profiles that it uses */
    const struct scenario_origins *origins; /* who said what of which node: deviation.h */
    const struct scenario_group *groups;    /* in the order in which they are written */
    size_t group_count;
    uint32_t selected; /* by `where`, `from` and `to` so far; the loader's own */
};

/* An entry under `hosts:`: its name, the hosts that it selected, whether it gives namespaces. */
struct scenario_group {
    const char *name;
    const struct scenario_spot *spots;
    size_t count;
    bool targets;
};

/* What a scenario is loaded from.  `--seed N` of a command is the set "seed=N". */
struct scenario_input {
    const char *name; /* for messages */
    const char *text; /* NULL: read the file `name` */
    size_t length;
    const struct scenario_source *files; /* stand for files beside the scenario (text != NULL), or
                                          * for scenarios that it changes and that are no files */
    uint32_t file_count;
    const char *const *sets; /* "path=value" */
    uint32_t set_count;
};

struct scenario *scenario_load(const struct scenario_input *input, struct diag *diag);
struct scenario *scenario_load_file(const char *path, const char *const *sets, uint32_t set_count,
                                    struct diag *diag);
void scenario_free(struct scenario *scenario); /* NULL is fine */

/* Does some workload zero or deallocate blocks? */
bool scenario_empties(const struct scenario *scenario);
/* Admin commands alone (count: none). */
bool scenario_issues_nothing(const struct scenario_workload *workload);

/* How much later than its workload's start a member begins: its part of the jitter. */
time_ps scenario_late(const struct scenario *scenario, uint32_t workload, uint32_t member);

/* The DSCP of what `from` sends to `to` on a workload's connections, and of what comes back. */
uint8_t scenario_dscp(const struct scenario *scenario, const struct scenario_workload *workload,
                      const struct scenario_pair *pair);
uint8_t scenario_dscp_back(const struct scenario *scenario,
                           const struct scenario_workload *workload,
                           const struct scenario_pair *pair);

/* Rows beside those of the model: the top of the file, `fabric.routing` (struct scenario_routing),
 * an entry of `namespaces:`, and what every workload and every fault has. */
extern const struct opt scenario_top_opts[];
extern const struct opt scenario_routing_opts[];
extern const struct opt scenario_namespace_opts[];
extern const struct opt scenario_ana_opts[]; /* an entry of `ana:` (struct scenario_ana) */
extern const struct opt scenario_workload_opts[];
extern const struct opt scenario_fault_opts[];

/* Other ways to write the rows of a switch, "pfc.headroom". */
extern const struct block_word scenario_switch_words[];
/* Of RNICs and workloads: the ToS, whose upper six bits are the DSCP. */
extern const struct block_word scenario_tos_words[];

/* Index of the node of that name, or UINT32_MAX. */
uint32_t scenario_find_node(const struct scenario *scenario, const char *name);

/* One row of the settings table as text. */
struct scenario_setting_text {
    const char *path;
    const char *value, *preset; /* as a scenario would write them */
    const char *where;          /* "FILE:LINE", "profile NAME" or "default" */
    const char *evidence;       /* "" when it is no profile's */
    const char *source;
};

typedef void scenario_setting_fn(void *self, const struct scenario_setting_text *setting);
void scenario_settings(const struct scenario *scenario, scenario_setting_fn *call, void *self);

#endif
