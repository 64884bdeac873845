/* SPDX-License-Identifier: Apache-2.0
 * record_waits - sums of the account of time; parts that nothing waited for have no row. */
#include "replay/record/record_waits.h"

#include "replay/database/record_schema.h"
#include "replay/record/record_members.h"

static __int128 part_of(const struct waits_sum *sum, enum waits_part part)
{
    __int128 ps = 0;
    for (int phase = 0; phase < WAITS_PHASES; phase++)
        ps += sum->ps[phase][part];
    return ps;
}

static void write_sum(struct store *store, const struct waits_sum *sum, uint32_t workload,
                      const char *operation)
{
    RECORD_ROW(store, wait_total, .workload = STORE_I(workload), .operation = STORE_T(operation),
               .count = STORE_I(sum->count), .latency_ps = STORE_I(sum->latency_ps),
               .slow_count = STORE_I(sum->slow_count),
               .queued_ps = STORE_I(part_of(sum, WAITS_QUEUED)),
               .paused_ps = STORE_I(part_of(sum, WAITS_PAUSED)));
    for (int i = 0; i < WAITS_PHASES * WAITS_PARTS; i++) {
        const enum waits_phase phase = (enum waits_phase)(i / WAITS_PARTS);
        const enum waits_part part = (enum waits_part)(i % WAITS_PARTS);
        if (sum->ps[phase][part] != 0)
            RECORD_ROW(store, wait, .workload = STORE_I(workload), .operation = STORE_T(operation),
                       .position = STORE_I(i), .phase = STORE_T(waits_phase_key(phase)),
                       .part = STORE_T(waits_part_key(part)),
                       .sum_ps = STORE_I(sum->ps[phase][part]));
    }
    for (int i = 0; i < WAITS_PARTS; i++)
        if (sum->slow_ps[i] != 0)
            RECORD_ROW(store, wait_slow, .workload = STORE_I(workload),
                       .operation = STORE_T(operation), .position = STORE_I(i),
                       .part = STORE_T(waits_part_key((enum waits_part)i)),
                       .sum_ps = STORE_I(sum->slow_ps[i]));
}

static void write_places(struct store *store, const struct waits *waits,
                         const struct explain_fabric *fabric)
{
    uint32_t count;
    const struct waits_place_sum *places = waits_places(waits, &count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t node = fabric->node_of[places[i].port];
        RECORD_ROW(
            store, wait_place, .workload = STORE_I(places[i].workload),
            .operation = STORE_T(waits_operation_key(places[i].operation)), .node = STORE_I(node),
            .port = STORE_I(places[i].port - fabric->first_port[node]),
            .priority = STORE_I(places[i].priority), .paused_ps = STORE_I(places[i].paused_ps),
            .queued_ps = STORE_I(places[i].queued_ps));
    }
}

static void write_member(struct store *store, const struct scenario_workload *about,
                         uint32_t workload, uint32_t number, const struct waits_member *member)
{
    const struct scenario_pair *pair = &about->pairs[number / about->copies];
    RECORD_ROW(store, wait_member, .workload = STORE_I(workload), .member = STORE_I(number),
               .from_node = STORE_I(pair->from), .to_node = STORE_I(pair->to),
               .count = STORE_I(member->count), .latency_ps = STORE_I(member->latency_ps));
    for (int i = 0; i < WAITS_PARTS; i++)
        if (member->ps[i] != 0)
            RECORD_ROW(store, wait_member_part, .workload = STORE_I(workload),
                       .member = STORE_I(number), .position = STORE_I(i),
                       .part = STORE_T(waits_part_key((enum waits_part)i)),
                       .sum_ps = STORE_I(member->ps[i]));
}

static void write_members(struct store *store, const struct waits *waits,
                          const struct scenario *scenario)
{
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        uint32_t count;
        const struct waits_member *members = waits_members(waits, w, &count);
        for (uint32_t i = 0; i < count; i++)
            if (members[i].count > 0)
                write_member(store, &scenario->workloads[w], w, i, &members[i]);
    }
}

void record_waits(struct record *record, const struct collect *collect)
{
    const struct observe *observe = collect->observe;
    struct store *store = record_store(record);
    if (observe->waits == NULL)
        return;
    for (uint32_t i = 0; i < observe->workload_count * WAITS_OPERATIONS; i++) {
        const enum waits_operation operation = (enum waits_operation)(i % WAITS_OPERATIONS);
        const struct waits_sum *sum = waits_of(observe->waits, i / WAITS_OPERATIONS, operation);
        if (sum != NULL)
            write_sum(store, sum, i / WAITS_OPERATIONS, waits_operation_key(operation));
    }
    write_places(store, observe->waits, observe->fabric);
    if (record_has_members(record, collect->scenario))
        write_members(store, observe->waits, collect->scenario);
}
