/* SPDX-License-Identifier: Apache-2.0
 * scenario_subsystems - loads `subsystems:`, `ana:` and `nqn:` of a section of hosts.
 * Keys and values are checked when they are read. References to namespaces, ports and hosts are
 * resolved after all sections have been read. */
#ifndef STORMGLASS_SCENARIOS_LOAD_SCENARIO_SUBSYSTEMS_H
#define STORMGLASS_SCENARIOS_LOAD_SCENARIO_SUBSYSTEMS_H

#include "scenarios/load/scenario_load.h"
#include "scenarios/workload/workload.h"

/* Checks and stores the names of a section. */
void scenario_read_names(struct loader *loader, const char *path, const struct tree_node *section,
                         struct scenario_names *names);

/* Lays one set of names over another. */
struct scenario_names scenario_names_over(const struct scenario_names *from,
                                          const struct scenario_names *over);

/* Sets nqn, subsystems and ana of the node's host. */
void scenario_finish_names(struct loader *loader, uint32_t node, const struct scenario_names *names,
                           struct scenario_host *host);

/* Gives targets without configured subsystems one with a name of its own. */
void scenario_name_targets(struct loader *loader);

/* Checks that all targets of the workload have the subsystem that it names, if any. */
void scenario_check_subsystem(struct loader *loader, const struct tree_node *entry,
                              const struct scenario_workload *workload);

#endif
