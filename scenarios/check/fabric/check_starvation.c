/* SPDX-License-Identifier: Apache-2.0
 * check_starvation - no strict-priority class starves other classes that need the link.
 * Strict priorities are served first, highest first. Weighted classes are served only when no
 * strict one has frames waiting. */
#include "scenarios/check/check_rule.h"
#include "scenarios/check/link_classes.h"

#include "net/port/port.h"

enum { FAIR_WEIGHT = 50 }; /* of 100 */

/* Priorities in `data` that are served only after the strict priority. */
static uint8_t lower_priorities(const int64_t *weights, uint8_t data, unsigned strict)
{
    unsigned after = 0;
    for (unsigned p = 0; p < PRIORITIES; p++)
        after |= p != strict && (weights[p] > 0 || p < strict) ? 1u << p : 0;
    return (uint8_t)(after & data);
}

static void check_port(const struct scenario_node *node, uint16_t port, uint8_t data,
                       uint8_t greedy, struct check_report *report)
{
    const int64_t *weights = link_classes_weights(node);
    for (unsigned p = PRIORITIES; p-- > 0;) {
        const unsigned after = lower_priorities(weights, data, p);
        if ((greedy >> p & 1) == 0 || weights[p] > 0 || after == 0)
            continue;
        const bool host = node->kind == SCENARIO_HOST;
        char row[24];
        snprintf(row, sizeof row, "weight-%u", p);
        const struct check_thing thing = {
            .node = node,
            .port = port,
            .values = host ? node->host->rnic_values : node->switch_values,
            .row = row,
        };
        check_alike(report, DIAG_WARNING, &thing,
                    "priority %u is strict and carries data without a rate limit: priority %u gets "
                    "only the rest of the link, possibly nothing",
                    p, 31 - (unsigned)__builtin_clz(after));
        check_remedy(report,
                     "set weights for both (%s), or a rate for the workloads of priority %u",
                     host ? "rnic.weight-N" : "scheduler.weights", p);
        for (unsigned q = 0; q < PRIORITIES; q++) {
            snprintf(row, sizeof row, "weight-%u", q);
            if (((after | 1u << p) >> q & 1) != 0 && weights[q] == 0)
                check_set(report, &thing, "%d", FAIR_WEIGHT);
        }
        return;
    }
}

static void find_starvation(const struct scenario *scenario, struct check_report *report)
{
    struct link_classes classes;
    link_classes_init(&classes, scenario);
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        for (uint16_t p = 0; p < node->port_count; p++) {
            const uint64_t data = link_classes_at(&classes, i, p)->data;
            check_port(node, p, link_classes_priorities(node, data),
                       link_classes_priorities(node, data & classes.greedy), report);
        }
    }
    link_classes_fini(&classes);
}

const struct check_rule check_starvation = {
    .name = "starvation",
    .about = "No strict-priority class can take the whole rate of a link that other classes need.",
    .run = find_starvation,
};
