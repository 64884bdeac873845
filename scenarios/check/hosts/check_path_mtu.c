/* SPDX-License-Identifier: Apache-2.0
 * check_path_mtu - both ends of a connection have the same path MTU.
 * IBTA Vol 1 9.7.4.1.6: every packet except the last of its message must carry exactly the path
 * MTU, otherwise it is an invalid request. The last or only packet may be shorter. */
#include "scenarios/check/check_rule.h"
#include "scenarios/check/offered.h"

#include "rnic/host/rnic.h"
#include "scenarios/workload/workload.h"

static void differ(struct check_report *report, const struct scenario_workload *workload,
                   const struct scenario_node *from, const struct scenario_node *to, int64_t asked)
{
    const int64_t taken = to->host->rnic->path_mtu;
    const int64_t least = asked < taken ? asked : taken;
    if (offered_operation(workload, INT64_MAX) <= least && !workload->ops->needs_nvme_target)
        return;
    const struct check_thing thing = check_of_rnic(to, "path-mtu-agreement");
    check_alike(report, DIAG_ERROR, &thing,
                "'%s': it accepts path MTU %lld, but %s sends with %lld: it rejects the first "
                "message above %lld B as an invalid request, which ends the queue pair",
                workload->name, (long long)taken, from->name, (long long)asked, (long long)least);
    check_shows(report, "rnic.qp_errors > 0");
    check_remedy(report, "use the same rnic.path-mtu at both ends, or set rnic.path-mtu-agreement: "
                         "request or smaller");
    check_set(report, &thing, "smaller");
}

static void refuses(struct check_report *report, const struct scenario_workload *workload,
                    const struct scenario_node *from, const struct scenario_node *to, int64_t asked)
{
    const struct check_thing thing = check_of_rnic(to, "path-mtu-agreement");
    check_alike(report, DIAG_ERROR, &thing,
                "'%s': it rejects the connections of %s (REJ 26, invalid path MTU): their REQs "
                "have %lld B, but it accepts at most %lld B",
                workload->name, from->name, (long long)asked, (long long)to->host->rnic->path_mtu);
    check_remedy(report, "set rnic.path-mtu: %lldB at %s, or path-mtu-agreement: smaller there",
                 (long long)to->host->rnic->path_mtu, from->name);
    check_set(report, &thing, "smaller");
}

static void find_path_mtu(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; !workload->by_tcp && i < workload->pair_count; i++) {
            const struct scenario_node *from = &scenario->nodes[workload->pairs[i].from];
            const struct scenario_node *to = &scenario->nodes[workload->pairs[i].to];
            const int64_t asked = rnic_asked_mtu(from->host->rnic, to->host->rnic);
            if (rnic_refuses_mtu(to->host->rnic, asked))
                refuses(report, workload, from, to, asked);
            else if (rnic_taken_mtu(to->host->rnic, asked) != asked)
                differ(report, workload, from, to, asked);
        }
    }
}

const struct check_rule check_path_mtu = {
    .name = "path-mtu",
    .about = "Both ends of a connection have the same path MTU.",
    .run = find_path_mtu,
};
