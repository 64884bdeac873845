/* SPDX-License-Identifier: Apache-2.0
 * subsystems - NQNs, namespaces and ANA states of a scenario's targets. */
#ifndef STORMGLASS_SCENARIOS_DATA_SUBSYSTEMS_H
#define STORMGLASS_SCENARIOS_DATA_SUBSYSTEMS_H

#include "scenarios/data/scenario.h"
#include "scenarios/workload/workload.h"

struct nvme_target;
struct nvme_target_subsystem;

extern const struct opt scenario_ana_opts[]; /* an entry of `ana:` (struct scenario_ana) */

/* Converts a value of its row `state` to an enum nvme_ana_state. */
uint32_t scenario_ana_state(int64_t choice);

/* True for NULL and for the NQN that the first target has by default. */
bool scenario_is_default_nqn(const char *nqn);

/* The target's subsystem of that name, NULL: the first one. NULL: it has none. */
const struct nvme_target_subsystem *scenario_subsystem_of(const struct scenario_host *target,
                                                          const char *name);

/* All namespaces of a target. */
uint32_t scenario_namespace_count(const struct scenario_host *target);

/* NQNs with which the workload connects: subsystem and host. */
struct workload_names scenario_subsystem_names(const struct scenario *scenario,
                                               const struct scenario_workload *workload,
                                               const struct scenario_pair *pair);

/* Number of namespaces that the workload sees at a target; and index, from 0, of the target's
 * namespace with that NSID. */
uint32_t scenario_namespaces_at(const struct scenario_host *target, const char *subsystem);
uint32_t scenario_namespace_at(const struct scenario_host *target, const char *subsystem,
                               uint32_t nsid);

/* Sets the target's ANA states according to the scenario. */
void scenario_set_ana(const struct scenario_host *host, struct nvme_target *target);

#endif
