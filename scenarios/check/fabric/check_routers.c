/* SPDX-License-Identifier: Apache-2.0
 * check_routers - no traffic without an IP header crosses a router.
 * RoCE v1 has EtherType 0x8915 and no IP header, so a router drops it. The version is that of the
 * host that opens the connection. */
#include "scenarios/check/check_rule.h"
#include "scenarios/check/flow_walk.h"

#include "base/memory.h"
#include "net/switch/switch.h"
#include "rnic/host/rnic.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/workload/workload.h"

#include <stdlib.h>

static bool is_roce_v1(const struct scenario_workload *workload, const struct scenario_node *opener)
{
    return !workload->by_tcp && opener->host->rnic->roce_version == 1 &&
           (!workload->ops->needs_nvme_target || workload->transport == NVME_CARRIER_rdma);
}

struct checking {
    const struct scenario *scenario;
    struct check_report *report;
    bool *reported; /* by workload */
};

static void check_hop(void *self, const struct flow_hop *hop)
{
    struct checking *checking = self;
    const struct scenario *scenario = checking->scenario;
    const struct scenario_node *node = &scenario->nodes[hop->node];
    const uint32_t index = hop->traffic->workload;
    const struct scenario_workload *workload = &scenario->workloads[index];
    if (node->switch_params->router == 0 || checking->reported[index])
        return;
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        const struct scenario_pair *pair = &workload->pairs[i];
        const bool there = pair->from == hop->traffic->from && pair->to == hop->traffic->to;
        const bool back = pair->to == hop->traffic->from && pair->from == hop->traffic->to;
        const struct scenario_node *opener = &scenario->nodes[pair->from];
        if ((!there && !back) || !is_roce_v1(workload, opener))
            continue;
        checking->reported[index] = true;
        check_add(checking->report, DIAG_ERROR, workload->place,
                  "'%s' from %s to %s uses RoCE v1, and %s is a router: it drops frames without an "
                  "IP header, so no connection comes up",
                  workload->name, opener->name, scenario->nodes[pair->to].name, node->name);
        check_remedy(checking->report, "use RoCE v2, or keep both hosts in one VLAN");
        check_set_here(checking->report, opener, SCENARIO_ALL_PORTS, "rnic: {roce-version: 2}");
        return;
    }
}

static void run_routers_check(const struct scenario *scenario, struct check_report *report)
{
    struct checking checking = {.scenario = scenario,
                                .report = report,
                                .reported =
                                    memory_zeroed(scenario->workload_count + 1, sizeof(bool))};
    flow_walk(scenario, check_hop, &checking);
    free(checking.reported);
}

const struct check_rule check_routers = {
    .name = "routers",
    .about = "No traffic without an IP header crosses a router.",
    .ethernet = true,
    .run = run_routers_check,
};
