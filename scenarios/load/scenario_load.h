/* SPDX-License-Identifier: Apache-2.0
 * scenario_load - what the parts of the loader share, also those that lie beside what they load:
 * a topology's file, an import.
 * Parts run in the order of the scenario's sections; each leaves its result in the scenario and its
 * messages in the diag; after a part that failed the next ones do not run. */
#ifndef STORMGLASS_SCENARIOS_LOAD_SCENARIO_LOAD_H
#define STORMGLASS_SCENARIOS_LOAD_SCENARIO_LOAD_H

#include "scenarios/fabric/topology.h"
#include "scenarios/format/block.h"
#include "scenarios/load/scenario.h"

/* What a section says of names and of who may use what (scenario_subsystems.h); NULL: nothing. */
struct scenario_names {
    const char *nqn; /* of the host */
    const struct tree_node *subsystems, *ana;
    const char *subsystems_path; /* of the group that says them */
};

/* What a node is being made from; nodes share blocks until an override separates them.  They stay
 * for who asks later which mapping gave a value. */
struct loader_host {
    const struct block *rnic, *nvme, *target;
    const struct block *control; /* parameters of the congestion control */
    const struct cc_ops *cc;
    const struct cc_preset *preset; /* of the congestion control */
    const uint8_t *dscp;            /* RNIC_DSCP_UNSAID where the rows say; NULL: everywhere */
    const char *dscp_path;          /* of the mapping that said it last; NULL: none */
    struct diag_place dscp_place, control_place;
    const struct scenario_namespaces *namespaces; /* NULL: no target */
    const char *machine;                          /* NULL: one of its own */
    struct scenario_names names;
};

struct loader_node {
    const struct block *switch_block;
    const struct block **port_blocks;
    const struct loader_host *host;
    const char *dscp_path; /* of the override that changed a switch's map last; NULL: none */
    struct diag_place dscp_place;
    uint32_t written_ports; /* of the routes that are written for it */
};

/* What all are made from before anything is said of some. */
struct loader_bases {
    const struct block *host_links, *fabric_links, *switches;
    const struct loader_host *host;
    const uint8_t *dscp; /* of the switches */
};

struct scenario_origins {
    struct loader_bases bases;
    const struct loader_node *nodes; /* as scenario->nodes */
};

/* A block in the settings table: every row, or only those that the scenario wrote (overrides). */
struct loader_shown {
    const struct block *block;
    bool written_only;
};

struct loader {
    struct scenario *scenario;
    struct arena *arena; /* the scenario's */
    struct diag *diag;
    const struct scenario_input *input;
    const char *home; /* the file that others stand beside */
    const struct tree_node *root;
    struct topology topology;
    struct loader_node *nodes; /* as scenario->nodes */
    struct loader_bases bases;
    struct loader_shown *shown;
    size_t shown_count;
    const struct opt *switch_rows, *nvme_rows, *target_rows; /* NULL: nobody has asked yet */
    const char **paths;                                      /* that files were read from */
    size_t path_count;
    struct scenario_source *sources;
    size_t source_count;
};

/* Entries of scenario_node.priority_of_dscp. */
enum { SCENARIO_DSCPS = 64 };

/* ---- common (scenario.c) ---- */

/* A mapping below `map`, or NULL when there is none; an error when it is something else. */
const struct tree_node *scenario_map(struct loader *loader, const struct tree_node *map,
                                     const char *key);

/* A scalar below `map`, or NULL; an error when it is something else. */
const struct tree_node *scenario_word(struct loader *loader, const struct tree_node *map,
                                      const char *key);

/* A list below `map`, or NULL; an error when it is something else. */
const struct tree_node *scenario_list(struct loader *loader, const struct tree_node *map,
                                      const char *key);

/* Loads the map (which may be NULL); keys that neither the block knows nor `also` lists are errors.
 * */
void scenario_take(struct loader *loader, struct block *block, const struct tree_node *map,
                   const char *const *also);

/* Loads what the block knows of the map, without the keys that `except` lists; the rest is somebody
 * else's. */
void scenario_take_part(struct loader *loader, struct block *block, const struct tree_node *map,
                        const char *const *except);

void scenario_show(struct loader *loader, const struct block *block, bool written_only);

/* A choice that is no row of anybody: "fabric.switch" "profile" is `word`, by itself `preset`. */
struct scenario_choice {
    const char *path, *name, *word, *preset, *about;
    struct opt_effect effect;
    struct diag_place where; /* file NULL: nobody wrote it */
};
/* Of a host's choices: congestion is relieved by no control at all; a profile has no effect but by
 * the values that it gives. */
struct opt_effect scenario_choice_effect(const char *name);
void scenario_show_choice(struct loader *loader, const struct scenario_choice *choice);

/* The text of a file that the scenario names: from memory when it was loaded so, else beside the
 * scenario. */
const struct tree_file *scenario_open(struct loader *loader, const struct tree_node *name);

/* That of another scenario, or a case; files that are opened later stand beside it. */
const struct tree_file *scenario_open_template(struct loader *loader, const struct tree_node *name);

/* What the file says, where it changes another scenario with the changes applied
 * (scenario_change.c).  NULL and messages. */
struct tree_node *scenario_change(struct loader *loader, struct tree_node *root);

/* ---- the sections ---- */

void scenario_load_fabric(struct loader *loader);
void scenario_load_hosts(struct loader *loader);

/* `topology: {kind: dot, file: .., hosts: ..}` as an explicit one; NULL and messages when it cannot
 * be. */
const struct tree_node *scenario_dot_topology(struct loader *loader,
                                              const struct tree_node *written);
void scenario_load_overrides(struct loader *loader);
void scenario_load_routes(struct loader *loader); /* and what `fabric.routing` says */
void scenario_load_workloads(struct loader *loader);
void scenario_load_faults(struct loader *loader);
void scenario_load_expectations(struct loader *loader);

/* Blocks become the parameters of nodes and ports. */
void scenario_finish_nodes(struct loader *loader);
void scenario_make_settings(struct loader *loader);

/* The rows of something and of its plug-ins, joined when they are asked for first: all blocks of a
 * loader are over one table. */
const struct opt *scenario_rows(struct loader *loader, const struct opt **rows,
                                size_t (*join)(struct opt *rows));

/* A block of a switch's rows, those that buffer policies have for themselves with them. */
struct block *scenario_switch_block(struct loader *loader, const char *path);

/* Entries of a `dscp:` mapping (may be NULL) over the priorities of all DSCPs. */
void scenario_load_dscp(struct loader *loader, const struct tree_node *written, uint8_t *map);

/* A section of hosts (rnic, nvme, target, namespaces) laid over the hosts that are selected. */
void scenario_apply_host_section(struct loader *loader, const char *path,
                                 const struct tree_node *section, const struct scenario_spot *spots,
                                 size_t count);
void scenario_finish_host(struct loader *loader, uint32_t node);

/* A written route: `where` (under that key) are switches, beside it stand `to` and `via`.  NULL and
 * messages when something is wrong. */
const struct scenario_route *
scenario_load_route(struct loader *loader, const struct tree_node *written, const char *where);

/* The jobs of a fio file become workloads. */
struct scenario_workload_list {
    struct scenario_workload *list;
    size_t count;
};
void scenario_add_fio(struct loader *loader, const struct tree_node *entry,
                      const struct scenario_workload *base, struct scenario_workload_list *out);

/* Refuses a workload whose I/Os the namespaces cannot serve that its instances will use. */
/* `admin:` of an entry, where its kind has it; false, and messages. */
bool scenario_read_admin(struct loader *loader, const struct tree_node *written,
                         const struct scenario_workload *workload, void *params);

void scenario_check_spaces(struct loader *loader, const struct tree_node *entry,
                           const struct scenario_workload *workload);

#endif
