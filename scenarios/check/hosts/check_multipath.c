/* SPDX-License-Identifier: Apache-2.0
 * check_multipath - a namespace has several paths, the paths share no component that can fail, and
 * the loss of one is detected in time.
 * The loss of a path without any notification is detected by whichever comes first: the RNIC's
 * retries (IBTA Vol 1 9.7.6: 4.096 us * 2^timeout each), an unanswered keep-alive (sent after
 * KATO/2, timing out after KATO), or io-timeout. */
#include "scenarios/check/check_rule.h"

#include "base/note_text.h"
#include "base/plural.h"
#include "rnic/host/rnic.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/check/offered.h"
#include "scenarios/data/fault.h"
#include "scenarios/fabric/nics.h"
#include "scenarios/workload/workload.h"

#include <inttypes.h>

#define ACK_UNIT (4096 * PS_PER_NS)

static time_ps noticed_after(const struct scenario_host *host)
{
    const struct nvme_host_params *nvme = &host->nvme_host->core;
    const struct rnic_params *rnic = host->rnic;
    time_ps least = nvme->io_timeout;
    if (rnic->timeout > 0)
        least = time_earlier(least, (ACK_UNIT << rnic->timeout) * (rnic->retry_count + 1));
    if (nvme->keep_alive > 0)
        least = time_earlier(least, nvme->keep_alive + nvme->keep_alive / 2);
    return least;
}

/* The switch next to the host that all paths share; UINT32_MAX: none. */
static uint32_t shared_switch(const struct scenario *scenario, const struct scenario_pair *pair,
                              const struct nic_pair *list, uint32_t count)
{
    const struct scenario_node *from = &scenario->nodes[pair->from];
    const uint32_t first = from->ports[list[0].from].peer_node;
    for (uint32_t i = 0; i < count; i++)
        if (from->ports[list[i].from].peer_node != first ||
            scenario->nodes[first].kind != SCENARIO_SWITCH)
            return UINT32_MAX;
    return first;
}

static void check_pair(const struct scenario *scenario, const struct scenario_workload *workload,
                       const struct scenario_pair *pair, struct check_report *report)
{
    struct nic_pair list[NICS_PATHS_MAX];
    const uint32_t there = nics_paths(scenario, workload, pair, list);
    const uint32_t count = there < workload->paths ? there : workload->paths;
    const struct check_thing thing = {&scenario->nodes[pair->from], SCENARIO_ALL_PORTS, NULL, NULL};
    if (count < 2) {
        check_alike(report, DIAG_WARNING, &thing, "'%s' has one path: if it fails, I/O stops",
                    workload->name);
        check_remedy(report, "set fabric.topology.nics: 2, homing: dual or fabrics");
        return;
    }
    const uint32_t node = shared_switch(scenario, pair, list, count);
    if (node == UINT32_MAX)
        return;
    check_alike(report, DIAG_WARNING, &thing, "all paths of '%s' go through %s: they fail together",
                workload->name, scenario->nodes[node].name);
    check_remedy(report, "set homing: dual or fabrics");
}

/* True if a fault of the scenario takes down links, whether or not they are on a path. */
static bool path_fails(const struct scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        const struct scenario_fault *fault = &scenario->faults[i];
        if (fault->at < scenario->duration &&
            (fault->ops->breaks(fault->params) & FAULT_LOSES_CARRIER) != 0)
            return true;
    }
    return false;
}

static void check_time(const struct scenario *scenario, const struct scenario_workload *workload,
                       const struct scenario_pair *pair, struct check_report *report)
{
    const struct scenario_node *host = &scenario->nodes[pair->from];
    const time_ps after = noticed_after(host->host);
    const enum diag_level level = path_fails(scenario) ? DIAG_WARNING : DIAG_NOTE;
    const time_ps quiesce = host->host->nvme_host->paths.quiesce;
    const struct check_thing thing = {host, SCENARIO_ALL_PORTS, NULL, NULL};
    if (quiesce > scenario->duration && offered_all(workload).out) {
        check_alike(report, level, &thing,
                    "writes of '%s' on a lost path wait %s before they use another path "
                    "(nvme.quiesce-delay), but the run lasts %s",
                    workload->name, note_time(quiesce).text, note_time(scenario->duration).text);
        check_remedy(report, "lower nvme.quiesce-delay to at most 2 or 3 times nvme.keep-alive");
    }
    if (after <= scenario->duration)
        return;
    check_alike(report, level, &thing,
                "a silent failure of a path of '%s' is detected after %s, but the run lasts %s",
                workload->name, note_time(after).text, note_time(scenario->duration).text);
    check_remedy(report, "lower rnic.timeout and rnic.retry-count, or nvme.keep-alive");
}

/* A note if an unused path may be intended: the target has ANA states, or the load is bounded and
 * fits on one path. A warning if an unbounded load leaves one of several equal paths unused. */
static enum diag_level spreads_nothing(const struct scenario_workload *workload,
                                       const struct scenario_host *target)
{
    const bool bounded =
        workload->job != NULL || opt_value(workload->ops->opts, "rate", workload->params, 1) != 0;
    return bounded || target->ana_count > 0 ? DIAG_NOTE : DIAG_WARNING;
}

/* Linux's default policy, numa, uses one path from each NUMA node. */
static void check_policy(const struct scenario *scenario, const struct scenario_workload *workload,
                         const struct scenario_pair *pair, struct check_report *report)
{
    const struct scenario_node *host = &scenario->nodes[pair->from];
    const struct nvme_multipath_params *params = &host->host->nvme_host->paths;
    struct nic_pair list[NICS_PATHS_MAX];
    const uint32_t there = nics_paths(scenario, workload, pair, list);
    const uint32_t count = there < workload->paths ? there : workload->paths;
    const struct check_thing thing = check_of_initiator(host, "io-policy");
    if (params->policy != NVME_IO_POLICY_NUMA || params->numa_nodes >= count || count < 2)
        return;
    check_alike(
        report, spreads_nothing(workload, scenario->nodes[pair->to].host), &thing,
        "only %u of the %u %s of '%s' %s I/O, the others only after a failure (io-policy numa)",
        (unsigned)params->numa_nodes, (unsigned)count, plural(count, "path", "paths"),
        workload->name, plural(params->numa_nodes, "carries", "carry"));
    check_remedy(report, "set nvme.io-policy: round-robin or queue-depth");
    check_set(report, &thing, "round-robin");
}

/* A policy that uses all paths skips those that were never usable or never optimized. */
static void check_used(const struct check_run *run, uint32_t index, struct check_report *report)
{
    const struct scenario_workload *workload = &run->scenario->workloads[index];
    for (uint32_t i = 0; i < workload->pair_count * workload->copies; i++) {
        const struct scenario_pair *pair = &workload->pairs[i / workload->copies];
        const struct scenario_node *host = &run->scenario->nodes[pair->from];
        const struct workload_member *member = run->members[run->first_member[index] + i];
        struct nic_pair list[NICS_PATHS_MAX];
        const uint32_t there = nics_paths(run->scenario, workload, pair, list);
        const uint32_t count = there < workload->paths ? there : workload->paths;
        if (member == NULL || member->completed < count ||
            host->host->nvme_host->paths.policy == NVME_IO_POLICY_NUMA)
            continue;
        const struct check_thing thing = {host, SCENARIO_ALL_PORTS, NULL, NULL};
        for (uint32_t p = 0; p < count; p++)
            if ((member->paths_used >> p & 1) == 0)
                check_alike(report, DIAG_WARNING, &thing,
                            "path %u of %u of '%s' carried no I/O in the whole run", (unsigned)p,
                            (unsigned)count, workload->name);
    }
}

static void after(const struct check_run *run, struct check_report *report)
{
    for (uint32_t w = 0; !run->cut && w < run->scenario->workload_count; w++)
        if (run->scenario->workloads[w].paths > 1)
            check_used(run, w, report);
}

static void find_multipath(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; i < workload->pair_count && workload->paths > 0; i++) {
            check_pair(scenario, workload, &workload->pairs[i], report);
            check_time(scenario, workload, &workload->pairs[i], report);
            check_policy(scenario, workload, &workload->pairs[i], report);
        }
    }
}

const struct check_rule check_multipath = {
    .name = "multipath",
    .about = "The paths to a namespace do not all fail together, all are used, and a failure is "
             "detected in time.",
    .run = find_multipath,
    .after = after,
};
