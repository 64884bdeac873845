/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/check/classes.h"

#include "net/switch/switch.h"

void classes_gather(const struct scenario *scenario, struct arena *arena, struct classes *classes)
{
    classes->of_host = arena_array(arena, scenario->host_count, sizeof *classes->of_host);
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; i < workload->pair_count; i++) {
            const struct scenario_pair *pair = &workload->pairs[i];
            const uint64_t out = UINT64_C(1) << scenario_dscp(scenario, workload, pair);
            const uint64_t back = UINT64_C(1) << scenario_dscp_back(scenario, workload, pair);
            *(workload->class.tos_set ? &classes->chosen : &classes->hosts) |= out;
            classes->hosts |= back & ~out;
            classes->of_host[pair->from] |= out | back;
            classes->of_host[pair->to] |= out | back;
        }
    }
}

bool classes_lossless(const struct scenario_node *node, unsigned priority)
{
    return (node->switch_params->pfc_priorities >> priority & 1) != 0;
}
