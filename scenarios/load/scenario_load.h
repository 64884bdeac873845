/* SPDX-License-Identifier: Apache-2.0
 * scenario_load - interfaces between the parts of the loader, including code in other directories:
 * a topology's file, an import.
 * Parts run in the order of the scenario's sections. Each leaves its result in the scenario and its
 * messages in the diag. Loading stops early only if the fabric has no nodes. */
#ifndef STORMGLASS_SCENARIOS_LOAD_SCENARIO_LOAD_H
#define STORMGLASS_SCENARIOS_LOAD_SCENARIO_LOAD_H

#include "scenarios/fabric/topology.h"
#include "scenarios/format/block.h"
#include "scenarios/load/load.h"

/* Names and access rights set in a section (scenario_subsystems.h); NULL: not set. */
struct scenario_names {
    const char *nqn; /* NQN of the host */
    const struct tree_node *subsystems, *ana;
    const char *subsystems_path; /* path of the section that sets the subsystems */
};

/* Source of a node's parameters. Nodes share blocks until an override separates them. The blocks
 * are kept, because they record which mapping set a value. */
struct loader_host {
    const struct block *rnic, *nvme, *target, *tcp;
    const struct block *control; /* parameters of the congestion control */
    const struct cc_ops *cc;
    const struct cc_preset *preset; /* preset of the congestion control */
    const uint8_t *dscp;            /* by DSCP; RNIC_DSCP_UNSAID: follows the parameters; NULL:
                                     * all do */
    const char *dscp_path;          /* mapping that set it last; NULL: none */
    struct diag_place dscp_place, control_place;
    const struct scenario_namespaces *namespaces; /* NULL: not a target */
    const char *machine;                          /* NULL: a separate machine */
    struct scenario_names names;
};

struct loader_node {
    const struct block *switch_block;
    const struct block **port_blocks;
    const struct loader_host *host;
    const char *dscp_path; /* override that changed the switch's map last; NULL: none */
    struct diag_place dscp_place;
    uint32_t written_ports; /* number of ports in its static routes */
};

/* Initial blocks of the nodes with one link layer; NULL: the fabric has no such section. */
struct loader_layer {
    const struct block *host_links, *fabric_links, *switches;
    const uint8_t *dscp; /* map of the switches */
};

/* Initial blocks of all nodes, before sections and overrides for some. */
struct loader_bases {
    struct loader_layer layers[SCENARIO_KIND_COUNT];
    const struct loader_host *host;
    const struct block *defaults; /* scenario_defaults_opts */
};

struct scenario_origins {
    struct loader_bases bases;
    const struct loader_node *nodes; /* indexed like scenario->nodes */
};

/* A block in the settings table: all parameters, or only those set in the scenario (overrides). */
struct loader_shown {
    const struct block *block;
    bool written_only;
};

struct loader {
    struct scenario *scenario;
    struct arena *arena; /* arena of the scenario */
    struct diag *diag;
    const struct scenario_input *input;
    const char *home; /* file that relative names refer to */
    const struct tree_node *root;
    enum scenario_kind kind; /* fabric.kind */
    struct topology topology;
    struct loader_node *nodes; /* indexed like scenario->nodes */
    struct loader_bases bases;
    struct loader_shown *shown;
    size_t shown_count;
    const struct opt *switch_rows, *nvme_rows, *target_rows, *tcp_rows; /* NULL: not built yet */
    const char **paths; /* paths of the files that were read */
    size_t path_count;
    struct scenario_source *sources;
    size_t source_count;
};

/* Entries of scenario_node.priority_of_dscp. */
enum { SCENARIO_DSCPS = 64 };

/* ---- helpers (scenario.c) ---- */

/* A mapping below `map`; NULL if missing; an error if it has another kind. */
const struct tree_node *scenario_map(struct loader *loader, const struct tree_node *map,
                                     const char *key);

/* A scalar below `map`; NULL if missing; an error if it has another kind. */
const struct tree_node *scenario_word(struct loader *loader, const struct tree_node *map,
                                      const char *key);

/* A list below `map`; NULL if missing; an error if it has another kind. */
const struct tree_node *scenario_list(struct loader *loader, const struct tree_node *map,
                                      const char *key);

/* Loads the map (may be NULL); keys that are neither in the block nor in `also` are errors. */
void scenario_take(struct loader *loader, struct block *block, const struct tree_node *map,
                   const char *const *also);

/* Loads the keys of the map that are in the block, except those in `except`; other code reads the
 * rest. */
void scenario_take_part(struct loader *loader, struct block *block, const struct tree_node *map,
                        const char *const *except);

void scenario_show(struct loader *loader, const struct block *block, bool written_only);

/* A choice that is not a row of any block: key `name` of `path` has the value `word`, by default
 * `preset`. */
struct scenario_choice {
    const char *path, *name, *word, *preset, *about;
    struct opt_effect effect;
    struct diag_place where; /* file NULL: default */
};
/* Effect of a host's choices: no congestion control at all relieves congestion; a profile has an
 * effect only through its values. */
struct opt_effect scenario_choice_effect(const char *name);
void scenario_show_choice(struct loader *loader, const struct scenario_choice *choice);

/* Text of a file that the scenario names: from memory if the scenario was loaded from memory, else
 * relative to the scenario. */
const struct tree_file *scenario_open(struct loader *loader, const struct tree_node *name);

/* The same for another scenario or a case; later files are relative to that file. */
const struct tree_file *scenario_open_template(struct loader *loader, const struct tree_node *name);

/* The content of the file; if it changes another scenario, that one with the changes applied
 * (scenario_change.c). NULL, with messages, on errors. */
struct tree_node *scenario_change(struct loader *loader, struct tree_node *root);

/* ---- sections ---- */

void scenario_load_fabric(struct loader *loader);
void scenario_load_hosts(struct loader *loader);

/* Errors of values of `map`, the RNIC's section, that are not possible together. */
struct rnic_params;
void scenario_check_rnic(struct loader *loader, const struct tree_node *map,
                         const struct rnic_params *rnic);

void scenario_load_overrides(struct loader *loader);
/* Adds the missing inner ports to the workload's hosts: for the NIC that the workload names, or the
 * first NIC. False, with an error at `written`, if a host cannot have them. */
bool scenario_make_loopback(struct loader *loader, const struct scenario_workload *workload,
                            const struct tree_node *written);

void scenario_load_routes(struct loader *loader); /* also loads `fabric.routing` */
void scenario_load_workloads(struct loader *loader);

/* Parameters written in hosts.defaults itself, beside its sections; `written` may be NULL. */
const struct block *scenario_load_defaults(struct loader *loader, const struct tree_node *written);

/* Values of the hosts that the workload does not set: the transport of hosts.defaults, and the
 * number of I/O queues. Hosts with different numbers of queues are an error. */
void scenario_take_transport(struct loader *loader, const struct scenario_workload *workload,
                             struct block *common);
void scenario_take_queues(struct loader *loader, const struct tree_node *written,
                          const struct scenario_workload *workload, struct block *params);
void scenario_load_faults(struct loader *loader);
void scenario_load_expectations(struct loader *loader);

/* Computes the parameters of nodes and ports from their blocks. */
void scenario_finish_nodes(struct loader *loader);
void scenario_make_settings(struct loader *loader);

/* Joined table of the rows of an object and of its plug-ins, built on first use, so that all blocks
 * of a loader share one table. */
const struct opt *scenario_rows(struct loader *loader, const struct opt **rows,
                                size_t (*join)(struct opt *rows));

/* Creates a block with a switch's rows, including those of the buffer policies. */
struct block *scenario_switch_block(struct loader *loader, const char *path);

/* Applies the entries of a `dscp:` mapping (may be NULL) to the map of all DSCPs. */
void scenario_load_dscp(struct loader *loader, const struct tree_node *written, uint8_t *map);

/* Applies a section of hosts (rnic, nvme, target, namespaces) to the selected hosts. */
void scenario_apply_host_section(struct loader *loader, const char *path,
                                 const struct tree_node *section, const struct scenario_spot *spots,
                                 size_t count);
/* Blocks of the parameters of `nvme:` and `target:`, including those of all transports, and of
 * `tcp:`. */
struct block *scenario_nvme_block(struct loader *loader, const char *path);
struct block *scenario_target_block(struct loader *loader, const char *path);
struct block *scenario_tcp_block(struct loader *loader, const char *path);

void scenario_finish_host(struct loader *loader, uint32_t node);

/* Loads a static route: key `where` has the switches, keys `to` and `via` the rest. NULL, with
 * messages, on errors. */
const struct scenario_route *
scenario_load_route(struct loader *loader, const struct tree_node *written, const char *where);

/* Converts the jobs of a fio file to workloads. */
struct scenario_workload_list {
    struct scenario_workload *list;
    size_t count;
};
void scenario_add_fio(struct loader *loader, const struct tree_node *entry,
                      const struct scenario_workload *base, struct scenario_workload_list *out);

/* Rejects a transport for a kind without NVMe. */
void scenario_check_transport(struct loader *loader, const struct tree_node *written,
                              const struct scenario_workload *workload);

/* Checks all workloads together: names, TCP. Without workloads over TCP, the settings have only the
 * values of `tcp:` that the scenario writes. */
void scenario_finish_workloads(struct loader *loader, const struct scenario_workload_list *list,
                               const struct tree_node *written);

/* Rejects a workload whose I/Os do not fit the namespaces of its instances. */
/* Loads `admin:` of an entry, if its kind has it; false, with messages, on errors. */
bool scenario_read_admin(struct loader *loader, const struct tree_node *written,
                         const struct scenario_workload *workload, void *params);

void scenario_check_spaces(struct loader *loader, const struct tree_node *entry,
                           const struct scenario_workload *workload);

#endif
