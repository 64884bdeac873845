/* SPDX-License-Identifier: Apache-2.0
 * collect_harm - shares of the steady part, by port. */
#include "replay/record/collect_harm.h"

#include "base/memory.h"
#include "replay/cause/causes.h"
#include "replay/record/usage.h"

#include <stdlib.h>

static int64_t share(int64_t part, int64_t whole)
{
    if (whole <= 0 || part <= 0)
        return 0;
    return part >= whole ? PPM : (int64_t)((__int128)part * PPM / whole);
}

static void add_queue_pairs(const struct usage *usage, uint32_t node, uint16_t port, bool lossy,
                            struct harm_use *use)
{
    const int64_t active = usage_of_rnic(usage, node, port, USAGE_QP_ACTIVE);
    use->drained = share(usage_drained(usage, node, port), usage_span(usage));
    use->held = share(usage_of_rnic(usage, node, port, USAGE_QP_HELD), active);
    use->refused = share(usage_of_rnic(usage, node, port, USAGE_QP_RNR), active);
    use->reads = share(usage_of_rnic(usage, node, port, USAGE_QP_READS), active);
    if (lossy)
        use->lost = share(usage_of_rnic(usage, node, port, USAGE_QP_RESENT) +
                              usage_of_rnic(usage, node, port, USAGE_QP_SILENT),
                          active);
}

static struct harm_use *uses_of(const struct collect *collect, const struct result *result)
{
    const struct explain_fabric *fabric = collect->observe->fabric;
    const struct usage *usage = collect->usage;
    const uint32_t ports = fabric->first_port[fabric->node_count];
    const bool lossy = collect->observe->drop_count > 0 || result->totals.rnic_timeouts > 0;
    struct harm_use *uses = memory_zeroed(ports + 1, sizeof *uses);
    for (uint32_t i = 0; i < ports; i++) {
        const uint32_t node = fabric->node_of[i];
        const time_ps busy = units_transfer_ps((uint64_t)usage_of_port(usage, i, USAGE_PORT_BYTES),
                                               (uint64_t)fabric->rate_bps[i]);
        uses[i].busy = share(busy, usage_span(usage));
        uses[i].blocked = share(usage_of_port(usage, i, USAGE_PORT_BLOCKED), usage_span(usage));
        if (fabric->is_host[node])
            add_queue_pairs(usage, node, (uint16_t)(i - fabric->first_port[node]), lossy, &uses[i]);
    }
    return uses;
}

static int64_t failed_of(const struct result *result)
{
    int64_t failed = 0;
    for (uint32_t i = 0; i < result->workload_count; i++)
        failed += result->workloads[i].failed;
    return failed;
}

void collect_harm(const struct collect *collect, struct result *result)
{
    if (collect->world == NULL || collect->usage == NULL) {
        result->harm = (struct harm){.lost_ps = -1, .failed_operations = failed_of(result)};
        return;
    }
    struct harm_use *uses = uses_of(collect, result);
    struct harm_scene scene = {
        .scenario = collect->scenario,
        .world = collect->world,
        .explain = &collect->observe->explain,
        .fabric = collect->observe->fabric,
        .routes = collect->routes,
        .drops = collect->observe->drops,
        .drop_count = collect->observe->drop_count,
        .uses = uses,
        .now = collect->now,
        .window_end = collect->window_end,
    };
    struct harm_limit *limits = memory_zeroed(result->workload_count, sizeof *limits);
    scene.limits = limits;
    for (uint32_t i = 0; i < result->workload_count; i++) {
        const struct result_limit *limit = &result->limits[i];
        limits[i] = (struct harm_limit){.resource = limit->found.resource,
                                        .used = limit->input.uses[limit->found.resource].used,
                                        .text = limit->found.text};
        scene.failed += result->workloads[i].failed;
        scene.unfinished += collect->cut ? 0 : result->workloads[i].unfinished;
    }
    harm_judge(&scene, cause_kinds, &result->harm);
    free(limits);
    free(uses);
}
