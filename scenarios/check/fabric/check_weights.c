/* SPDX-License-Identifier: Apache-2.0
 * check_weights - the lossless class and CNPs have a sufficient share of the link.
 * Among the weighted classes with frames waiting, each gets the link in proportion to its
 * weight. */
#include "scenarios/check/check_rule.h"
#include "scenarios/check/link_classes.h"

#include "net/port/port.h"
#include "net/switch/switch.h"

enum { TINY_PERCENT = 5 };

/* Classes at one port. */
struct classes_here {
    const struct scenario_node *node;
    uint16_t port;
    const int64_t *weights;
    uint8_t data, cnp; /* masks of priorities */
};

/* Sum of the weights of the priority and of the others that have data. */
static int64_t weights_beside(const struct classes_here *here, unsigned priority)
{
    int64_t all = here->weights[priority];
    for (unsigned p = 0; p < PRIORITIES; p++)
        if (p != priority && (here->data >> p & 1) != 0)
            all += here->weights[p];
    return all;
}

/* The largest weight among the others. */
static int64_t fair_weight(const struct classes_here *here, unsigned priority)
{
    int64_t most = 1;
    for (unsigned p = 0; p < PRIORITIES; p++)
        if (p != priority && (here->data >> p & 1) != 0 && here->weights[p] > most)
            most = here->weights[p];
    return most;
}

static bool tiny(const struct classes_here *here, unsigned priority)
{
    const int64_t own = here->weights[priority];
    return own > 0 && own * 100 <= weights_beside(here, priority) * TINY_PERCENT;
}

static void report_weight(const struct classes_here *here, unsigned priority, bool data,
                          struct check_report *report)
{
    char row[16];
    const bool host = here->node->kind == SCENARIO_HOST;
    snprintf(row, sizeof row, "weight-%u", priority);
    const struct check_thing thing = {
        .node = here->node,
        .port = here->port,
        .values = host ? here->node->host->rnic_values : here->node->switch_values,
        .row = row,
    };
    const int64_t own = here->weights[priority], all = weights_beside(here, priority);
    if (data)
        check_alike(report, DIAG_WARNING, &thing,
                    "priority %u has lossless data, but a weight of only %lld of %lld: when others "
                    "send, it gets only this part of the link and pauses its senders",
                    priority, (long long)own, (long long)all);
    else
        check_alike(report, DIAG_WARNING, &thing,
                    "priority %u has CNPs, but a weight of only %lld of %lld: congestion control "
                    "reacts late when many flows are marked",
                    priority, (long long)own, (long long)all);
    check_remedy(report, data ? "set the weight of this priority to its share of the offered load"
                              : "use strict priority for CNPs: weight 0");
    check_set(report, &thing, "%lld", (long long)(data ? fair_weight(here, priority) : 0));
}

static void check_port(const struct classes_here *here, struct check_report *report)
{
    const struct switch_params *params =
        here->node->kind == SCENARIO_SWITCH ? here->node->switch_params : NULL;
    for (unsigned p = 0; p < PRIORITIES; p++) {
        const bool data = (here->data >> p & 1) != 0, cnp = (here->cnp >> p & 1) != 0;
        const bool lossless = params == NULL || (params->pfc_priorities >> p & 1) != 0;
        if ((data ? lossless : cnp) && tiny(here, p))
            report_weight(here, p, data, report);
    }
}

static void find_weights(const struct scenario *scenario, struct check_report *report)
{
    struct link_classes classes;
    link_classes_init(&classes, scenario);
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        for (uint16_t p = 0; p < node->port_count; p++) {
            const struct link_classes_port *used = link_classes_at(&classes, i, p);
            const struct classes_here here = {
                .node = node,
                .port = p,
                .weights = link_classes_weights(node),
                .data = link_classes_priorities(node, used->data),
                .cnp = link_classes_priorities(node, used->cnp),
            };
            check_port(&here, report);
        }
    }
    link_classes_fini(&classes);
}

const struct check_rule check_weights = {
    .name = "weights",
    .about = "The scheduling weights of lossless data and CNPs are large enough.",
    .run = find_weights,
};
