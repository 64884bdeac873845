/* SPDX-License-Identifier: Apache-2.0
 * scenario_subsystems - `subsystems:`, `ana:` and `nqn:` of a section of hosts.
 * Their words are checked where they are read; what they say of namespaces, ports and hosts is
 * resolved when all sections are known. */
#ifndef STORMGLASS_SCENARIOS_LOAD_SCENARIO_SUBSYSTEMS_H
#define STORMGLASS_SCENARIOS_LOAD_SCENARIO_SUBSYSTEMS_H

#include "scenarios/load/scenario_load.h"
#include "scenarios/workload/workload.h"

/* Checks and keeps what the section says. */
void scenario_read_names(struct loader *loader, const char *path, const struct tree_node *section,
                         struct scenario_names *names);

/* One laid over another. */
struct scenario_names scenario_names_over(const struct scenario_names *from,
                                          const struct scenario_names *over);

/* Fills in nqn, subsystems and ana of the node's host. */
void scenario_finish_names(struct loader *loader, uint32_t node, const struct scenario_names *names,
                           struct scenario_host *host);

/* Targets that the scenario gives no subsystems have one of a name of their own. */
void scenario_name_targets(struct loader *loader);

/* The subsystem of the workload's targets, where it names one: all must have it. */
void scenario_check_subsystem(struct loader *loader, const struct tree_node *entry,
                              const struct scenario_workload *workload);

/* What the workload connects to there, and as whom. */
struct workload_names scenario_subsystem_names(const struct scenario *scenario,
                                               const struct scenario_workload *workload,
                                               const struct scenario_pair *pair);

/* How many namespaces the workload finds at a target, and which of the target's the one with that
 * NSID is, from 0. */
uint32_t scenario_namespaces_at(const struct scenario_host *target, const char *subsystem);
uint32_t scenario_namespace_at(const struct scenario_host *target, const char *subsystem,
                               uint32_t nsid);

/* Gives the target the states that the scenario says. */
struct nvme_target;
void scenario_set_ana(const struct scenario_host *host, struct nvme_target *target);

#endif
