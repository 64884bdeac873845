/* SPDX-License-Identifier: Apache-2.0
 * check_offered - open loops offer a host no more than its links carry.
 * The excess queues, and the wait grows for as long as the run lasts. */
#include "scenarios/check/check_rule.h"
#include "scenarios/check/offered.h"

#include "base/quantity.h"

struct loads {
    int64_t *out, *in; /* by host: bits per second of open loops alone */
};

static void add(int64_t *load, int64_t bps)
{
    if (bps != OFFERED_ALL)
        *load = bps > OFFERED_ALL - 1 - *load ? OFFERED_ALL - 1 : *load + bps;
}

static void gather(const struct scenario *scenario, struct loads *loads)
{
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct offering all = offered_all(&scenario->workloads[w]);
        for (uint32_t i = 0; i < scenario->workloads[w].pair_count; i++) {
            const struct scenario_pair *pair = &scenario->workloads[w].pairs[i];
            const struct offered offered = offered_by(scenario, &all, pair);
            add(&loads->out[pair->from], offered.out);
            add(&loads->in[pair->to], offered.out);
            add(&loads->out[pair->to], offered.back);
            add(&loads->in[pair->from], offered.back);
        }
    }
}

static void check_side(const struct scenario_node *host, int64_t load, const char *what,
                       struct check_report *report)
{
    char offered[QUANTITY_TEXT_BYTES], carried[QUANTITY_TEXT_BYTES];
    const int64_t room = offered_room(host);
    if (load <= room)
        return;
    quantity_format(QUANTITY_RATE, load / 1000000 * 1000000, offered, sizeof offered);
    quantity_format(QUANTITY_RATE, room, carried, sizeof carried);
    const struct check_thing thing = {.node = host, .port = SCENARIO_ALL_PORTS};
    check_alike(report, DIAG_WARNING, &thing,
                "workloads with a rate offer %s that it %s, but its links carry %s: the backlog "
                "grows without limit",
                offered, what, carried);
    check_remedy(report, "lower the rate of the workloads, or spread them over more hosts");
}

static void find_offered(const struct scenario *scenario, struct check_report *report)
{
    struct arena scratch = {0};
    struct loads loads = {
        .out = arena_array(&scratch, scenario->host_count, sizeof(int64_t)),
        .in = arena_array(&scratch, scenario->host_count, sizeof(int64_t)),
    };
    gather(scenario, &loads);
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        check_side(&scenario->nodes[i], loads.out[i], "sends", report);
        check_side(&scenario->nodes[i], loads.in[i], "receives", report);
    }
    arena_free(&scratch);
}

const struct check_rule check_offered = {
    .name = "offered",
    .about = "Workloads with a rate offer no more than the links of their hosts can carry.",
    .run = find_offered,
};
