/* SPDX-License-Identifier: Apache-2.0
 * record_members - reports of workloads' instances as rows. */
#include "replay/record/record_private.h"

#include "replay/record/member_figures.h"

static void write_member(struct store *store, const struct collect *collect, uint32_t index,
                         uint32_t number, const struct workload_member *did,
                         struct workload_delivered delivered)
{
    const struct scenario_workload *workload = &collect->scenario->workloads[index];
    const struct member_life life = member_life(workload, did, collect->window_end, collect->cut);
    static const struct workload_member nothing;
    const struct scenario_pair *pair = &workload->pairs[number / workload->copies];
    did = did == NULL ? &nothing : did;
    const bool any = did->completed > 0;
    RECORD_ROW(
        store, member, .workload = STORE_I(index), .member = STORE_I(number),
        .from_node = STORE_I(pair->from), .to_node = STORE_I(pair->to),
        .ready_ps = did->connected ? STORE_I(did->ready) : STORE_N, .issued = STORE_I(did->issued),
        .completed = STORE_I(did->completed), .failed = STORE_I(did->failed),
        .bytes = STORE_I(did->bytes), .delivered_read = STORE_I(delivered.read),
        .delivered_written = STORE_I(delivered.written),
        .first_issue_ps = did->issued > 0 ? STORE_I(did->first_issue) : STORE_N,
        .last_completion_ps = any ? STORE_I(did->last_completion) : STORE_N,
        .until_ps = did->issued > 0 ? STORE_I(life.until) : STORE_N,
        .cut_off_ps = life.cut_off ? STORE_I(life.cut_off_at) : STORE_N,
        .latency_mean_ps = any ? STORE_I(did->latency_sum / (time_ps)did->completed) : STORE_N,
        .latency_max_ps = any ? STORE_I(did->latency_max) : STORE_N);
}

bool record_has_members(const struct record *record, const struct scenario *scenario)
{
    uint64_t all = 0;
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        all += (uint64_t)scenario->workloads[w].pair_count * scenario->workloads[w].copies;
    return all <= RECORD_MEMBERS_MAX || record_level_of(record) >= RECORD_COUNTERS;
}

void record_members(struct record *record, const struct collect *collect)
{
    const struct scenario *scenario = collect->scenario;
    const struct world *world = collect->world;
    if (!record_is_of_members(record) || !record_has_members(record, scenario))
        return;
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; i < workload->pair_count * workload->copies; i++) {
            const bool begun = i < world_instances(world, w);
            write_member(record_store(record), collect, w, i, world_member(world, w, i),
                         begun ? world_delivered(world, w, i) : (struct workload_delivered){0});
        }
    }
}
