/* SPDX-License-Identifier: Apache-2.0
 * nics - which NICs of two hosts the queue pairs of a workload use.
 * Each port of a host is a NIC of its own, with an address.  A workload says which (`nic`,
 * `peer-nic`), or spreads its queue pairs in turns: over the first NICs of each host, as many as
 * the topology's `nics`, the k-th of the one with the k-th of the other, the shorter side gone
 * through in turns, and those left out that no cable joins.  Hosts forward nothing: NICs of
 * separate fabrics do not reach each other.  What written routes and faults do to a path is not
 * asked. */
#ifndef STORMGLASS_SCENARIOS_FABRIC_NICS_H
#define STORMGLASS_SCENARIOS_FABRIC_NICS_H

#include "scenarios/load/scenario.h"

enum { NICS_MAX = 8 }; /* of one host */

/* Ports of a pair's hosts. */
struct nic_pair {
    uint16_t from, to;
};

/* Fills in the hosts' endpoints, one for each port: scenario_node.endpoint. */
void nics_number_endpoints(struct scenario *scenario);

/* Fills in which switches reach each other: scenario_node.segment. */
void nics_find_segments(struct scenario *scenario);

/* Fills in which hosts' NICs are one link aggregate: scenario_node.is_aggregate. */
void nics_find_aggregates(struct scenario *scenario);

/* Why they are none though the host's `lag` says so: the end of a sentence about them.  NULL: they
 * are one, or it does not. */
const char *nics_why_apart(const struct scenario *scenario, const struct scenario_node *host);

bool nics_reach(const struct scenario *scenario, const struct scenario_pair *pair,
                struct nic_pair nics);

/* Those that the workload's queue pairs between the two may use, in turns: at least one, which
 * reaches nothing when none does. */
uint32_t nics_between(const struct scenario *scenario, const struct scenario_workload *workload,
                      const struct scenario_pair *pair, struct nic_pair list[NICS_MAX]);

/* Those of the queue pair or NVMe controller whose turn it is among the pair's own, from 0. */
struct nic_pair nics_of(const struct scenario *scenario, const struct scenario_workload *workload,
                        const struct scenario_pair *pair, uint32_t turn);

/* Pairs of NICs that may each be a path of NVMe, at most NVME paths: those of nics_between first,
 * the pair's own turn ahead, then all others that reach each other.  How many. */
enum { NICS_PATHS_MAX = 16 };
uint32_t nics_paths(const struct scenario *scenario, const struct scenario_workload *workload,
                    const struct scenario_pair *pair, struct nic_pair list[NICS_PATHS_MAX]);

/* All that the pair's queue pairs do use; how many. */
uint32_t nics_used(const struct scenario *scenario, const struct scenario_workload *workload,
                   const struct scenario_pair *pair, struct nic_pair list[NICS_MAX]);

/* Gives each pair of a workload its first turn, so that the NICs of each host are used alike. */
void nics_give_turns(const struct scenario *scenario, const struct scenario_workload *workload,
                     struct scenario_pair *pairs);

#endif
