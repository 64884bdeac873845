/* SPDX-License-Identifier: Apache-2.0
 * check_path_rates - all links of an ECMP group have the same rate.
 * ECMP spreads flows evenly regardless of link rates: the slowest link is saturated while the
 * others are not. */
#include "scenarios/check/check_rule.h"
#include "scenarios/check/flow_walk.h"

#include "base/quantity.h"

static int64_t fastest(const struct scenario_node *node, const uint16_t *ports, uint32_t count)
{
    int64_t rate = 0;
    for (uint32_t i = 0; i < count; i++)
        if (node->ports[ports[i]].params->rate > rate)
            rate = node->ports[ports[i]].params->rate;
    return rate;
}

struct checking {
    const struct scenario *scenario;
    struct check_report *report;
    struct check_seen reported; /* positions of port rates already reported */
};

static void check_port(struct checking *checking, const struct scenario_node *node, uint16_t port,
                       int64_t most)
{
    char slow[QUANTITY_TEXT_BYTES], fast[QUANTITY_TEXT_BYTES];
    const int64_t rate = node->ports[port].params->rate;
    if (rate == most || !check_first_time(&checking->reported, &node->ports[port]))
        return;
    quantity_format(QUANTITY_RATE, rate, slow, sizeof slow);
    quantity_format(QUANTITY_RATE, most, fast, sizeof fast);
    const struct check_thing thing = check_of_port(node, port, "rate");
    check_alike(checking->report, DIAG_WARNING, &thing,
                "%s, but other links of its ECMP group have %s: all get the same number of flows, "
                "so the slow link saturates first",
                slow, fast);
    check_remedy(checking->report,
                 "use one rate for all links of the group, or routes without the slow link");
}

static void check_hop(void *self, const struct flow_hop *hop)
{
    struct checking *checking = self;
    const struct scenario_node *node = &checking->scenario->nodes[hop->node];
    const int64_t most = fastest(node, hop->ports, hop->count);
    for (uint32_t i = 0; i < hop->count; i++)
        check_port(checking, node, hop->ports[i], most);
}

static void find_path_rates(const struct scenario *scenario, struct check_report *report)
{
    struct checking checking = {.scenario = scenario, .report = report};
    flow_walk(scenario, check_hop, &checking);
    arena_free(&checking.reported.arena);
}

const struct check_rule check_path_rates = {
    .name = "path-rates",
    .about = "All links of an ECMP group have the same rate.",
    .run = find_path_rates,
};
