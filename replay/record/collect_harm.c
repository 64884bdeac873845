/* SPDX-License-Identifier: Apache-2.0
 * collect_harm - shares of the steady part, by port. */
#include "replay/record/collect_private.h"

#include "base/memory.h"
#include "base/numbers.h"
#include "replay/cause/causes.h"
#include "replay/usage/usages.h"

#include <stdlib.h>

static void add_queue_pairs(const struct usage *usage, uint32_t node, uint16_t port, bool lossy,
                            struct harm_use *use)
{
    const int64_t active = usage_of_rnic(usage, node, port, USAGE_QP_ACTIVE);
    use->drained = share_ppm(usage_drained(usage, node, port), usage_span(usage));
    use->held = share_ppm(usage_of_rnic(usage, node, port, USAGE_QP_HELD), active);
    use->refused = share_ppm(usage_of_rnic(usage, node, port, USAGE_QP_RNR), active);
    use->reads = share_ppm(usage_of_rnic(usage, node, port, USAGE_QP_READS), active);
    if (lossy)
        use->lost = share_ppm(usage_of_rnic(usage, node, port, USAGE_QP_RESENT) +
                                  usage_of_rnic(usage, node, port, USAGE_QP_SILENT),
                              active);
}

/* For the period in which that usage's workloads had work. */
static struct harm_use *uses_of(const struct collect *collect, const struct usage *usage,
                                bool lossy)
{
    const struct explain_fabric *fabric = collect->observe->fabric;
    const uint32_t ports = fabric->first_port[fabric->node_count];
    struct harm_use *uses = memory_zeroed(ports + 1, sizeof *uses);
    for (uint32_t i = 0; i < ports; i++) {
        const uint32_t node = fabric->node_of[i];
        const time_ps busy = units_transfer_ps((uint64_t)usage_of_port(usage, i, USAGE_PORT_BYTES),
                                               (uint64_t)fabric->rate_bps[i]);
        uses[i].busy = share_ppm(busy, usage_span(usage));
        uses[i].blocked = share_ppm(usage_of_port(usage, i, USAGE_PORT_BLOCKED), usage_span(usage));
        if (fabric->is_host[node])
            add_queue_pairs(usage, node, (uint16_t)(i - fabric->first_port[node]), lossy, &uses[i]);
    }
    return uses;
}

/* The maximum over all periods. */
static void add_most(struct harm_use *most, const struct harm_use *uses, uint32_t ports)
{
    for (uint32_t i = 0; i < ports; i++)
        most[i] = (struct harm_use){.busy = max_i64(most[i].busy, uses[i].busy),
                                    .blocked = max_i64(most[i].blocked, uses[i].blocked),
                                    .drained = max_i64(most[i].drained, uses[i].drained),
                                    .held = max_i64(most[i].held, uses[i].held),
                                    .refused = max_i64(most[i].refused, uses[i].refused),
                                    .reads = max_i64(most[i].reads, uses[i].reads),
                                    .lost = max_i64(most[i].lost, uses[i].lost)};
}

/* The share of the offered load that was not completed; 0: closed loops. */
static int64_t unmet_of(const struct bottleneck_input *input)
{
    return input->asked <= PPM ? 0 : PPM - PPM * PPM / input->asked;
}

/* The bottleneck, and for an open loop that completes its offered load late: what it waits for. */
static struct harm_limit limit_of(const struct result_limit *limit, struct bottleneck *late)
{
    struct bottleneck_input input = limit->input;
    const struct bottleneck *found = &limit->found;
    if (found->resource == BOTTLENECK_ASKED && !input.idle) {
        input.satisfied = false;
        input.asked = 0;
        bottleneck_find(&input, late);
        if (bottleneck_is_wait(late->resource))
            found = late;
    }
    return (struct harm_limit){.resource = found->resource,
                               .used = input.uses[found->resource].used,
                               .unmet = unmet_of(&limit->input),
                               .text = found->text};
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
    const struct usages *usages = collect->usages;
    if (collect->world == NULL || usages == NULL) {
        result->harm = (struct harm){.lost_ps = -1, .failed_operations = failed_of(result)};
        return;
    }
    const struct explain_fabric *fabric = collect->observe->fabric;
    const uint32_t ports = fabric->first_port[fabric->node_count];
    const bool lossy = collect->observe->drop_count > 0 || result->totals.rnic_timeouts > 0;
    struct harm_use *most = memory_zeroed(ports + 1, sizeof *most), *by_time[USAGES_MAX];
    for (uint32_t i = 0; i < usages->count; i++) {
        by_time[i] = uses_of(collect, &usages->list[i], lossy);
        add_most(most, by_time[i], ports);
    }
    const struct harm_use **uses_by = memory_zeroed(result->workload_count, sizeof *uses_by);
    for (uint32_t i = 0; i < result->workload_count; i++)
        uses_by[i] = by_time[usages->of_workload[i]];
    struct harm_scene scene = {
        .scenario = collect->scenario,
        .world = collect->world,
        .explain = &collect->observe->explain,
        .fabric = fabric,
        .routes = collect->routes,
        .drops = collect->observe->drops,
        .drop_count = collect->observe->drop_count,
        .uses = most,
        .uses_by = uses_by,
        .now = collect->now,
        .window_end = collect->window_end,
    };
    struct harm_limit *limits = memory_zeroed(result->workload_count, sizeof *limits);
    struct bottleneck *late = memory_zeroed(result->workload_count, sizeof *late);
    scene.limits = limits;
    for (uint32_t i = 0; i < result->workload_count; i++) {
        limits[i] = limit_of(&result->limits[i], &late[i]);
        scene.failed += result->workloads[i].failed;
        scene.unfinished += collect->cut ? 0 : result->workloads[i].unfinished;
    }
    harm_judge(&scene, cause_kinds, &result->harm);
    free(limits);
    free(late);
    for (uint32_t i = 0; i < usages->count; i++)
        free(by_time[i]);
    free(uses_by);
    free(most);
}
