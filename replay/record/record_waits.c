/* SPDX-License-Identifier: Apache-2.0
 * record_waits - sums of the time breakdown; parts without time have no row. */
#include "replay/record/record_private.h"

static __int128 part_of(const struct breakdown_sum *sum, enum breakdown_part part)
{
    __int128 ps = 0;
    for (int phase = 0; phase < BREAKDOWN_PHASES; phase++)
        ps += sum->ps[phase][part];
    return ps;
}

static void write_sum(struct store *store, const struct breakdown_sum *sum, uint32_t workload,
                      const char *operation)
{
    RECORD_ROW(store, wait_total, .workload = STORE_I(workload), .operation = STORE_T(operation),
               .count = STORE_I(sum->count), .latency_ps = STORE_I(sum->latency_ps),
               .slow_count = STORE_I(sum->slow_count),
               .queued_ps = STORE_I(part_of(sum, BREAKDOWN_QUEUED)),
               .paused_ps = STORE_I(part_of(sum, BREAKDOWN_PAUSED)),
               .behind_sent_ps = STORE_I(sum->behind_sent_ps),
               .behind_lost_ps = STORE_I(sum->behind_lost_ps));
    for (int i = 0; i < BREAKDOWN_PHASES * BREAKDOWN_PARTS; i++) {
        const enum breakdown_phase phase = (enum breakdown_phase)(i / BREAKDOWN_PARTS);
        const enum breakdown_part part = (enum breakdown_part)(i % BREAKDOWN_PARTS);
        if (sum->ps[phase][part] != 0)
            RECORD_ROW(store, wait, .workload = STORE_I(workload), .operation = STORE_T(operation),
                       .position = STORE_I(i), .phase = STORE_T(breakdown_phase_key(phase)),
                       .part = STORE_T(breakdown_part_key(part)),
                       .sum_ps = STORE_I(sum->ps[phase][part]));
    }
    for (int i = 0; i < BREAKDOWN_PARTS; i++)
        if (sum->slow_ps[i] != 0)
            RECORD_ROW(store, wait_slow, .workload = STORE_I(workload),
                       .operation = STORE_T(operation), .position = STORE_I(i),
                       .part = STORE_T(breakdown_part_key((enum breakdown_part)i)),
                       .sum_ps = STORE_I(sum->slow_ps[i]));
}

static void write_places(struct store *store, const struct breakdown *waits,
                         const struct explain_fabric *fabric)
{
    uint32_t count;
    const struct breakdown_place_sum *places = breakdown_places(waits, &count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t node = fabric->node_of[places[i].port];
        RECORD_ROW(
            store, wait_place, .workload = STORE_I(places[i].workload),
            .operation = STORE_T(breakdown_operation_key(places[i].operation)),
            .node = STORE_I(node), .port = STORE_I(places[i].port - fabric->first_port[node]),
            .priority = STORE_I(places[i].priority), .paused_ps = STORE_I(places[i].paused_ps),
            .queued_ps = STORE_I(places[i].queued_ps));
    }
}

static void write_member(struct store *store, const struct scenario_workload *about,
                         uint32_t workload, uint32_t number, const struct breakdown_member *member)
{
    const struct scenario_pair *pair = &about->pairs[number / about->copies];
    RECORD_ROW(store, wait_member, .workload = STORE_I(workload), .member = STORE_I(number),
               .from_node = STORE_I(pair->from), .to_node = STORE_I(pair->to),
               .count = STORE_I(member->count), .latency_ps = STORE_I(member->latency_ps));
    for (int i = 0; i < BREAKDOWN_PARTS; i++)
        if (member->ps[i] != 0)
            RECORD_ROW(store, wait_member_part, .workload = STORE_I(workload),
                       .member = STORE_I(number), .position = STORE_I(i),
                       .part = STORE_T(breakdown_part_key((enum breakdown_part)i)),
                       .sum_ps = STORE_I(member->ps[i]));
}

static void write_members(struct store *store, const struct breakdown *waits,
                          const struct scenario *scenario)
{
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        uint32_t count;
        const struct breakdown_member *members = breakdown_members(waits, w, &count);
        for (uint32_t i = 0; i < count; i++)
            if (members[i].count > 0)
                write_member(store, &scenario->workloads[w], w, i, &members[i]);
    }
}

void record_waits(struct record *record, const struct collect *collect)
{
    const struct observe *observe = collect->observe;
    struct store *store = record_store(record);
    if (!breakdown_is_traced(observe->waits))
        return;
    for (uint32_t i = 0; i < observe->workload_count * BREAKDOWN_OPERATIONS; i++) {
        const enum breakdown_operation operation =
            (enum breakdown_operation)(i % BREAKDOWN_OPERATIONS);
        const struct breakdown_sum *sum =
            breakdown_of(observe->waits, i / BREAKDOWN_OPERATIONS, operation);
        if (sum != NULL)
            write_sum(store, sum, i / BREAKDOWN_OPERATIONS, breakdown_operation_key(operation));
    }
    write_places(store, observe->waits, observe->fabric);
    if (record_has_members(record, collect->scenario))
        write_members(store, observe->waits, collect->scenario);
}
