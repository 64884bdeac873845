/* SPDX-License-Identifier: Apache-2.0
 * nics - the NICs of two hosts that the queue pairs of a workload use.
 * Each port of a host is a separate NIC with its own address. A workload names the NICs (`nic`,
 * `peer-nic`), or spreads its queue pairs over the first NICs of each host, as many as the
 * topology's `nics`: the k-th of one host with the k-th of the other, wrapping around on the
 * shorter side, without pairs that no path joins. Hosts do not forward, so NICs of separate fabrics
 * cannot reach each other. Static routes and faults are not considered. */
#ifndef STORMGLASS_SCENARIOS_FABRIC_NICS_H
#define STORMGLASS_SCENARIOS_FABRIC_NICS_H

#include "scenarios/data/scenario.h"

enum { NICS_MAX = 8 }; /* NICs of one host */

/* Ports of a pair's hosts. */
struct nic_pair {
    uint16_t from, to;
};

/* Sets scenario_node.endpoint: one endpoint for each port of the hosts. */
void nics_number_endpoints(struct scenario *scenario);

/* Sets scenario_node.segment: which switches reach each other. */
void nics_find_segments(struct scenario *scenario);

/* Sets scenario_node.is_aggregate: hosts whose NICs are one link aggregate. */
void nics_find_aggregates(struct scenario *scenario);

/* Why the NICs are no link aggregate although the host's `lag` requests one, as the end of a
 * sentence. NULL: they are an aggregate, or `lag` does not request one. */
const char *nics_why_apart(const struct scenario *scenario, const struct scenario_node *host);

bool nics_reach(const struct scenario *scenario, const struct scenario_pair *pair,
                struct nic_pair nics);

/* NIC pairs that the workload's queue pairs between the two hosts use in turn. Always at least one,
 * which reaches nothing if no pair of NICs does. */
uint32_t nics_between(const struct scenario *scenario, const struct scenario_workload *workload,
                      const struct scenario_pair *pair, struct nic_pair list[NICS_MAX]);

/* NIC pair of the pair's queue pair or NVMe controller number `turn`, from 0. */
struct nic_pair nics_of(const struct scenario *scenario, const struct scenario_workload *workload,
                        const struct scenario_pair *pair, uint32_t turn);

/* NIC pairs that may each be an NVMe path, at most NICS_PATHS_MAX: those of nics_between first,
 * starting with the pair's own turn, then all others that reach each other. Returns their
 * number. */
enum { NICS_PATHS_MAX = 16 };
uint32_t nics_paths(const struct scenario *scenario, const struct scenario_workload *workload,
                    const struct scenario_pair *pair, struct nic_pair list[NICS_PATHS_MAX]);

/* All NIC pairs that the pair's queue pairs use. Returns their number. */
uint32_t nics_used(const struct scenario *scenario, const struct scenario_workload *workload,
                   const struct scenario_pair *pair, struct nic_pair list[NICS_MAX]);

/* Sets the first turn of each pair of a workload, so that the NICs of each host are used evenly. */
void nics_give_turns(const struct scenario *scenario, const struct scenario_workload *workload,
                     struct scenario_pair *pairs);

#endif
