/* SPDX-License-Identifier: Apache-2.0
 * check_subsystems - a subsystem admits the hosts of its workloads, is present at the ports of
 * their paths, and reports no ANA state in which the hosts' I/O policy leaves a path unused.
 * NVMe base 2.1, 3.3 and 8.1.1: a host that is not in the list is rejected. Linux uses no
 * non-optimized path while an optimized one is usable. */
#include "scenarios/check/check_rule.h"

#include "nvme/host/host.h"
#include "nvme/target/target.h"
#include "nvme/wire/ana.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/data/subsystems.h"
#include "scenarios/fabric/nics.h"
#include "scenarios/load/scenario_load.h"
#include "scenarios/workload/workload.h"

#include <string.h>

static const struct nvme_target_subsystem *subsystem_of(const struct scenario *scenario,
                                                        const struct scenario_workload *workload,
                                                        const struct scenario_pair *pair)
{
    const struct scenario_host *target = scenario->nodes[pair->to].host;
    const char *nqn = scenario_subsystem_names(scenario, workload, pair).subsystem;
    for (uint32_t i = 0; nqn != NULL && i < target->subsystem_count; i++)
        if (strcmp(target->subsystems[i].nqn, nqn) == 0)
            return &target->subsystems[i];
    return target->subsystem_count > 0 && workload->subsystem == NULL ? &target->subsystems[0]
                                                                      : NULL;
}

static struct diag_place written_at(const struct scenario *scenario, uint32_t target)
{
    const struct tree_node *written = scenario->origins->nodes[target].host->names.subsystems;
    return written == NULL ? scenario->nodes[target].place : written->place;
}

static void check_admits(const struct scenario *scenario,
                         const struct nvme_target_subsystem *subsystem,
                         const struct scenario_workload *workload, const struct scenario_pair *pair,
                         struct check_report *report)
{
    const struct scenario_node *host = &scenario->nodes[pair->from];
    char own[NVME_NQN_BYTES];
    nvme_host_name(host->name, own);
    const char *nqn = host->host->nqn != NULL ? host->host->nqn : own;
    for (uint32_t i = 0; i < subsystem->host_count; i++)
        if (strcmp(subsystem->hosts[i], nqn) == 0)
            return;
    if (subsystem->host_count == 0)
        return;
    const struct check_thing thing = {
        .node = host, .port = SCENARIO_ALL_PORTS, .written = written_at(scenario, pair->to)};
    check_alike(report, DIAG_WARNING, &thing,
                "subsystem %s of %s rejects it: it is not in `hosts` there, so '%s' never connects",
                subsystem->nqn, scenario->nodes[pair->to].name, workload->name);
    check_remedy(report, "add %s to `hosts` of the subsystem", host->name);
}

static void check_ports(const struct scenario *scenario,
                        const struct nvme_target_subsystem *subsystem,
                        const struct scenario_workload *workload, const struct scenario_pair *pair,
                        const struct nic_pair *list, uint32_t count, struct check_report *report)
{
    const struct scenario_node *target = &scenario->nodes[pair->to];
    for (uint32_t i = 0; i < count; i++) {
        if (subsystem->ports == 0 || (subsystem->ports >> list[i].to & 1) != 0)
            continue;
        const struct check_thing thing = {
            .node = target, .port = list[i].to, .written = written_at(scenario, pair->to)};
        check_alike(report, DIAG_WARNING, &thing,
                    "subsystem %s is not at port %u, so the path of '%s' to it never connects",
                    subsystem->nqn, (unsigned)list[i].to, workload->name);
        check_remedy(report, "add port %u to `ports` of the subsystem", (unsigned)list[i].to);
    }
}

/* Combined state of all ANA groups at the port. */
static uint32_t state_at(const struct scenario_host *target, uint16_t port)
{
    uint32_t state = NVME_ANA_OPTIMIZED;
    for (uint32_t i = 0; i < target->ana_count; i++)
        if (target->ana[i].port == port || target->ana[i].port == -1)
            state = scenario_ana_state(target->ana[i].state);
    return state;
}

static void check_states(const struct scenario *scenario, const struct scenario_workload *workload,
                         const struct scenario_pair *pair, const struct nic_pair *list,
                         uint32_t count, struct check_report *report)
{
    const struct scenario_node *target = &scenario->nodes[pair->to];
    const struct nvme_multipath_params *params =
        &scenario->nodes[pair->from].host->nvme_host->paths;
    uint32_t best = 0;
    for (uint32_t i = 0; i < count; i++)
        best += state_at(target->host, list[i].to) == NVME_ANA_OPTIMIZED;
    if (best == 0 || best == count || params->policy == NVME_IO_POLICY_NUMA)
        return;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t state = state_at(target->host, list[i].to);
        if (state == NVME_ANA_OPTIMIZED)
            continue;
        const struct check_thing thing = {target, list[i].to, NULL, NULL, {0}};
        check_alike(report, DIAG_WARNING, &thing,
                    "ANA state %s: '%s' distributes its I/O over all paths (nvme.io-policy), but "
                    "uses no path through this port while another is optimized",
                    nvme_ana_state_word(state), workload->name);
        check_remedy(report,
                     "set ana: optimized at port %u, or io-policy: numa if the path is a spare",
                     (unsigned)list[i].to);
    }
}

static void check_pair(const struct scenario *scenario, const struct scenario_workload *workload,
                       const struct scenario_pair *pair, struct check_report *report)
{
    const struct nvme_target_subsystem *subsystem = subsystem_of(scenario, workload, pair);
    struct nic_pair list[NICS_PATHS_MAX];
    const uint32_t there = nics_paths(scenario, workload, pair, list);
    const uint32_t most = workload->paths > 0 ? workload->paths : 1;
    const uint32_t count = there < most ? there : most;
    if (subsystem != NULL) {
        check_admits(scenario, subsystem, workload, pair, report);
        check_ports(scenario, subsystem, workload, pair, list, count, report);
    }
    check_states(scenario, workload, pair, list, count, report);
}

static void find_subsystems(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; workload->ops->needs_nvme_target && i < workload->pair_count; i++)
            check_pair(scenario, workload, &workload->pairs[i], report);
    }
}

const struct check_rule check_subsystems = {
    .name = "subsystems",
    .about = "Each subsystem accepts the hosts that use it, at the ports that they connect to.",
    .run = find_subsystems,
};
